"""Settings: the user's file `bg.json`; the project's may be stricter; wrong keys are reported, the rest is used.

settings.schema.json is the only place for names, bounds and defaults. It is read with the standard library alone, as
the hooks need their settings on a bare Python too.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from bg import foreign
from bg.ledger import place
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.schema.json")
FILE = "bg.json"
MOST = 64 * 1024
_KINDS = {"string": str, "integer": int, "boolean": bool, "null": type(None), "array": list, "object": dict}
_TOKEN = pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')


class Settings(Record):
    """The value of each setting: as it is set, else the schema's default."""

    gate: str
    max_corrections: int
    delegation: str
    max_tasks: Optional[int]
    quiet_minutes: int
    keep_days: Optional[int]
    erase_days: Optional[int]
    notices: bool
    notify: bool
    mask_secrets: bool
    statusline: str
    verify: Optional[str]
    verify_seconds: int
    resume_after_limit: bool
    mod: bool

    @property
    def corrections(self) -> int:
        """How often a run may be sent back for a better report; never if the gate is off."""
        return self.max_corrections if self.gate == "on" else 0


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema file."""
    with open(SCHEMA, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def files(project: str) -> list[str]:
    """The files that may hold settings: the user's, then the project's."""
    return [os.path.join(place.own_config(), FILE), os.path.join(project, ".claude", FILE)]


def load(project: str) -> Settings:
    """The settings in force: the user's, or the project's if stricter."""
    return read(project)[0]


def read(project: str) -> tuple[Settings, list[str]]:
    """The settings in force, and a sentence for each entry of the files that cannot be used."""
    rules = schema()["properties"]
    found = {name: rules[name]["default"] for name in Settings._fields}
    problems: list[str] = []
    users, projects = files(project)
    given, wrong, _ = _file(users)
    found.update(given)
    problems += wrong
    if os.path.abspath(projects) != os.path.abspath(users):
        given, wrong, text = _file(projects)
        problems += wrong
        for key, value in given.items():
            if _is_stricter(rules[key], value, found[key]):
                found[key] = value
            elif value != found[key]:
                why = f"the project's {key} is not used; only {users} sets it"
                if "stricter" in rules[key]:
                    both = f"{json.dumps(value)}, is looser than yours, {json.dumps(found[key])}"
                    why = f"the project's {key}, {both}, and is not used"
                problems.append(f"{projects}:{_line(text, key)}: {why}")
    return Settings(**found), problems


def _is_stricter(rule: dict[str, Any], value: Any, than: Any) -> bool:
    """Whether a project's value may replace the user's: only a stricter one may, as a clone brings its own file."""
    order = rule.get("stricter")
    if order is None or value is None:
        return False
    if isinstance(order, list):
        return bool(order.index(value) > order.index(than))
    return than is None or bool(value < than if order == "lower" else value > than)


def _file(path: str) -> tuple[dict[str, Any], list[str], str]:
    """The valid settings of a file, a sentence for each wrong entry, and its text."""
    try:
        text = foreign.whole(path, MOST).decode("utf-8-sig")
    except FileNotFoundError:
        return {}, [], ""
    except (OSError, ValueError) as error:
        return {}, [f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"], ""
    return (*judge(text, str(path)), text)


def judge(text: str, name: str) -> tuple[dict[str, Any], list[str]]:
    """The valid settings of a file's text, and a sentence for each wrong entry."""
    try:
        data = foreign.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        return {}, [f"{name}:{line}: this is not JSON ({getattr(error, 'msg', error)}), so nothing in it holds"]
    if not isinstance(data, dict):
        return {}, [f"{name}:1: the file must hold one object, as in {{}}"]
    rules = schema()["properties"]
    given, problems = {}, []
    for key, value in data.items():
        if key not in rules:
            # Late: no hook needs it if every key is right.
            from difflib import get_close_matches  # noqa: PLC0415

            near = get_close_matches(key, rules, 1)
            problems.append(
                f"{name}:{_line(text, key)}: there is no setting {key}" + (f"; {near[0]} is meant?" if near else "")
            )
            continue
        wrong = _wrong(rules[key], value)
        if wrong:
            problems.append(f"{name}:{_line(text, key)}: {key} must be {wrong}, not {json.dumps(value)[:60]}")
        elif not key.startswith("$"):
            given[key] = value
    return given, problems


def _wrong(rule: dict[str, Any], value: Any) -> str:
    """A description of the values that are allowed; empty if this one is."""
    if "enum" in rule:
        # In JSON 1 and true are different values; in Python they are equal.
        is_listed = any(item == value and type(item) is type(value) for item in rule["enum"])
        return "" if is_listed else " or ".join(json.dumps(item) for item in rule["enum"])
    if type(value) not in [_KINDS[kind] for kind in _kinds(rule)]:
        return " or ".join(_in_words(rule, kind) for kind in _kinds(rule))
    if type(value) is int and not rule.get("minimum", value) <= value <= rule.get("maximum", value):
        return _in_words(rule, "integer")
    return ""


def _kinds(rule: dict[str, Any]) -> list[str]:
    """The types that a value may have."""
    return rule["type"] if isinstance(rule["type"], list) else [rule["type"]]


def _in_words(rule: dict[str, Any], kind: str) -> str:
    """A type of value in words for people."""
    words = {"boolean": "true or false", "integer": f"a whole number{_bounds(rule)}", "string": "a text"}
    return words.get(kind, kind)


def _bounds(rule: dict[str, Any]) -> str:
    return f" from {rule['minimum']} to {rule['maximum']}" if "minimum" in rule else ""


def _line(text: str, key: str) -> int:
    """The line of a key of the outermost object; of the last one if it is given twice."""
    depth, found = 0, 1
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
        elif depth == 1 and re.match(r"\s*:", text[token.end() :]) and json.loads(token[0]) == key:
            found = text.count("\n", 0, token.start()) + 1
    return found


def table() -> str:
    """The settings as a table for the documentation."""
    lines = ["| Key | Values | Default | A project may | What it does |", "| --- | --- | --- | --- | --- |"]
    for key, rule in schema()["properties"].items():
        if key.startswith("$"):
            continue
        if "enum" in rule:
            values = ", ".join(f"`{json.dumps(item)}`" for item in rule["enum"])
        else:
            words = {
                "boolean": "`true`, `false`",
                "string": "a text",
                "integer": f"{rule.get('minimum')} to {rule.get('maximum')}",
            }
            values = ", ".join(words.get(kind, f"`{kind}`") for kind in _kinds(rule))
        order = rule.get("stricter")
        may = f'say `"{order[-1]}"`' if isinstance(order, list) else f"set it {order}" if order else "not set it"
        lines.append(f"| `{key}` | {values} | `{json.dumps(rule['default'])}` | {may} | {rule['description']} |")
    return "\n".join(lines)
