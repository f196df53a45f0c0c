"""Phrases: a table of short sentences with {slots}, without logic; those on hooks' troubles and on results at the end.

Texts of several lines for a model are in texts.md.
"""

# Who speaks: every text that reaches a model through a hook begins with it.
SENDER = "[from the bg plugin, not from the user]"

# The module in the client

NOT_OF_MODULE = "a dialog that the plugin's module has not shown"
NOT_TYPED_THERE = "said to be typed in the client, without the proof of the plugin's module"
ANSWERS_ARE_HERE = "The user has answered."
MODULE_ASKS = "The user has answered {labels} in the client. The bg plugin says below what is left to do for that."

# Launching, said to the parent model

LABEL = SENDER + (
    " label: {label} {purpose}. The plugin's hooks are running. Begin the description of the launch with "
    "`{label}:`; the hook adds identity and protocol to the prompt."
)
PURPOSE = "for this task"
PURPOSE_OF_DELEGATION = "for the delegated task that the user approved"
PURPOSE_OF_RELAUNCH = "for the new agent that continues this task"
NO_IDENTITY = SENDER + " This agent could not be given its identity: {why}. Nothing was launched. {then}"
LAUNCH_AGAIN = "Try the launch again; if that fails too, tell the user to type /bg-status doctor."
TYPE_AGAIN = "Ask the user to type the /bg again."
LEDGER_LOST = "the ledger that knew {label} was damaged and is kept aside"
KNOWN_AGAIN = SENDER + (
    " The plugin's ledger was lost while agents worked. It was rebuilt from their transcripts and knows these tasks "
    "again: {labels}. Do not launch any of them anew; you are told when they end or ask."
)
ITS_OWN_AGENT = "an agent of {label}'s own"
NESTED_NOT_ALLOWED = "bg.json allows no further agents (delegation: deny)"
NESTED_DENIED = SENDER + (
    " You cannot launch an agent yourself here: {why}. Nothing was launched. Do the work yourself; where it must be "
    "another agent's, end your run with this block, and the user decides:\n\n{form}"
)
NESTED = "{label} launched an agent of its own: {description}"
NESTED_REFUSED = "{label} wanted an agent of its own ({description}) and was refused: {why}"
AS_MANY_AS_ALLOWED = "{labels} work already, and bg.json allows {most} at once (max_tasks)"
FULL = "{why}. Nothing was launched."
ONLY_THE_USER_ANSWERS = SENDER + (
    " Only the user answers: through {ask}, or by typing /bg-answer. To pass on what the user "
    "said in plain chat, {how}; it is marked as relayed."
)
LAUNCH_DELEGATED = (
    "\nThe user approved {name}. Launch this now, with lines for goal, deliverables and done-when, and with the "
    "context it needs. It stands behind `>` in the asking agent's words, as the user was shown it:\n{work}"
)
LAUNCH_HANDED_OVER = (
    "\n{work}\nLaunch it now, with lines for goal, deliverables and done-when; several agents, where it has parts that "
    "can be done apart, each with a description that begins with this label."
)
REDUCE_TO_WHAT = (
    "The user wants {name} to do less, and has not said what to leave out; nothing was sent. Ask that now with {ask}: "
    "begin the question with `{name}:`, and begin each option with `Reduce:` and say in it what is left out. What it "
    "had not done when it stopped: {listed}."
)
CONDITION = SENDER + " The user set a condition, which the hook also writes into the new agent's prompt:\n{words}"
APPROVAL_STANDS = " The approval of {name} stands: launch {label} when one of them has ended; you are told then."

# Launching, said to the user

