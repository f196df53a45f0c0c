"""Every sentence said to a model or a person, except those of a single signal.

`phrases` are short sentences, `texts` the long ones for models, `feedback` the replies to the user's typed words.
`quoting` is the one way out for the words of others.
To the parent: `replies` (a run that has ended), `briefs` (how many texts fit into one reminder, and short ones for
hosts that show them to the user too), `recoveries` (the ways to go on after a stop), `ways` (how to do so on this
host), `goals` (the expected outcome of a launch).
On checks: `verdict`, `reasons`, `verified`.
To people: `outcome` (the result or state of a task, in one line), `pace` (its progress, delay and silence), `times`,
`cells` (columns of a terminal), `launch_command`, `departures` (of a client from its known behaviour).
"""
