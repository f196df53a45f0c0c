"""Values: the closed sets of values in the ledger's columns, each value once, with its meaning.

They are plain strings: making an `enum` would cost each hook a quarter of a millisecond, and from Python 3.12 on its
members are formatted differently.
"""


class State:
    """The state of a task."""

    LAUNCHED = "launched"  # its launch is on its way, and its agent has not been seen
    WORKING = "working"  # its agent works
    NEEDS_ANSWER = "needs_answer"  # its agent has ended with questions to the user
    BLOCKED = "blocked"  # its agent has ended and cannot continue by itself
    PAUSED = "paused"  # a usage limit or an overloaded API has ended its agent's run; the user says when to continue
    DELEGATING = "delegating"  # its agent has ended with a request for another agent for which it need not wait
    NOT_LAUNCHED = "not_launched"  # nothing was launched, or the host refused the launch
    DONE = "done"  # its agent reports success, and nothing that could be checked speaks against it
    DISPUTED = "disputed"  # its agent insists on a report that does not match what was seen
    PARTIAL = "partial"  # its agent reports that a part is done
    FAILED = "failed"  # its agent reports failure, or the host has ended its run with an error
    UNREPORTED = "unreported"  # its agent has ended without a signal
    INTERRUPTED = "interrupted"  # its session has ended while its agent worked
    STOPPED = "stopped"  # its agent was stopped, or the user has closed the task before its end


class Item:
    """What an item of the inbox asks of the user."""

    QUESTION = "question"  # an answer
    BLOCKER = "blocker"  # a way to continue
    DELEGATION = "delegation"  # a yes or no to another agent
    UNASKED = "unasked"  # nothing: it holds the user's words to a task that asked for nothing


class ItemState:
    """How far an item of the inbox has come."""

    OPEN = "open"  # it waits for the user
    ANSWERED = "answered"  # the user has answered, and the agent does not have the answer yet
    SENT = "sent"  # the agent has the answer
    WITHDRAWN = "withdrawn"  # the agent no longer waits for it


class Decision:
    """The decision on a request for another agent."""

    WAITING = "waiting"  # nothing yet
    APPROVED = "approved"  # it may be launched
    DENIED = "denied"  # it may not
    LAUNCHED = "launched"  # a task does the work


class Standing:
    """How far a request for another agent has come: first the decision, then the work."""

    ASKED = "asked"  # nothing was decided
    APPROVED = "approved"  # nobody works on it yet
    DENIED = "denied"  # nobody ever will
    LAUNCHING = "launching"  # its agent has not been seen
    WORKING = "working"  # its agent works
    WAITING = "waiting"  # its agent waits for an answer, or for others, itself
    ENDED = "ended"  # its agent has ended, in any way
    LOST = "lost"  # its agent's session has ended while it worked


class Due:
    """What a parent is owed."""

    ENDED = "ended"  # a run has ended
    MESSAGE = "message"  # a run has asked for something and continues
    GROUP = "group"  # all tasks that were launched together have ended
    JOINT = "joint"  # a task and all agents that it asked for have ended
    ANSWERED = "answered"  # the next step after the user's words to a task
    VERIFIED = "verified"  # the check that the user named has ended


class Opened:
    """What a window of launches was opened for."""

    COMMAND = "bg"  # a task that the user has typed
    SKILL = "skill"  # a task for which Claude has run the command by itself
    AGENT = "agent"  # a task for which Claude has launched an agent of ours without the command
    DELEGATION = "delegation"  # a request that the user has approved
    RELAUNCH = "relaunch"  # a new agent for a task whose agent cannot be woken
    PART = "part"  # parts of the work that a stopped agent could not do; opened again in a later turn it is no new task


class Outcome:
    """How a check that the user named ended."""

    PASSED = "passed"  # with exit status 0
    FAILED = "failed"  # with another one
    UNKNOWN = "unknown"  # without an exit status, or with one that says nothing about the work
