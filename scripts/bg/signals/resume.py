"""Resume messages: the protocol's response, taken from the ledger, followed by the parent's own words."""

from __future__ import annotations

from bg.host import transcripts
from bg.ledger import delegations, inbox
from bg.ledger.cases import Agent, Case
from bg.ledger.delegations import Delegation
from bg.ledger.values import Decision, Item
from bg.record import Record
from bg.signals import delegation, kinds
from bg.words import phrases, recoveries
from bg.words.quoting import MESSAGE_LIMIT, Said, framed, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ACKNOWLEDGE = "Acknowledge in a line or two what you received"
RESTORE = "restore the state above"
END = "End the run with one signal block again, with your agent_id {token}."
LEAST_STATE = 80  # characters; a shorter excerpt of the state says nothing


_STATE_KEYS = (
    ("completed_work", "Completed"),
    ("current_state", "Current state"),
    ("state_snapshot", "State"),
    ("blocked_work", "Not done when you stopped; what is said above comes first"),
)


class Message(Record):
    """A resume message: the kind of response, the text, the answers in it, and the delegations whose end it tells."""

    kind: str
    text: str
    answers: list[int]
    ends: list[int]


def compose(agent: Agent, token: str, typed: str, checkpoint: str = "") -> Message:
    """The message that wakes the agent: recorded answers in the protocol's form, then the parent's note.

    `checkpoint` is the state of the work that the plugin found after a run was cut before its agent described any.
    """
    # A working agent is past the signal that ended its earlier run.
    works = agent.run is not None and agent.run.ended is None
    signal = {} if works else agent.ended_with
    payload = signal.get("payload", {})
    ended, told = _others(agent)
    said = _answers(agent, payload)
    said = said._replace(kind=said.kind or ("DELEGATION_ENDED" if told else ""), sections=[*said.sections, *told])
    note = typed if said.sections else ""
    if not said.sections:
        # A run that was cut ended without a signal.
        kind = kinds.of("" if checkpoint else signal.get("signal_type", ""))
        said = kind.woken(inbox.find(agent.book, agent=agent.id), payload, typed)
    said = said._replace(then="go on where you are") if works else said
    text = "\n\n".join(said.sections)
    if not said.ends:
        state = _state(payload, checkpoint, said)
        steps = _instructions(payload, token, note, said, state=bool(state), cut=bool(checkpoint))
        text = _fitted(text, state, steps)
    return Message(said.kind, text, [row.answer for row in agent.answers], ended)


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


def _others(agent: Agent) -> tuple[list[int], list[str]]:
    """The ended delegations to tell this agent of, and the sections on these and on work that it goes on without."""
    book, case = agent.book, agent.case
    if case is None:
        return [], []
    over = delegations.ended_and_untold(book, case.label)
    sections = [delegation.outcome(book, one) for one in over]
    released = [one for one in case.requests if one.released is not None and one not in over]
    pending = [one for one in released if delegations.standing(book, one) not in delegations.OVER]
    sections += [delegation.undecided(book, one) for one in pending]
    return [one.id for one in over], sections + _parts(agent, case.requests)


def _parts(agent: Agent, requests: list[Delegation]) -> list[str]:
    """The sections on agents to which the parent, of its own accord, gave parts of this agent's stopped work."""
    book, payload = agent.book, agent.ended_with.get("payload", {})
    found = [one for one in requests if one.state == Decision.LAUNCHED and not one.words]
    at_work = [one for one in found if delegations.standing(book, one) not in delegations.OVER]
    way = recoveries.plan(recoveries.PARTS, "", payload)
    return [
        recoveries.section(way, str(payload.get("details") or ""), "", who=who)
        for who in [delegation.names_and_work(delegations.workers(book, one)) for one in at_work]
    ]


def _answers(agent: Agent, payload: dict[str, Any]) -> kinds.Response:
    """The response with all answers; if it has several sections, it has the kind of the first and no first step."""
    found: list[kinds.Response] = []
    items = inbox.find(agent.book, agent=agent.id) if agent.answers else []
    for item in (Item.QUESTION, Item.BLOCKER, Item.DELEGATION, Item.UNASKED):
        rows = [row for row in agent.answers if inbox.kind(row) == item]
        if rows:
            found.append(kinds.kind_asking_for(item).answer(agent.book, rows, items, payload))
    sections = [section for said in found for section in said.sections]
    if len(sections) == 1:
        return found[0]
    return kinds.Response(found[0].kind if found else "", sections)


def _state(payload: dict[str, Any], checkpoint: str, said: kinds.Response) -> str:
    """The state of the work, as the plugin found it and as the agent described it."""
    found = f"## STATE RESTORATION\n\n{checkpoint}" if checkpoint else ""
    given = [(heading, payload.get(key)) for key, heading in _STATE_KEYS if not (said.lists and key == "blocked_work")]
    lines = [f"{heading}:\n{_framed(words)}" for heading, words in given if isinstance(words, str) and words.strip()]
    heading = "## STATE RESTORATION" if said.restores else "## WHAT THE FIRST TRY LEFT"
    lead = f"{heading}\n\nYour own words when you stopped, behind `>`:"
    return _together(found, "\n".join([lead, *lines]) if lines else "")


def _framed(text: str) -> str:
    return "\n".join(framed(text.strip())) if text.strip() else ""


def _together(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _instructions(
    payload: dict[str, Any], token: str, note: str, said: kinds.Response, *, state: bool, cut: bool
) -> str:
    lines = ["## RESUME INSTRUCTIONS", ""]
    if payload.get("blocked_at"):
        lines.append(f"Continue from: {Said(payload['blocked_at']).cited(400)}")
    following = payload.get("can_resume_with")
    if isinstance(following, str) and following.strip():
        lines.append(f"You had asked for:\n{_framed(following)}")
    lines += [phrases.GO_ON_AFTER_CUT] if cut else []
    restore = RESTORE if state and said.restores else ""
    if said.first and not cut:
        lines += [" and ".join(filter(None, [ACKNOWLEDGE, restore])) + ".", f"First step: {said.first}"]
    else:
        steps = ", ".join(filter(None, [ACKNOWLEDGE, restore, f"then {said.then}"]))
        lines.append(f"Next step: {steps}.")
    lines.append(END.format(token=token))
    beside = f"## NOTE FROM THE PARENT AGENT (not from the user)\n\n{_framed(note)}" if note.strip() else ""
    return _together("\n".join(lines), beside)


def _fitted(body: str, state: str, steps: str) -> str:
    """The whole message; the state, which its agent knows anyway, is cut to the room that is left."""
    room = MESSAGE_LIMIT - len(body) - len(steps) - 8
    if len(state) > room:
        state = state[: max(0, room - 40)].rsplit("\n", 1)[0] + "\n[the rest is in your own transcript]"
    return _together(body, state if room > LEAST_STATE else "", steps)
