"""Health: whether a ledger's file is whole, asked without opening it for writing."""

from __future__ import annotations

import contextlib
import os

from bg.ledger import sqlite3
from bg.ledger.aside import CUT_TO_NOTHING, is_cut_to_nothing
from bg.ledger.place import LEDGER


def damage(place: str) -> str:
    """What is wrong with the file of this directory's ledger, empty where it is whole."""
    if is_cut_to_nothing(os.path.join(place, LEDGER)):
        return CUT_TO_NOTHING
    try:
        with contextlib.closing(sqlite3.connect(f"file:{os.path.join(place, LEDGER)}?mode=ro", uri=True)) as connection:
            found = str(connection.execute("PRAGMA quick_check").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else found
