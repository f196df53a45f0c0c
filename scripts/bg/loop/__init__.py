"""What happens at each event, one module a step; `routes` says which event goes where.

Every step gets a `scene`, the event with its answer. Prompts and ends of turns: `turns`, `commands`. A launch:
`launching`, `named_check` (the user's check), `adopting` (identity), `binding` (agent and task), `beginning`,
`nesting`. A run's end: `ending`, `hearing` (what the agent wrote), `reports`, `judging`, `noting` (signals),
`concluding`, `closing` (ends that no hook told), `parking`, `pausing` (limits), `checkpoints`, `verifying` (the user's
check), `delivered` (result files). What the parent hears: `reminding`, `receiving` (whether it has heard), `groups`,
`weighing`, `next_steps`. What the user says: `asking` (dialogs), `answer_command`, `answers` (typed words read),
`decisions` (yes or no), `answering` (recorded), `delegating`, `going`, `module` (in the client). How an agent goes on:
`waking` (which way), `resuming`, `queued` (answers to a running agent). Who said it: `proof`. Sessions: `inheriting`,
`moving`, `continuing`, `rebuilding`. What goes wrong: `reconciling` (what no event brought), `postponing` (a ledger
that cannot be used), `sighting` (events of unknown shape).
"""
