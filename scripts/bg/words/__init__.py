"""Every sentence said to a model or a person, but for those of one signal only.

`phrases` are short sentences, `texts` the long ones for models, `feedback` what users hear of what they typed.
`quoting` is the one way out for what others wrote. To the parent: `replies` (a run that has ended), `briefs` (where
the user reads along), `recoveries` (the ways to go on after a stop), `ways` (how, on this host), `goals` (what a
launch was to bring). On checks: `verdict`, `reasons`, `verified`. To people: `outcome` (what came of a task, in one
line), `pace` (how far it is, how long it takes, how long it is silent), `times`, `cells` (columns of a terminal),
`launch_command`, `departures` (what a client does otherwise).
"""
