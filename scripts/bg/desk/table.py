"""The table of tasks: what needs the user, what works, what has ended, each row with what to type next."""

from __future__ import annotations

from collections import Counter

from bg.desk import actions, drifts, status, table_parts
from bg.desk.page import Cell, Page, fit, pad, width_of
from bg.desk.status import Status
from bg.ledger import cases, delegations, notes, proofs, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.values import Outcome, State
from bg.record import Record
from bg.words import pace, phrases, verdict
from bg.words.quoting import inline
from bg.words.times import age, clock

NARROW, WIDE = 60, 140
LEAST_TASK = 16
SHOWN = 3
WHOLE = "/bg-status {label}"

_STYLES = {
    State.NEEDS_ANSWER: "needs",
    State.BLOCKED: "needs",
    State.DELEGATING: "needs",
    State.PAUSED: "needs",
    State.LAUNCHED: "works",
    State.WORKING: "works",
    State.DONE: "good",
    State.DISPUTED: "bad",
    State.FAILED: "bad",
    State.INTERRUPTED: "bad",
    State.PARTIAL: "needs",
    State.UNREPORTED: "needs",
}


class Section(Record):
    """A part of the table: the rows that are shown, and in words what is only counted."""

    name: str
    number: int
    rows: list[Row]
    counted: str


class Row(Record):
    """One task as it is shown."""

    label: str
    state: str
    style: str
    age: str
    task: str
    waits: str
    colour: str
    then: str


def style_of(state: str) -> str:
    """The colour of a state."""
    return _STYLES.get(state, "quiet")


def words_of(state: str) -> str:
    """A state as a person reads it."""
    return state.replace("_", " ")


def waits_for(entry: Status, now: float) -> str:
    """What a task waits for or has proved, on one line."""
    if entry.waiting:
        first = entry.waiting[0]
        more = f" (+{len(entry.waiting) - 1})" if len(entry.waiting) > 1 else ""
        full = " (no room for another agent now)" if entry.lacks_room else ""
        return f"{first.id} {inline(first.text, 160)}{more}{full}"
    others = [each for each in entry.awaits if each.label]
    if others:
        return "; ".join(f"{each.label} ({each.standing})" for each in others)
    if entry.ready:
        return _came_of(entry) or "answered; its agent has not been woken yet"
    seen = [entry.verify.get("headline", ""), verdict.in_short(entry.evidence)]
    if any(seen):
        return " · ".join(filter(None, seen))
    going = pace_of(entry)
    if going:
        return going
    until = f", until {clock(entry.resets, now)}" if entry.resets else ""
    return inline(f"{entry.note}{until}" if entry.note else entry.risk, 160)


def pace_of(entry: Status) -> str:
    """How a running task goes: how far its agent says it is, past what was expected, silent."""
    said = entry.progress
    parts = [pace.so_far((said["percent"], said["words"])) if said else ""]
    parts += [f"{age(entry.expected)} were expected" if entry.beyond else ""]
    parts += [f"quiet since {age(entry.quiet)}" if entry.quiet else ""]
    return " · ".join(filter(None, parts))


def _came_of(entry: Status) -> str:
    """What became of the agents that a task waited for, and has not been told of."""
    waited = [one for one in entry.delegations if one.blocking and not one.told]
    over = [each for one in waited if one.state in delegations.OVER for each in one.agents]
    ends = [f"{each.label} ({words_of(each.state)})" for each in over]
    return f"waited for {', '.join(ends)}" if ends else ""


def what_to_type(case: Case, entry: Status, command: str = "/bg-answer") -> str:
    """The next thing for the user to type about a task, empty where nothing is left to do."""
    if entry.lacks_room:
        return ""
    typed = actions.next_action(case, command)
    return typed or (WHOLE.format(label=case.label) if entry.quiet else "")


def table(
    book: Ledger,
    page: Page,
    project: str = "",
    *,
    everything: bool = False,
    launch: str = "/bg:bg",
    more: str = "/bg-status all",
) -> str:
    """The table for people; `more` is what shows the rows that are only counted."""
    found = sections(book, project, everything=everything)
    rows = [row for section in found for row in section.rows]
    if not rows:
        ended = sum(section.number for section in found)
        hidden = f" {ended} have ended: {more}." if ended else ""
        nothing = f"No background tasks here. Type {launch} <task> to start one.{hidden}"
        return "\n".join(page.wrapped(nothing) + _footnotes(book, page))
    layout = _Layout(page, rows)
    lines: list[str] = []
    for section in found:
        lines += ["", page.line(Cell(section.name, "heading"), Cell(f" {section.number}", "quiet"))]
        lines += [line for row in section.rows for line in layout.lines(row)]
        lines += page.wrapped(f"{section.counted}: {more}", "quiet", indent=2) if section.counted else []
    return "\n".join([*lines[1:], *_footnotes(book, page)])


def sections(book: Ledger, project: str = "", *, everything: bool = False) -> list[Section]:
    """The parts of the table that have tasks, the newest task of each first."""
    now = book.now()
    made = []
    for name, part in table_parts.chosen(book, project, now, everything=everything).items():
        number = sum(part.states.values())
        left = _counted(part.states - Counter(case.task.state for case in part.cases), alone=not part.cases)
        if number:
            made.append(Section(name, number, [_row(case, now) for case in part.cases], left))
    return made


