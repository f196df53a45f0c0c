"""Settings: one file, `bg.json`, of the user and then of the project; a wrong key is named, the rest holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from bg import state


@dataclass(frozen=True)
class Settings:
    """What can be set, with what holds where nothing is set."""

    install_packages: bool = True


def load(project: str) -> Settings:
    """The settings in force: the user's file, then the project's."""
    return read(project)[0]


def read(project: str) -> tuple[Settings, list[str]]:
    """The settings, and a sentence for everything in the files that could not be used."""
    found, problems = Settings(), []
    for path in (state.config_directory() / "bg.json", Path(project or ".") / ".claude" / "bg.json"):
        given, wrong = _file(path)
        problems += wrong
        found = replace(found, **given)
    return found, problems


def _file(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError) as error:
        return {}, [f"{path} cannot be read: {error}"]
    if not isinstance(data, dict):
        return {}, [f"{path} must hold one object"]
    kinds = {item.name: type(item.default) for item in fields(Settings)}
    given, problems = {}, []
    for key, value in data.items():
        if key not in kinds:
            problems.append(f"{path}: there is no setting {key!r}")
        elif type(value) is not kinds[key]:
            problems.append(f"{path}: {key} must be {kinds[key].__name__}, not {value!r}")
        else:
            given[key] = value
    return given, problems
