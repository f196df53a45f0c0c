"""The signals: one module for each, with everything specific to that signal, its sentences included.

`kinds` finds a signal's module by its marker: `clarification_needed`, `stop_work`, `delegate_work`,
`completion_report`. `delegation` holds the other sentences about delegated work, `resume` the messages that wake an
agent.
"""
