"""Judging: what a run's text says, what the evidence says of it, and whether its agent is asked once more."""

from __future__ import annotations

from bg import settings
from bg.host import agents, arriving, transcripts
from bg.ledger import launches, notes, place, reported, runs
from bg.ledger.file import Unavailable
from bg.ledger.runs import Run
from bg.ledger.tasks import Task
from bg.loop import adopting, concluding, correcting, delegating, hearing, reports
from bg.loop.scene import Scene
from bg.signals import kinds
from bg.words import reasons, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def judge(scene: Scene, task: Task, run: Run) -> str:
    """Why the agent is asked once more; where it is not, the run is concluded."""
    agent = run.agent
    token = launches.token_of(scene.book, agent)
    texts = reported.reports(scene.book, agent, run.run)
    found = _evidence(scene, task, run, texts[-1].text, token) if texts else {}
    most = settings.load(scene.project).corrections
    reason = "" if scene.late else correcting.correction(scene.book, run, token, found, most)
    if not reason:
        conclude(scene, task, agent)
    return reason


def conclude(scene: Scene, task: Task, agent: str, cut: str = "") -> None:
    """End the run that goes on, with the evidence for the text that stands for it."""
    run = runs.last_run(scene.book, agent)
    if run is None or run.ended is not None:
        return
    token = launches.token_of(scene.book, agent)
    text, _ = reports.best(reported.reports(scene.book, agent, run.run), token)
    found = _evidence(scene, task, run, text, token) if text else {}
    # Whatever stands in its transcript, the run ends.
    path = _transcript(scene, agent)
    heard = scene.apart(f"catching up with {task.label}", lambda: hearing.listen(scene.book, agent, path, ends=True))
    disputed = bool(verdict.mismatches(found))
    concluding.conclude(scene.book, task.label, agent, token, cut=cut, disputed=disputed, heard=heard)
    if task.verify and scene.late is None:
        from bg.loop import verifying  # noqa: PLC0415 - late: few tasks have one

        scene.apart(f"checking {task.label}", verifying.start, scene)
    if scene.settings.max_tasks is not None:
        with scene.book.transaction() as writing:
            delegating.make_room(scene, writing, task)


def _evidence(scene: Scene, task: Task, run: Run, text: str, token: str) -> dict[str, Any]:
    """The evidence for this text as the disk is now, gathered once an event."""
    signal = reports.read(text, token).deciding
    if signal is not None and signal.marker != kinds.REPORT:
        return {}
    if text not in scene.examined:
        scene.book.settle()  # the check takes its time
        with scene.attempt.step(f"the check of {task.label}", alone=True) as goes_on:
            limit: dict[str, Any] = {"limits": [reasons.PASSED_OVER]}
            found = _checked(scene, task, run, text, signal.fields if signal else None) if goes_on else limit
        scene.examined[text] = found
        pressed = runs.evidence(scene.book, run.agent, run.run).get(correcting.PRESSED)
        found.update({correcting.PRESSED: pressed} if pressed else {})
        with scene.book.transaction() as writing:
            runs.set_evidence(writing, run.agent, run.run, found)
    return scene.examined[text]


def _checked(scene: Scene, task: Task, run: Run, text: str, fields: Optional[dict[str, Any]]) -> dict[str, Any]:
    try:
        return _gather(scene, task, run, text, fields)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - a checker that fails may not cost the report that it was to check
        import traceback  # noqa: PLC0415 - late: nearly no event fails

        notes.trace(scene.book, "evidence", traceback.format_exc())
        return {"limits": [reasons.FAILED]}


def _times_said(scene: Scene, run: Run) -> int:
    """How often the run has said its last text: a text that is the same as an earlier one of the run is kept once."""
    return max(1, 2 + run.corrections - len(reported.reports(scene.book, run.agent, run.run)))


def _transcript(scene: Scene, agent: str) -> str:
    return scene.event.agent_transcript or agents.of_agent(scene.event.transcript, agent)


def _gather(scene: Scene, task: Task, run: Run, text: str, fields: Optional[dict[str, Any]]) -> dict[str, Any]:
    # Late: only a run's end needs the checker, and it is the largest part of the package.
    from pathlib import Path  # noqa: PLC0415

    from bg.evidence import FIELD, Launch, examine  # noqa: PLC0415

    rows = launches.of_task(scene.book, task.label)
    if not rows:
        return {}
    row = rows[0]
    # What an earlier agent of the task called stands in another transcript: then no call counts as missing.
    path = "" if len(rows) > 1 else _transcript(scene, run.agent)
    # Nor does one that the host has not written yet.
    declared = (fields or {}).get(FIELD) if scene.late is None else None
    if declared and transcripts.size(path) and not arriving.is_written(path, text, _times_said(scene, run)):
        path = ""
    project, folder = task.project or row.cwd, rows[-1].cwd or task.project
    shared = launches.share_folder(scene.book, rows[-1].agent, folder, row.made)
    found = examine(
        text,
        fields,
        Launch(Path(project), Path(folder), row.head or "", row.made, shared, place.config_directory()),
        path,
        adopting.brief(task.prompt),
    )
    return found.to_json()
