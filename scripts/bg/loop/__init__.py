"""The steps that the plugin takes at each event, one module a step; `routes` maps the events to the steps.

Every step gets a `scene`, the event with its answer.
Turns: `turns` (a prompt begins one, Stop ends it), `commands` (/bg-status).
A launch: `launching` (the parent's call), `named_check` (finds the user's check), `adopting` (the label that the
parent is given, whether a launch is ours, the agent's identity), `binding` (which task the agent belongs to),
`beginning` (the agent starts), `nesting` (its own launches).
The end of a run: `ending` (the hook of the end), `hearing` (the agent's new words), `reports` (its text is kept),
`judging` (whether it is asked once more), `noting` (signals), `concluding` (the state of the task), `closing` (ends
that no hook told), `parking` (its own commands still run), `pausing` (limits), `checkpoints` (the state of cut work),
`verifying` (runs the user's check), `delivered` (result files).
Reminders for the parent: `reminding` (what is due), `receiving` (whether it arrived), `groups` (of tasks), `weighing`
(facts on a request for another agent), `next_steps` (the parent's part after an answer).
Words of the user: `asking` (in dialogs), `answer_command` (/bg-answer), `answers` (its words taken apart), `decisions`
(yes or no), `answering` (recorded), `delegating` (decisions on requests), `going` (the word go), `module` (in the
client), `proof` (whether they are the user's).
Continuing an agent: `waking` (in which way), `resuming` (the message), `queued` (answers to a running agent).
Sessions: `inheriting` (a new session takes tasks over), `continuing` (the host moved a session to a new id), `moving`
(a renamed project folder), `rebuilding` (a lost ledger).
Failures: `reconciling` (lost events), `postponing` (an unusable ledger), `sighting` (events of unknown shape).
"""
