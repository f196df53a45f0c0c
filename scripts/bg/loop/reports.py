"""Reports: a run's raw text is made durable, and the signals in it that carry the agent's own token are read."""

from __future__ import annotations

from functools import lru_cache

from bg.host import tools
from bg.ledger import reported, runs
from bg.ledger.cases import Agent, Case
from bg.ledger.reported import Report
from bg.ledger.runs import Run
from bg.masking import masked
from bg.protocol import signals
from bg.record import Record
from bg.signals import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Reading(Record):
    """The signals of a text with the agent's own token, the deciding one of these, and the last with another token."""

    own: list[signals.Signal]
    deciding: Optional[signals.Signal]
    strange: Optional[signals.Signal]


def read(text: str, token: str) -> Reading:
    """Read the signals of a text: only a block signed with the agent's own token counts, any other is strange.

    A text that ends with its only block, unsigned or signed with the task's label, counts as the agent's own, signed
    carelessly: the host says who speaks.
    """
    found = _signals(text)
    if len(found.signals) == 1 and _is_careless(found.signals[0], text, token):
        found = found._replace(signals=[signals.signed(found.signals[0], token)])
    own = [signal for signal in found.signals if signal.agent_id.strip() == token]
    # A signal that need not end the run ends it all the same if no other signal does.
    ending = [signal for signal in own if signal.terminal] or own
    strange = [signal for signal in found.signals if signal.agent_id.strip() != token]
    return Reading(own, _last(ending), _last(strange))


def keep(case: Case, agent: Agent, source: str, text: str, *, final: bool = True, uuid: str = "") -> Optional[Run]:
    """Make a run's text durable; the run it belongs to, None if that run has ended already."""
    run = _keep(case, agent, source, text, final=final, uuid=uuid)
    if run is not None:
        case.book.settle()
    return run


def handed_back(agent: Agent) -> str:
    """The report with whose hand-back an agent has ended its last run; empty if it has not."""
    over = agent.run is not None and agent.run.ended is not None
    found = [row.text for row in agent.texts if row.source in tools.HANDBACK.names] if over else []
    return found[-1] if found else ""


def keep_aside(case: Case, agent: Agent, text: str) -> None:
    """Keep what an agent says after the end of its run, with that run, but not as its report."""
    if agent.run is not None and text.strip():
        with case.book.transaction() as writing:
            reported.keep_report(writing, agent.id, agent.run.run, reported.MESSAGE, text)


def best(texts: list[Report], token: str) -> tuple[str, Reading]:
    """The run's best text: the last with a readable block, else the longest."""
    ranked = []
    for place, row in enumerate(texts):
        reading = read(row.text, token)
        signal = reading.deciding
        rank = (bool(signal and signal.readable), bool(signal), 0 if signal else len(row.text), place)
        ranked.append((rank, row.text, reading))
    if not ranked:
        return "", Reading([], None, None)
    _, text, reading = max(ranked, key=lambda item: item[0])
    return text, reading


def requests(texts: list[Report], token: str) -> list[signals.Signal]:
    """The signals of a run that do not end it, and its requests, from all of its texts, not only the best one."""
    own = [found for row in texts for found in read(row.text, token).own]
    return [found for found in own if (found.marker == kinds.REQUEST or not found.terminal) and found.readable]


@lru_cache(maxsize=4)
def _signals(text: str) -> signals.Reading:
    """The signals of a text; cached, as one event asks several times about the same few texts.

    Only the end of a very long text is read, where a block belongs; the ledger keeps the whole text.
    """
    if len(text) >= reported.LONGEST:
        text = text[-reported.LONGEST :].partition("\n")[2]
    return signals.read(masked(text))


def _is_careless(signal: signals.Signal, text: str, token: str) -> bool:
    label = token.rpartition("-")[0]
    return signal.agent_id.strip().casefold() in ("", label) and signals.ends(signal, text)


def _last(found: list[signals.Signal]) -> Optional[signals.Signal]:
    return found[-1] if found else None


def _keep(case: Case, agent: Agent, source: str, text: str, *, final: bool, uuid: str) -> Optional[Run]:
    with case.book.transaction() as writing:
        run = agent.run
        if run is None or run.ended is not None:
            if run and final and (not text.strip() or reported.is_reported(case.book, agent.id, text, run.run)):
                return None
            run = runs.running(writing, agent.id, case.label)
        if text.strip():
            reported.keep_report(writing, agent.id, run.run, source, text)
        if final and run.last_uuid != uuid:
            runs.set_last_record(writing, agent.id, run.run, uuid)
        return run
