"""Sightings: the shapes of the events that each version of the host has sent, how often and when."""

from __future__ import annotations

from bg.ledger.file import Ledger, Record, Writing

MOST = 400  # rows; further shapes are not counted, as no host has that many
LONGEST = 1000


class Sighting(Record):
    """Events of one shape from one version; `keys` are those of the last event."""

    version: str
    event: str
    tool: str
    form: str
    lacks: str
    keys: str
    count: int
    first: float
    last: float


def note(book: Writing, version: str, event: str, tool: str, form: str, lacks: str, keys: str) -> None:
    """Count an event of this shape."""
    now = book.now()
    known = book.write(
        "UPDATE sightings SET count = count + 1, last = ?, keys = ?"
        " WHERE version = ? AND event = ? AND tool = ? AND form = ? AND lacks = ?",
        now,
        keys[:LONGEST],
        version,
        event,
        tool,
        form,
        lacks,
    )
    if not known and (book.value("SELECT count(*) FROM sightings") or 0) < MOST:
        book.write(
            "INSERT INTO sightings VALUES (?,?,?,?,?,?,1,?,?)",
            version,
            event,
            tool,
            form,
            lacks,
            keys[:LONGEST],
            now,
            now,
        )


def all_since(book: Ledger, moment: float) -> list[Sighting]:
    """The shapes from all versions that have sent anything since then, the last seen first."""
    return Sighting.all(
        book,
        "SELECT * FROM sightings WHERE version IN (SELECT version FROM sightings WHERE last > ?) ORDER BY last DESC",
        moment,
    )
