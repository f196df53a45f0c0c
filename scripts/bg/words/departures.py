"""Departures of Claude Code from its known behaviour, and their effects on bg; a table, without logic."""

LACKING = "{client} sends {call} without {what} {since}{some}: {then}"
UNREAD = "{client} sends {call} without a usable {what} {since}: {then}"
NEVER = "{client} never calls the hook of {call}, although it was due {times} {since}: {then}"
INPUT_DROPPED = "{client} does not take over what the hook of {call} writes into the call {since}{some}: {then}"
CONTEXT_DROPPED = "{client} does not show the model what the hook of {call} adds {since}{some}: {then}"
UNKNOWN_TOOL = "{client} launches or addresses agents by a tool that is not known, {tool}, {since}: {then}"
UNKNOWN_EVENT = "{client} calls hooks with an event that is not known, {call}, {since}: {then}"
UNKNOWN_FORM = "{client} announces the ends of agents in a form that is not known {since}: {then}"

CLIENT = "Claude Code {version}"
SOME_CLIENT = "This Claude Code"
ANNOUNCEMENTS = "announcements of agents"
EVENTS = "events"
SINCE = "since {month} {day}"
SOME = " ({times} of {of})"
ONCE = "once"
TIMES = "{times} times"
MORE = " (+{count} more: /bg-status doctor)"

REMEDY = "claude plugin update bg@bg; if it stays, {tried} is the newest Claude Code that was tried"
NEWER = "{version} is newer than tried ({tried}); {events}"
TRIED = "{version}: {events}"
ALL_KNOWN = "{count} events, all shapes known"
NONE_YET = "no event seen yet"

_BY_TRANSCRIPT = "whether an agent has got its answers is read from its transcript instead"
#: The effect of a departure, by its name in the table of the host's shapes.
THEN = {
    "events_unread": "such events are not read, and /bg does not work",
    "transcripts_unfound": "what is looked up in transcripts is not found, such as who typed an answer",
    "project_elsewhere": "the project is taken from the environment instead",
    "mode_unknown": "reports that are handed back are not expected, and are asked for as text",
    "prompts_unseen": "what you type is not seen, so that /bg and /bg-answer do not work",
    "turns_untold": "a prompt of another process is not told from yours in the same turn",
    "beginnings_untold": "whether a session begins anew or goes on is not known",
    "clearing_untold": "a session that ends by /clear is not told from others",
    "errors_untold": "why a call failed is not known",
    "held_twice": "the end of a turn may be held up more than once",
    "running_unknown": "the end of an agent that says nothing is noticed late, or not at all",
    "calls_unread": "calls are not read: agents get no identity, and answers are not sent",
    "results_untied": "a call is not tied to its result",
    "results_unread": "what became of a call is read from transcripts instead",
    "dialogs_untied": "what you choose in a dialog is not tied to its question; type it with /bg-answer",
    "foreground_elsewhere": "the report of an agent in the foreground is read from its transcript instead",
    "forks_untold": "a fork is not told from other agents",
    "agents_elsewhere": "an agent's transcript is looked for beside its session's instead",
    "agents_by_prompt": "agents are recognized by the id in their own prompts instead",
    "resumes_by_transcript": _BY_TRANSCRIPT,
    "answers_by_transcript": f"answers may not reach their agents; {_BY_TRANSCRIPT}",
    "ends_elsewhere": "the end of an agent is taken from SubagentStop and its transcript alone",
    "ends_announced": "the end of an agent is taken from its announcement instead, and its report is not corrected",
    "cuts_unknown": "why an agent was cut short is not known",
    "starts_untied": "an agent that has lost its identity cannot be given it at its start",
    "reports_by_transcript": "reports are read from transcripts instead",
    "words_by_transcript": "what Claude said last is read from the transcript instead",
    "no_identity": "agents get no identity, so that their reports cannot be read",
    "launches_by_type": "a launch is known by the type of its agent alone",
    "answers_unsent": "your answers are not put into messages to agents",
    "handback_unread": "reports that agents hand back are not read",
    "told_at_prompt": "what is under way is told with your first prompt instead",
    "ends_of_turns_late": "what the end of a turn would bring comes with your next prompt",
    "identity_at_start": "agents are told who they are at their start instead",
    "answers_offered_again": "your answers are not in the messages to agents; they wait, and are offered again",
    "reminders_unheard": "Claude is not told what agents need; /bg-status and /bg-answer work",
    "tool_unknown": "its agents get no identity, and no answers",
    "event_unknown": "it is left alone",
    "unused": "what the plugin reads it for does not work",
}
