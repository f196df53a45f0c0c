"""The short lines around an answer: how an item is put to the user, and the replies to what the user typed.

Like `phrases`, a table of sentences with {slots}, without logic.
"""

from bg.ledger.values import Item, ItemState

# Dialogs: how an item is put to the user, by its kind; a line is left out if the agent did not give its fact.

IN_DIALOGS = {
    Item.QUESTION: (
        "{label} ({task}) {qid}: {text}\nWhy it matters: {context}\nWithout an answer: {default}"
        "\nMeanwhile it goes on under: {assumed}"
    ),
    Item.BLOCKER: "{label} ({task}) {qid}: it cannot go on: {text}\nIt needs: {context}\nWays that it sees: {ways}",
    Item.DELEGATION: (
        "{label} ({task}) {qid}: it wants another agent for: {text}\nWhy: {context}\n{waits}\nPriority: {priority}"
        "\nTime: {time}"
    ),
}
WAITS_FOR_IT = {
    "blocks_current_work": "It waits for that agent before it goes on.",
    "can_proceed_parallel": "It goes on meanwhile.",
    "optional": "It goes on meanwhile; the work is optional.",
}
LESS = "It does less, by exactly these words"
AGENTS_OPTION = "As the agent proposes"
PARENTS_OPTION = "As the parent proposes"
PARENTS_VIEW = "Claude's view: {words}"
APPROVE = ("Approve", "The new agent is launched")
DENY = ("Deny", "No new agent; it is told")
DIALOG_NOT_SENT = "{name}: nothing was sent, {why}. Type {command} {name}: <answer>. You said: {words}"
WHY_NOT_SENT = {
    "ids": "as the words name other ids",
    "options": "as Claude has worded that choice, not the plugin",
    "number": "as a number may mean an option",
    "command": "as “{words}” is a command where it stands alone",
    "question": "as the words ask something back",
}

# The module in the client: the line above the prompt, its dialog, its command and its pane

BAND = "{label}: {text}"
BAND_KEY = "answer"
BAND_TABLE = "tasks"
BAND_STUCK = "{labels}: answered, and Claude has yet to pass it on"
I_TYPE = ("I type the answer", "Nothing is sent yet: the prompt then begins with what to type")
LEAVE_IT = ("Leave it to the agent", "It decides as it thinks best")
DECIDE_BY_TYPING = "{name}: type approve or deny"
ANSWERED_THERE = "{name} answered: {words}"
REPLY_DESCRIBED = "Answer a background agent at once, also while Claude works; alone: all tasks"
REPLY_HINT = "bg-3 Q1: CSV"
NEEDS_A_PROMPT = "Claude has to act on this. Press Enter to send it."
PANE_LABEL = "Answer"
NOT_WOKEN_HERE = "{label} cannot be woken from here: Claude is asked to"

# Answering, said to the user

