"""Rows: a row of a table as an object, one attribute a column.

A subclass lists its table's columns as annotations. They are plain classes: dataclasses or typing would cost every
hook half of a bare interpreter's start.
"""

from __future__ import annotations

from bg import foreign
from bg.ledger.file import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, TypeVar

    from typing_extensions import Self

    _Row = TypeVar("_Row", bound="Record")

ANY: Any = object()  # as a column's value: whatever it holds

_NONE = type(None)
_KINDS: dict[str, tuple[tuple[type, ...], Any]] = {
    "str": ((str,), ""),
    "int": ((int,), 0),
    "float": ((float, int), 0.0),
    "Optional[str]": ((str, _NONE), None),
    "Optional[int]": ((int, _NONE), None),
    "Optional[float]": ((float, int, _NONE), None),
}


def unpacked(text: Any) -> dict[str, Any]:
    """The object that a column holds as JSON; empty where it holds something else."""
    try:
        found = foreign.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Record:
    """A row as it was when it was read."""

    _table = ""
    _kinds: dict[str, tuple[tuple[type, ...], Any]] = {}  # noqa: RUF012 - each class has its own

    def __init_subclass__(cls) -> None:
        """Each column reads as what it is annotated as, whatever stands there: a text that is none as empty."""
        cls._kinds = {**cls._kinds, **{name: _KINDS[kind] for name, kind in cls.__annotations__.items()}}

    def __init__(self, row: Any) -> None:
        found = self.__dict__
        found.update(zip(row.keys(), row))
        for name, (kinds, default) in self._kinds.items():
            if type(found.get(name)) not in kinds:
                found[name] = default

    def columns(self, *names: str) -> dict[str, Any]:
        """These columns by their names."""
        return {name: self.__dict__[name] for name in names}

    @classmethod
    def one(cls, book: Ledger, sql: str, *values: Any) -> Optional[Self]:
        """The first row that the statement finds, None where there is none."""
        row = book.one(sql, *values)
        return cls(row) if row else None

    @classmethod
    def all(cls, book: Ledger, sql: str, *values: Any) -> list[Self]:
        """Every row that the statement finds."""
        return [cls(row) for row in book.all(sql, *values)]

    @classmethod
    def where(cls, book: Ledger, **columns: Any) -> list[Self]:
        """The rows of the table whose columns hold these values, the oldest first; None is what is not set."""
        asked = {name: value for name, value in columns.items() if value is not ANY}
        terms = " AND ".join(f"{name} IS NULL" if value is None else f"{name} = ?" for name, value in asked.items())
        values = [value for value in asked.values() if value is not None]
        return cls.all(book, f"SELECT * FROM {cls._table} WHERE {terms} ORDER BY rowid", *values)


def first_of(found: list[_Row]) -> Optional[_Row]:
    """The oldest of the rows found, None where there is none."""
    return found[0] if found else None


def last_of(found: list[_Row]) -> Optional[_Row]:
    """The newest of the rows found, None where there is none."""
    return found[-1] if found else None
