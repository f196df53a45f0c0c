"""What is remembered: the only room that opens the database, and the only one that speaks SQL.

Each module has one family of tables, with typed records and named functions. The file: `file` (reading and writing),
`opening`, `migrations`, `aside` (damaged ledgers), `place` (the data directory and its markers of sessions), `spool`
(waiting events), `attempts` (the step that each hook is at) and `idle` (sessions for which no hook need run). The
subject of an event: `cases`, one task, agent or session with all that is known of it, read once. Tasks: `tasks`,
`naming` (labels and tokens), `values` (every state), `projects`, `sessions`, `children` (agents of agents). Launches:
`windows` and the `launches` in them. Runs: `runs`, their texts and signals (`reported`), `verifications` (the check
that a user named). Questions: the `inbox`, `user_answers`, `typed` (everything that was typed) and `proofs` (who said
it), `delegations`, `resumes`, `chains` (proofs of the client's module). `deliveries` are what the parent must hear.
The rest: `notes` (single values, errors, strangers), `sightings` (shapes of events), `search`, `figures`, `digests`,
`forgetting` and `erasing`.
"""

import _sqlite3 as sqlite3  # `sqlite3` also imports datetime, which is a twentieth of an event's cost

__all__ = ["sqlite3"]
