"""The signals: one module each, with all that holds for that signal only, its sentences included.

`kinds` finds a signal's module by its marker: `clarification_needed`, `stop_work`, `delegate_work`,
`completion_report`. `delegation` says what else there is to say on delegated work, `resume` the messages that wake an
agent.
"""
