"""Background subagents you can trust.

In reading order: host (the host's events), versions (what each host can do), handlers (which event does what), on/
(one module a subject), scene (one event and its answer); blocks, signals, reports (from an agent's text to what it
says); launch, replies, resume (what agents and parents are told); answers, decisions (what the user says); ledger,
tasks, runs, inbox, deliveries, spool (what is remembered); form, sections, issues, contract, conformance (results in
the contract's form, read over markdown and checked); records, intake, grouping, merge, account (several results made
one); state, foreign, settings, packages, processes, transcripts (the machine); status, statusline, shortcuts, doctor,
cli (what people see).
"""
