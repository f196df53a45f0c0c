"""Hearing: what an agent has written since the last look, each record once, by whatever event it is seen first.

A look goes from the place where the one before has ended to the end of the file. The record that holds the last words
of a run parts what belongs to it from what belongs to the next one.
"""

from __future__ import annotations

from bg.host import agents, transcripts
from bg.ledger import notes, reported, runs
from bg.ledger.cases import Agent, Case
from bg.ledger.file import Writing
from bg.ledger.runs import Run
from bg.loop import noting, reports
from bg.loop.scene import Scene
from bg.masking import masked
from bg.record import Record
from bg.words import pace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from bg.host.transcripts import Line
    from bg.protocol.signals import Signal
    from bg.words.pace import Progress


class Heard(Record):
    """What one look has found, before any of it is written down."""

    since: int  # the place from which it was
    place: int  # the place for the next look
    asked: list[tuple[int, Signal]]  # by the number of the run: what was asked and does not end a run
    left: list[Signal]  # what ends a run by the protocol, and was written during the run that goes on
    last: list[tuple[int, str]]  # by the number of the run: the record that holds its last words
    progress: Optional[Progress]  # how far the agent says it is, in the run that goes on


def everybody(scene: Scene) -> None:
    """Hear every agent of the session that works, or whose end the parent has not been told."""
    for case in scene.docket.unheard:
        scene.apart(f"catching up with {case.label}", hear, scene, case)


def hear(scene: Scene, case: Case) -> None:
    """Record what an agent has written since the last look."""
    heard = listen(case.agent, agents.of_agent(scene.event.transcript, case.agent.id))
    if heard is not None:
        with scene.book.transaction() as writing:
            take(writing, case, case.agent, heard)


def take(book: Writing, case: Case, agent: Agent, heard: Heard) -> None:
    """Record what was found, and from where the next look goes."""
    for run, signal in heard.asked:
        noting.note(book, case, agent.id, run, signal)
    for run, record in heard.last:
        runs.set_last_record(book, agent.id, run, record)
    if heard.progress is not None:
        notes.set_progress(book, case.label, heard.progress.percent, heard.progress.words)
    if agent.heard_to == heard.since:  # else another hook has been faster, and has seen more
        runs.set_scanned(book, agent.id, heard.place)


def listen(agent: Agent, path: str, *, ends: bool = False) -> Optional[Heard]:
    """What an agent has written since the last look, None where that is nothing; `ends`: its run is over now."""
    since = agent.heard_to
    run = agent.run if transcripts.size(path) != since else None
    if run is None:
        return None
    former = runs.run_before(agent.book, run)
    goes_on = transcripts.ends_at(path, since)
    # What parts the runs must be among it, so of a later run all is read.
    most = transcripts.LOOK if former is None else transcripts.LONGEST_LOOK
    lines, place = transcripts.said_since(path, since if goes_on else 0, most)
    look = _Look(agent, run, former, lines, is_whole=not goes_on or not since)
    return look.heard(since, place, is_open=run.ended is None and not ends)


class _Look:
    """The records that one look has brought, by the runs that they belong to."""

    def __init__(self, agent: Agent, run: Run, former: Optional[Run], lines: list[Line], *, is_whole: bool) -> None:
        self.agent = agent
        self.run = run
        self.former = former
        self.lines = lines
        self.is_whole = is_whole  # they are all that the file has, not only what is new in it
        self.last: list[tuple[int, str]] = []

    def heard(self, since: int, place: int, *, is_open: bool) -> Heard:
        """All that the look has found; `place` is where its last line ends."""
        begin, asked = self._of_former()
        own = self.lines[begin:]
        if not is_open:
            own, place = self._of_ended(own, place)
        found = self._signals(self.run, own)
        asked += _asked(self.run, found)
        left = [(line, signal) for line, signal in found if signal.terminal]
        if is_open and left:
            place = left[0][0].begin  # the end of the run has to be waited for with these
        progress = _progress(own) if is_open else None
        return Heard(since, place, asked, [signal for _, signal in left], self.last, progress)

    def _of_former(self) -> tuple[int, list[tuple[int, Signal]]]:
        """Where the former run ends, and what it asked that was written down too late for the look at its end."""
        if self.former is None:
            return 0, []
        begin = self._behind(self.former, self.lines)
        # All that a file has was heard before.
        late = [] if self.is_whole else self._signals(self.former, self.lines[:begin])
        return begin, _asked(self.former, late)

    def _of_ended(self, lines: list[Line], place: int) -> tuple[list[Line], int]:
        """The lines up to the end of the run, and where the next look begins."""
        end = self._behind(self.run, lines)
        if end:
            return lines[:end], lines[end - 1].end
        if self.run.last_uuid and not self.is_whole:
            # Its last words have been passed: these are of a run that the ledger does not know yet.
            return [], lines[0].begin if lines else place
        return lines, place

    def _signals(self, run: Run, lines: list[Line]) -> list[tuple[Line, Signal]]:
        """What these lines say in blocks of the agent's own; what is kept as a report counts as one."""
        spoken: dict[str, Line] = {}
        for line in lines:
            spoken.setdefault(transcripts.text(line.record), line)
        read = {words: reports.read(words, self.agent.token).own for words in spoken if "[" in words or "{" in words}
        kept = self._kept(run) if any(read.values()) else []
        return [
            (spoken[words], signal)
            for words, own in read.items()
            for signal in own
            if signal.readable and _plain(words) not in kept
        ]

    def _kept(self, run: Run) -> list[str]:
        return [row.text.strip() for row in self.agent.texts_of(run.run)]

    def _behind(self, run: Run, lines: list[Line]) -> int:
        """How many of these lines are a run's, up to its last words; 0 if these are not among them."""
        if run.last_uuid:
            places = [place for place, line in enumerate(lines, 1) if line.record.get("uuid") == run.last_uuid]
            # A run that was corrected may have said its last words twice, and the host may write the second down late.
            if places or not (self.is_whole or run.corrections):
                return places[-1] if places else 0
        return self._behind_words(run, lines)

    def _behind_words(self, run: Run, lines: list[Line]) -> int:
        """The same, told by the run's kept words; notes which record holds them."""
        kept = self._kept(run)[-1:]
        places = [place for place, line in enumerate(lines, 1) if kept and says(line.record, kept[0])]
        if not places:
            return 0
        place = places[-1] if self.is_whole or run is self.run else places[0]
        self.last.append((run.run, str(lines[place - 1].record.get("uuid") or "")))
        return place


def _asked(run: Run, found: list[tuple[Line, Signal]]) -> list[tuple[int, Signal]]:
    """Those of a run's signals that do not end it."""
    return [(run.run, signal) for _, signal in found if not signal.terminal]


def _progress(lines: list[Line]) -> Optional[Progress]:
    """The last that they say of how far the agent is."""
    said = (pace.said(transcripts.text(line.record)) for line in reversed(lines))
    return next(filter(None, said), None)


def _plain(words: str) -> str:
    return masked(words)[-reported.LONGEST :].strip()


def says(record: dict[str, Any], words: str) -> bool:
    """The record says these words, in the form in which the ledger keeps them."""
    return record.get("type") == "assistant" and any(_plain(each) == words for each in transcripts.words(record))
