"""Spans of time: every number of seconds that the plugin uses, each with its reason; no other module holds any.

If the host keeps a record, the record decides. These are waits for late records, bounds on operations that may hang,
and how far back people are shown events. The few that replace a missing record are marked so.
"""

MINUTE = 60
DAY = 24 * 3600

# How long a hook waits for something that the host, or another hook, is just about to write
LOOK_AGAIN = 0.03  # between two looks at a file, or two tries for a lock
LATE_TEXT = 5.0  # an agent's last words, if the event lacks them; on a busy machine 2.1.7 needed more than 1.5
LATE_RECORD = 0.6  # an agent's last record, if the event has its words; it was up to 0.141 late
LATE_PROMPT = 1.0  # the record that says who typed a prompt; it was up to 0.141 late
LATE_CALL = 0.3  # the record of a call whose hook is already running; it was up to 0.056 late
LATE_REFUSAL = 0.5  # the result of a call that was refused; 0.14 was the longest
HOOK_BESIDE = 1.0  # the hook after a launch runs in parallel with that of the agent's start; it was at most 0.06 later

# In place of a record that the host does not keep
GRACE = 5.0  # for a hook that may still be at work: until then no other hook finishes what it began
SILENCE = 60.0  # hosts that list no agents: after it, an agent whose last words look final has ended
LONG_SILENCE = 900.0  # the same if the record gives no reason for its end; no call was seen to stream for longer
ANNOUNCED_WITHIN = 3.0  # a host that announces each end does so by then; the end of a turn need not report it first
PROOF_PENDS = 5.0  # a prompt's record that is missing by then will not come
IN_HAND = 5.0  # the module in the client wakes an agent by then (it needs well under one), or has vanished
EARLIER_RECORD = 60.0  # the host may begin a record before its hook is called, and a disk may be slow
NEIGHBOUR = 3600.0  # no process of another machine can be seen: a session there that writes nothing for so long is gone
LONG_CALL = 12 * 3600.0  # the same while one of its calls has no result
HOOK_LIVES = 30.0  # a hook whose process cannot be checked is gone by then: the host ends every hook earlier
DEATHS_COUNT = DAY  # a step that ended hooks longer ago is tried again
UNFINISHED = 60.0  # a file of the spool that is unfinished by then will never be finished

# Bounds on operations that may hang
LOCK = 2.0  # for another hook that writes the ledger; after that the event goes to the spool
LOCK_ALONE = 0.2  # for every other process to close the ledger; the next event tries again
ERASING = 0.2  # for another process that reads the ledger while a hook erases; the next event tries again
ERASING_BY_HAND = 2.0  # the same for a person who waits for it
SPOOL = 5.0  # for the events in the spool; the rest of a hook's time is for its own event
GIT = 10.0  # a disk that hangs must not hold the end of a run
SCHEMA = 5  # a schema or a document can be crafted to take for ever
RUNNER_LOOKS = 1.0  # between two looks of a check's runner at its job file and the session's process
TREE_LOCK = 5.0  # on a network disk the hook that started the runner keeps the tree's lock until it has ended
PROBING = 20.0  # to ask a Python about itself; a cold disk is slow
FETCHING = 300.0  # two packages, over a slow line
TRIAL = 30.0  # a program that the doctor tries

# How far back people are shown tasks that have ended, and failures
RECENT = DAY
DRIFTED = 7 * DAY  # the same for unexpected behaviour of clients, which not every session meets
