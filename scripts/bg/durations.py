"""Spans of time: every number of seconds that the plugin goes by, each with its reason; none is in another module.

A record decides wherever there is one. These are waits for a record that is late, bounds on what may hang, and how far
back people are shown things; the few that stand for a missing record say so.
"""

MINUTE = 60
DAY = 24 * 3600

# Waits of a hook for what the host, or another hook, is just about to write
LOOK_AGAIN = 0.03  # between two looks at a file, or two tries for a lock
LATE_TEXT = 5.0  # an agent's last words where the event lacks them; on a busy machine 2.1.7 needed more than 1.5
LATE_RECORD = 0.6  # an agent's last record where the event has its words; it was up to 0.141 late
LATE_PROMPT = 1.0  # the record that says who typed a prompt; it was up to 0.141 late
LATE_CALL = 0.3  # the record of a call whose hook has begun; it was up to 0.056 late
LATE_REFUSAL = 0.5  # the result of a call that was refused; 0.14 was the longest
HOOK_BESIDE = 1.0  # the hook behind a launch runs beside that of the agent's start; it was at most 0.06 later

# Instead of a record that the host does not keep
GRACE = 5.0  # for a hook that may still be at work: what it has begun is not taken out of its hands
SILENCE = 60.0  # hosts that list no agents: an agent whose words look final is not in the middle of something
LONG_SILENCE = 900.0  # the same where no reason for its end is written; no call was seen to be streamed for longer
ANNOUNCED_WITHIN = 3.0  # a host that announces each end does so; the end of a turn need not say it first
PROOF_PENDS = 5.0  # a prompt's record that is not there by then will not come
IN_HAND = 5.0  # the module in the client wakes an agent within that, or has vanished; it needs well under one
EARLIER_RECORD = 60.0  # the host may begin a record before its hook is called, and a disk may be slow
NEIGHBOUR = 3600.0  # a session on another machine shows no process: one that writes nothing for so long is gone
LONG_CALL = 12 * 3600.0  # the same while one of its calls has no result
HOOK_LIVES = 30.0  # no hook of an unknown process lives longer: the host ends it earlier
DEATHS_COUNT = DAY  # what ended hooks before is tried again
UNFINISHED = 60.0  # a file of the spool that nobody has finished writing by then stays unfinished

# Bounds on what may hang
LOCK = 2.0  # for another hook that writes the ledger; the event waits in the spool then
LOCK_ALONE = 0.2  # to be the only one that has the ledger open; the next event tries again
ERASING = 0.2  # for whoever reads the ledger while a hook erases; the next event tries again
ERASING_BY_HAND = 2.0  # the same for a person who waits for it
SPOOL = 5.0  # for the events that waited; the rest of a hook's time is for its own event
GIT = 10.0  # a disk that hangs must not hold the end of a run
SCHEMA = 5  # a schema or a document may be made to take for ever
RUNNER_LOOKS = 1.0  # between two looks of a check's runner at its job file and the session's process
TREE_LOCK = 5.0  # on a network disk the lock of a tree is the hook's until that has ended
PROBING = 20.0  # a Python that is asked what it is; a cold disk needs some
FETCHING = 300.0  # two packages, over a slow line
TRIAL = 30.0  # a program that the doctor tries

# How far back people are shown what has ended, and what has failed
RECENT = DAY
DRIFTED = 7 * DAY  # the same of what clients do otherwise: not every session meets it
