"""What people look at: tables, checks, the doctor, the commands of bgctl.

`status` holds the facts of a task for all of them, `page` fits lines to a terminal. In the chat: `views` (what the
hooks show), `table` (/bg-status), `open_items`, `report` (one task in sections), `detail` (these on a page), `drifts`.
In a shell: `cli` (the subcommands), `look` (status, inbox, export), `paging` and `written` (reports), `board` (a page
for a browser), `find`, `truth` (figures), `check`, `merging`, `code`, `forget`, `statusline`, `shortcuts`,
`packages`, `doctor` with its `findings`.
"""
