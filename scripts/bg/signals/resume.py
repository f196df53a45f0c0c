"""Resume messages: the protocol's response, exact from the record, followed by what the parent typed."""

from __future__ import annotations

from bg.host import transcripts
from bg.ledger import delegations, inbox
from bg.ledger.cases import Agent, Case
from bg.ledger.delegations import Delegation
from bg.ledger.values import Decision, Item
from bg.record import Record
from bg.signals import delegation, kinds
from bg.words import phrases, recoveries
from bg.words.quoting import MESSAGE_LIMIT, Said, cited, framed, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ACKNOWLEDGE = (
    "Acknowledge in a line or two what you received, restore the state above, then continue. "
    "End the run with one signal block again, with your agent_id {token}."
)
LEAST_STATE = 80  # characters of it; fewer say nothing


class Message(Record):
    """A resume message, what kind of response it is, which answers it carries, and which delegations' ends it tells."""

    kind: str
    text: str
    answers: list[int]
    ends: list[int]


def compose(agent: Agent, token: str, typed: str, checkpoint: str = "") -> Message:
    """The message that wakes the agent: recorded answers in the protocol's form, then the parent's note.

    `checkpoint` is what the plugin found of a run that was cut, before which the agent said nothing of its state.
    """
    signal = agent.ended_with
    payload = signal.get("payload", {})
    kind, sections = _answers(agent, payload)
    ended, told = _others(agent)
    if told:
        kind, sections = kind or "DELEGATION_ENDED", sections + told
    note = typed if sections else ""
    if not sections:
        # A run that was cut has ended with no signal.
        frame = kinds.of("" if checkpoint else signal.get("signal_type", "")).frame(payload)
        kind, sections = frame.kind, [_opening(frame, typed)]
    steps = _instructions(payload, token, note, cut=bool(checkpoint))
    text = _fitted("\n\n".join(sections), _state(payload, checkpoint), steps)
    return Message(kind, text, [row.answer for row in agent.answers], ended)


def _opening(frame: kinds.Frame, typed: str) -> str:
    """What a message begins with that brings no answer and no end of others' work."""
    lead = "The parent agent's own words, not the user's:" if typed.strip() else "The parent agent asks you to go on."
    return _together(frame.heading, frame.issue, lead, _framed(typed)).rstrip()


def _fitted(body: str, state: str, steps: str) -> str:
    """The whole message; of the state, which its agent knows, as much as there is room for."""
    room = MESSAGE_LIMIT - len(body) - len(steps) - 8
    if len(state) > room:
        state = state[: max(0, room - 40)].rsplit("\n", 1)[0] + "\n[the rest is in your own transcript]"
    return _together(body, state if room > LEAST_STATE else "", steps)


def _together(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _others(agent: Agent) -> tuple[list[int], list[str]]:
    """How the work ended that this agent's task asked others for, and what it goes on without."""
    book, case = agent.book, agent.case
    if case is None:
        return [], []
    over = delegations.untold(book, case.label)
    sections = [delegation.outcome(book, one) for one in over]
    released = [one for one in case.requests if one.released is not None and one not in over]
    pending = [one for one in released if delegations.standing(book, one) not in delegations.OVER]
    sections += [delegation.undecided(book, one) for one in pending]
    return [one.id for one in over], sections + _parts(agent, case.requests)


def _parts(agent: Agent, requests: list[Delegation]) -> list[str]:
    """What others do of the work that this agent has stopped at, where the parent gave it to them of its own accord."""
    book, payload = agent.book, agent.ended_with.get("payload", {})
    found = [one for one in requests if one.state == Decision.LAUNCHED and not one.words]
    at_work = [one for one in found if delegations.standing(book, one) not in delegations.OVER]
    hand = recoveries.HAND_OVER
    return [
        recoveries.section(hand, str(payload.get("details") or ""), hand, "your parent agent", payload, who)
        for who in [delegation.names(delegations.workers(book, one)) for one in at_work]
    ]


def _framed(text: str) -> str:
    return "\n".join(framed(text.strip())) if text.strip() else ""


def _answers(agent: Agent, payload: dict[str, Any]) -> tuple[str, list[str]]:
    """The kind of the first response, and what is said of each kind of thing that was answered."""
    first = ""
    sections: list[str] = []
    items = inbox.find(agent.book, agent=agent.id) if agent.answers else []
    for item in (Item.QUESTION, Item.BLOCKER, Item.DELEGATION):
        rows = [row for row in agent.answers if inbox.kind(row) == item]
        if rows:
            kind, said = kinds.asking(item).answer(agent.book, rows, items, payload)
            first, sections = first or kind, sections + said
    return first, sections


_STATE_KEYS = (
    ("completed_work", "Completed"),
    ("current_state", "Current state"),
    ("state_snapshot", "State"),
    ("blocked_work", "Not done yet"),
)


def _state(payload: dict[str, Any], checkpoint: str) -> str:
    """Where the work is: as the plugin found it, and as the agent has said."""
    found = f"## STATE RESTORATION\n\n{checkpoint}" if checkpoint else ""
    given = [(heading, payload.get(key)) for key, heading in _STATE_KEYS]
    lines = [f"{heading}:\n{_framed(words)}" for heading, words in given if isinstance(words, str) and words.strip()]
    lead = "## STATE RESTORATION\n\nYour own words, behind `>`:"
    return _together(found, "\n".join([lead, *lines]) if lines else "")


def _instructions(payload: dict[str, Any], token: str, note: str, *, cut: bool) -> str:
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
    beside = f"## NOTE FROM THE PARENT AGENT (not from the user)\n\n{_framed(note)}" if note.strip() else ""
    return _together("\n".join(lines), beside)


def relaunch(case: Case, token: str, typed: str, transcript: str, checkpoint: str = "") -> Message:
    """The same content for a new agent, which has none of the old one's memory."""
    message = compose(case.agent, token, typed, checkpoint)
    lead = fill(
        "continuation",
        task=case.task.prompt or case.task.text,
        transcript=transcript or "nowhere to be found any more",
        tail=quote(transcripts.digest(transcript), 3000) if transcript else "",
    )
    room = MESSAGE_LIMIT - len(message.text) - 2
    text = f"{lead[:room] if room > 0 else ''}\n\n{message.text}"
    return Message(message.kind, text, message.answers, message.ends)