STARTED = "{label} started: {description} · /bg-status"
NEW_AGENT_GOES_ON = " · {where} a new agent goes on with your answer"
CONTINUES = "{label} continues as a new agent: {description} · /bg-status"
VERIFIES = "{label} will be verified after its report: {command}"
VERIFY_UNPROVEN = (
    "{label}: `Verify: {command}` does not count, because Claude Code has no record here that you typed it. Put "
    '"verify" into {file} instead.'
)
COMMAND_FAILED = "/{command} could not be carried out: something in the ledger cannot be read."
NOT_LAUNCHED = "{label} was not launched: {text}"
LAUNCH_REFUSED = "\nThe launch was refused: {why}"
NOTHING_TO_HAND_OVER = (
    "Nothing to hand over: type {command} <task>, for example\n  {command} Audit the authentication code"
)
WITHOUT_IDENTITY = (
    "{label} works without its identity: another plugin has rewritten its launch. It cannot ask, and its report may "
    "come without a signal · /bg-status {label}"
)
BEYOND = (
    "{label} has worked for {worked}, {expected} were expected{progress} · let it go on, or tell Claude what to ask of "
    "it: a checkpoint, less work, or handing a part over"
)
BEYOND_UNREACHED = (
    "{label} has worked for {worked}, {expected} were expected{progress} · let it go on; once it ends or you stop it, "
    "it can go on from its checkpoint, do less, or hand a part over"
)
WHERE_THE_USER_PICKS = SENDER + (
    " {label} works for longer than was expected, and the user has been told. Only if the user asks for one of these, "
    "send it on: a checkpoint (save what there is to files, name them, and go on), less work (which part is left out), "
    "or handing a part over. To do so, {way}."
)
SO_MANY_AGENTS = "{count} agents"
# First the form for several agents, then the form for one.
HELD = ("{whom} are paused by a limit", "{whom} is paused by a limit")
HELD_UNTIL = ("{whom} wait for {time}", "{whom} waits for {time}")
CAN_GO_ON = "{whom} can go on, the limit has ended"
GOES_ON_BY_SETTING = "{names}: the limit has ended, they go on, as bg.json says (resume_after_limit)"
QUIET = "{label} has written nothing for {age} · /bg-status {label}"

# The faults that an agent is asked to correct

NO_BLOCK = "no block with both marker lines stands in it"
NO_BLOCK_AT_ITS_END = "no block with both marker lines stands in its last {most} characters, and no more is read"
STRANGE_BLOCK = "its block is signed {signer}, and your agent_id is {token}"
NO_ENDING = "it ends without saying how the run ended"
SEEN_OF_RUN = "For `evidence`, this is what was seen of your run:\n{facts}"
DELEGATION_DENIED = "deny: bg.json allows no further agents"

# The outcome of a report, said to the parent model

DISPUTED = "{status}, and is disputed: some of what it declares does not match what is seen on this machine"
CHOICE = (
    "How to go on is for the user to decide: have it go on, reduce the task, hand the rest to another agent, or "
    "take it as it is. To have it go on: {resume}"
)
DISPUTED_FIRST = ", first what does not match"

# The condition of a task, if its state alone does not tell it; said to the user

ASKS_PERMISSION = "asks permission"
DELEGATION_WANTED = "wanted another agent, which bg.json denies"
DONE_BUT = "done, but"
STOPPED_BY_YOU = "stopped by you"
REFUTED = "{subject} does not match"
WAITS_FOR = "waits for"
WAITS_FOR_LEAVE = "waits for your permission"
ASKED_FOR_LEAVE = "asked for your permission"
ANSWERED = "answered"
WAITED = "it waited for {whom}"
NOT_WOKEN_YET = "its agent has not been woken yet"
MORE_NEED_YOU = "{count} that need you"
MORE_WORK = "{count} working"
MORE_ENDED = "{count} ended"
AND_MORE_ROWS = "and {rest}: {command}"
WERE_EXPECTED = "{age} were expected"
# Of several, and of one.
CALLS = ("{count} calls", "{count} call")
CALLS_OR_MORE = ("{count} calls or more", "{count} call or more")
TOKENS = "{count} tokens"
ELSEWHERE = "Also waiting for you: {labels} in other projects: {command}"
OTHER_PROJECTS = "and tasks in other projects ({names}): {command}"
QUIET_SINCE = "quiet since {age}"
MORE_LINES = "{count} more lines; all of it as a file: /bg-status report {label}"
NOTHING_GOES_ON = "nothing goes on"
BOARD_IS_AT = "The tasks of every project, as of now, for a browser: {address}"
REPORT_IS_AT = "The report on {label} is in {path}"
NOT_WRITTEN = "It cannot be written: {why}"
IN_A_TERMINAL = "In a terminal: {command}"
FIND_WHAT = "Say what to look for: /bg-status find <words>"
WHICH_TASK = "Say which task: /bg-status {name} <label>"
FOUND_NOWHERE = "No task has all of these words: {words}."
FOUND_MORE = "and {count} older tasks: say more words"
NO_REPORT = "{label} has reported nothing yet."
NO_ROOM = "no room for another agent now"

