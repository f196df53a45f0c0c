"""What is remembered: the only room that opens the database, and the only one that speaks SQL.

Each module has one family of tables, with typed records and named functions.
The file: `file` (reading and writing), `opening`, `migrations`, `aside` (damaged ledgers), `place` (the data directory
and its markers of sessions), `spool` (waiting events), `attempts` (the step that each hook is at), `idle` (sessions for
which no hook need run).
The subject of an event: `cases`, one task, agent or session with its requests, items and deliveries, read once.
Tasks: `tasks`, `naming` (labels and tokens), `values` (every state), `projects` (folders, and which tasks belong to
them), `sessions`, `children` (agents of agents).
Launches: `windows` (what a command lets a turn launch), `launches` (the calls).
Runs: `runs`, `reported` (their texts and signals), `verifications` (the check that a user named).
Questions: `inbox` (the items), `user_answers`, `typed` (everything that was typed), `proofs` (who said it, and the
codes that confirm it), `delegations`, `resumes` (messages to agents), `chains` (proofs of the client's module).
Reminders: `deliveries` (what the parent must hear).
The rest: `notes` (single values, among them a task's limit, errors of hooks, strangers, words still to be shown to the
user), `sightings` (shapes of events), `search`, `figures`, `digests`, `forgetting` and `erasing`.
"""

import _sqlite3 as sqlite3  # `sqlite3` also imports datetime, which is a twentieth of an event's cost

__all__ = ["sqlite3"]
