"""Outcomes: what came of a task or is the matter with it, in one line, for every place that people look at."""

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

MOST = 300  # characters of somebody's words, where a line may be of any length
LEAST = 24  # columns for the words before what stands beside them

_WITHOUT_COLON = ("✓", phrases.DONE_BUT, phrases.WAITS_FOR)
# How a task stands, where the name of its state does not say it to people.
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
    """What is to be said of a task: how it stands, the words about that, and what stands beside them.

    `said` are words of the plugin or of Claude Code, `theirs` an agent's own; `more` stays beside them however narrow
    the page is, `beside` goes from its end, where the words have no room.
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
        """Something is said beside how it stands."""
        return bool(self.said or self.theirs)

    def words(self, room: int = 0) -> str:
        """What is said, an agent's words in quotation marks, in so many columns; 0 sets no limit but that of a line."""
        if not self.theirs:
            return fit(self.said, room) if room else self.said
        words = inline(spoken(self.theirs), MOST)
        return cited(fit(words, max(room - 2, 1)) if room else words, MOST)

    def line(self, room: int = 0, *, named: bool = True) -> str:
        """All of it in so many columns; `named` begins with the label."""
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
    """How a task in this state stands."""
    return _WORDS.get(state, state.replace("_", " "))


def style_of(state: str) -> str:
    """The colour of a state."""
    return _STYLES.get(state, "quiet")


def without_report(task: Task, text: str = "", state: str = "") -> Outcome:
    """How a task without a report stands: why, as far as that is known, and its agent's last words.

    `state` is the one to speak of, where that is not the one it has now.
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
    """The same in one line, empty where there is nothing."""
    return " · ".join(words for words, _ in counted(working, asking, broken))