# A check that the user named

VERIFIED = "verified: {command}, exit {code}"
VERIFY_FAILED = "verify failed: {command}, exit {code}"
VERIFY_UNKNOWN = "verify not known: {command}, {why}"
VERIFY_WAITS = "verify waits: {command}"
VERIFY_RUNS = "verify runs: {command}"
VERIFY_TOOK_TOO_LONG = "still running after {age} (verify_seconds), so it was ended"
VERIFY_SESSION_ENDED = "the session ended first, and the check with it"
VERIFY_KILLED = "it was killed"
VERIFY_NOT_STARTED = "it could not be started"
VERIFY_NO_FOLDER = "the agent's folder is gone"
VERIFY_NO_COMMAND = "exit {code}: the shell could not find or run a command"
VERIFY_RUNNER_GONE = "it ended without a result: its process was killed, or the machine restarted"
VERIFY_GONE_ON = "the task had gone on before the check began"
VERIFY_RESUMED = " (of run {run}; it has gone on since)"
VERIFY_MEANWHILE = "not held against the report, because {who} in this folder after it"
VERIFY_OTHER_AGENT = "{label} worked"
VERIFY_SESSION = "files were edited by the session or another of its agents"
VERIFY_COMMIT = "the commit changed"
VERIFY_CHANGED = "changed since the launch: {files}"
VERIFY_ON = "It ran in {folder}{commit}, and took {age}."
VERIFY_ON_COMMIT = " on commit {head}"
VERIFY_DIRTY = " with changes that are not committed"
VERIFY_OUTPUT = "The last lines that it printed:"
VERIFY_SAY_WHAT = "If it goes on, tell it what failed."
VERIFY_DISPUTED = "The report says that the task is done, so it is disputed now."

# Words that are perhaps not the user's own

NOT_YOURS = (
    "{label}: “{words}” is not known to come from you: it came from {who}, so it has no effect. If you meant it, type "
    "it again."
)
KEPT = (
    "{label}: “{words}” is kept and has no effect yet, because it is not known to come from you: {who}. If you typed "
    "it, run {code} in a terminal of your own, and type here what it shows."
)
UNPROVEN = "{label}: “{words}” had no effect: {who}, not you."
KEPT_SO_FAR = "{label}: “{words}” has no effect until you confirm it: {who}."
NO_RECORD = "Claude Code has no record of it"
MORE_UNPROVEN = "{count} more of such words had no effect either: {command} has them."
MORE_STRANGERS = "{count} more such reports were ignored."
NO_TRANSCRIPT = "Claude Code keeps no transcript of that session"
NOBODY_KNOWN = "nobody knows who"
UNATTENDED = "a session that nobody attends"
FROM_THE_SPOOL = "the spool: Claude Code has no record of it"
ANSWERED_ITSELF = "the call that asked you"
PROOF_PENDING = SENDER + (
    " Claude Code has not yet written down the prompt that this call for {label} rests on. Nothing was sent or "
    "launched; make the same call once more."
)
RELAY_UNPROVEN = SENDER + (
    " Another session has a part in this turn: {who}. What is passed on to {label} here cannot count as the user's "
    "word, so nothing was sent. Ask the user with {ask}, or wait until the user types /bg-answer {label}."
)
CLOSED = SENDER + " The user has closed {label}. There is nothing to do for it; say so in a word."
LAUNCH_NOT_YOURS = SENDER + (
    " The request for {label} did not come from the user, so no agent of this plugin is launched for it. Nothing was "
    "launched. Tell the user so, and what was asked for."
)
LAUNCH_KEPT = SENDER + (
    " It is not known whether the request for {label} came from the user, so nothing was launched. The user is told "
    "how to confirm it, which only the user can do. Say so in one sentence, and do nothing else for it."
)
CONFIRMED_LAUNCH = SENDER + (
    " The user has confirmed this request, which was not carried out before. Launch it now, as for {command}: the "
    "description begins with the label, the prompt has the task in the user's words and lines for goal, deliverables "
    "and done-when. The user's words:\n{words}"
)

