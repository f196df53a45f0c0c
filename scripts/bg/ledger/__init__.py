"""What is remembered: the only room that opens the database, and the only one that speaks SQL.

One module a family of tables, with typed records and named verbs: `tasks`, `launches` (and the windows they are made
in), `runs` (with reports, signals and scans), `inbox` (questions and answers), `delegations`, `resumes`, `deliveries`,
`sessions`, `notes` (single values, errors, strangers).
"""
