"""Checkpoints that no agent made: the state that a cut run left its work in, read from its transcript and the disk."""

from __future__ import annotations

from bg.host import agents, tools, transcripts
from bg.ledger import launches, reported
from bg.ledger.cases import Case
from bg.ledger.file import first_of
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import cited, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from bg.evidence.checkpoint import Checkpoint

MOST = 3000
# For the parent, which hears the agent's own words besides.
MOST_FOR_PARENT = 700
SHORT = 150


def left_by(scene: Scene, case: Case) -> str:
    """The state in which a run that was cut has left its work; empty if the run ended with a signal of its own."""
    run = case.agent.run
    found = _found(scene, case)
    if run is None or found is None:
        return ""
    refused = phrases.NOBODY_REFUSED if found.stopped else ""
    return fill(
        "checkpoint", why=run.cut or case.task.note or phrases.NO_SIGNAL, left=_told(found, MOST), refused=refused
    )


def seen_by_parent(scene: Scene, case: Case, run: int, *, spoke: bool) -> tuple[str, str]:
    """The same for the parent, in several lines and in one, if the run was cut or left no words; else both empty."""
    last = case.agent.run
    if last is None or last.run != run:
        return "", ""
    # An open call shows that the run was cut, even if the host says so only later: the words before the call were taken
    # for the run's last. Only the call that hands the report back may be open, while the host reviews the report.
    path = agents.of_agent(scene.event.transcript, case.task.agent)
    if spoke and not last.cut and not transcripts.has_open_call(path, tools.HANDBACK.names):
        return "", ""
    found = _found(scene, case)
    if found is None or not (found.files or found.last):
        return "", ""
    line = phrases.BRIEFLY_LEFT.format(
        files=_in_short(found) if found.files else phrases.NO_FILES,
        step=cited(found.step, 120) if found.step else phrases.NOT_KNOWN,
    )
    return f"{phrases.WHAT_IT_LEFT}\n{_told(found, MOST_FOR_PARENT)}", line


def _found(scene: Scene, case: Case) -> Optional[Checkpoint]:
    run = case.agent.run
    launch = first_of(launches.find(scene.book, agent=case.task.agent)) if run else None
    if run is None or launch is None or run.ended is None or reported.ended_with_signal(scene.book, run.agent, run.run):
        return None
    # Late: a run that was cut is rare, and reading calls is a part of the checker.
    from bg.evidence import checkpoint  # noqa: PLC0415

    path = agents.of_agent(scene.event.transcript, case.task.agent)
    return checkpoint.of(path, launch.cwd, launch.made)


def _in_short(found: Checkpoint) -> str:
    """As many names as a line has room for, and how many more there are."""
    fits = [number for number in range(1, len(found.files) + 1) if len(", ".join(found.files[:number])) <= SHORT]
    shown = fits[-1] if fits else 1
    more = phrases.AND_MORE_FILES.format(count=found.in_all - shown) if found.in_all > shown else ""
    return cited(", ".join(found.files[:shown]), SHORT) + more + ("" if found.whole else phrases.NOT_ALL_FILES)


def _of_how_many(found: Checkpoint) -> str:
    first = phrases.FIRST_FILES.format(shown=len(found.files), count=found.in_all)
    return (first if found.in_all > len(found.files) else "") + ("" if found.whole else phrases.NOT_ALL_FILES)


def _told(found: Checkpoint, most: int) -> str:
    return fill(
        "left",
        folder=cited(found.folder, 300) if found.folder else phrases.NOT_KNOWN,
        more=_of_how_many(found),
        files=quote("\n".join(found.files), most) if found.files else phrases.NOTHING_CHANGED,
        last=quote(found.last, 400) if found.last else phrases.NOT_KNOWN,
        step=quote(found.step, 400) if found.step else phrases.NOT_KNOWN,
    )
