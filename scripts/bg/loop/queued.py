"""Queued: answers in the queue of a running agent have arrived, or are owed again if the agent ended before."""

from __future__ import annotations

from functools import partial

from bg.host import agents, receipts
from bg.ledger import cases, delegations, deliveries, resumes, user_answers
from bg.ledger.cases import Case
from bg.ledger.resumes import Resume
from bg.ledger.runs import Run
from bg.loop import hearing
from bg.loop.scene import Scene
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def settle_all(scene: Scene) -> None:
    """Settle the queued messages of each task of the session whose agent has ended since."""
    for label in resumes.labels_queued(scene.book, scene.session):
        case = cases.of(scene.book, label)
        if case is not None:
            scene.apart(f"what was queued for {label}", settle, scene, case)


def settle(scene: Scene, case: Case) -> None:
    """Settle the queued messages of one task: the host's word for the queue proves nothing, the transcripts do."""
    run = case.agent.run
    if run is None or run.ended is None:
        return
    for row in resumes.queued(scene.book, case.task.agent):
        fate = _fate(scene, run, row)
        if fate == receipts.ARRIVED:
            with scene.book.transaction() as writing:
                resumes.prove(writing, row.id)
        elif fate == receipts.DROPPED:
            _give_back(scene, case, run, row)


def began_no_later_run(scene: Scene, row: Resume, transcript: str) -> bool:
    """Whether this queued message began no later run: the ended run began with it, or had it before its last words."""
    run = cases.agent(scene.book, row.agent).run
    if run is None or run.ended is None or row.id not in [each.id for each in resumes.queued(scene.book, row.agent)]:
        return False
    says_last = _last_words(scene, run)
    return says_last is not None and not receipts.follows(transcript, row.message, says_last)


def items_with_answers_coming(scene: Scene, case: Case) -> list[str]:
    """The items of an ended agent with whose answers the host has promised to wake it."""
    run = case.agent.run
    rows = resumes.queued(scene.book, case.task.agent) if run is not None and run.ended is not None else []
    promised = [row for row in rows if run is not None and _fate(scene, run, row) == receipts.PROMISED]
    return [qid for row in promised for qid in user_answers.on_their_way(scene.book, row.id)]


def _fate(scene: Scene, run: Run, row: Resume) -> str:
    last = None if run.cut else _last_words(scene, run)
    path = agents.of_agent(scene.event.transcript, run.agent)
    found = receipts.fate(
        scene.event.transcript, path, receipts.Queued(row.tool_use, row.message), last, woken=run.began >= row.at
    )
    is_anew = scene.event.name == "SessionStart" and scene.event.source != "compact"
    # A queue ends with the process that had it.
    return receipts.DROPPED if is_anew and found != receipts.ARRIVED else found


def _last_words(scene: Scene, run: Run) -> Optional[receipts.Says]:
    """A test for the record with the last words of the run, None if the run has left none."""
    said = cases.agent(scene.book, run.agent).texts_of(run.run)
    return partial(hearing.says, words=said[-1].text.strip()) if said else None


def _give_back(scene: Scene, case: Case, run: Run, row: Resume) -> None:
    """Keep the answers for the next message; if the run's end was told already, owe the parent the next step."""
    with scene.book.transaction() as writing:
        resumes.fail(writing, row.id, phrases.ENDED_BEFORE)
        user_answers.give_back(writing, row.id)
        delegations.untell(writing, row.id)
        if not deliveries.is_end_due(scene.book, case.task.agent, run.run):
            deliveries.owe_next_step(writing, case.label, scene.session)
