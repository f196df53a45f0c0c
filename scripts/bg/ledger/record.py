"""Records: a row of a table as an object, one attribute a column.

A subclass lists its table's columns as annotations. They are plain classes: dataclasses or typing would cost every
hook half of a bare interpreter's start.
"""

from __future__ import annotations

from bg.ledger.file import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from typing_extensions import Self


class Record:
    """A row as it was when it was read."""

    _texts: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """A column that is annotated as `str` reads as empty where the table has nothing."""
        cls._texts += tuple(name for name, kind in cls.__annotations__.items() if kind == "str")

    def __init__(self, row: Any) -> None:
        self.__dict__.update(zip(row.keys(), row))
        for name in self._texts:
            if self.__dict__.get(name) is None:
                self.__dict__[name] = ""

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
