"""Judging: comparing a run's text with the evidence, to decide whether its agent is asked once more."""

from __future__ import annotations

from bg.host import agents, arrivals, transcripts
from bg.ledger import launches, notes, place, reported, runs
from bg.ledger.cases import Agent, Case
from bg.ledger.file import Unavailable
from bg.loop import concluding, delegating, delivered, hearing, reports
from bg.loop.scene import Scene
from bg.protocol import signals
from bg.signals import kinds
from bg.words import goals, phrases, reasons, verdict
from bg.words.quoting import cited, first, inline
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MOST_CORRECTIONS = 2
PRESSED = "pressed"  # the key of the declared lines that the agent was asked about in this run


def judge(scene: Scene, case: Case, agent: Agent) -> str:
    """The reason to ask the agent once more about its last run; without one, the run is concluded."""
    found = _evidence(scene, case, agent, agent.texts[-1].text) if agent.texts else {}
    reason = "" if scene.late else correction(agent, found, scene.settings.corrections)
    if not reason:
        conclude(scene, case, agent)
    return reason


def conclude(scene: Scene, case: Case, agent: Agent, cut: str = "", resets: int = 0) -> None:
    """End the open run, with the evidence for its best text."""
    if agent.run is None or agent.run.ended is not None:
        return
    text, _ = reports.best(agent.texts, agent.token)
    found = _evidence(scene, case, agent, text) if text else {}
    # The run ends even if its transcript cannot be read.
    path = _transcript(scene, agent)
    heard = scene.apart(f"catching up with {case.label}", lambda: hearing.listen(agent, path, ends=True))
    comes_to = kinds.Found(bool(verdict.mismatches(found)), bool(verdict.not_there(found)))
    concluding.conclude(case, agent, cut=cut, resets=resets, found=comes_to, heard=heard)
    if case.task.verify and scene.late is None:
        from bg.loop import verifying  # noqa: PLC0415 - late: few tasks have one

        scene.apart(f"checking {case.label}", verifying.start, scene)
    if scene.settings.max_tasks is not None:
        with scene.book.transaction() as writing:
            delegating.make_room(scene, writing, case)


def correction(agent: Agent, evidence: dict[str, Any], most: int) -> str:
    """The reason to ask the agent once more, counted before it is asked; empty if the report is taken as it is.

    A second time only for a block that still cannot be read, or for declared facts that the agent was not asked about
    yet: a fact that it insists on is passed on as disputed.
    """
    run, token, texts = agent.run, agent.token, agent.texts
    if run is None or run.ended is not None or run.corrections >= min(most, MOST_CORRECTIONS) or not texts:
        return ""
    reading = reports.read(texts[-1].text, token)
    signal = reading.deciding
    is_readable = signal.readable if signal is not None else reading.strange is None
    is_long = len(texts[-1].text) >= reported.LONGEST
    facts = verdict.facts(evidence)
    form = _reason(reading, token, facts, is_long=is_long) if run.corrections == 0 or not is_readable else ""
    lines = [found["line"] for found in verdict.mismatches(evidence)]
    pressed = evidence.get(PRESSED, [])
    points = verdict.correction(evidence) if set(lines) - set(pressed) else ""
    reason = "\n\n".join(filter(None, (points, form)))
    if reason:
        with agent.book.transaction() as writing:
            runs.count_correction(writing, run.agent, run.run)
            runs.set_evidence(writing, run.agent, run.run, {**evidence, PRESSED: [*pressed, *lines]})
    return reason


def _evidence(scene: Scene, case: Case, agent: Agent, text: str) -> dict[str, Any]:
    """The evidence for this text of the agent's last run, gathered once an event."""
    signal, run = reports.read(text, agent.token).deciding, agent.run
    if run is None or (signal is not None and signal.marker != kinds.REPORT):
        return {}
    if text not in scene.examined:
        scene.book.settle()  # the check takes its time, in which other hooks may write
        with scene.attempt.step(f"the check of {case.label}", alone=True) as goes_on:
            limit: dict[str, Any] = {"limits": [reasons.PASSED_OVER]}
            found = _checked(scene, case, agent, text, signal.fields if signal else None) if goes_on else limit
        scene.examined[text] = found
        pressed = runs.evidence_of(run).get(PRESSED)
        found.update({PRESSED: pressed} if pressed else {})
        with scene.book.transaction() as writing:
            runs.set_evidence(writing, agent.id, run.run, found)
    return scene.examined[text]


def _checked(scene: Scene, case: Case, agent: Agent, text: str, fields: Optional[dict[str, Any]]) -> dict[str, Any]:
    try:
        return _gather(scene, case, agent, text, fields)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - a failing checker must not cost the report that it checks
        import traceback  # noqa: PLC0415 - late: nearly no event fails

        notes.trace(scene.book, "evidence", traceback.format_exc())
        return {"limits": [reasons.FAILED]}


def _gather(scene: Scene, case: Case, agent: Agent, text: str, fields: Optional[dict[str, Any]]) -> dict[str, Any]:
    # Late: only a run's end needs the checker, and it is the largest part of the package.
    from pathlib import Path  # noqa: PLC0415

    from bg.evidence import FIELD, Launch, examine  # noqa: PLC0415

    rows = launches.of_task(scene.book, case.label)
    if not rows:
        return {}
    row, given = rows[0], fields or {}
    # The calls of an earlier agent of the task are in another transcript: then no call counts as missing.
    path = "" if len(rows) > 1 else _transcript(scene, agent)
    # Nor does a call count as missing that the host has not written yet.
    if scene.late is None and given.get(FIELD) and _lags(path, text, agent):
        path = ""
    project, folder = case.task.project or row.cwd, rows[-1].cwd or case.task.project
    shared = launches.share_folder(scene.book, rows[-1].agent, folder, row.made)
    found = examine(
        text,
        fields,
        Launch(Path(project), Path(folder), row.head or "", row.made, shared, place.config_directory()),
        path,
        goals.of(case.task.prompt),
    )
    lacking = delivered.notes(case.task, rows[-1], path, text, given)
    return {**found.to_json(), **({"contract": lacking} if lacking else {})}


def _transcript(scene: Scene, agent: Agent) -> str:
    return scene.event.agent_transcript or agents.of_agent(scene.event.transcript, agent.id)


def _lags(path: str, text: str, agent: Agent) -> bool:
    """Whether the transcript does not end with this text yet."""
    return bool(transcripts.size(path)) and not arrivals.is_written(path, text, _times_said(agent))


def _times_said(agent: Agent) -> int:
    """How often the run has said its last text, of which the ledger keeps one copy."""
    return max(1, 2 + (agent.run.corrections if agent.run else 0) - len(agent.texts))


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
