"""Settings: one schema is the truth, a wrong key is named with its line, the rest holds."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from bg import settings
from bg.ledger import place

DEFAULTS = {
    "gate": "on",
    "max_corrections": 2,
    "delegation": "ask",
    "max_tasks": None,
    "quiet_minutes": 10,
    "keep_days": None,
    "erase_days": None,
    "notices": True,
    "notify": False,
    "statusline": "project",
    "mask_secrets": True,
    "verify": None,
    "verify_seconds": 600,
    "resume_after_limit": False,
    "mod": True,
}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_of_the_schema_hold(tmp_path: Path) -> None:
    assert (DEFAULTS, []) == (settings.read(str(tmp_path))[0]._asdict(), settings.read(str(tmp_path))[1])
    names = [name for name in settings.schema()["properties"] if not name.startswith("$")]
    assert names == list(settings.Settings._fields)


def test_the_schema_is_one(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(settings.schema())
    jsonschema.validate(DEFAULTS, settings.schema())


def test_the_users_file_sets_everything(tmp_path: Path) -> None:
    given = {
        "gate": "observe",
        "max_corrections": 0,
        "delegation": "deny",
        "max_tasks": 3,
        "quiet_minutes": 60,
        "keep_days": 30,
        "erase_days": 90,
        "notices": False,
        "notify": True,
        "statusline": "off",
        "mask_secrets": False,
        "verify": "npm test",
        "verify_seconds": 60,
        "resume_after_limit": True,
        "mod": False,
    }
    write(Path(place.config_directory()) / "bg.json", json.dumps(given))
    found, problems = settings.read(str(tmp_path))
    assert (given, []) == (found._asdict(), problems)
    assert found.corrections == 0


# For each key: the user's value, the project's, and which of them holds.
STRICTER = [
    ("gate", "observe", "on", "on"),
    ("gate", "on", "observe", "on"),
    ("max_corrections", 1, 2, 2),
    ("max_corrections", 1, 0, 1),
    ("delegation", "ask", "deny", "deny"),
    ("delegation", "deny", "ask", "deny"),
    ("max_tasks", 3, 1, 1),
    ("max_tasks", 3, 9, 3),
    ("max_tasks", 3, None, 3),
    ("max_tasks", None, 9, 9),
    ("quiet_minutes", 20, 5, 5),
    ("quiet_minutes", 20, 1440, 20),
    ("keep_days", None, 7, None),
    ("keep_days", 30, 7, 30),
    ("erase_days", None, 7, None),
    ("erase_days", 30, 7, 30),
    ("notices", True, False, True),
    ("notices", False, True, False),
    ("notify", False, True, False),
    ("notify", True, False, True),
    ("statusline", "project", "off", "project"),
    ("statusline", "all", "project", "all"),
    ("mask_secrets", True, False, True),
    ("mask_secrets", False, True, False),
    ("verify", None, "npm test", None),
    ("verify", "npm test", "true", "npm test"),
    ("verify_seconds", 600, 1, 600),
    ("resume_after_limit", False, True, False),
    ("mod", True, False, True),
    ("mod", False, True, False),
]


def test_each_key_has_a_rule_for_projects() -> None:
    assert {case[0] for case in STRICTER} == set(DEFAULTS)
    for key, rule in settings.schema()["properties"].items():
        order = rule.get("stricter")
        assert order in (None, "lower", "higher") or sorted(order) == sorted(rule["enum"]), key


@pytest.mark.parametrize(("key", "users", "projects", "held"), STRICTER)
def test_a_projects_file_can_only_be_stricter(
    tmp_path: Path, key: str, users: object, projects: object, held: object
) -> None:
    """It may come with a cloned repository: it loosens nothing, and decides nothing about what you are shown."""
    write(Path(place.config_directory()) / "bg.json", json.dumps({key: users}))
    path = write(tmp_path / ".claude" / "bg.json", json.dumps({key: projects}))
    found, problems = settings.read(str(tmp_path))
    assert {**DEFAULTS, key: held} == found._asdict()
    if held == projects:
        assert problems == []
    elif "stricter" in settings.schema()["properties"][key]:
        words = f"{json.dumps(projects)}, is looser than yours, {json.dumps(users)}, and is not used"
        assert problems == [f"{path}:1: the project's {key}, {words}"]
    else:
        mine = Path(place.config_directory()) / "bg.json"
        assert problems == [f"{path}:1: the project's {key} is not used; only {mine} sets it"]


def test_what_a_project_repeats_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "bg.json", json.dumps(DEFAULTS))
    assert (DEFAULTS, []) == (settings.read(str(tmp_path))[0]._asdict(), settings.read(str(tmp_path))[1])


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
    assert found._asdict() == {**DEFAULTS, "delegation": "deny"}
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
    assert found._asdict() == DEFAULTS
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