# Words that the parent passes on, said to the agent

PASSED_ON = "Your parent agent passes on an answer from the session, in its own words; nobody else vouches for it:"
AS_PASSED_ON = "in the words of your parent agent:"
NOT_BY_PASSING_ON = "(only the user's own yes allows this, and it is not here: do not do it)"
NOTE_BESIDE = "What your parent agent wrote:"

# The next step, said to the parent model

DIALOG_ANSWERED_ITSELF = SENDER + (
    " This call had answers of its own, and it cannot be told whether the user has seen the questions. Nothing of it "
    "counts. Ask again with {ask}, without answers."
)
DIALOG_NOT_OURS = SENDER + (
    " A dialog named {name}, but this plugin did not put that question into it; nothing was recorded for {name}. It is "
    "still open: put it to the user with {ask}, alone."
)
GO_NOW = SENDER + " The user wants {label} to go on. Resume it now: {way}"
ALL_GO_NOW = SENDER + (
    " A limit has paused these agents, and the user wants them to go on. Wake each of them now, all in one message; "
    "the hook adds what each needs to your words:"
)
LIMIT_IS_USED_UP = "the usage limit is used up"
API_IS_OVERLOADED = "the API is overloaded"
UNTIL = ", until {time}"
HOST_SAYS = ". Claude Code says: {words}"
STAYS_PAUSED = SENDER + (
    " {label} is paused by a limit, and goes on only when the user says so. Nothing was sent or launched. Tell the "
    "user to type `{command} {label} go`, and do nothing else for it."
)
ALONG = (
    'In the same message, right behind that call, call {message} with to: "{agent}" and a few words of your own, if '
    "you have that tool: it is sent once the user has answered, and the hook writes the answers into it."
)
ANSWERED_THEN = "When the user has answered{so}: {way}"
NOT_SENT_ALONG = ", and it was not sent so"
NOT_ANSWERED = SENDER + (
    " The user has not answered {qids} of {label}, so nothing was sent. See what the user said instead; the question "
    "stays open."
)
LAUNCH_NOW = "\nIt was not launched before. Launch it now:\n{work}"
TAKEN_BACK = SENDER + (
    " The user has taken an answer back: {names}. Do not resume the agent for it and launch nothing for it; it waits "
    "for the user again. Say so in one short sentence."
)

