"""Hearing: the new records of an agent's transcript are read, each once, at the first event that sees them.

A look reads from the end of the previous look to the end of the file. The record with the last words of a run separates
that run's records from those of the next one.
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
    """The findings of one look, before any of them is written down."""

    since: int  # the place at which the look began
    place: int  # the place for the next look
    asked: list[tuple[int, Signal]]  # signals that do not end a run, each with the run's number
    left: list[Signal]  # the signals that end a run by the protocol, but did not end this one
    last: list[tuple[int, str]]  # the ids of records with a run's last words, each with the run's number
    progress: Optional[Progress]  # how far the agent says it is, in the open run


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
    """Record the findings of a look, and the place for the next look."""
    for run, signal in heard.asked:
        noting.note(book, case, agent.id, run, signal)
    for run, record in heard.last:
        runs.set_last_record(book, agent.id, run, record)
    if heard.progress is not None:
        notes.set_progress(book, case.label, heard.progress.percent, heard.progress.words)
    if agent.heard_to == heard.since:  # else another hook has been faster, and has seen more
        runs.set_scanned(book, agent.id, heard.place)


def listen(agent: Agent, path: str, *, ends: bool = False) -> Optional[Heard]:
    """The findings in an agent's new records, None if there are none; `ends` says that its run is over now."""
    since = agent.heard_to
    run = agent.run if transcripts.size(path) != since else None
    if run is None:
        return None
    former = runs.run_before(agent.book, run)
    goes_on = transcripts.ends_at(path, since)
    # The record that separates two runs must be among the lines: if there was a former run, all is read.
    most = transcripts.LOOK if former is None else transcripts.LONGEST_LOOK
    lines, place = transcripts.said_since(path, since if goes_on else 0, most)
    look = _Look(agent, run, former, lines, is_whole=not goes_on or not since)
    return look.heard(since, place, is_open=run.ended is None and not ends)


class _Look:
    """The records of one look, divided by the runs that they belong to."""

    def __init__(self, agent: Agent, run: Run, former: Optional[Run], lines: list[Line], *, is_whole: bool) -> None:
        self.agent = agent
        self.run = run
        self.former = former
        self.lines = lines
        self.is_whole = is_whole  # the lines are the whole file, not only its new part
        self.last: list[tuple[int, str]] = []

    def heard(self, since: int, place: int, *, is_open: bool) -> Heard:
        """All findings of the look; `place` is the end of its last line."""
        begin, asked = self._of_former()
        own = self.lines[begin:]
        if not is_open:
            own, place = self._of_ended(own, place)
        found = self._signals(self.run, own)
        asked += _asked(self.run, found)
        left = [(line, signal) for line, signal in found if signal.terminal]
        if is_open and left:
            place = left[0][0].begin  # the next look reads these again: only the run's end decides about them
        progress = _progress(own) if is_open else None
        return Heard(since, place, asked, [signal for _, signal in left], self.last, progress)

    def _of_former(self) -> tuple[int, list[tuple[int, Signal]]]:
        """How many lines are the former run's, and its signals that were written too late for the look at its end."""
        if self.former is None:
            return 0, []
        begin = self._behind(self.former, self.lines)
        # If the whole file is read again, this part of it was heard before.
        late = [] if self.is_whole else self._signals(self.former, self.lines[:begin])
        return begin, _asked(self.former, late)

    def _of_ended(self, lines: list[Line], place: int) -> tuple[list[Line], int]:
        """The lines up to the end of the run, and where the next look begins."""
        end = self._behind(self.run, lines)
        if end:
            return lines[:end], lines[end - 1].end
        if self.run.last_uuid and not self.is_whole:
            # An earlier look has passed the run's last words: these lines are of a run not in the ledger yet.
            return [], lines[0].begin if lines else place
        return lines, place

    def _signals(self, run: Run, lines: list[Line]) -> list[tuple[Line, Signal]]:
        """The readable signals of the agent's own in these lines, except those in a text that is kept as a report."""
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
        """How many of these lines are a run's, up to its last words; 0 if none of them has its last words."""
        if run.last_uuid:
            places = [place for place, line in enumerate(lines, 1) if line.record.get("uuid") == run.last_uuid]
            # A run that was corrected may have said its last words twice, and the host may write the second down late.
            if places or not (self.is_whole or run.corrections):
                return places[-1] if places else 0
        return self._behind_words(run, lines)

    def _behind_words(self, run: Run, lines: list[Line]) -> int:
        """The same, found by the run's last kept text; notes the record that has it."""
        kept = self._kept(run)[-1:]
        places = [place for place, line in enumerate(lines, 1) if kept and says(line.record, kept[0])]
        if not places:
            return 0
        place = places[-1] if self.is_whole or run is self.run else places[0]
        self.last.append((run.run, str(lines[place - 1].record.get("uuid") or "")))
        return place


def _asked(run: Run, found: list[tuple[Line, Signal]]) -> list[tuple[int, Signal]]:
    """The signals of a run that do not end it, each with the run's number."""
    return [(run.run, signal) for _, signal in found if not signal.terminal]


def _progress(lines: list[Line]) -> Optional[Progress]:
    """The last statement in these lines on how far the agent is."""
    said = (pace.said(transcripts.text(line.record)) for line in reversed(lines))
    return next(filter(None, said), None)


def _plain(words: str) -> str:
    return masked(words)[-reported.LONGEST :].strip()


def says(record: dict[str, Any], words: str) -> bool:
    """Whether the record says these words, in the form in which the ledger keeps them."""
    return record.get("type") == "assistant" and any(_plain(each) == words for each in transcripts.words(record))