def _counted(left: Counter[str], *, alone: bool) -> str:
    said = ", ".join(f"{count} {words_of(state)}" for state, count in left.most_common())
    if alone or not left:
        return said
    what = f"({said})" if len(left) > 1 else words_of(next(iter(left)))
    return f"and {sum(left.values())} more {what}"


def _row(case: Case, now: float) -> Row:
    task, entry = case.task, status.record(case)
    failed = entry.verify.get("outcome") == Outcome.FAILED
    return Row(
        task.label,
        words_of(task.state),
        style_of(task.state),
        age(now - (task.since or now)),
        inline(task.description or task.text, 200),
        waits_for(entry, now),
        "bad" if verdict.mismatches(entry.evidence) or failed else style_of(task.state),
        what_to_type(case, entry),
    )


class _Layout:
    """Where what stands: a row is one line where that fits, else what waits and what to type go below."""

    def __init__(self, page: Page, rows: list[Row]) -> None:
        self.page = page
        self.label = max(width_of(row.label) for row in rows)
        self.state = max(width_of(row.state) for row in rows)
        self.age = max(width_of(row.age) for row in rows)
        self.head = 2 + self.label + 2 + self.state + 2 + self.age + 2
        left = page.width - self.head
        self.then = max(width_of(row.then) + 2 for row in rows)
        self.task = min(max(width_of(row.task) for row in rows), max(LEAST_TASK, (left - self.then) * 2 // 5))

    def lines(self, row: Row) -> list[str]:
        """A row in as many lines as the page needs."""
        page = self.page
        head = [
            Cell(f"  {pad(row.label, self.label)}  ", "heading"),
            Cell(pad(row.state, self.state), row.style),
            Cell(f"  {row.age.rjust(self.age)}  ", "quiet"),
        ]
        room = page.width - self.head
        more = sum(width_of(words) + 4 for words in (row.waits, row.then) if words)
        if page.width >= NARROW and width_of(row.task) + more <= room:
            return [page.line(*head, Cell(row.task + "  "), *self._beside(row, room - width_of(row.task) - 2))]
        if page.width >= WIDE:
            return [page.line(*head, Cell(pad(row.task, self.task) + "  "), *self._beside(row, room - self.task - 2))]
        if page.width < NARROW:
            inset = 4
            below = [page.line(Cell(row.task), indent=inset)]
        else:
            inset = self.label + 4
            below = []
            head.append(Cell(fit(row.task, room)))
        return [page.line(*head), *below, *self._below(row, inset)]

    def _beside(self, row: Row, room: int) -> list[Cell]:
        waits = room - (width_of(row.then) + 4 if row.then else 0)
        cells = []
        if row.waits:
            cells.append(Cell(fit(row.waits, max(waits, 0)), row.colour))
        if row.then:
            cells += [Cell("  → " if row.waits else "→ ", "quiet"), Cell(row.then, "type")]
        return cells

    def _below(self, row: Row, inset: int) -> list[str]:
        page = self.page
        room = page.width - inset
        then = [Cell("→ ", "quiet"), Cell(row.then, "type")] if row.then else []
        beside = room - 4 - width_of(row.then)
        if row.waits and then and (width_of(row.waits) <= beside or beside >= 28):
            return [page.line(Cell(fit(row.waits, beside), row.colour), Cell("  "), *then, indent=inset)]
        found = [page.line(Cell(row.waits, row.colour), indent=inset)] if row.waits else []
        return found + ([page.line(*then, indent=inset)] if then else [])


def _footnotes(book: Ledger, page: Page) -> list[str]:
    lines = []
    kept = cases.whole(book).kept_aside
    if kept:
        lines.append(f"The ledger was unreadable and is kept at {kept}; this is a new one.")
    drifted = drifts.footnote(book, book.now() - tasks.RECENT)
    if drifted:
        lines.append(drifted)
    errors = notes.errors(book, book.now() - tasks.RECENT)
    if errors:
        last = errors[0]
        lines.append(
            f"{len(errors)} hook error{'s' if len(errors) > 1 else ''} within a day; the last, in {last.event}: "
            f"{inline(last.text.strip().splitlines()[-1], 120)}"
        )
    unproven, strangers = proofs.unproven(book, book.now() - tasks.RECENT), notes.strangers(book)
    for said in unproven[:SHOWN]:
        who = inline(said.origin, 200) or phrases.NOBODY_KNOWN
        told = phrases.KEPT_SO_FAR if said.proof == proofs.KEPT else phrases.UNPROVEN
        lines.append(told.format(label=said.label, words=inline(said.text, 80), who=who))
    if len(unproven) > SHOWN:
        lines.append(phrases.MORE_UNPROVEN.format(count=len(unproven) - SHOWN))
    for row in strangers[:SHOWN]:
        lines.append(f"Another agent ({inline(row.agent, 20)}) signed a report as {row.label}; it was ignored.")
    if len(strangers) > SHOWN:
        lines.append(phrases.MORE_STRANGERS.format(count=len(strangers) - SHOWN))
    return ["", *(piece for line in lines for piece in page.wrapped(line, "bad"))] if lines else []
