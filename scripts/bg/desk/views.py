"""Views of the desk that the loop shows, each as one text in the width of the host's messages; and the archive."""

from __future__ import annotations

from bg import durations
from bg.desk import board, cli, detail, find, findings, forget, look, open_items, page, report, truth, written
from bg.desk import doctor as examination
from bg.desk import table as listing
from bg.host.versions import Host
from bg.ledger import naming, place, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def table(book: Ledger, project: str, *, everything: bool, launch: str, columns: int = 0) -> str:
    """The tasks of a project; `launch` is the command that starts one. Without `columns` it is as wide as a message."""
    sheet = page.Page(columns) if columns else page.of_hook()
    return listing.table(book, sheet, project, everything=everything, launch=launch)


def task(book: Ledger, label: str) -> str:
    """Everything about one task."""
    return detail.detail(book, page.of_hook(), label)


def named(book: Ledger, host: Host, typed: str) -> str:
    """The view that is named after `/bg-status`, other than a task or the table; empty if nothing has that name."""
    name, rest = _name_first(typed.split())
    if name in _OF_ALL:
        return _OF_ALL[name](book, rest)
    if name in _OF_ONE:
        label = naming.label_of(" ".join(rest))
        if not label:
            return phrases.WHICH_TASK.format(name=name)
        return _OF_ONE[name](book, label) if tasks.get(book, label) else detail.detail(book, page.of_hook(), label)
    if name == "doctor":
        return doctor(host)
    is_program = name and not naming.label_of(name) and name in cli.COMMANDS and name != "status"
    return phrases.IN_A_TERMINAL.format(command=place.bgctl(name)) if is_program else ""


def _name_first(words: list[str]) -> tuple[str, list[str]]:
    """The name and the other words; `bg-3 report` means the same as `report bg-3`."""
    turned = len(words) > 1 and words[-1].lower() in _OF_ONE and naming.label_of(words[0])
    name, *rest = [words[-1], *words[:-1]] if turned else words or [""]
    return name.lower(), rest


def _board(book: Ledger, _: list[str]) -> str:
    try:
        return phrases.BOARD_IS_AT.format(address=board.save(book))
    except OSError as error:
        return phrases.NOT_WRITTEN.format(why=error.strerror or error)


def _truth(book: Ledger, rest: list[str]) -> str:
    days = next((int(word) for word in rest if word.isdecimal() and len(word) < len("10000")), 0)
    return truth.told(page.of_hook(), truth.count([book], book.now() - days * durations.DAY if days else 0.0))


def _find(book: Ledger, rest: list[str]) -> str:
    return find.shown([book], page.of_hook(), rest) if rest else phrases.FIND_WHAT


def _report(book: Ledger, label: str) -> str:
    try:
        return phrases.REPORT_IS_AT.format(label=label, path=written.save(book, label))
    except OSError as error:
        return phrases.NOT_WRITTEN.format(why=error.strerror or error)


def _raw(book: Ledger, label: str) -> str:
    """The agent's last text with a mark on each line, as all other words on this screen are the plugin's."""
    text = report.raw(book, label)
    return "\n".join(page.of_hook().framed(text)) if text else phrases.NO_REPORT.format(label=label)


_OF_ALL: dict[str, Callable[[Ledger, list[str]], str]] = {
    "inbox": lambda book, _: look.whole_inbox([book], page.of_hook()),
    "board": _board,
    "truth": _truth,
    "find": _find,
}
_OF_ONE: dict[str, Callable[[Ledger, str], str]] = {
    "report": _report,
    "raw": _raw,
}


def inbox(book: Ledger, project: str) -> str:
    """The items that wait for the user in a project."""
    return open_items.waiting_list(book, page.of_hook(), project)


def answers(case: Case, command: str) -> str:
    """The open items of one task, and the answers it was given."""
    return open_items.of_task(case, page.of_hook(), command)


def doctor(host: Host) -> str:
    """The doctor's findings about this installation."""
    return findings.told(list(examination.examine(host)), page.of_hook())


def archive(book: Ledger, task: Task) -> None:
    """Archive a task that is about to be forgotten."""
    forget.archive(book, task)
