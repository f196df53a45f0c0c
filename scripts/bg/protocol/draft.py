"""Drafts a signal from its block: reads the fields by a schema and repairs what can be read; standard library only."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.protocol import fields, questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bg.protocol.blocks import Block


PLACEHOLDER = pattern(r"\s*(?:<[^<>\n]{1,80}>|\.\.\.|\u2026)\s*")
_SHOWN = 60
MOST = 100  # questions: nobody answers more


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
        self.too_many: dict[str, int] = {}  # how many of a list there were, of which the first are kept

    def read(self) -> None:
        """Takes the fields from the block, in whatever form they were written."""
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
        """The protocol's other form, or the plain fields as one object."""
        envelope = any(fields.canonical(key) == "signal_type" for key in given)
        payload = given.get("payload")
        if envelope and not isinstance(payload, dict):
            self.repairs.append("the fields stood beside signal_type, not in payload")
        elif not envelope:
            self.repairs.append("the fields were written as JSON")
        merged = {**given, **payload} if isinstance(payload, dict) else dict(given)
        for key, each in merged.items():
            name = self.names.get(fields.canonical(key), key)
            if fields.canonical(key) == "signal_type" or (key == "payload" and each is payload):
                continue
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
        """Brings values to the form that the schema knows, naming every change; notes what was left open."""
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
        """Gives every question an id of its own: answers are tied to it."""
        taken = {item.get("question_id", "").strip() for item in items}
        seen: set[str] = set()
        free = (f"Q{count}" for count in range(1, 3 * len(items) + 2) if f"Q{count}" not in taken)
        for place, item in enumerate(items, 1):
            given = item.get("question_id", "").strip()
            wanted = f"Q{given}" if given.isdigit() else given
            if not wanted or wanted in seen:
                wanted = f"Q{place}"
                while wanted in taken or wanted in seen:
                    wanted = next(free)
            if wanted != given:
                self.repairs.append(f"question {place} was numbered {wanted}")
            seen.add(wanted)
            rest = {key: text for key, text in item.items() if key != "question_id"}
            item.clear()
            item.update({"question_id": wanted, **rest})
            if not rest.get("context", "").strip():
                self.notes.append(f"{wanted} has no context")


def spellings(properties: Mapping[str, Any]) -> dict[str, str]:
    """Every accepted spelling of a key, and the key; a real name always wins over an alias."""
    aliases = {alias: name for name, each in properties.items() for alias in each.get("x-aliases", ())}
    return {**aliases, **{name: name for name in properties}}


def _without_braces(body: str) -> str:
    lines = [line.rstrip().rstrip(",") for line in body.strip().split("\n")]
    lines = ["" if line.strip() in ("{", "}") else line for line in lines]
    return "\n".join(line.lstrip("{ \t") if number == 0 else line for number, line in enumerate(fields.dedent(lines)))


def _chosen(given: str, each: Mapping[str, Any]) -> str | None:
    """The allowed value that a text clearly means: other spelling, a synonym, or with words after it."""
    options: list[str] = each["enum"]
    if given in options or "|" in given:
        return given if given in options else None
    key = _plain(given)
    exact = {_plain(option): option for option in options}
    meant = {**each.get("x-synonyms", {}), **exact}
    if key in meant:
        return str(meant[key])
    longest = max((spelled for spelled in meant if key.startswith(spelled + "_")), key=len, default=None)
    if longest is not None:
        rest = key[len(longest) :] + "_"
        if any(f"_{other}_" in rest for other in (*exact, "not", "but", "partial", "or")):
            return None
        return str(meant[longest])
    begun = {option for spelled, option in exact.items() if len(key) >= 4 and spelled.startswith(key + "_")}
    return begun.pop() if len(begun) == 1 else None


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text[:200].lower()).strip("_")


def short(text: str) -> str:
    """The text in quotes, cut to what fits a sentence."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
