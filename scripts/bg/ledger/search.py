"""Search: the tasks that contain all of some words."""

from __future__ import annotations

from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

_OF_AGENT = "EXISTS (SELECT 1 FROM launches l JOIN {table} r ON r.agent = l.agent WHERE l.label = t.label AND {{like}})"
# The places with words of a task: a condition, and the columns that it searches.
_PLACES = (
    ("{like}", ("t.text", "t.description")),
    (_OF_AGENT.format(table="reports"), ("r.text",)),
    (_OF_AGENT.format(table="report_beginnings"), ("r.text",)),
    ("EXISTS (SELECT 1 FROM questions q WHERE q.label = t.label AND {like})", ("q.text", "q.context")),
    ("EXISTS (SELECT 1 FROM answers a WHERE a.label = t.label AND {like})", ("a.text",)),
)

_AT_ONCE = 100  # words in one query, as SQLite takes no condition with a thousand


def found(book: Ledger, words: list[str]) -> list[Task]:
    """The tasks that contain each of these words somewhere, in upper or lower case, the newest first."""
    words = list(dict.fromkeys(words))
    first, *others = [words[begin : begin + _AT_ONCE] for begin in range(0, len(words), _AT_ONCE)]
    tasks = _with(book, first)
    for some in others if tasks else ():
        labels = {task.label for task in _with(book, some)}
        tasks = [task for task in tasks if task.label in labels]
    return tasks


def _with(book: Ledger, words: list[str]) -> list[Task]:
    values: list[str] = []
    conditions = []
    for word in words:
        first = len(values) + 1
        values += _patterns(word)
        numbers = range(first, len(values) + 1)
        places = (place.format(like=_like(columns, numbers)) for place, columns in _PLACES)
        conditions.append(f"({' OR '.join(places)})")
    return Task.all(book, f"SELECT t.* FROM tasks t WHERE {' AND '.join(conditions)} ORDER BY t.number DESC", *values)


def _like(columns: tuple[str, ...], numbers: range) -> str:
    each = (f"{column} LIKE ?{number} ESCAPE '!'" for column in columns for number in numbers)
    return f"({' OR '.join(each)})"


def _patterns(word: str) -> list[str]:
    """The patterns for a word in its usual cases, as SQLite folds the case of ASCII letters only."""
    shapes = dict.fromkeys([word] if word.isascii() else [word, word.lower(), word.upper(), word.capitalize()])
    return [f"%{shape.replace('!', '!!').replace('%', '!%').replace('_', '!_')}%" for shape in shapes]
