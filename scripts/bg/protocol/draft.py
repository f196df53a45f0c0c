"""Drafts a signal from its block: reads the fields and repairs them by the schema; standard library only."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.protocol import fields, questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from bg.protocol.blocks import Block


PLACEHOLDER = pattern(r"\s*(?:<[^<>\n]{1,80}>|\.\.\.|\u2026)\s*")
_SHOWN = 60
MOST = 100  # questions, as nobody answers more


class Draft:
    """The fields of a block while they are read and repaired."""

    def __init__(self, block: Block, spec: Mapping[str, Any]) -> None:
        self.block = block
        self.properties: dict[str, Any] = spec["properties"]
        self.main: str = spec["x-main"]
        self.names = spellings(self.properties)
        self.lists = {
            name: spellings(each["items"]["properties"]) for name, each in self.properties.items() if "items" in each
        }
        self.fields: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.repairs: list[str] = []
        self.notes: list[str] = []
        self.too_many: dict[str, int] = {}  # the lengths of lists of which only the first items are kept

    def read(self) -> None:
        """Take the fields from the block, in any form in which they may be written."""
        body = self.block.body
        given = fields.json_value(body.strip()) if body.lstrip().startswith("{") else None
        if isinstance(given, dict):
            self._read_json(given)
            return
        if body.lstrip().startswith("{"):
            body = _without_braces(body)
            self.repairs.append("the fields were written as JSON that cannot be parsed; they were read line by line")
        found, repairs = fields.split(body, self.names, self.lists)
        self.repairs.extend(repairs)
        leading, *rest = found
        for field in rest:
            self.lines[field.name] = self.block.line + 1 + field.line
            if field.name in self.lists:
                self._list(field.name, questions.read(field.first, field.rest, self.lists[field.name]))
            else:
                self._text(field.name, field.text())
        text = leading.text()
        if text.strip():
            taken = self.main if self.main not in self.fields else "text"
            self._text(taken, text)
            self.repairs.append(f"text before the first field was read as {taken}")

    def _read_json(self, given: Mapping[str, Any]) -> None:
        """Take the fields from the protocol's JSON form, or from an object of plain fields."""
        beside = dict(given)
        payload = beside.pop("payload", None)
        if all(fields.canonical(key) != "signal_type" for key in given):
            self.repairs.append("the fields were written as JSON")
        elif not isinstance(payload, dict):
            self.repairs.append("the fields stood beside signal_type, not in payload")
        for key, each in {**beside, **(payload if isinstance(payload, dict) else {})}.items():
            spelled = fields.canonical(key)
            if spelled == "signal_type":
                continue
            name = self.names.get(spelled, key)
            if name != key:
                self.repairs.append(f"{key!r} was read as {name}")
            if name in self.lists:
                shaped = questions.shaped(each, self.lists[name]) if each else questions.Reading([], "")
                self._list(name, shaped)
            else:
                self._text(name, fields.as_text(each))

    def _text(self, name: str, text: str) -> None:
        self.fields[name] = text if text.strip() else ""

    def _list(self, name: str, reading: questions.Reading) -> None:
        if reading.shape:
            self.repairs.append(f"{name} were written as {reading.shape}")
        self.repairs.extend(reading.renamed)
        if len(reading.items) > MOST:
            self.too_many[name] = len(reading.items)
        self.fields[name] = [dict(item) for item in reading.items[:MOST] if any(text.strip() for text in item.values())]

    def repair(self) -> None:
        """Bring values into the form of the schema, naming every change; note placeholders and missing contexts."""
        for name, each in self.properties.items():
            if name not in self.fields:
                continue
            if "items" in each:
                self._number(self.fields[name])
            elif "enum" in each:
                self._choose(name, each)
            elif name in ("agent_id", "timestamp"):
                bare = self.fields[name].strip("`*")
                if bare != self.fields[name]:
                    self.repairs.append(f"{name} {short(self.fields[name])} was read as {bare}")
                    self.fields[name] = bare
        for name, given in self.fields.items():
            if isinstance(given, str) and PLACEHOLDER.fullmatch(given):
                self.notes.append(f"{name} is still the placeholder {given.strip()}")

    def _choose(self, name: str, each: Mapping[str, Any]) -> None:
        given = self.fields[name]
        chosen = _chosen(given, each)
        if chosen is not None and chosen != given:
            self.repairs.append(f"{name} {short(given)} was read as {chosen}")
            self.fields[name] = chosen

    def _number(self, items: list[dict[str, str]]) -> None:
        """Give every question an id of its own, to which answers are tied; the id becomes the first key."""
        given = [item.pop("question_id", "").strip() for item in items]
        for place, (item, old, own) in enumerate(zip(items, given, _own_ids(given)), 1):
            if own != old:
                self.repairs.append(f"question {place} was numbered {own}")
            if not item.get("context", "").strip():
                self.notes.append(f"{own} has no context")
            rest = dict(item)
            item.clear()
            item.update({"question_id": own, **rest})


def spellings(properties: Mapping[str, Any]) -> dict[str, str]:
    """The key that each accepted spelling means; a real name always wins over an alias."""
    aliases = {alias: name for name, each in properties.items() for alias in each.get("x-aliases", ())}
    return {**aliases, **{name: name for name in properties}}


def short(text: str) -> str:
    """The text in quotes, cut to what fits a sentence."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _own_ids(given: list[str]) -> Iterator[str]:
    """The id of each question: the given one, or one that no other has."""
    taken, seen = set(given), set()
    free = (f"Q{count}" for count in range(1, 3 * len(given) + 2) if f"Q{count}" not in taken)
    for place, stated in enumerate(given, 1):
        own = f"Q{stated}" if stated.isdigit() else stated
        if not own or own in seen:
            own = f"Q{place}" if f"Q{place}" not in taken else next(free)
        taken.add(own)
        seen.add(own)
        yield own


def _without_braces(body: str) -> str:
    lines = [line.rstrip().rstrip(",") for line in body.strip().split("\n")]
    lines = ["" if line.strip() in ("{", "}") else line for line in lines]
    return "\n".join(line.lstrip("{ \t") if number == 0 else line for number, line in enumerate(fields.dedent(lines)))


def _chosen(given: str, each: Mapping[str, Any]) -> str | None:
    """The allowed value that a text clearly means, in another spelling, by a synonym, or with words after it."""
    if given in each["enum"]:
        return given
    if "|" in given:
        return None
    key = f"{_plain(given)}_"
    exact = {f"{_plain(option)}_": option for option in each["enum"]}
    meant = {**{f"{synonym}_": option for synonym, option in each.get("x-synonyms", {}).items()}, **exact}
    longest = max(filter(key.startswith, meant), key=len, default="")
    if not longest:
        return _begun(key, exact)
    rest = f"_{key[len(longest) :]}"
    unclear = any(f"_{other}" in rest for other in (*exact, "not_", "but_", "partial_", "or_"))
    return None if unclear else str(meant[longest])


def _begun(key: str, exact: Mapping[str, str]) -> str | None:
    """The only allowed value that begins with the text, if this has four letters or more."""
    begun = [option for spelled, option in exact.items() if spelled.startswith(key)]
    return begun[0] if len(begun) == 1 and len(key) > 4 else None


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text[:200].lower()).strip("_")
