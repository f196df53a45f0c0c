"""What is remembered: the only room that opens the database, and the only one that speaks SQL.

One module a family of tables, with typed records and named verbs: `tasks` (with `naming`, `projects`, `unfinished`),
`windows` and the `launches` in them, `runs` and what they have `reported`, the `inbox` and its `user_answers`,
`delegations`, `resumes`, `deliveries`, `sessions`, `notes` (single values, errors, strangers).
"""

import _sqlite3 as sqlite3  # `sqlite3` is the same and brings datetime, a twentieth of what an event costs

__all__ = ["sqlite3"]
