"""The table of tasks: those that need the user, that work, and that have ended, each row with the line to type next.

On a page with a height, no task that needs the user is left out while any other is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bg import durations
from bg.desk import drifts, open_items, status
from bg.desk.page import Cell, Page, fit, pad, page_width, width_of
from bg.desk.status import Status
from bg.ledger import cases, inbox, notes, place, projects, proofs, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.inbox import Question
from bg.ledger.values import State
from bg.record import Record
from bg.words import outcome, phrases
from bg.words.outcome import Outcome
from bg.words.quoting import inline, whole
from bg.words.times import age

LEAST_TASK, MOST_TASK = 12, 40
WITH_NAMES = 100  # a page with at least so many columns shows the name of each ended task
SHOWN = 3
WHOLE = "/bg-status {label}"

# The detail of tasks that need the user: all, all but options and reasons, the words alone, a line for each task.
ALL, WITHOUT_OPTIONS, WORDS, LINE = range(4)
NEEDS, WORKS, ENDED = "Needs you", "Working", "Ended"
_MORE = {NEEDS: phrases.MORE_NEED_YOU, WORKS: phrases.MORE_WORK, ENDED: phrases.MORE_ENDED}

# The most rows of each part, unless everything is asked for.
MOST = {NEEDS: 60, WORKS: 20, ENDED: 12}

# A task that has ended in one of these states needs the user, for a day or until it is closed.
BROKEN = (State.DISPUTED, State.FAILED, State.INTERRUPTED)
MOST_BROKEN = 1000


class Section(Record):
    """A part of the table: its rows, and the number of further tasks in each state."""

    name: str
    number: int
    rows: list[Row]
    left: Counter[str]


class Row(Record):
    """One task as it is shown: `items` wait for the user, `then` is the line to type."""

    label: str
    state: str
    age: str
    task: str
    outcome: Outcome
    items: list[Question]
    then: str


class Part(Record):
    """The tasks of a part that are shown, in their order, and how many belong to it in each state."""

    cases: list[Case]
    states: Counter[str]


def table(
    book: Ledger,
    page: Page,
    project: str = "",
    *,
    everything: bool = False,
    launch: str = "/bg:bg",
    more: str = "/bg-status all",
    alone: bool = True,
) -> str:
    """The table for people; `more` is the command for hidden rows; with `alone`, no other project's table is shown."""
    found = sections(book, project, everything=everything)
    footnotes = _footnotes(book, page, project if alone else "")
    if not any(section.rows for section in found):
        ended = sum(section.number for section in found)
        hidden = f" {ended} have ended: {more}." if ended else ""
        nothing = f"No background tasks here. Type {launch} <task> to start one.{hidden}"
        return "\n".join(page.wrapped(nothing) + footnotes)
    plans = _Plans(page, found, more, footnotes)
    return "\n".join(plans.whole() if everything else plans.first_that_fits())


def sections(book: Ledger, project: str = "", *, everything: bool = False) -> list[Section]:
    """The parts of the table that have tasks, in the order in which they are shown."""
    now = book.now()
    made = []
    for name, part in chosen(book, project, now, everything=everything).items():
        number = sum(part.states.values())
        left = part.states - _states(part.cases)
        if number:
            made.append(Section(name, number, [_row(case, now) for case in part.cases], left))
    return made


def what_to_type(case: Case, entry: Status, command: str = "/bg-answer") -> str:
    """The next line for the user to type about a task; empty if nothing is left to do."""
    if entry.lacks_room:
        return ""
    typed = open_items.line_to_type(case, command)
    return typed or (WHOLE.format(label=case.label) if entry.quiet else "")


def counted(left: Counter[str]) -> str:
    """The numbers of tasks in each state, in words."""
    return ", ".join(f"{count} {outcome.in_a_word(state)}" for state, count in left.most_common())


def _row(case: Case, now: float) -> Row:
    task, entry = case.task, status.record(case)
    since = age(now - (task.since or now))
    return Row(
        task.label, task.state, since, open_items.name_of(task), entry.outcome, case.items, what_to_type(case, entry)
    )


# Which tasks are in which part