APPROVE_AGAIN = (
    "{name}: the ledger could not be used when you approved it; approve it again, so that its agent is launched. "
    "You said: {words}"
)
NEITHER_YES_NOR_NO = (
    "{name}: neither a clear yes nor a clear no, so {so}. Type one of these; a condition goes behind `approve:`.\n"
    "{typed}: approve\n{typed}: deny\nYou said: {words}"
)
REDUCE_TO_WHAT = "{name}: nothing is sent yet, as it has to know what to leave out. Type {typed}"
STANDS = "“{words}” stands"
UNDECIDED = "nothing was decided"
NO_SUCH_CODE = (
    "That code confirms nothing: it was typed before, has a newer one, or has a slip. Run {code} in a terminal of your "
    "own for a new one."
)
CODES_NEED_A_TERMINAL = (
    "bgctl: codes are shown only in a terminal of your own, not in a pipe and not to what a session of Claude Code runs"
)
NOTHING_TO_CONFIRM_BY_CODE = "Nothing waits to be confirmed in {ledgers}."
CODES = (
    "Claude Code's records do not show who said this. If you typed it, type its line in your session; it is carried "
    "out then. What you did not type, leave."
)
CODE_LINE = "/bg-answer code {code}"
CODE_FOR = "confirms, said {age} ago in {project}: {words}"
NO_OPEN = "{label} has no open {qid}{others}; not recorded: {words}"
ONLY_OPEN = ", only {qids}"
TOO_LATE = "{name} ({question}) {why}; not recorded: {words}"
WHY_TOO_LATE = {
    ItemState.SENT: "was answered already, and the agent has the answer",
    ItemState.WITHDRAWN: "was taken back by the agent",
    ItemState.ANSWERED: "waits no longer for an answer",
    ItemState.OPEN: "has been asked anew in other words",
}
ASKED_LATER = "was not there, or waited for nothing, when you typed this"
GO_AGAIN = "{label} has asked {qids} since you typed `go`; type it once more if it is to go on without an answer."
SENT_ELSEWHERE = "{label} belongs to another open session, which sends the answers at its next event."
ANSWERED_ELSEWHERE = "{label}: answered in another session"
STILL_OPEN = "Still open: {qids}. `/bg-answer {label} go` sends what there is."
NO_SUCH_TASK = "There is no task {label}; nothing was recorded."
UNKNOWN_WORD = "There is no task “{words}”."
WAITS_FOR_NOTHING = "{label} ({state}) waits for nothing; not recorded: {words}"
NOBODY_TO_TELL = "{label} ({state}) has no agent to tell; not recorded: {words}"
TOLD_WHILE_IT_WORKS = "{label} works: Claude passes your words on now."
TOLD_AT_ITS_END = (
    "{label} works, and this version of Claude Code cannot message a running agent: it gets your words when its run "
    "ends."
)
GOES_ON_WITH_WORDS = "{label} goes on with your words."
GOES_ON_ANEW_WITH_WORDS = "{label} goes on with your words, in a new agent."
STOPS_SOON = "{label} is asked to stop and to leave a checkpoint; {command} {label} stop again stops it at once."
STOPS_NOW = "Claude stops {label} now; what its agent has written is kept."
STOPS_NOTHING = "{label} ({state}) does not work; {command} {label} close takes it out of every list."
STOP_WHICH = "Say which task, as in `{command} bg-3 stop`. Nothing was stopped."
NOTHING_WAITS = "Nothing waits for an answer; nothing was recorded."
SEVERAL_WAIT = "Several tasks wait ({labels}): say which, as in `/bg-answer {label} …`. Nothing was recorded."
GOES_ON_WITH_WHAT_THERE_IS = "{label} goes on with what there is."
YOU_TYPED = "You typed: {words}"
LEFT_TO_THE_AGENT = "left to the agent"
AS_ASSUMED = "as it has assumed; it goes on"
LAUNCHED_ALREADY = "{name}: {child} has been launched for it already; not recorded: {words}"
ANSWER_HELP = """\
/bg-answer                        what waits for you
/bg-answer bg-1                   what bg-1 waits for, and what it was answered
/bg-answer bg-1 Q1: CSV  Q2: no   answers, each behind its id; on lines of their own they may be long
/bg-answer bg-1 Q1: skip          leaves a question to the agent
/bg-answer bg-1 D1: approve       or deny; words behind it reach the agent: approve, but only the fixtures
/bg-answer bg-1 go                goes on with what there is, also where it has failed or was interrupted
/bg-answer all go                 has all go on that a usage limit has paused
/bg-answer bg-1 run the tests     where it asks for nothing: says that to its agent, which goes on with it
/bg-answer bg-1 stop              asks it to stop and leave a checkpoint; a second time stops it at once
/bg-answer bg-1 close             takes it out of every list; its report is kept
/bg-answer bg-1 undo              takes the last answer back, until the agent has been woken
/bg-answer doctor                 what is wrong with this installation
The label may be left out where one task waits, the id where it waits for one thing.
bg-1, BG-1, bg1 and 1 are the same task."""
NOT_SENT = "Nothing was sent, as this can be read in more than one way: {why}."
DOUBTS = {
    "twice": "{what} is answered twice",
    "lead": "words stand before the first id (“{what}”)",
    "unknown": "nobody has asked {what}",
    "mention": "{what} may be a part of the sentence",
    "empty": "nothing stands behind {what}",
    "labels": "{what} may begin another task's answer",
    "question": "{what} gets a question back",
    "postpones": "“{what}” may only ask for time",
}
UNDERSTOOD = "It would be taken so:"
CONFIRM = "Type {command} confirm {number} {meaning}."
IF_SO = "if that is right, or type it anew"
AS_COMMAND = {
    "go": "to go on without an answer",
    "close": "to close the task",
    "skip": "to leave it to the agent",
    "stop": "to stop it",
}
SAY_ANEW = "Type it anew, as in {example}"
NOTHING_TO_CONFIRM = "There is nothing to confirm under {number}."
WORD_IS_AN_ANSWER = (
    "Nothing was sent: {name} offers “{word}” as an answer. Type {command} {name}: “{word}” to answer with it."
)
NOTHING_TO_SKIP = "{label} has no open question to skip; nothing was recorded."
SKIP_WHICH = "{label} asks {count} things; nothing was recorded. Type {typed}"
DECIDE_FIRST = "{name} waits for your decision: type {typed}: approve or {typed}: deny."
ALL_GO_ON = "{names} go on."
NOTHING_IS_PAUSED = "No task here is paused; nothing was done."
NOTHING_TO_RESUME = "{label} is {state}; there is nothing to resume."
CHILD_FIRST = "{label} waits for {child} and goes on when that has ended."
GO_ELSEWHERE = "{label} belongs to another open session; type it there."
GOES_ON = "{label} goes on."
LAUNCHED_AGAIN = "{label} is launched now."
NOTHING_TO_UNDO_AT_ALL = "There is no answer to take back."
NOTHING_TO_UNDO = "{label}: there is no answer to take back."
UNDO_TOO_LATE = "{label} has been woken with your last answer already; it cannot be taken back."
UNDO_AFTER_LAUNCH = "{name}: {child} has been launched for it already; the approval cannot be taken back."
ON_ITS_WAY = "{name}: the answer is on its way to {label}; it cannot be taken back."
UNDONE = "{name}: “{words}” taken back; {then}"
OPEN_AGAIN = "it is open again."
STANDS_AGAIN = "“{words}” stands again."
SAY_WHICH = (
    "{label} asks {count} things; say which each answer is for: `/bg-answer {label} {example}`. "
    "Nothing was recorded of: {words}"
)

# Closing, said to the user

CLOSED = "{label} is closed and no longer shown. `/bg-status {label}` shows it, `{command} {label} go` reopens it."
CLOSED_NOTE = "closed by you"
CLOSE_WORKS = "{label} works: {command} {label} stop first, then close it."
CLOSE_AGAIN = "{label} was not closed: the ledger could not be used when you typed that. Close it again."
CLOSE_WHICH = "Say which task, as in `{command} bg-3 close`. Nothing was closed."

# Delegations, said to the user

WHEN_THERE_IS_ROOM = "it is launched as soon as there is room: {why}"
LAUNCHES_NOW = "{name}: {child} is launched now."
GOES_ON_WITHOUT = "{label} goes on without waiting for {whom}."
