"""Holds what a hook prints to the shape that the host takes for its event; the shapes stand in answers.schema.json."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).with_name("answers.schema.json")


@lru_cache(maxsize=1)
def shapes() -> dict[str, Any]:
    """The schema file."""
    whole = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(whole)
    return dict(whole)


def check_answer(event_name: str, stdout: str) -> Optional[dict[str, Any]]:
    """The answer as a record, None where nothing was said; anything that the host would not take is an error."""
    if stdout == "":
        return None
    said = json.loads(stdout)
    defs = shapes()["$defs"]
    assert event_name in defs, f"{event_name} is answered, and no shape for that is known: {stdout[:300]}"
    validator = Draft202012Validator({"$ref": f"#/$defs/{event_name}", "$defs": defs})
    problems = [(list(error.absolute_path), error.message[:300]) for error in validator.iter_errors(said)]
    assert problems == [], (event_name, problems)
    assert isinstance(said, dict)
    return said


def context(said: Optional[dict[str, Any]]) -> str:
    """What the model is told, empty where it is told nothing."""
    return str(((said or {}).get("hookSpecificOutput") or {}).get("additionalContext") or "")


def updated(said: Optional[dict[str, Any]]) -> dict[str, Any]:
    """The tool input that the host is handed instead of its own."""
    found = ((said or {}).get("hookSpecificOutput") or {}).get("updatedInput")
    assert isinstance(found, dict), said
    return found