ANSWER_RECORDED_OTHERS_OPEN = SENDER + (
    " The user's answer for {label} is recorded. Still open: {qids}. Resume it when these are answered too."
)
ANSWER_RECORDED = SENDER + " The user's answer for {label} is recorded."
ANSWER_RECORDED_ELSEWHERE = SENDER + (
    " The user's answer for {label} is recorded. The task belongs to another open session, which sends it: do nothing."
)
WAITS_FOR_AGENT = SENDER + " {label} waits for {whom}. You are told when to resume it; until then, leave it."
RESUME_NOW = SENDER + " The user's answers for {label} are recorded. Resume it now: {way}"
NOT_DONE = "bg: Claude was told three times how {label} goes on, and has not done it · /bg-status {label}"
NOT_RECEIVED = "bg: what {label} has for Claude was dropped on its way three times · /bg-status {label}"
PARKED = "waits for its own command"
HAS_NOT_ENDED = SENDER + (
    " {label} has not ended: it waits for a background command of its own. Tell the user no outcome yet; you are told "
    "when it reports."
)
WAKE_PARKED = SENDER + (
    " {label} has waited for a background command of its own. That has ended, and Claude Code does not wake the agent "
    "for it. Wake it now, and say that its command has ended: {way}"
)
DECIDED = (
    "The user has decided on {name}, in these words: {words}. So {follows}. Write nothing to it that says otherwise."
)
OVERTAKEN = "\nIt ended before the user's answers to {qids} reached it. If they still matter, resume it: {way}"
OVERTAKEN_NOTICE = " · it ended before your answers to {qids} reached it"
WAKES_WITH_THEM = (
    "\nIt ended before the user's answers to {qids} reached it. Claude Code wakes it with them by itself: "
    "send nothing, and wait for its next report."
)
WAKES_WITH_THEM_NOTICE = " · it goes on with your answers to {qids}, which came after its end"
ENDED_BEFORE = "the agent ended before it arrived"
RESUME_WITH_WORDS = SENDER + " What the user said to {label} is recorded. Resume it now: {way}"
STOP_NOW = SENDER + (
    " The user wants {label} stopped at once. Stop its agent {agent} now, with the tool that stops a background task; "
    "if you have none, say so, and that the user can stop it in Claude Code's own list of tasks."
)
FROM_THE_USER = "## MESSAGE FROM THE USER\n\nYou asked for nothing; the user says this to you, in these words:"
STOP_AND_SAVE = (
    "## THE USER ASKS YOU TO STOP\n\nStart nothing more. End your run now with one {marker} block: what is done, what "
    "is not, and in current_state what a later run needs to go on from there."
)
PASS_ON = SENDER + " What the user said to {label} is recorded, and it works on. Pass it on now: {way}"
TOLD_LATER = SENDER + " What the user said to {label} is recorded; it works, and hears it at the end of its run."
NO_ROOM_YET = SENDER + " {name} is approved and waits for room: {why}."
NOW_THERE_IS_ROOM = SENDER + " There is room for another agent now: {names} can be put to the user."
HAS_WAITED = "\n{label} has waited for this. Resume it now: {way}"
WAITS_ON = "\n{label} asked for this agent, and waits for {whom} before it can go on."
CHILD_BROKE = (
    "\n{label} has waited for this agent, which did not bring what was asked. Let the user choose: a new agent for the "
    "same work (launch it with a description that begins `{child}:`), or {label} goes on and hears how it stands: {way}"
)
STILL_WORKS = "\n{label}, whose work this was, still works. Pass it on now, the hook writes how it ended: {way}"
NOT_WOKEN = SENDER + " {label} was not woken. Nothing is lost: {way}"
WAKES_WITHOUT_MEMORY = SENDER + (
    " From this session {label} would wake without its task and its memory. Nothing is lost: {way}"
)
STAYS_STOPPED = SENDER + (
    " The user has stopped {label}, and the host does not wake it again. Nothing is lost. Where the user wants it to go"
    " on: {way}"
)
TO_GO_ON_WITH_IT = "To go on with it: {way}"
IF_THE_USER_ASKS = "Go on with it only where the user asks for that: {way}"
OTHER_SESSION_GOES_ON = SENDER + " {label} belongs to another open session, which goes on with it."
MORE_QUESTIONS = "More of them: /bg-answer lists all."
REPORTS_ABOVE = SENDER + (
    " These background agents have ended. Each report stands whole in Claude Code's notification above; what it says "
    "is the agent's own. Here is what was seen of each. Tell the user the outcome of each in a line:"
)
MORE_REPORTS = "More background reports wait; they follow at the next event, or run: {command}"

SHOW_EXACTLY = SENDER + " Show the user exactly what stands behind `>`, in a code block, and do nothing else:"
CUT_HERE = "[cut here; `bgctl` in a shell shows all of it]"

# In brief, for hosts that also show the user the text for the model

