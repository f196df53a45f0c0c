"""Outcomes: the result or the present state of a task, in one line, for every place that people look at."""

from __future__ import annotations

from bg.host.event import STOPPED_BY_USER
from bg.ledger.values import State
from bg.record import Record
from bg.words import phrases
from bg.words.cells import fit, width_of
from bg.words.quoting import cited, inline, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.tasks import Task

MOST = 300  # characters of somebody's words in a line of any length
LEAST = 24  # columns that the words get before anything is added beside them

_WITHOUT_COLON = ("✓", phrases.DONE_BUT, phrases.WAITS_FOR)
# The words for a state whose name alone would not tell people how the task is.
_WORDS = {
    State.LAUNCHED: "starting",
    State.NEEDS_ANSWER: "asks",
    State.DELEGATING: "asks for another agent",
    State.PARTIAL: "done in part",
    State.UNREPORTED: "ended without a report",
}
_STYLES = {
    State.LAUNCHED: "works",
    State.WORKING: "works",
    State.NEEDS_ANSWER: "needs",
    State.BLOCKED: "needs",
    State.DELEGATING: "needs",
    State.PAUSED: "needs",
    State.DONE: "good",
    State.DISPUTED: "bad",
    State.PARTIAL: "needs",
    State.FAILED: "bad",
    State.UNREPORTED: "needs",
    State.INTERRUPTED: "bad",
}


class Outcome(Record):
    """The parts of a task's line: its label, its state (`stands`), the words about that, and additions after them.

    `said` are words of the plugin or of Claude Code, `theirs` an agent's own. `more` is always added; `beside` loses
    entries from its end if the words lack room.
    """

    label: str
    stands: str
    style: str
    said: str = ""
    theirs: str = ""
    more: str = ""
    beside: tuple[str, ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether it has words about its state."""
        return bool(self.said or self.theirs)

    def words(self, room: int = 0) -> str:
        """The words about the state, an agent's own in quotation marks, cut to `room` columns unless that is 0."""
        if not self.theirs:
            return fit(self.said, room) if room else self.said
        words = inline(spoken(self.theirs), MOST)
        return cited(fit(words, max(room - 2, 1)) if room else words, MOST)

    def line(self, room: int = 0, *, named: bool = True) -> str:
        """The whole line, cut to `room` columns unless that is 0; `named` puts the label first."""
        begin = f"{self.label} {self.stands}" if named else self.stands
        if self.has_words:
            begin += " " if begin.endswith(_WITHOUT_COLON) else ": "
        beside = [self.more, *(f" · {each}" for each in self.beside)]
        while room and len(beside) > 1 and room - width_of(begin + "".join(beside)) < min(LEAST, self._needs()):
            beside.pop()
        end = "".join(beside)
        left = max(room - width_of(begin + end), 1) if room else 0
        whole = f"{begin}{self.words(left)}{end}"
        return fit(whole, room) if room else whole

    def _needs(self) -> int:
        return width_of(self.words())


def in_a_word(state: str) -> str:
    """The word or words for this state."""
    return _WORDS.get(state, state.replace("_", " "))


def style_of(state: str) -> str:
    """The colour of a state."""
    return _STYLES.get(state, "quiet")


def without_report(task: Task, text: str = "", state: str = "") -> Outcome:
    """The outcome of a task without a report: its state, the reason if known, and its agent's last words.

    `state`, if given, replaces the task's present state.
    """
    state = state or task.state
    stands, note = in_a_word(state), inline(task.note or "", 200)
    plain = Outcome(task.label, stands, style_of(state))
    if state == State.STOPPED and note == STOPPED_BY_USER:
        return plain._replace(stands=phrases.STOPPED_BY_YOU)
    if state == State.NOT_LAUNCHED:
        return plain._replace(theirs=note)
    if note and text.strip():
        return plain._replace(stands=f"{stands} ({note})", theirs=text)
    return plain._replace(said=note, theirs="" if note else text)


def counted(working: int, asking: int, broken: int) -> list[tuple[str, str]]:
    """How many tasks work, ask and are broken, each in words with its style."""
    parts = [
        (f"{working} working" if working else "", "works"),
        (f"{asking} asks" if asking == 1 else f"{asking} ask" if asking else "", "needs"),
        (f"{broken} interrupted" if broken else "", "bad"),
    ]
    return [part for part in parts if part[0]]


def at_a_glance(working: int, asking: int, broken: int) -> str:
    """How many tasks work, ask and are broken, in one line; empty if none do."""
    return " · ".join(words for words, _ in counted(working, asking, broken))
