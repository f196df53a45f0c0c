"""Background subagents you can trust.

An event comes in by hooks/run and `hook`; `loop.routes` says which step it is. Then, in reading order: `host` speaks
Claude Code, `protocol` reads what an agent says, `ledger` remembers, `signals` knows what each signal means, `loop`
decides, `words` says it, `evidence` and `results` check it, `desk` shows it. `durations` (every number of seconds),
`foreign` (reading what others have written), `machine` (processes), `masking` (secrets), `pattern` and `record` (what
spares the hooks time), `repository` (the commit of a checkout) and `settings` are the ground under every room.
"""
