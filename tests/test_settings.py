"""Settings: one schema is the truth, a wrong key is named with its line, the rest holds."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path

import jsonschema
import pytest
from bg import settings, state

DEFAULTS = {
    "gate": "on",
    "max_corrections": 2,
    "delegation": "ask",
    "max_tasks": None,
    "quiet_minutes": 10,
    "notices": True,
    "notify": False,
    "statusline": "project",
    "install_packages": True,
}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_of_the_schema_hold(tmp_path: Path) -> None:
    assert (DEFAULTS, []) == (asdict(settings.read(str(tmp_path))[0]), settings.read(str(tmp_path))[1])
    names = [name for name in settings.schema()["properties"] if not name.startswith("$")]
    assert names == [item.name for item in fields(settings.Settings)]


def test_the_schema_is_one(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(settings.schema())
    jsonschema.validate(DEFAULTS, settings.schema())


def test_the_projects_file_wins_key_by_key(tmp_path: Path) -> None:
    write(state.config_directory() / "bg.json", '{"gate": "observe", "max_tasks": 3}')
    write(tmp_path / ".claude" / "bg.json", '{"max_tasks": 1, "notify": true}')
    found, problems = settings.read(str(tmp_path))
    assert ({**DEFAULTS, "gate": "observe", "max_tasks": 1, "notify": True}, []) == (asdict(found), problems)
    assert found.corrections == 0


def test_a_wrong_key_is_named_with_its_line_and_the_rest_holds(tmp_path: Path) -> None:
    path = write(
        tmp_path / ".claude" / "bg.json",
        """{
  "gates": "observe",
  "gate": "off",
  "max_corrections": 3,
  "notify": "yes",
  "max_tasks": true,
  "quiet_minutes": {"gate": 1},

  "delegation": "deny"
}""",
    )
    found, problems = settings.read(str(tmp_path))
    assert asdict(found) == {**DEFAULTS, "delegation": "deny"}
    assert problems == [
        f"{path}:2: there is no setting gates; gate is meant?",
        f'{path}:3: gate must be "on" or "observe", not "off"',
        f"{path}:4: max_corrections must be a whole number from 0 to 2, not 3",
        f'{path}:5: notify must be true or false, not "yes"',
        f"{path}:6: max_tasks must be a whole number from 1 to 100 or null, not true",
        f'{path}:7: quiet_minutes must be a whole number from 1 to 1440, not {{"gate": 1}}',
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "gate": "on",\n}', ":3: this is not JSON"),
        ("[]", ":1: the file must hold one object"),
        ("", ":1: this is not JSON"),
    ],
)
def test_a_file_that_is_none_holds_nothing_and_says_why(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / ".claude" / "bg.json", text)
    found, problems = settings.read(str(tmp_path))
    assert asdict(found) == DEFAULTS
    assert len(problems) == 1
    assert problems[0].startswith(f"{path}{said}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "bg.json"
    path.mkdir(parents=True)
    assert settings.read(str(tmp_path))[1] == [f"{path} cannot be read: Is a directory"]


VALUES = [
    "on",
    "observe",
    "ask",
    "deny",
    "all",
    "off",
    "",
    0,
    1,
    2,
    3,
    100,
    101,
    -1,
    1440,
    1441,
    True,
    False,
    None,
    [],
    {},
    1.5,
]


@pytest.mark.parametrize("key", list(DEFAULTS))
def test_the_reader_and_jsonschema_agree(key: str) -> None:
    """Held to the package's verdict, as the package is not there on a bare Python."""
    validator = jsonschema.Draft202012Validator(settings.schema())
    for value in VALUES:
        given, problems = settings.judge(json.dumps({key: value}), "bg.json")
        assert validator.is_valid({key: value}) is (problems == []), (key, value, problems)
        assert given == ({} if problems else {key: value})


def test_the_schema_key_is_for_editors(tmp_path: Path) -> None:
    assert settings.judge('{"$schema": "https://example.org/x.json"}', "bg.json") == ({}, [])