def chosen(book: Ledger, project: str, now: float, *, everything: bool) -> dict[str, Part]:
    """Each part of the table of a project, or of all projects."""
    labels = dict.fromkeys(item.label for item in inbox.waiting(book, project=project))
    order = {label: place for place, label in enumerate(labels)}
    asking, since = set(order), now - durations.RECENT
    found = _parted(_every(book, project) if everything else _living(book, project, asking, since), asking, since)
    states = {name: _states(each) for name, each in found.items()}
    if not everything:
        shown = _states([case for case in found[NEEDS] if case.task.ended is not None])
        # More than are shown, as some of them may be in another part.
        most = MOST[ENDED] + len(found[NEEDS])
        newest = cases.known(book, lambda: tasks.newest(book, project, since, most))
        found[ENDED] = _parted(newest, asking, since)[ENDED]
        # Also a state that only a damaged ledger gives to an ended task.
        states[ENDED] = (Counter(tasks.counted(book, project)) - shown) | _states(found[ENDED])
    for each in found.values():
        each.sort(key=lambda case: (order.get(case.label, len(order) + (case.task.ended is not None)), age_of(case)))
    most_of = {} if everything else MOST
    return {name: Part(each[: most_of.get(name)], states[name]) for name, each in found.items()}


def section_of(case: Case, asking: set[str], since: float) -> str:
    """The part of the table that a task belongs to; `asking` are the labels of tasks with open items."""
    task = case.task
    if task.closed is not None:
        return ENDED
    if task.ended is not None:
        is_broken = task.state in BROKEN and task.ended > since
        return NEEDS if is_broken or task.label in asking else ENDED
    if task.label in asking or task.state not in tasks.RUNNING_STATES or status.leave(case):
        return NEEDS
    ready = task.state != State.WORKING and case.agent.answers
    return NEEDS if ready else WORKS


def age_of(case: Case) -> tuple[float, int]:
    """The key by which the newest task comes first."""
    return -(case.task.ended or case.task.since or 0), -case.task.number


def _every(book: Ledger, project: str) -> list[Case]:
    return cases.known(book, lambda: tasks.of_project(book, project) if project else tasks.every(book))


def _living(book: Ledger, project: str, asking: set[str], since: float) -> list[Case]:
    """The tasks that have not ended, and the ended ones that have open items or need the user."""
    living = cases.known(book, lambda: tasks.open_in(book, project))
    broken = cases.known(book, lambda: tasks.newest(book, project, since, MOST_BROKEN, BROKEN))
    found = {case.label: case for case in [*living, *broken]}
    others = filter(None, (cases.of(book, label) for label in asking - found.keys()))
    return [*found.values(), *others]


def _parted(found: list[Case], asking: set[str], since: float) -> dict[str, list[Case]]:
    """The tasks by the part of the table that they belong to."""
    parts: dict[str, list[Case]] = {NEEDS: [], WORKS: [], ENDED: []}
    for case in found:
        parts[section_of(case, asking, since)].append(case)
    return parts


def _states(found: list[Case]) -> Counter[str]:
    return Counter(case.task.state for case in found)


# How the rows are laid out


class _Plans:
    """The ways to lay the same rows out, the roomiest first."""

    def __init__(self, page: Page, found: list[Section], more: str, footnotes: list[str]) -> None:
        self.page, self.found, self.more, self.footnotes = page, found, more, footnotes
        self.rows = {section.name: section.rows for section in found}
        self.layout = _Layout(page, [row for section in found for row in section.rows])
        self._made: dict[tuple[str, int], list[list[str]]] = {}

    def whole(self) -> list[str]:
        """Every row; if a screen does not hold them all, those that need the user are last, next to the prompt."""
        lines = self._laid_out(ALL, self._all())
        if not self.page.height or len(lines) <= self.page.height:
            return lines
        self.found.reverse()
        return self._laid_out(ALL, self._all())

    def first_that_fits(self) -> list[str]:
        """The roomiest layout that the page has room for; the last one if it has room for none."""
        lines: list[str] = []
        for detail, shown in self._plans():
            lines = self._laid_out(detail, shown)
            if not self.page.height or len(lines) <= self.page.height:
                break
        return lines

    def _all(self) -> dict[str, int]:
        return {name: len(rows) for name, rows in self.rows.items()}

    def _plans(self) -> Iterator[tuple[int, dict[str, int]]]:
        """The layouts in turn: without options, then without names of tasks, then without ended and working tasks."""
        shown = self._all()
        yield ALL, shown
        yield WITHOUT_OPTIONS, shown
        yield WORDS, shown
        for name, detail in ((ENDED, WORDS), (WORKS, WORDS), (NEEDS, LINE)):
            for count in range(shown.get(name, 0), -1, -1):
                shown = {**shown, name: count}
                yield detail, shown

    def _laid_out(self, detail: int, shown: dict[str, int]) -> list[str]:
        lines: list[str] = []
        for section in self.found:
            blocks = self._blocks(section.name, detail)[: shown[section.name]]
            if detail < WORDS and (blocks or section.name != ENDED):
                head = [Cell(section.name, "heading"), Cell(f" {section.number}", "quiet")]
                lines += [*([""] if lines else []), self.page.line(*head)]
            lines += [line for block in blocks for line in block]
        rest = self._rest(shown, in_short=detail >= WORDS)
        lines += self.page.wrapped(rest, "quiet") if rest else []
        if detail < WORDS or not self.footnotes:
            return lines + self.footnotes
        return [*lines, *self.footnotes[1:]]

    def _blocks(self, name: str, detail: int) -> list[list[str]]:
        """The lines of each row of a part; only a task that needs the user takes several."""
        key = (name, detail if name == NEEDS else ALL)
        if key not in self._made:
            lay = {NEEDS: lambda row: self.layout.needs(row, detail), WORKS: self.layout.works}
            self._made[key] = [lay.get(name, self.layout.ended)(row) for row in self.rows[name]]
        return self._made[key]

    def _rest(self, shown: dict[str, int], *, in_short: bool) -> str:
        """The line with the number of tasks that are not shown."""
        parts = []
        for section in self.found:
            count = section.number - shown[section.name]
            if count > 0 and (in_short or section.name == NEEDS):
                parts.append(_MORE[section.name].format(count=count))
            elif count > 0:
                hidden = Counter(row.state for row in section.rows[shown[section.name] :])
                parts.append(counted(hidden + section.left))
        rest = ", ".join(filter(None, parts))
        return phrases.AND_MORE_ROWS.format(rest=rest, command=self.more) if rest else ""