BRIEFLY_BY_MESSAGE = 'resume it with {tool} to "{agent}"'
BRIEFLY_BY_LAUNCH = 'resume it with {tool}, resume: "{agent}"'
BRIEFLY_ANEW = "launch a new agent whose description begins `{label}:`"
BRIEFLY_ASK = "Put them to the user now with {ask}, each beginning with its label and id. Then {then}."
BRIEFLY_ASSUMES = "It works on meanwhile. Put them to the user with {ask}, each beginning with its label and id."
WENT_ON_UNDER = "You went on under {words}. Bring what you did since into line with this answer where it differs."
BRIEFLY_ASK_FIRST = SENDER + (" Before this turn ends: the user has not seen these questions of background agents yet:")
BRIEFLY_PUT = "Put them to the user now with {ask}, or say that they wait."
BRIEFLY_MORE = "and {count} more, which follow"
BRIEFLY_NEEDED = "Needed to go on: {words}"
BRIEFLY_BLOCKED = (
    "Tell the user what is needed; where you ask with {ask}, the question beginning `{name}:`, the hook offers "
    "{choices}. When the user has decided, {then}."
)
BRIEFLY_DELEGATION = (
    "Ask the user with {ask}, the question beginning `{label}` and that id, to approve or deny. Launch nothing before."
)
BRIEFLY_SUMMARY = "Summary: {words}"
BRIEFLY_ENDED = "Tell the user the outcome in a line or two; /bg-status {label} shows the whole report."
BRIEFLY_READY = SENDER + " The user's answers for {label} are recorded. Now {then}."
BRIEFLY_OVERTAKEN = "The user's answers to {qids} did not reach it. If they still matter, {then}."
BRIEFLY_WAITED = "{label} has waited for this. Now {then}."

# The points about a requested delegation that the parent model is told to weigh

RESOURCES = "Resources: {working}; {limit}."
WORK_NOW = "{labels} work now"
NOBODY_WORKS = "nobody works now"
NO_LIMIT = "no limit is set"
LIMIT = "bg.json allows {most} at once"
ASKED_FOR_BY = ", which was asked for by "
DEPTH = "Depth: {label} was itself asked for by {above}; this would be the agent of depth {depth}."
SAME_TASK = "Justified? {label} ({state}) has nearly the same task."
SAME_REQUEST = "Justified? {name} ({state}) asked for nearly the same."
SAME_PATHS = "Independent? {label} has the same paths in its task: {paths}."
SCARCELY_DEFINED = "Well defined? It is described in a few words."
CANNOT_BE_APPROVED = (
    "It cannot be put to the user now: {why}. You are told when there is room. Tell the user in a sentence what was "
    "asked; launch nothing."
)

# Before something that cannot be undone

ASKS_LEAVE = "It asks before it does this, and does it only if the user says yes: put it as it stands."

# A run that was cut

NO_SIGNAL = "it ended without a signal"
NOT_KNOWN = "not known"
NOTHING_CHANGED = "none that was found"
AND_MORE_FILES = " and {count} more"
FIRST_FILES = " (the first {shown} of {count})"
NOT_ALL_FILES = " (not all were looked at)"
WHAT_IT_LEFT = "What it left, from its transcript and the disk; the agent is told it when it goes on:"
NOBODY_REFUSED = "The host answered your last call in the user's name as it stopped the run: nobody has refused it."
NO_FILES = "no file"
BRIEFLY_LEFT = "Changed since the launch: {files}; open step: {step}"
GO_ON_AFTER_CUT = "Go on with the open step, then with the rest of your task."

# Groups

NOT_COMPLETE = (
    "Not complete: {tasks}. What these were to do is not done, or not known to be; do not go on to a next phase as if "
    "it were. What they left on disk may be of use."
)
AGREED = "Agreed when it was asked for:\n{words}"
JOINT_ENDED = "{label} and {others}, which took work over from it, have ended: {states}"
RESULT_NOT_READ = "> {label}: the result file {name} was not read, as it {why}."
RESULT_TOO_LARGE = "is larger than {most} MB"
RESULT_OUTSIDE = "lies outside the folder in which the agent worked"
RESULT_CLOSED = {
    "denied": "is denied to the agent by a permission rule",
    "settings unclear": "may be denied to the agent by a settings file that cannot be understood",
    "not its own": "is not tracked by git, and no call was seen that opened or wrote it",
}
RESULT_UNREADABLE = "cannot be read ({why})"
MORE_RESULT_FILES = "> {label}: {count} more result files that it names were not read."
BY_CONTRACT = "> {label}, by the result contract: {lacks}"
NO_RESULTS = "> None of them wrote a result that can be merged; their reports stand for themselves."
GROUP_ENDED = "{count} tasks launched together have ended: {states}"

