"""DELEGATE_WORK: a request to hand a part of the work to another agent, which the user decides."""

from __future__ import annotations

from bg.host import tools
from bg.ledger import delegations, digests, inbox, user_answers
from bg.ledger.file import first_of
from bg.ledger.values import Item, ItemState, State
from bg.signals import delegation
from bg.signals.kinds import REQUEST, Ask, Kind, Response, from_parent
from bg.words import phrases, replies, texts
from bg.words.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.file import Ledger
    from bg.ledger.inbox import Question
    from bg.ledger.user_answers import Answered
    from bg.protocol.signals import Signal
    from bg.signals.kinds import Fields, Found
    from bg.words.briefs import Short
    from bg.words.replies import Payload, Reminder, Told


class DelegateWork(Kind):
    """Its agent waits for the other one or goes on beside it, as its schema's `x-terminal` says."""

    said = "asked to delegate"
    counted = ("request for another agent", "requests for other agents")
    to_type = "{qid}: approve"
    stands = "asks for another agent"

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        """Blocked if the agent cannot go on without the work that one of its requests is for."""
        waits = any(found.terminal for found in own if found.marker == self.marker)
        return State.BLOCKED if waits else State.DELEGATING

    def asks(self, book: Ledger, label: str, fields: Fields) -> list[Ask]:
        given = {
            "text": str(fields.get("new_task_description") or ""),
            "context": str(fields.get("delegation_reason") or ""),
            "priority": str(fields.get("priority") or ""),
            "independence": str(fields.get("independence") or ""),
            "estimated_duration": str(fields.get("estimated_duration") or ""),
        }
        return [Ask(Item.DELEGATION, delegations.next_qid(book, label), given)]

    def asked_before(self, book: Ledger, agent: str, run: int, fields: Fields) -> int:
        wanted = digests.digest(str(fields.get("new_task_description") or ""))
        for one in delegations.last_of_run(book, agent, run):
            item = inbox.get(book, one.question)
            if item is not None and item.digest == wanted:
                return one.signal
        return 0

    def still_asked(self, passed: list[Signal], ends_with: str) -> list[Signal]:
        """All of them: the user can still approve a request, whatever the run has done since."""
        return passed

    def remind(self, signal: Fields, told: Told) -> Reminder:
        payload, label = replies.Payload(signal["payload"]), told.task.label
        if told.denied:
            return _denied(payload, told)
        body = replies.sections(
            [
                ("New task", replies.quoted(payload, "new_task_description")),
                ("Why", replies.quoted(payload, "delegation_reason", 400)),
                ("Independence", payload["independence"].cited()),
                ("Priority", payload["priority"].cited()),
                ("Context it needs", replies.quoted(payload, "context_required", 400)),
                ("Coordination", replies.quoted(payload, "coordination", 400)),
                ("Estimated duration", payload["estimated_duration"].cited()),
                *replies.marks(signal),
            ]
        )
        beside = told.full or f"{told.answer_command} {label} {told.qid}: approve"
        asked = Outcome(label, self.stands, "needs", theirs=self.gist(signal["payload"]), beside=(beside,))
        slots = {
            "label": label,
            "description": replies.task_name(told),
            "body": body,
            "qid": told.qid,
            "weighed": "\n".join(f"- {line}" for line in told.weighed),
        }
        if told.full:
            why = phrases.CANNOT_BE_APPROVED.format(why=told.full)
            return replies.Reminder(texts.fill("no_room", why=why, **slots), asked.line(told.room))
        text = texts.fill("delegation", answer=told.answer_command, **slots)
        return replies.Reminder(text, asked.line(told.room))

    def brief(self, payload: Fields, short: Short) -> list[str]:
        return [] if short.full else [phrases.BRIEFLY_DELEGATION.format(ask=tools.ASK, label=short.label)]

    def woken(self, items: list[Question], payload: Fields, typed: str) -> Response:
        return from_parent(typed, kind="DELEGATION_RESPONSE", heading="## DELEGATION RESPONSE")

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        first = "DELEGATION_APPROVED" if answered[0].how == user_answers.APPROVED else "DELEGATION_DENIED"
        return Response(first, [_decision(book, row) for row in answered])

    def ways_to_answer(self, item: Question, command: str) -> list[str]:
        typed = f"{command} {item.label}"
        return [f"{typed} {item.qid}: approve", f"{typed} {item.qid}: deny <why>"]


def _denied(payload: Payload, told: Told) -> Reminder:
    """The reminder that the settings denied a request; if the agent waits for the decision, the parent resumes it."""
    label, work = told.task.label, payload["new_task_description"]
    waits = any(item.state == ItemState.ANSWERED for item in told.items if inbox.kind(item) == Item.DELEGATION)
    then = f"It waits for that. Resume it now: {told.resume}" if waits else "It goes on by itself."
    text = texts.fill("denied", label=label, description=replies.task_name(told), work=work.quote(300), then=then)
    wanted = Outcome(label, phrases.DELEGATION_WANTED, "needs", theirs=work.inline())
    return replies.Reminder(text, wanted.line(told.room))


def _decision(book: Ledger, row: Answered) -> str:
    source = "the user's settings" if row.source == "settings" else "the user's words"
    one = first_of(delegations.find(book, question=row.id))
    if row.how != user_answers.APPROVED or one is None:
        return delegation.denied(row.said, source)
    return delegation.approved(book, one, row.said, source[0].upper() + source[1:])


KIND = DelegateWork(REQUEST)
