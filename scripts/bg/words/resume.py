"""Resume messages: the protocol's response, exact from the record, followed by what the parent typed."""

from __future__ import annotations

from bg.host import transcripts
from bg.ledger import delegations, inbox, reported, tasks, user_answers, waiting
from bg.ledger.delegations import Delegation
from bg.ledger.file import Ledger
from bg.ledger.inbox import Question
from bg.ledger.record import first_of
from bg.ledger.tasks import Task
from bg.ledger.user_answers import Answered
from bg.record import Record
from bg.words import delegation, phrases, recoveries
from bg.words.quoting import MESSAGE_LIMIT, Said, beside, cited, framed, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ACKNOWLEDGE = (
    "Acknowledge in a line or two what you received, restore the state above, then continue. "
    "End the run with one signal block again, with your agent_id {token}."
)


class Message(Record):
    """A resume message, what kind of response it is, which answers it carries, and which delegations' ends it tells."""

    kind: str
    text: str
    answers: list[int]
    ends: list[int]


def compose(book: Ledger, agent: str, token: str, typed: str, checkpoint: str = "") -> Message:
    """The message that wakes the agent: recorded answers in the protocol's form, then the parent's note.

    `checkpoint` is what the plugin found of a run that was cut, before which the agent said nothing of its state.
    """
    signal = reported.last_signal(book, agent)
    payload = signal.get("payload", {})
    answered = user_answers.unsent(book, agent)
    sections, kind = _answers(answered, inbox.find(book, agent=agent), payload, book) if answered else ([], "")
    ended, told = _others(book, agent)
    sections += told
    kind = kind or ("DELEGATION_ENDED" if told else "")
    if not sections:
        frame = "" if checkpoint else signal.get("signal_type", "")
        kind, heading = _FRAMES.get(frame, ("FOLLOW_UP", "## MESSAGE FROM YOUR PARENT AGENT"))
        if kind == "ERROR_RECOVERY" and payload.get("blocker_type") != "error":
            kind, heading = "BLOCKER_RESOLVED", "## BLOCKER RESOLVED"
        lead = (
            "The parent agent's own words, not the user's:" if typed.strip() else "The parent agent asks you to go on."
        )
        issue = payload.get("details")
        known = f"Issue: {beside(issue)}\n\n" if frame == "STOP_WORK" and issue else ""
        sections = [f"{heading}\n\n{known}{lead}\n\n{_framed(typed)}".rstrip()]
    found = f"## STATE RESTORATION\n\n{checkpoint}" if checkpoint else ""
    state = "\n\n".join(part for part in (found, _state(payload)) if part)
    steps = _instructions(signal, token, cut=bool(checkpoint))
    if (answered or told) and typed.strip():
        steps += f"\n\n## NOTE FROM THE PARENT AGENT (not from the user)\n\n{_framed(typed)}"
    body = "\n\n".join(sections)
    room = MESSAGE_LIMIT - len(body) - len(steps) - 8
    if len(state) > room:
        state = state[: max(0, room - 40)].rsplit("\n", 1)[0] + "\n[the rest is in your own transcript]"
    text = "\n\n".join(part for part in (body, state if room > 80 else "", steps) if part)
    return Message(kind, text, [row.answer for row in answered], ended)


def _others(book: Ledger, agent: str) -> tuple[list[int], list[str]]:
    """How the work ended that this agent's task asked others for, and what it goes on without."""
    task = tasks.of_agent(book, agent)
    if task is None:
        return [], []
    over = delegations.untold(book, task.label)
    sections = [delegation.outcome(book, one) for one in over]
    released = [one for one in waiting.requests(book, task) if one.released is not None and one not in over]
    pending = [one for one in released if delegations.standing(book, one) not in delegations.OVER]
    sections += [delegation.undecided(book, one) for one in pending]
    return [one.id for one in over], sections + _parts(book, agent, waiting.requests(book, task))


def _parts(book: Ledger, agent: str, requests: list[Delegation]) -> list[str]:
    """What others do of the work that this agent has stopped at, where the parent gave it to them of its own accord."""
    found = [one for one in requests if one.state == delegations.LAUNCHED and not one.words]
    at_work = [one for one in found if delegations.standing(book, one) not in delegations.OVER]
    payload = reported.last_signal(book, agent).get("payload", {})
    hand = recoveries.HAND_OVER
    return [
        recoveries.section(hand, str(payload.get("details") or ""), hand, "your parent agent", payload, who)
        for who in [delegation.names(delegations.workers(book, one)) for one in at_work]
    ]


def _framed(text: str) -> str:
    return "\n".join(framed(text.strip())) if text.strip() else ""


_FRAMES = {
    "CLARIFICATION_NEEDED": ("CLARIFICATION_RESPONSE", "## CLARIFICATION RESPONSE"),
    "STOP_WORK": ("ERROR_RECOVERY", "## ERROR RECOVERY"),
    "DELEGATE_WORK": ("DELEGATION_RESPONSE", "## DELEGATION RESPONSE"),
}


