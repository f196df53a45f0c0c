"""Open items: those that wait for the user, with reasons and options, the answers so far, and the lines to type."""

from __future__ import annotations

import json

from bg.desk.page import Cell, Page
from bg.ledger import cases, inbox, tasks, user_answers
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.ledger.values import Item, ItemState, State
from bg.signals import kinds
from bg.words import replies
from bg.words.quoting import cited, inline, spoken, whole
from bg.words.times import age

# The name of the reason that an agent gives with an item.
REASONS = {Item.QUESTION: "why", Item.BLOCKER: "needs", Item.DELEGATION: "why"}
_ANSWERED = {ItemState.ANSWERED: "answered, not sent yet", ItemState.SENT: "answered, and the agent has it"}


def question(page: Page, item: Question, now: float, *, label: str = "", task: str = "") -> list[str]:
    """One item in its agent's own words; `label` and `task` name its task if the lines above do not."""
    name = f"{label} {item.qid}".strip()
    head = [Cell(f"  {name}", "needs"), Cell(f"  waiting {age(now - item.asked)}", "quiet"), Cell(f"  {task}".rstrip())]
    return [page.line(*head), *item_lines(page, item, 4, named=False)]


def item_lines(page: Page, item: Question, indent: int, *, reasons: bool = True, named: bool = True) -> list[str]:
    """The words of an item in full, in quotation marks, and the reasons that its agent gave with them."""
    lines = page.wrapped(f"{item.qid} {whole(item.text)}" if named else whole(item.text), "needs", indent=indent)
    for line in given(item) if reasons else ():
        lines += page.wrapped(line, "quiet", indent=indent + 2)
    return lines


def given(item: Question) -> list[str]:
    """The reason, the options and the default that the agent gave with an item: a line for each, its text quoted."""
    extra = inbox.extra(item)
    found: dict[str, object] = {REASONS.get(inbox.kind(item), "why"): item.context}
    found |= {key: extra.get(key) for key in ("irreversible", "options", "default")}
    return [
        f"{name}: " + " | ".join(cited(spoken(each), 300) for each in _each(value))
        for name, value in found.items()
        if value
    ]


def _each(value: object) -> list[str]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


def _to_type(page: Page, item: Question, command: str) -> list[str]:
    """The ways to answer one item, as lines of the page."""
    first, *others = ways(item, command)
    return page.wrapped(first, "type", indent=2) + [
        line for words in others for line in page.wrapped(words, "quiet", indent=2)
    ]


def ways(item: Question, command: str) -> list[str]:
    """The lines that can be typed for one item, the usual one first."""
    words = kinds.kind_asking_for(inbox.kind(item)).ways_to_answer(item, command)
    lines = [f"→ {words[0]}"]
    skipped = "its default" if inbox.extra(item).get("default") else "leave it to the agent"
    notes = {f"{item.qid}: skip": skipped, "go": "continue with what there is"}
    for other in words[1:]:
        meaning = next((f"   ({said})" for end, said in notes.items() if other.endswith(f" {end}")), "")
        lines.append(f"or {other}{meaning}")
    return lines


def waiting_list(book: Ledger, page: Page, project: str = "", command: str = "/bg-answer") -> str:
    """The items that wait for the user, by priority, then age."""
    items = inbox.waiting(book, project=project)
    now = book.now()
    paused = cases.known(book, lambda: tasks.in_state(book, project, State.PAUSED)) if project else []
    held = replies.held([case for case in paused if case.is_held], now, command)
    if not items:
        return held or "Nothing waits for an answer."
    names = {item.label: name_of(cases.case(book, item.label).task) for item in items}
    lines = [line for item in items for line in question(page, item, now, label=item.label, task=names[item.label])]
    return "\n".join([*lines, "", *_to_type(page, items[0], command), *(["", held] if held else [])])


def of_task(case: Case, page: Page, command: str) -> str:
    """One task: its open items, those answered in its last run, and the lines that can be typed now."""
    book, task = case.book, case.task
    now = book.now()
    stands = Cell(f"  {task.state.replace('_', ' ')}  ")
    lines = [page.line(Cell(task.label, "heading"), stands, Cell(name_of(task)))]
    waiting = case.items
    lines += [line for item in waiting for line in question(page, item, now)]
    for item in _answered(case):
        lines.append(page.line(Cell(f"  {item.qid}", "needs"), Cell(f"  {_ANSWERED[item.state]}", "quiet")))
        lines += page.wrapped(inline(item.text, 400), indent=4)
        for answer in user_answers.find(book, question=item.id)[-1:]:
            lines += page.wrapped(f"{answer.kind}: {inline(answer.text, 400)}", "good", indent=4)
    if len(lines) == 1:
        lines += page.wrapped("It has asked nothing.", indent=2)
    typed = line_to_type(case, command)
    if waiting:
        lines += ["", *_to_type(page, waiting[0], command)]
    elif typed:
        lines += ["", *page.wrapped(f"→ {typed}", "type", indent=2)]
    if user_answers.last_given(book, task.label):
        lines += page.wrapped(f"or {command} {task.label} undo (takes the last answer back)", "quiet", indent=2)
    return "\n".join(lines)


def name_of(task: Task) -> str:
    """The name of a task on one line."""
    return inline(task.description or task.text, 200)


def _answered(case: Case) -> list[Question]:
    last = case.agent.run
    if last is None:
        return []
    return [
        item for item in inbox.find(case.book, label=case.label) if item.state in _ANSWERED and item.run >= last.run - 1
    ]


def line_to_type(case: Case, command: str = "/bg-answer") -> str:
    """The line to type next; empty if nothing is left to do or the agent works."""
    typed, waiting = f"{command} {case.label}", case.items
    if waiting:
        first = waiting[0]
        answer = kinds.kind_asking_for(inbox.kind(first)).to_type
        of_several = f"{first.qid}: " if len(waiting) > 1 and "{qid}" not in answer else ""
        return f"{typed} {of_several}{answer.format(qid=first.qid)}"
    return f"{typed} go" if _can_go(case) else ""


def _can_go(case: Case) -> bool:
    """Whether `go` sets this task going: an agent can be woken, or one can be launched."""
    task = case.task
    if task.state == State.NOT_LAUNCHED or case.forgotten or case.agent.answers:
        return True
    return bool(task.agent) and task.state in tasks.CONTINUABLE_STATES