class _Layout:
    """Writes the rows of each part, in columns that they share."""

    def __init__(self, page: Page, rows: list[Row]) -> None:
        self.page = page
        self.label = max(width_of(row.label) for row in rows)
        self.age = max(width_of(row.age) for row in rows)
        self.inset = self.label + 2
        self.head = self.inset + self.age + 2
        self.room = page.width - self.head

    def _label(self, row: Row) -> Cell:
        return Cell(f"{pad(row.label, self.label)}  ", "heading")

    def _head(self, row: Row) -> list[Cell]:
        return [self._label(row), Cell(f"{row.age.rjust(self.age)}  ", "quiet")]

    def ended(self, row: Row) -> list[str]:
        """One line: the outcome, on a wide page after the task's name, and the line to type if that has room too."""
        name = min(width_of(row.task), MOST_TASK, self.room // 3) if self.page.width >= WITH_NAMES else 0
        cells = [Cell(f"{pad(row.task, name)}  ")] if name else []
        then = [Cell("  → ", "quiet"), Cell(row.then, "type")] if row.then and name else []
        room = self.room - sum(width_of(cell.text) for cell in cells)
        left = room - sum(width_of(cell.text) for cell in then)
        then, room = (then, left) if width_of(row.outcome.line(named=False)) <= left else ([], room)
        line = row.outcome.line(room, named=False)
        name_behind = [] if cells else self._name(row, room)
        return [self.page.line(*self._head(row), *cells, Cell(line, row.outcome.style), *name_behind, *then)]

    def _name(self, row: Row, room: int) -> list[Cell]:
        """The name of a task whose outcome has no words."""
        left = room - width_of(row.outcome.stands) - 2
        return [Cell(f"  {fit(row.task, left)}")] if not row.outcome.has_words and left >= LEAST_TASK else []

    def works(self, row: Row) -> list[str]:
        """One line: the agent's present work, and the task's name."""
        line = row.outcome.line(self.room - min(width_of(row.task), LEAST_TASK) - 2, named=False)
        then = [Cell("  → ", "quiet"), Cell(row.then, "type")] if row.then else []
        left = self.room - sum(width_of(cell.text) for cell in then) - width_of(line) - 2
        if left < LEAST_TASK:
            then, left = [], self.room - width_of(line) - 2
        return [
            self.page.line(*self._head(row), Cell(line, row.outcome.style), Cell(f"  {fit(row.task, left)}"), *then)
        ]

    def needs(self, row: Row, detail: int) -> list[str]:
        """A task that needs the user, in this much detail."""
        if detail == LINE:
            room = self.page.width - self.inset - (width_of(row.then) + 4 if row.then else 0)
            line = Cell(row.outcome.line(max(room, 2 * LEAST_TASK), named=False), row.outcome.style)
            return self._then([self.page.line(self._label(row), line, *self._name(row, room))], row)
        if detail == WORDS:
            return self._then(self._words(row), row)
        lines = [self.page.line(*self._head(row), Cell(row.outcome.stands, row.outcome.style), Cell(f"  {row.task}"))]
        for item in row.items:
            lines += open_items.item_lines(self.page, item, self.inset, reasons=detail == ALL)
        said = "" if row.items else row.outcome.words()
        lines += self.page.wrapped(said, row.outcome.style, indent=self.inset) if said else []
        return self._then(lines, row)

    def _words(self, row: Row) -> list[str]:
        """Every question, or else the words of the outcome, after the label and without the task's name."""
        if not row.items:
            if row.outcome.has_words:
                said = row.outcome._replace(beside=()).line(named=False)
                return self._hung(self._label(row), said, row.outcome.style)
            room = self.page.width - self.inset - (width_of(row.then) + 4 if row.then else 0)
            alone = Cell(row.outcome.stands, row.outcome.style)
            return [self.page.line(self._label(row), alone, *self._name(row, room))]
        lines: list[str] = []
        for number, item in enumerate(row.items):
            stands = f"{row.outcome.stands} " if not number else ""
            head = Cell(" " * self.inset) if number else self._label(row)
            lines += self._hung(head, f"{stands}{item.qid}: {whole(item.text)}", "needs")
        return lines

    def _hung(self, head: Cell, text: str, style: str) -> list[str]:
        """The cell and the text after it; further lines of the text are indented below its first line."""
        first, *rest = self.page.wrapped(text, style, indent=self.inset)
        return [self.page.paint(head.text, head.style) + first[self.inset :], *rest]

    def _then(self, lines: list[str], row: Row) -> list[str]:
        """The lines with the line to type: at the end of the last line if there is room, else on a line of its own."""
        if not row.then:
            return lines
        then = [Cell("→ ", "quiet"), Cell(row.then, "type")]
        if page_width(lines[-1]) + width_of(row.then) + 4 <= self.page.width:
            return [*lines[:-1], f"{lines[-1]}  {self.page.line(*then)}"]
        # The line to type is not broken, so that it can be copied; the terminal breaks a long line by itself.
        whole_line = "".join(self.page.paint(self.page.plain(cell.text), cell.style) for cell in then)
        return [*lines, " " * self.inset + whole_line]


# The lines below the table


def _footnotes(book: Ledger, page: Page, project: str) -> list[str]:
    """Facts besides the tasks of the project, with tasks elsewhere that wait for the user if a project is named."""
    since = book.now() - durations.RECENT
    kept = cases.whole(book).kept_aside
    lines = [
        *_elsewhere(book, project),
        f"The ledger was unreadable and is kept at {kept}; this is a new one." if kept else "",
        drifts.footnote(book, since),
        _hook_errors(notes.errors(book, since)),
        *_unproven(proofs.unproven(book, since)),
        *_strangers(notes.strangers(book)),
    ]
    found = [piece for line in filter(None, lines) for piece in page.wrapped(line, "bad")]
    return ["", *found] if found else []


def _elsewhere(book: Ledger, project: str) -> list[str]:
    """The tasks of other projects that wait for the user, which this table does not show."""
    labels = dict.fromkeys(item.label for item in inbox.waiting(book)) if project else ()
    waiting = projects.outside(project, [cases.case(book, label).task for label in labels])
    if not waiting:
        return []
    named = [f"{task.label} ({projects.name_of(task.project)})" for task in waiting]
    more = f" (+{len(named) - SHOWN})" if len(named) > SHOWN else ""
    return [phrases.ELSEWHERE.format(labels=", ".join(named[:SHOWN]) + more, command=place.bgctl("inbox"))]


def _hook_errors(errors: list[notes.Error]) -> str:
    """The number of hooks that failed, and the error of the last one; empty if none did."""
    if not errors:
        return ""
    last = errors[0]
    many = f"{len(errors)} hook error{'s' if len(errors) > 1 else ''} within a day"
    return f"{many}; the last, in {last.event}: {inline(last.text.strip().splitlines()[-1], 120)}"


def _unproven(found: list[proofs.Proof]) -> list[str]:
    """Lines on words that were typed and are not known to be the user's."""
    lines = []
    for said in found[:SHOWN]:
        who = inline(said.origin, 200) or phrases.NOBODY_KNOWN
        told = phrases.KEPT_SO_FAR if said.proof == proofs.KEPT else phrases.UNPROVEN
        lines.append(told.format(label=said.label, words=inline(said.text, 80), who=who))
    more = phrases.MORE_UNPROVEN.format(count=len(found) - SHOWN, command=place.bgctl("export"))
    return [*lines, more] if len(found) > SHOWN else lines


def _strangers(found: list[notes.Stranger]) -> list[str]:
    """Lines on agents that signed a report with another one's name."""
    lines = [f"Another agent ({inline(row.agent, 20)}) signed a report as {row.label}; it was ignored."
             for row in found[:SHOWN]]  # fmt: skip
    return [*lines, phrases.MORE_STRANGERS.format(count=len(found) - SHOWN)] if len(found) > SHOWN else lines
