"""A signal in all its forms, by one schema: read from a block, judged, written as block, template, JSON or table."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from bg.protocol import blocks, draft, marks, problems
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from bg.protocol.blocks import Block
    from bg.protocol.problems import Problem

    Fields = dict[str, Any]

LONGEST = 2 * 1024 * 1024
MOST = 100


class Signal(Record):
    """One decoded signal; `fields` holds everything that was given, by canonical name."""

    marker: str
    agent_id: str
    timestamp: str
    fields: Fields
    problems: tuple[Problem, ...]
    repairs: tuple[str, ...]
    notes: tuple[str, ...]
    line: int
    closed: bool

    @property
    def valid(self) -> bool:
        """Whether every required field is there and every value is allowed."""
        return not self.problems

    @property
    def terminal(self) -> bool:
        """Whether the sender waits for an answer or has finished: its run ends with this signal."""
        wanted = schema(self.marker).get("x-terminal", {})
        ends = wanted is not False and all(self.fields.get(name) == value for name, value in wanted.items())
        return ends and not goes_on(self.marker, self.fields)

    @property
    def readable(self) -> bool:
        """Whether the signal says enough to act on, despite its problems."""
        return any(_says(self.fields.get(name)) for name in schema(self.marker)["x-readable"])


class Reading(Record):
    """All signals of a text, and the one that decides, which is the last terminal one."""

    signals: list[Signal]
    deciding: Signal | None
    notes: tuple[str, ...]


@lru_cache(maxsize=1)
def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by marker, in the protocol's order; the title of each is its marker."""
    loaded = []
    for marker in marks.MARKERS:
        with open(os.path.join(marks.SCHEMAS, f"{marker.lower()}.json"), encoding="utf-8") as file:
            loaded.append({"title": marker, **json.load(file)})
    return {each["title"]: each for each in sorted(loaded, key=lambda each: int(each["x-order"]))}


def schema(marker: str) -> dict[str, Any]:
    """The schema of one signal."""
    return schemas()[marker]


def read(text: str) -> Reading:
    """Find and decode every signal of a text; templates with placeholders are left out and noted."""
    notes = []
    signals = []
    # The last signal decides, so only the end is read: each block costs time, and no report has thousands of them.
    found = blocks.find(text[-LONGEST:])
    if len(text) > LONGEST:
        notes.append(f"it has {len(text)} characters, of which only the last {LONGEST} were read")
    if len(found) > MOST:
        notes.append(f"{len(found)} blocks stand in it; only the last {MOST} were read")
    for signal in map(decode, found[-MOST:]):
        if is_template(signal):
            notes.append(f"line {signal.line}: a {signal.marker} template with its placeholders is no signal")
        else:
            signals.append(signal)
    terminal = [signal for signal in signals if signal.terminal]
    if len(terminal) > 1:
        listed = ", ".join(f"{signal.marker} (line {signal.line})" for signal in terminal)
        notes.append(f"{len(terminal)} signals end the run: {listed}; the last one decides")
    return Reading(signals, terminal[-1] if terminal else None, tuple(notes))


def decode(block: Block) -> Signal:
    """The signal of a block: repaired if it can be understood, and with problems for the rest."""
    spec = schema(block.marker)
    found = draft.Draft(block, spec)
    found.read()
    found.repair()
    wrong, notes = problems.judged(block, spec, found, set(problems.violations(found.fields, spec)))
    return Signal(
        marker=block.marker,
        agent_id=str(found.fields.get("agent_id", "")),
        timestamp=str(found.fields.get("timestamp", "")),
        fields=found.fields,
        problems=tuple(wrong),
        repairs=(*block.repairs, *found.repairs),
        notes=(*notes, *found.notes),
        line=block.line,
        closed=block.closed,
    )


def goes_on(marker: str, fields: Fields) -> bool:
    """Whether the sender works on: each thing that it asks has an assumption, and none of them is irreversible."""
    way = schema(marker).get("x-goes-on", {})
    asked = fields.get(way.get("items", ""))
    if not asked or not isinstance(asked, list):
        return False
    common = fields.get(way["under"])
    return all(_says(each.get(way["under"]) or common) and not _says(each.get(way["unless"])) for each in asked)


def ends(signal: Signal, text: str) -> bool:
    """Whether the text ends with the signal's block, or with the fence around it."""
    lines = [line for line in text.splitlines() if line.strip()]
    while lines and marks.fence_of(lines[-1]):
        lines.pop()
    mark = marks.mark_of(lines[-1]) if lines else None
    is_closed = mark is not None and mark.closing and mark.name == signal.marker
    return is_closed or bool(lines and lines[-1].rstrip().endswith("}"))


def signed(signal: Signal, agent_id: str) -> Signal:
    """The signal with the id of the agent that wrote it according to the host, in place of the id in its block."""
    said = f"“{signal.agent_id.strip()}”" if signal.agent_id.strip() else "nobody"
    repair = f"agent_id: {said} was read as {agent_id}, as the host says who wrote it"
    return signal._replace(
        agent_id=agent_id,
        fields={**signal.fields, "agent_id": agent_id},
        problems=tuple(problem for problem in signal.problems if problem.field != "agent_id"),
        repairs=(*signal.repairs, repair),
    )


