"""Kinds of signals: the decisions and sentences of each signal, found by its marker."""

from __future__ import annotations

from functools import cache

from bg.ledger import inbox
from bg.ledger.values import Item
from bg.protocol import signals
from bg.record import Record
from bg.words import outcome, phrases
from bg.words.outcome import Outcome
from bg.words.quoting import framed, inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bg.ledger.file import Ledger
    from bg.ledger.inbox import Question
    from bg.ledger.tasks import Task
    from bg.ledger.user_answers import Answered
    from bg.protocol.signals import Signal
    from bg.words.briefs import Short
    from bg.words.replies import Reminder, Told

    Fields = dict[str, Any]

REPORT = "COMPLETION_REPORT"  # the work is over; an agent that ends without a signal is asked for this one
STOP = "STOP_WORK"  # something is in the way
REQUEST = "DELEGATE_WORK"  # asks for another agent; the sender may go on working
# For each kind of item: the signal that asks for it. That signal also words the answer to it.
_ASKERS = {Item.QUESTION: "CLARIFICATION_NEEDED", Item.BLOCKER: STOP, Item.DELEGATION: REQUEST}
_MESSAGE = "## MESSAGE FROM YOUR PARENT AGENT"


class Ask(Record):
    """An item that a signal puts into the inbox: its kind, its id, and the fields that the agent gave."""

    kind: str
    qid: str
    given: Fields


class Found(Record):
    """The findings on a report that change the state of its task."""

    disputed: bool = False  # the report insists on a claim that the evidence refutes
    lacking: bool = False  # a file that the launch asked for is missing


class Response(Record):
    """The response that wakes an agent: its kind, its sections, and hints for the instructions below them."""

    kind: str
    sections: list[str]
    first: str = ""  # the agent's first step
    restores: bool = True  # the agent goes on from its checkpoint, not from the start
    lists: bool = False  # the sections say which part of the unfinished work to do
    ends: bool = False  # the agent is told to end its run at once
    then: str = "continue"  # the agent's next step, told if there is no `first` one


class Kind:
    """The defaults of all signals; each signal overrides them in a class of its own, in the module of its marker."""

    said = ""  # the act of its agent, for the task's history
    counted = ("", "")  # the name of an item that it asks for, singular and plural
    to_type = ""  # the user's typed answer to an item, in short form
    stands = ""  # the status shown for a task that waits for the answer
    duration = ""  # the field for the working time, which the hook knows better than the agent

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def is_over(self, fields: Fields) -> bool:
        """Whether the agent's work is over with this signal; if not, the agent waits."""
        return False

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        """The new state of the task whose run ended with this signal; `own` are all signals in the same text."""
        raise NotImplementedError

    def better(self, fields: Fields) -> str:
        """The reason to ask the agent for a COMPLETION_REPORT instead; empty if there is none."""
        return ""

    def asks(self, book: Ledger, label: str, fields: Fields) -> list[Ask]:
        """The items that it puts to the user."""
        return []

    def asked_before(self, book: Ledger, agent: str, run: int, fields: Fields) -> int:
        """The id of the run's earlier signal that asks for the same thing, even in other words; 0 if there is none."""
        return 0

    def still_asked(self, passed: list[Signal], ends_with: str) -> list[Signal]:
        """Of the signals after which the run went on (`passed`), those that are still valid at its end."""
        return []

    def remind(self, signal: Fields, told: Told) -> Reminder:
        """The reminder for the parent, from the signal as `signals.to_json` gives it."""
        raise NotImplementedError

    def outcome(self, task: Task, payload: Fields, evidence: Fields) -> Outcome:
        """The outcome of a task whose run ended with this signal, apart from its open items."""
        return outcome.without_report(task, self.gist(payload))

    def begin_brief(self, short: Short, notice: str) -> str:
        """The first line of the reminder's short form."""
        return notice

    def brief(self, payload: Fields, short: Short) -> list[str]:
        """The other lines of the reminder's short form."""
        return [*([short.left] if short.left else []), phrases.BRIEFLY_ENDED.format(label=short.label)]

    def woken(self, items: list[Question], payload: Fields, typed: str) -> Response:
        """The response that wakes its agent with the parent's words, if the user has answered nothing."""
        return from_parent(typed)

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        """The response that gives its agent the user's answers."""
        raise NotImplementedError

    def decided(self, row: Answered) -> str:
        """A line for the parent on the consequence of an answer; empty if it has none."""
        return ""

    def ways_to_answer(self, item: Question, command: str) -> list[str]:
        """The lines that the user can type to answer one of its items, the most usual first."""
        raise NotImplementedError

    def gist(self, payload: Fields) -> str:
        """The most telling words of the agent in this signal, shortened."""
        spec = signals.schemas().get(self.marker)
        return inline(str(payload.get(spec["x-main"]) or ""), 300) if spec else ""


def from_parent(typed: str, about: str = "", kind: str = "FOLLOW_UP", heading: str = _MESSAGE) -> Response:
    """The response with the parent's own words; `about` tells the agent what they reply to."""
    lead = "The parent agent's own words, not the user's:" if typed.strip() else "The parent agent asks you to go on."
    parts = [heading, about, lead, "\n".join(framed(typed.strip())) if typed.strip() else ""]
    return Response(kind, ["\n\n".join(part for part in parts if part)])


@cache
def of(marker: str) -> Kind:
    """The kind with this marker; the plain `Kind` for an unknown one, as in a ledger of a later version."""
    if not marker.replace("_", "").isalpha():
        return Kind(marker)
    name = f"bg.signals.{marker.lower()}"
    try:
        module = __import__(name, fromlist=["KIND"])
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return Kind(marker)
    kind: Kind = getattr(module, "KIND", None) or Kind(marker)
    return kind


class Unasked(Kind):
    """The kind for the user's words to an agent that asked for nothing; no signal has it."""

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        """The user's words in order; if one of them is the order to stop, only that order."""
        if any(inbox.extra(row).get("stops") for row in answered):
            return Response("USER_STOP", [phrases.STOP_AND_SAVE.format(marker=STOP)], ends=True)
        said = ["\n".join(framed(row.said.strip())) for row in answered]
        return Response("USER_MESSAGE", ["\n\n".join([phrases.FROM_THE_USER, *said])])


_UNASKED = Unasked("")


def kind_asking_for(item: str) -> Kind:
    """The kind of signal that asks for items of this kind."""
    return _UNASKED if item == Item.UNASKED else of(_ASKERS[item])


def waiting(items: list[Question], *beside: str) -> Outcome:
    """The outcome of a task that waits for these items: the first one, and the number of the others."""
    first = items[0]
    stands = phrases.ASKS_PERMISSION if inbox.asks_leave(first) else kind_asking_for(inbox.kind(first)).stands
    more = f" (+{len(items) - 1})" if len(items) > 1 else ""
    return Outcome(first.label, stands, "needs", theirs=first.text, more=more, beside=beside)