# The list of tasks in flight, said to the parent model

IN_FLIGHT = SENDER + " Background tasks of this project; do not launch any of them again:"
IN_FLIGHT_ELSEWHERE = SENDER + (
    " Background tasks of another open session, which goes on with them; do not launch any of them again:"
)
WAITS_FOR_USER = "- {name} waits for the user, {age}: {text}"
REPORTS_NOT_YET_SAID = "- Reports not yet said: {count}; they follow here or at the next event."
AND_MORE = "- and {count} more: {command}"
PAUSED_UNTIL = ", until {time}; it goes on when the user types `{command} {label} go`"
PAUSED_FOR_NOW = "; it goes on when the user types `{command} {label} go`"
TOLD_WHEN_IT_ENDS = ", you are told when it ends"
TO_GO_ON = "; to go on: {way}"
WAITED_FOR = ", has waited for {whom}"
LOAD = " ({message} not listed? {search} `select:{message}` loads it)"
GO_ON = (
    "To go on with one when the user wants it, make that call{load}; the hook adds answers and state. If it fails, or "
    "none is named, launch a new agent with a description that begins with the label."
)


# The form of a result, said to its agent; contract.json defines the form.

FORM = "The result file has this form:"
SUMMARY_STAYS = "- The summary stays under about {limit} tokens."
BANDS = "| Confidence | Band | Evidence it needs |"
FAILED_FORM = "When the status is FAILED, the form is:"
CHECKLIST = "Before you hand in, go through this list and put it, ticked, at the end of the file:"

# Pieces that could not be taken in.

NO_RESULT = "no result in the contract's form"
NOTHING_FOUND = "a finding has to say what was found (issue, title, description, …)"
ODD_CONFIDENCE = "the confidence {stated} is not from 0 to 100; the finding counts without it"

# Several results as one account.

FURTHER = "{left} further findings, {appendix} in the appendix: see {how}."
APPENDIX = "Appendix: low confidence, one reporter"
AS_WRITTEN = "Findings as they were written"


HOOK_FAILED = "the hook failed with {kind}: {words}"
PYTHON_LOST = "bg: the Python at {lost} does not start or is too old now; the hooks use {now} from here on."
KEPT_ASIDE = "bg: the ledger could not be read. It is kept at {place}; a new one was begun."
LEDGER_KNOWN_AGAIN = (
    "bg: the ledger was lost while agents worked, and a new one was begun. Known again from the agents' transcripts: "
    "{labels}. If you answered one of them just before, type that answer again."
)
HAS_ENDED_HOOKS = "it has ended two hooks (killed, crashed, or out of time) and is passed over, now and then tried"
EVENT_ENDS_HOOKS = "what takes this event has ended two hooks (killed, crashed, or out of time) and was passed over"
LEDGER_ENDS_HOOKS = "opening the ledger in {place} has ended two hooks, so it was not tried"
MOVE_IT_AWAY = "If it goes on, move ledger.db elsewhere: the next hook begins a new ledger."
PUT_OFF = "bg: {why} {advice} /bg-status doctor says more."
NOTHING_HANDED_OVER = "Nothing was handed over; type it again {when}."
ANSWER_KEPT = "Your answer is kept, and counts as soon as the ledger can be used."
ANSWER_WAITS = "Your answer is kept, and taken in with one of your next prompts."
ANSWER_NOT_RECORDED = "Your answer was not recorded; type it again {when}."
NOT_OF_A_HOOK = "no hook leaves such an event in the spool, so it was passed over"
TRY_AGAIN = "Try again in a moment."
REPORTS_KEPT = "What agents report is kept, and read as soon as the ledger can be used."
REPORTS_NOT_KEPT = "What agents report meanwhile cannot be kept; it stands in their transcripts only."
DISK_FULL = "there is no space left on the disk of {place}. Free some."
NOT_WRITABLE = "{place} cannot be written: {why}. Make it writable, or set BG_DATA to a directory that is."
