"""The steps that the plugin takes at each event, one module a step; `routes` maps the events to the steps.

Every step gets a `scene`, the event with its answer. Prompts and ends of turns: `turns`, `commands`. A launch:
`launching`, `named_check` (finds the user's check), `adopting` (identity), `binding` (agent to task), `beginning`,
`nesting`. The end of a run: `ending`, `hearing` (the agent's new words), `reports`, `judging`, `noting` (signals),
`concluding`, `closing` (ends that no hook told), `parking`, `pausing` (limits), `checkpoints`, `verifying` (runs the
user's check), `delivered` (result files). Reminders for the parent: `reminding`, `receiving` (whether they arrived),
`groups`, `weighing`, `next_steps`. Words of the user: `asking` (in dialogs), `answer_command`, `answers` (read),
`decisions` (yes or no), `answering` (recorded), `delegating`, `going`, `module` (in the client), `proof` (whether they
are the user's). Continuing an agent: `waking` (in which way), `resuming`, `queued` (answers to a running agent).
Sessions: `inheriting`, `moving`, `continuing`, `rebuilding`. Failures: `reconciling` (lost events), `postponing` (an
unusable ledger), `sighting` (events of unknown shape).
"""
