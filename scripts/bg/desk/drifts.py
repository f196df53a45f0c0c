"""Drifts: departures of Claude Code from its known behaviour, told by the doctor and below the table."""

from __future__ import annotations

import contextlib
import time

from bg import durations
from bg.desk.findings import Finding
from bg.host import deviations, drift, versions
from bg.host.deviations import Departure, Seen
from bg.host.drift import Shape
from bg.host.versions import Host
from bg.ledger import aside, place, sightings
from bg.ledger.file import Ledger, Unavailable
from bg.words import departures as words
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUBJECT = "events"
PROMPT = "UserPromptSubmit"
OTHERS = {drift.NOTIFIED, drift.HEARD, drift.HANDED, drift.ANSWERED, drift.MISSED, drift.UNKNOWN}
LONGEST = 40  # characters of a name that the host gives


def noticed(book: Ledger, since: float) -> tuple[list[Departure], list[Seen]]:
    """The departures of the versions used since then, and the shapes of the events that they handed over."""
    rows = [
        Seen(row.version, Shape(row.event, row.tool, row.form, row.lacks, row.keys), row.count, row.first, row.last)
        for row in sightings.all_since(book, since)
    ]
    return deviations.departures(rows), rows


def lately() -> tuple[list[Departure], list[Seen]]:
    """The departures and shapes of the last week, from all ledgers that are not damaged."""
    rows: list[Seen] = []
    found: list[Departure] = []
    for folder in place.existing():
        if aside.damage(folder):
            continue  # opening it would set it aside, which only a hook may do
        with contextlib.suppress(Unavailable), contextlib.closing(Ledger(folder, create=False)) as book:
            departing, seen = noticed(book, book.now() - durations.DRIFTED)
            found, rows = found + departing, rows + seen
    return found, rows


def keys_of_last_prompt(rows: list[Seen]) -> str:
    """The keys of the last event that was, or may have been, a prompt from the host; empty if there was none."""
    prompts = [row for row in rows if row.shape.event in (PROMPT, "") and not set(row.shape.form.split()) & OTHERS]
    return max(prompts, key=lambda row: row.last).shape.keys if prompts else ""


def examine(host: Host, found: list[Departure], rows: list[Seen]) -> Iterator[Finding]:
    """A finding for each departure, and one for the client in PATH if it does not depart."""
    for one in found:
        yield Finding(SUBJECT, "wrong", told(one), words.REMEDY.format(tried=_name(drift.TRIED)))
    name = _name(host.version) if host.version else ""
    if host.version and all(one.version != name for one in found):
        count = sum(row.times for row in rows if row.version == name)
        events = words.ALL_KNOWN.format(count=count) if count else words.NONE_YET
        newer = host.version > drift.TRIED
        said = words.NEWER.format(version=name, tried=_name(drift.TRIED), events=events) if newer else ""
        yield Finding(SUBJECT, "ok", said or words.TRIED.format(version=name, events=events))


def _name(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def footnote(book: Ledger, since: float) -> str:
    """One line for the table: the first departure of the clients used since then; empty without one."""
    found = noticed(book, since)[0]
    more = words.MORE.format(count=len(found) - 1) if len(found) > 1 else ""
    return f"{told(found[0])}{more}" if found else ""


def told(one: Departure) -> str:
    """A departure in a sentence for people: its nature, its first day, and its effect."""
    day = time.localtime(one.first)
    call = f"{one.event}({inline(one.tool, LONGEST)})" if one.tool else inline(one.event, LONGEST) or words.EVENTS
    slots = {
        "client": words.CLIENT.format(version=one.version) if versions.version_of(one.version) else words.SOME_CLIENT,
        "call": words.ANNOUNCEMENTS if one.what.startswith("<") else call,
        "tool": inline(one.tool, LONGEST),
        "what": one.what,
        "since": words.SINCE.format(month=time.strftime("%b", day), day=day.tm_mday),
        "some": words.SOME.format(times=one.times, of=one.of) if one.times < one.of else "",
        "times": words.ONCE if one.times == 1 else words.TIMES.format(times=one.times),
        "then": words.THEN[one.then],
    }
    return _sentence(one).format(**slots)


def _sentence(one: Departure) -> str:
    if one.kind == drift.ANSWERED:
        return words.INPUT_DROPPED if one.what == drift.INPUT else words.CONTEXT_DROPPED
    if one.kind == drift.UNKNOWN:
        return words.UNKNOWN_FORM if one.what else words.UNKNOWN_TOOL if one.tool else words.UNKNOWN_EVENT
    return {deviations.LACKING: words.LACKING, drift.UNREAD: words.UNREAD, drift.MISSED: words.NEVER}[one.kind]
