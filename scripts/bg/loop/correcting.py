"""Correcting: why an agent is asked once more about its report, where that can help."""

from __future__ import annotations

from bg.ledger import reported, runs
from bg.ledger.cases import Agent
from bg.loop import reports
from bg.protocol import signals
from bg.signals import kinds
from bg.words import phrases, verdict
from bg.words.quoting import cited, first, inline
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CORRECTIONS = 2
PRESSED = "pressed"  # the declared lines that the agent was asked about in this run


def correction(agent: Agent, evidence: dict[str, Any], most: int) -> str:
    """Why the agent is asked once more, counted before it is asked; empty where the report is taken as it is.

    A second time only for a block that still cannot be read, or for declared facts that it was not asked about yet:
    one that it insists on is passed on as disputed.
    """
    run, token, texts = agent.run, agent.token, agent.texts
    if run is None or run.ended is not None or run.cut or run.corrections >= min(most, MOST_CORRECTIONS) or not texts:
        return ""
    reading = reports.read(texts[-1].text, token)
    signal = reading.deciding
    unreadable = (signal is not None and not signal.readable) or (signal is None and reading.strange is not None)
    is_long = len(texts[-1].text) >= reported.LONGEST
    facts = verdict.facts(evidence)
    form = _reason(reading, token, facts, is_long=is_long) if run.corrections == 0 or unreadable else ""
    lines = [found["line"] for found in verdict.mismatches(evidence)]
    pressed = evidence.get(PRESSED, [])
    points = verdict.correction(evidence) if set(lines) - set(pressed) else ""
    reason = "\n\n".join(part for part in (points, form) if part)
    if reason:
        with agent.book.transaction() as writing:
            runs.count_correction(writing, run.agent, run.run)
            runs.set_evidence(writing, run.agent, run.run, {**evidence, PRESSED: [*pressed, *lines]})
    return reason


def _reason(reading: reports.Reading, token: str, facts: str, *, is_long: bool) -> str:
    signal = reading.deciding
    seen = phrases.SEEN_OF_RUN.format(facts=facts) if facts else ""
    if signal is None:
        problem = phrases.NO_BLOCK_AT_ITS_END.format(most=reported.LONGEST) if is_long else phrases.NO_BLOCK
        marker = kinds.REPORT
        if reading.strange is not None:
            marker = reading.strange.marker
            signer = cited(reading.strange.agent_id, 60) if reading.strange.agent_id.strip() else "by nobody"
            problem = phrases.STRANGE_BLOCK.format(signer=signer, token=token)
        elif reading.own:
            problem = phrases.NO_ENDING
        return fill("missing_block", problem=problem, template=signals.template(marker, agent_id=token), facts=seen)
    better = kinds.of(signal.marker).better(signal.fields)
    if better:
        template = signals.template(kinds.REPORT, agent_id=token)
        return fill("missing_block", problem=better, template=template, facts=seen)
    if not signals.worth_correcting(signal):
        return ""
    return fill(
        "bad_block",
        marker=signal.marker,
        template=signals.template(signal.marker, agent_id=token),
        problems="\n".join(first([f"- {inline(problem.text, 300)}" for problem in signal.problems], 8)),
        facts=seen if signal.marker == kinds.REPORT else "",
    )