def _answers(
    answered: list[Answered], items: list[Question], payload: dict[str, Any], book: Ledger
) -> tuple[list[str], str]:
    """One section for each kind of thing that was answered."""
    by_kind = {
        kind: [row for row in answered if inbox.kind(row) == kind]
        for kind in (inbox.QUESTION, inbox.BLOCKER, inbox.DELEGATION)
    }
    sections: list[str] = []
    kinds: list[str] = []
    if by_kind[inbox.QUESTION]:
        run = by_kind[inbox.QUESTION][-1].run
        said = {row.id: row for row in by_kind[inbox.QUESTION]}
        asked = [row for row in items if inbox.kind(row) == inbox.QUESTION and (row.run == run or row.id in said)]
        sections.append(_clarification(asked, said))
        kinds.append("CLARIFICATION_RESPONSE")
    for row in by_kind[inbox.BLOCKER]:
        left = row.source == "go"
        words = "go on as you think best" if left else row.said
        one = first_of(delegations.find(book, question=row.id))
        who = delegation.names(delegations.workers(book, one)) or one.worker if one else ""
        how = user_answers.ANSWER if left else row.how
        sections.append(recoveries.section(how, row.text, words, "the user's words", payload, who))
        kinds.append("ERROR_RECOVERY" if payload.get("blocker_type") == "error" else "BLOCKER_RESOLVED")
    for row in by_kind[inbox.DELEGATION]:
        sections.append(_decision(row, book))
        kinds.append("DELEGATION_APPROVED" if row.how == user_answers.APPROVED else "DELEGATION_DENIED")
    return sections, kinds[0]


def _clarification(asked: list[Question], said: dict[int, Answered]) -> str:
    complete = all(row.id in said for row in asked)
    lines = [
        "## CLARIFICATION RESPONSE",
        "",
        "Your questions have been answered by the user:"
        if complete
        else "The user has answered some of your questions:",
    ]
    for row in asked:
        number = row.qid[1:] if row.qid[:1] == "Q" else row.qid
        answer = said.get(row.id)
        leave = inbox.asks_leave(row)
        if leave and (answer is None or answer.how == user_answers.SKIP):
            words = "(the user has not allowed it: do not do it, and say in your report what is left undone)"
        elif answer is None:
            words = "(not answered: take a reasonable default, and say in your report which)"
        elif answer.how == user_answers.SKIP:
            default = inbox.extra(row).get("default")
            words = f"(the user leaves this to you: take your default{f', {cited(str(default))}' if default else ''})"
        else:
            words = answer.said
        lines += ["", f"{row.qid}: {beside(row.text)}", f"A{number}: {words}"]
    return "\n".join(lines)


def _source(row: Answered) -> str:
    return "the user's settings" if row.source == "settings" else "the user's words"


def _decision(row: Answered, book: Ledger) -> str:
    one = first_of(delegations.find(book, question=row.id))
    if row.how != user_answers.APPROVED or one is None:
        return delegation.denied(row.said, _source(row))
    source = _source(row)
    return delegation.approved(book, one, row.said, source[0].upper() + source[1:])


_STATE_KEYS = (
    ("completed_work", "Completed"),
    ("current_state", "Current state"),
    ("state_snapshot", "State"),
    ("blocked_work", "Not done yet"),
)


def _state(payload: dict[str, Any]) -> str:
    lines = []
    for key, heading in _STATE_KEYS:
        value = payload.get(key)
        if isinstance(value, str) and value.strip():
            lines.append(f"{heading}:\n{_framed(value)}")
    return "## STATE RESTORATION\n\nYour own words, behind `>`:\n" + "\n".join(lines) if lines else ""


def _instructions(signal: dict[str, Any], token: str, *, cut: bool = False) -> str:
    payload = signal.get("payload", {})
    lines = ["## RESUME INSTRUCTIONS", ""]
    if payload.get("blocked_at"):
        lines.append(f"Continue from: {Said(payload['blocked_at']).cited(400)}")
    following = payload.get("resume_requirements") or payload.get("can_resume_with")
    if isinstance(following, str) and following.strip():
        lines.append(f"You said you would need:\n{_framed(following)}")
    step = recoveries.first_step(payload)
    lines += [f"First step: {cited(step, 400)}"] if step and not cut else []
    lines += [phrases.GO_ON_AFTER_CUT] if cut else []
    lines.append(f"Next step: {ACKNOWLEDGE.format(token=token)}")
    return "\n".join(lines)


def relaunch(book: Ledger, task: Task, token: str, typed: str, transcript: str, checkpoint: str = "") -> Message:
    """The same content for a new agent, which has none of the old one's memory."""
    message = compose(book, task.agent, token, typed, checkpoint)
    lead = fill(
        "continuation",
        task=task.prompt or task.text,
        transcript=transcript or "nowhere to be found any more",
        tail=quote(transcripts.digest(transcript), 3000) if transcript else "",
    )
    room = MESSAGE_LIMIT - len(message.text) - 2
    text = f"{lead[:room] if room > 0 else ''}\n\n{message.text}"
    return Message(message.kind, text, message.answers, message.ends)
