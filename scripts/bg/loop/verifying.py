"""Verifying: the user's check is started after a run's end; once it has ended, its result is recorded and told."""

from __future__ import annotations

import os
from pathlib import Path

from bg import machine, repository
from bg.evidence import verify
from bg.host import agents, transcripts
from bg.ledger import cases, deliveries, launches, place, runs, tasks, verifications
from bg.ledger.deliveries import Delivery, Key
from bg.ledger.file import Writing, first_of
from bg.ledger.values import Due, Outcome, State
from bg.ledger.verifications import Verification
from bg.loop import waking
from bg.loop.scene import Scene
from bg.words import verified
from bg.words.replies import Reminder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "verify"


def catch_up(scene: Scene) -> None:
    """Take in the checks that have ended, and start those that wait for their turn."""
    _take_in_all(scene)
    start(scene)


def start(scene: Scene) -> None:
    """Start the waiting checks, unless another check runs in their tree."""
    for row in verifications.unended(scene.book, scene.session):
        if not row.begun:
            scene.apart(f"starting {row.label}", _start, scene, row)


def end_all(scene: Scene) -> None:
    """End the checks of a session that ends."""
    _take_in_all(scene)
    for row in verifications.unended(scene.book, scene.session):
        scene.apart(f"the checked {row.label}", _take_back, scene, row)


def reminder(scene: Scene, row: Delivery) -> Reminder:
    """The reminder of the result of the check after a run."""
    found = first_of(verifications.find(scene.book, agent=row.subject, run=row.run))
    case = cases.of(scene.book, row.label)
    assert found is not None and case is not None
    resume = waking.resume_how(scene, case.task.agent, case.label)
    return verified.reminder(found, case.task, resume, gone_on=_has_gone_on(scene, found))


def _take_in_all(scene: Scene) -> None:
    for row in verifications.unended(scene.book, scene.session):
        scene.apart(f"the checked {row.label}", _take_in, scene, row)


def _take_in(scene: Scene, row: Verification) -> None:
    where = _folder(scene)
    found = verify.take(where, row.token)
    if found is None and row.begun and not verify.is_running(where, row.token, row.folder):
        # The runner may have written the result, and ended, between these two looks.
        found = verify.take(where, row.token) or verify.nothing(verify.RUNNER_GONE)
    if found is not None:
        _end(scene, row, found)


def _folder(scene: Scene) -> Path:
    folder = os.path.join(scene.book.place, FOLDER)
    place.make_private(folder)
    return Path(folder)


def _end(scene: Scene, row: Verification, found: verify.Result) -> None:
    """Record the result of a check; a failure that nobody else can have caused makes a done task disputed."""
    outcome, why = _outcome(found)
    others = next(_meanwhile(scene, row, found), "") if outcome == Outcome.FAILED else ""
    with scene.book.transaction() as writing:
        if verifications.end(writing, row.id, outcome, why):
            output, commit = found.output[-verify.OUTPUT :], (found.head, found.tree, found.dirty)
            verifications.note_result(writing, row.id, found.code, found.seconds, output, commit, found.changed)
            verifications.set_meanwhile(writing, row.id, others)
            if outcome == Outcome.FAILED and not others:
                _dispute(scene, writing, row)
            deliveries.make(writing, row.label, Due.VERIFIED, Key.of_verification(row.agent, row.run))
    scene.book.settle()
    verify.forget(_folder(scene), row.token)


def _outcome(found: verify.Result) -> tuple[str, str]:
    """The outcome, and the reason if it is unknown: a shell that found no command has checked nothing."""
    if found.code is None:
        return Outcome.UNKNOWN, found.why
    if found.code in verify.CANNOT_RUN:
        return Outcome.UNKNOWN, verify.NO_COMMAND
    return (Outcome.FAILED if found.code else Outcome.PASSED), ""


def _meanwhile(scene: Scene, row: Verification, found: verify.Result) -> Iterator[str]:
    """Who else worked in the tree since the run's end, as far as records show."""
    tree = verify.tree_of(row.folder)
    yield from (
        label
        for label, folder in runs.working_since(scene.book, row.agent, row.made)
        if folder and _is_in(folder, tree)
    )
    session = scene.event.transcript
    beside = [path for path in agents.agents_of(session) if agents.agent_in(path) != row.agent]
    for path in [session, *beside]:
        edited = transcripts.since(path, row.made) if transcripts.last_sign(path) > row.made else ()
        if any(_is_in(os.path.dirname(name), tree) for name in edited):
            yield verified.SESSION
    if found.moved:
        yield verified.COMMIT


def _is_in(folder: str, tree: str) -> bool:
    """Whether the folder is in this checkout and in none within it; without a checkout, whether it is in the tree."""
    own = verify.tree_of(folder)
    return own == tree or (not repository.top(tree) and own.startswith(os.path.join(tree, "")))


def _dispute(scene: Scene, writing: Writing, row: Verification) -> None:
    """Make a task disputed whose check failed, if it was reported done and has not gone on since."""
    case = cases.of(scene.book, row.label)
    if case and case.task.state == State.DONE and not _has_gone_on(scene, row):
        tasks.set_state(writing, row.label, State.DISPUTED)


def _has_gone_on(scene: Scene, row: Verification) -> bool:
    """Whether the task has had another run since, by this agent or a new one."""
    case, last = cases.of(scene.book, row.label), cases.agent(scene.book, row.agent).run
    return case is None or last is None or case.task.agent != row.agent or last.run != row.run


def _start(scene: Scene, row: Verification) -> None:
    if _has_gone_on(scene, row):
        _end(scene, row, verify.nothing(verify.GONE_ON))
        return
    scene.book.settle()
    came = verify.start(_folder(scene), _job(scene, row), lambda: verifications.is_due(scene.book, row.id))
    if came == verify.STARTED:
        with scene.book.transaction() as writing:
            verifications.begin(writing, row.id)
        scene.book.settle()
    elif came != verify.BUSY:
        _end(scene, row, verify.nothing(came))


def _job(scene: Scene, row: Verification) -> verify.Job:
    first = launches.of_task(scene.book, row.label)[0]
    host = machine.host() or machine.Process(0, "")
    return verify.Job(
        token=row.token,
        command=row.command,
        folder=row.folder,
        seconds=scene.settings.verify_seconds,
        umask=int(os.environ.get("BG_UMASK") or "22", 8),
        host=host.pid,
        host_started=host.started,
        commit=first.head or "",
        made=first.made,
        defines=verify.defining(row.command),
    )


def _take_back(scene: Scene, row: Verification) -> None:
    verify.cancel(_folder(scene), row.token, row.folder)
    _end(scene, row, verify.nothing(verify.SESSION_ENDED))