def is_template(signal: Signal) -> bool:
    """Whether a block is the template itself: most values, or the id and half of them, are `<placeholders>`."""
    filled = [text for text in _values(signal.fields) if text.strip()]
    open_slots = sum(draft.PLACEHOLDER.fullmatch(text) is not None for text in filled)
    unnamed = draft.PLACEHOLDER.fullmatch(signal.agent_id) is not None
    return open_slots * 2 > len(filled) or (unnamed and open_slots * 2 >= len(filled))


def worth_correcting(signal: Signal) -> bool:
    """Whether the agent should be asked once more, because a fault keeps others from acting on the signal."""
    spec = schema(signal.marker)
    if not signal.readable:
        return True
    for problem in signal.problems:
        root = re.split(r"[\[.]", problem.field)[0]
        chosen = "enum" in spec["properties"].get(root, {}) and bool(signal.fields.get(root))
        if chosen or root in spec["x-act-on"]:
            return True
    return False


def template(marker: str, agent_id: str | None = None) -> str:
    """The block with placeholders to be filled in; a list has one item."""
    filled: Fields = {}
    for name, each in schema(marker)["properties"].items():
        if each.get("x-extra"):
            continue
        filled[name] = problems.placeholder(each)
        if "items" in each:
            parts = each["items"]["properties"].items()
            slots = {key: problems.placeholder(part) for key, part in parts if not part.get("x-extra")}
            filled[name] = [{**slots, "question_id": "Q1"}]
    return render(marker, {**filled, **({"agent_id": agent_id} if agent_id else {})})


def render(marker: str, given: Mapping[str, Any]) -> str:
    """The fields as a block, in template order, with other keys after them; it reads back as the same fields."""
    order = [name for name in schema(marker)["properties"] if name in given]
    lines = [f"[{marker}]"]
    for name in dict.fromkeys([*order, *given]):
        if isinstance(given[name], list):
            lines.append(f"{name}:")
            for item in given[name]:
                pairs = [line for key, text in item.items() for line in _rendered(key, text)]
                lines += ["  - " + pairs[0], *("    " + line if line else "" for line in pairs[1:])]
        else:
            lines += _rendered(name, given[name])
    return "\n".join([*lines, f"[/{marker}]"])


def as_json_object(signal: Signal) -> dict[str, Any]:
    """The signal in the protocol's JSON form, with its problems, repairs and notes."""
    payload = {name: given for name, given in signal.fields.items() if name not in ("agent_id", "timestamp")}
    return {
        "signal_type": signal.marker,
        "agent_id": signal.agent_id,
        "timestamp": signal.timestamp,
        "payload": payload,
        "problems": [problem._asdict() for problem in signal.problems],
        "repairs": list(signal.repairs),
        "notes": list(signal.notes),
        "line": signal.line,
        "closed": signal.closed,
    }


def table() -> str:
    """The signals as a Markdown table for people: when each is sent, when not, and what follows."""
    rows = [["Signal", "Send it when", "Not when", "What follows"], ["---"] * 4]
    for marker, spec in schemas().items():
        rows.append([f"`{marker}`", spec["description"], spec["x-not-when"], spec["x-follows"]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markers() -> str:
    """The names of all signals, in a sentence."""
    *others, last = schemas()
    return f"{', '.join(others)} or {last}"


def explained(agent_id: str) -> str:
    """For agents: when to send each signal, when not, and its block with the meaning of each field."""
    found = []
    for marker, spec in schemas().items():
        otherwise = spec["x-not-when"]
        when = f"{spec['description']} Not when {otherwise[0].lower()}{otherwise[1:]}"
        found.append(f"{when}\n\n{template(marker, agent_id)}")
    return "\n\n".join(found)


def _says(given: Any) -> bool:
    if isinstance(given, list):
        return any(item.get("text", "").strip() for item in given)
    return bool(given and given.strip())


def _values(given: Fields) -> Iterator[str]:
    """The values that the sender has to fill in, without ids."""
    for name, value in given.items():
        if isinstance(value, list):
            yield from (text for item in value for key, text in item.items() if key != "question_id")
        elif name != "agent_id":
            yield value


def _rendered(name: str, text: str) -> list[str]:
    lines = [_no_marker(line) for line in text.split("\n")]
    plain = text == text.strip() and text[:1] not in tuple("|>\"'[{“”‘")
    if len(lines) == 1 and plain:
        return [f"{name}: {lines[0]}".rstrip()]
    flush = any(line[:1] not in (" ", "\t") for line in filter(str.strip, lines))
    indent = "2" if text.strip() and not flush else ""
    keep = "+" if not lines[-1].strip() else ""
    return [f"{name}: |{indent}{keep}", *("  " + line if line else "" for line in lines)]


def _no_marker(line: str) -> str:
    """The line, turned into a quotation if it would be read as a marker."""
    return f"> {line}" if marks.is_marker(line) else line
