"""Kinds of signals: what each decides and says, found by its marker."""

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
REQUEST = "DELEGATE_WORK"  # another agent is asked for; an agent may do that and go on
# For each kind of item: the signal that asks for it. That signal also words the answer to it.
_ASKERS = {Item.QUESTION: "CLARIFICATION_NEEDED", Item.BLOCKER: STOP, Item.DELEGATION: REQUEST}
_MESSAGE = "## MESSAGE FROM YOUR PARENT AGENT"


class Ask(Record):
    """An item that a signal puts into the inbox: its kind, its id, and what the agent gave for it."""

    kind: str
    qid: str
    given: Fields


class Found(Record):
    """What the check of a report comes to for its task."""

    disputed: bool = False  # it insists on what the evidence refutes
    lacking: bool = False  # a file that the launch asked for is not there


class Response(Record):
    """What an agent is woken with: the kind of response, its sections, and what these leave to be said below them."""

    kind: str
    sections: list[str]
    first: str = ""  # what it begins with
    restores: bool = True  # it goes on from its checkpoint, not from the start
    lists: bool = False  # the sections say what is to be done of what it had not done
    ends: bool = False  # it ends its run at once
    then: str = "continue"  # what it does after that, where nothing names what it begins with


class Kind:
    """What all signals have in common; each has a class of its own, in the module of its marker."""

    said = ""  # what its agent did, in the history of the task
    counted = ("", "")  # what it asks for: one, and several of them
    to_type = ""  # what the user types to answer that, in short
    stands = ""  # how a task stands that waits for that
    duration = ""  # the field for the time that the work took, which the hook knows better than the agent

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def is_over(self, fields: Fields) -> bool:
        """Whether the agent's work is over with this signal; if not, the agent waits."""
        return False

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        """The state of the task whose run has ended with this signal; `own` are all that the run ended with."""
        raise NotImplementedError

    def better(self, fields: Fields) -> str:
        """Why its agent is asked for a report of completion instead; empty where it is not."""
        return ""

    def asks(self, book: Ledger, label: str, fields: Fields) -> list[Ask]:
        """What it asks of the user."""
        return []

    def asked_before(self, book: Ledger, agent: str, run: int, fields: Fields) -> int:
        """The earlier signal of the run that asks for the same thing, whatever else it says; 0 without one."""
        return 0

    def still_asked(self, passed: list[Signal], ends_with: str) -> list[Signal]:
        """The signals of this kind that still hold at a run's end, of those after which the run went on."""
        return []

    def remind(self, signal: Fields, told: Told) -> Reminder:
        """The reminder for the parent, from the signal as `signals.to_json` gives it."""
        raise NotImplementedError

    def outcome(self, task: Task, payload: Fields, evidence: Fields) -> Outcome:
        """What came of a task whose run has ended with this signal, beside what it asks for."""
        return outcome.without_report(task, self.gist(payload))

    def begin_brief(self, short: Short, notice: str) -> str:
        """How the short form of the reminder begins."""
        return notice

    def brief(self, payload: Fields, short: Short) -> list[str]:
        """The short form of the reminder, behind that."""
        return [*([short.left] if short.left else []), phrases.BRIEFLY_ENDED.format(label=short.label)]

    def woken(self, items: list[Question], payload: Fields, typed: str) -> Response:
        """How its agent is woken with no answer of the user, by what the parent has typed."""
        return from_parent(typed)

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        """The user's answers to what it asked, as its agent gets them."""
        raise NotImplementedError

    def decided(self, row: Answered) -> str:
        """What follows from an answer that is more than an answer, in a line for the parent."""
        return ""

    def ways_to_answer(self, item: Question, command: str) -> list[str]:
        """What the user can type about an item that it asked for, the usual thing first."""
        raise NotImplementedError

    def gist(self, payload: Fields) -> str:
        """The words of the agent that say most."""
        spec = signals.schemas().get(self.marker)
        return inline(str(payload.get(spec["x-main"]) or ""), 300) if spec else ""


def from_parent(typed: str, about: str = "", kind: str = "FOLLOW_UP", heading: str = _MESSAGE) -> Response:
    """The parent's own words; `about` is what they are a reply to."""
    lead = "The parent agent's own words, not the user's:" if typed.strip() else "The parent agent asks you to go on."
    parts = [heading, about, lead, "\n".join(framed(typed.strip())) if typed.strip() else ""]
    return Response(kind, ["\n\n".join(part for part in parts if part)])


@cache
def of(marker: str) -> Kind:
    """The kind of this marker; for an unknown one, as in a ledger of a later version, what all have in common."""
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
    """What the user says to an agent that has asked for nothing, which is no signal of the agent's."""

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        """The user's words, one after the other; that it is to stop is all that is said then."""
        if any(inbox.extra(row).get("stops") for row in answered):
            return Response("USER_STOP", [phrases.STOP_AND_SAVE.format(marker=STOP)], ends=True)
        said = ["\n".join(framed(row.said.strip())) for row in answered]
        return Response("USER_MESSAGE", ["\n\n".join([phrases.FROM_THE_USER, *said])])


_UNASKED = Unasked("")


def asking(item: str) -> Kind:
    """The kind of signal that asks for items of this kind."""
    return _UNASKED if item == Item.UNASKED else of(_ASKERS[item])


def waiting(items: list[Question], *beside: str) -> Outcome:
    """What a task waits for: the first of these items, and how many more there are."""
    first = items[0]
    stands = phrases.ASKS_PERMISSION if inbox.asks_leave(first) else asking(inbox.kind(first)).stands
    more = f" (+{len(items) - 1})" if len(items) > 1 else ""
    return Outcome(first.label, stands, "needs", theirs=first.text, more=more, beside=beside)
