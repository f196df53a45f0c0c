"""Claude Code and nothing else: its events, its answers, its tools, what each version can do, what it writes down.

What comes in and goes out: `event`, `answer`, `tools` (their names and fields), `dialogs` (questions to the user),
`terminal`. What a client can do: `versions`; what it does otherwise than is known: `drift` (an event lacks something)
and `deviations` (what the lack means). What it writes down: `transcripts` (reading them), `agents` (where an agent's
is), `activity` (what an agent does now), `origins` (who has said something), `arrivals` (which record proves that
something has arrived), `receipts` (whether our words have), `permissions` (settings files).
"""
