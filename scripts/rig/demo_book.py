"""A look into the ledger that the hooks of a demo write."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

from bg.ledger.file import Ledger, Unavailable


class Book:
    """A reader's look into the ledger that the hooks write; nothing where there is none yet."""

    def __init__(self, *patterns: tuple[Path, str]) -> None:
        self._patterns = patterns

    @property
    def place(self) -> Optional[Path]:
        """The data directory, once a hook has made it."""
        found = [path.parent for root, pattern in self._patterns for path in root.glob(pattern)]
        return found[0] if found else None

    def all(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """The rows of one question to the ledger."""
        place = self.place
        if place is None:
            return []
        try:
            book = Ledger(place, create=False)
        except Unavailable:
            return []
        try:
            return [dict(row) for row in book.all(sql, *values)]
        finally:
            book.close()

    def one(self, sql: str, *values: Any) -> dict[str, Any]:
        """The first of them, empty where there is none."""
        rows = self.all(sql, *values)
        return rows[0] if rows else {}
