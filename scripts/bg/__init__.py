"""Background subagents you can trust.

An event enters by hooks/run and `hook`; `loop.routes` picks the step that handles it. Then, in reading order: `host`
speaks Claude Code's formats, `protocol` reads agents' signals, `ledger` remembers, `signals` knows what each signal
means, `loop` decides, `words` holds the texts, `evidence` and `results` check reports, `desk` is for people to look at.
`durations` (every number of seconds), `foreign` (reading files of others), `machine` (processes), `masking` (secrets),
`pattern` and `record` (both spare the hooks time), `repository` (the commit of a checkout) and `settings` are the
ground: every room may import them.
"""
