"""What is remembered: the only room that opens the database, and the only one that speaks SQL.

One module a family of tables, with typed records and named verbs. The file: `file` (reading and writing), `opening`,
`migrations`, `aside` (a damaged one), `place` (the data directory and the marks of sessions in it), `spool` (events
that wait), `attempts` (what each hook is at) and `idle` (sessions for which no hook need run). What an event is about:
`cases`, one task, agent or session with all that is known of it, read once. Tasks: `tasks`, `naming` (labels and
tokens), `values` (every state), `projects`, `sessions`, `children` (agents of agents). Launches: `windows` and the
`launches` in them. Runs: `runs`, what they have `reported`, `verifications` (the check that a user named). Questions:
the `inbox`, `user_answers`, `typed` (all that was typed) and `proofs` (who said it), `delegations`, `resumes`,
`chains` (proofs of the client's module). `deliveries` are what the parent must hear. Beside these: `notes` (single
values, errors, strangers), `sightings` (shapes of events), `search`, `figures`, `digests`, `forgetting` and `erasing`.
"""

import _sqlite3 as sqlite3  # `sqlite3` is the same and brings datetime, a twentieth of what an event costs

__all__ = ["sqlite3"]
