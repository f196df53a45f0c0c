"""The house: manifests, hook events, import directions, names, the quiet path, and what stands where."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bg.ledger import place as state
from bg.loop import routes as handlers
from bg.words import texts

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts" / "bg"

# What 2.1.7, the oldest host, accepts. One more name, and it drops the whole file without a word.
EVENTS = {
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Notification",
    "PreCompact",
    "PermissionRequest",
}
MANIFEST_KEYS = {
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "skills",
    "agents",
    "outputStyles",
    "lspServers",
}
COMMAND_KEYS = {"name", "description", "argument-hint", "allowed-tools"}
WIDE_TOOLS = {"Read", "Bash", "Write", "Edit", "Grep", "Glob", "WebFetch", "*", ""}

# What each room may import of bg; `foreign`, `machine`, `pattern`, `record` and `settings` are the ground that every room stands on.
ROOMS = {
    "host": set(),
    "protocol": set(),
    "ledger": set(),
    "evidence": {"host"},
    "words": {"host", "protocol", "ledger"},
    "results": {"words"},
    "desk": {"host", "protocol", "ledger", "words", "results"},
    "loop": {"host", "protocol", "ledger", "words", "evidence", "results", "desk"},
}
GROUND = {"foreign": set(), "machine": set(), "pattern": set(), "record": set(), "settings": {"ledger"}}


def modules() -> list[Path]:
    found = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__init__.py"]
    assert len(found) > 20
    return found


def subject(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms and ground modules that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "bg":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bg."):
            names.add(str(node.module).split(".")[1])
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path.name} imports by a relative name"
    return names


def test_every_module_stands_in_a_room():
    assert {subject(path) for path in modules()} == {*ROOMS, *GROUND}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_through_their_doors(path):
    room = subject(path)
    allowed = {room, *GROUND, *ROOMS[room]} if room in ROOMS else {*GROUND, *GROUND[room]}
    assert imported(path) - allowed == set()


def test_only_one_module_does_each_special_thing():
    texts_of = {path: path.read_text(encoding="utf-8") for path in modules()}
    opening = {subject(path) for path, text in texts_of.items() if re.search(r"sqlite3\.connect", text)}
    assert opening <= {"ledger", "desk"}
    outside = {
        subject(path)
        for path, text in texts_of.items()
        if re.search(r"^\s*import (yaml|jsonschema)", text, re.MULTILINE)
    }
    assert outside <= {"protocol", "evidence", "settings"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_module_opens_with_a_sentence_and_reads_on_python_39(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    first = (ast.get_docstring(tree) or "").split("\n")[0]
    assert first.endswith((".", ":")), first
    assert len(first) > 20, first


def test_the_manifest_keeps_to_what_the_oldest_host_takes():
    real = ROOT / ".claude-plugin" / "plugin.json"
    manifest = json.loads(real.read_text(encoding="utf-8"))
    assert set(manifest) <= MANIFEST_KEYS
    assert (ROOT / "plugin.json").read_bytes() == real.read_bytes()
    marketplace = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
    assert [plugin["name"] for plugin in marketplace["plugins"]] == [manifest["name"]]
    assert "version" not in marketplace["plugins"][0]


def test_nothing_at_the_top_level_is_a_link():
    """A zip archive or a Windows checkout makes a text file of it, which the host cannot read."""
    local = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    assert [path.name for path in ROOT.iterdir() if path.is_symlink() and path.name not in local] == []


def test_hooks_keep_to_known_events_and_narrow_matchers():
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert set(hooks) <= EVENTS
    for event, entries in hooks.items():
        for entry in entries:
            if "ToolUse" in event:
                assert not set(entry["matcher"].split("|")) & WIDE_TOOLS
            for hook in entry["hooks"]:
                assert hook["command"] == 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/run"', "an execute bit is easily lost"
                assert set(hook) == {"type", "command", "timeout"}


def test_every_registered_tool_has_a_handler_and_every_handler_is_registered():
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    registered = {
        f"{event} {tool}".strip()
        for event, entries in hooks.items()
        for entry in entries
        for tool in entry.get("matcher", "").split("|")
    }
    assert registered == set(handlers.HANDLERS)


@pytest.mark.parametrize("path", sorted((ROOT / "commands").glob("*.md")), ids=lambda path: path.stem)
def test_commands(path):
    text = path.read_text(encoding="utf-8")
    head = text.split("---")[1]
    keys = {line.split(":")[0] for line in head.strip().splitlines()}
    assert keys <= COMMAND_KEYS
    assert f"name: {path.stem}" in head
    description = next(line for line in head.splitlines() if line.startswith("description:"))
    assert len(description.split()) - 1 <= 12
    assert "!`" not in text
    assert "hooks are not running" in text


def test_every_text_is_used_and_every_used_text_is_there():
    there = {path.stem for path in Path(texts.__file__).parent.glob("*.md")}
    source = "\n".join(path.read_text(encoding="utf-8") for path in modules())
    used = set(re.findall(r"fill\(\s*\"([a-z_]+)\"", source))
    assert used == there


@pytest.mark.parametrize(
    "path",
    [
        *sorted((PACKAGE / "words" / "texts").glob("*.md")),
        *sorted((ROOT / "commands").glob("*.md")),
        *sorted((ROOT / "agents").glob("*.md")),
    ],
    ids=lambda path: path.name,
)
def test_texts_for_models_are_calm(path):
    text = path.read_text(encoding="utf-8")
    shouted = set(re.findall(r"\b[A-Z]{4,}\b", text))
    markers = {"CLARIFICATION", "CONTINUATION", "ARGUMENTS", "CLAUDE", "SUCCESS", "PARTIAL", "FAILED", "PLUGIN", "ROOT"}
    assert {word for word in shouted if "_" not in word} - markers <= {"PASS", "FAIL", "JSON", "PERF", "TEST"}
    assert not re.search("[\U0001f300-\U0001faff\u2600-\u27bf]", text)


def hook(payload: str, tmp_path: Path, **env: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(ROOT / "hooks" / "run")],
        input=payload,
        text=True,
        capture_output=True,
        timeout=30,
        check=False,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", **env},
    )


QUIET = {
    "a prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "hello"},
    "a foreign launch": {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"description": "x"}},
    "a foreign stop": {"hook_event_name": "SubagentStop", "agent_id": "a1", "last_assistant_message": "x"},
    "a turn's end": {"hook_event_name": "Stop"},
}


@pytest.mark.parametrize("event", QUIET.values(), ids=QUIET.keys())
def test_the_quiet_path_starts_no_python(event, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "ledger.db").touch()
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\necho started >&2\ncat >/dev/null\n")
    trap.chmod(0o755)
    (data / "python").write_text(f"{trap}\n")
    payload = json.dumps({"session_id": "s1", "transcript_path": "/x", "cwd": "/", **event}, separators=(",", ":"))
    assert hook(payload, tmp_path, BG_DATA=str(data)).stderr == ""
    (data / "sessions").mkdir()
    (data / "sessions" / "s1").touch()
    assert hook(payload, tmp_path, BG_DATA=str(data)).stderr == "started\n"


@pytest.mark.parametrize("ledgers", [[], ["bg"], ["plugins/data/bg-bg"], ["plugins/data/bg-inline", "bg"]])
@pytest.mark.parametrize("given", ["", "plugins/data/bg-inline"])
def test_the_launcher_and_the_resolver_name_the_same_directory(ledgers, given, tmp_path, monkeypatch):
    config = tmp_path / ".claude"
    for name in ledgers:
        (config / name).mkdir(parents=True)
        (config / name / "ledger.db").touch()
    env = {"CLAUDE_PLUGIN_DATA": str(config / given)} if given else {}
    source = (ROOT / "hooks" / "run").read_text(encoding="utf-8")
    script = source[source.index("config=") : source.index("session=\n")] + '\nprintf %s "$place"'
    shell = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], **env},
    ).stdout
    for name in ("BG_DATA", "CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert str(state.directory()) == shell


def test_no_test_can_reach_the_real_home():
    real = Path("~root").expanduser()
    assert not str(state.directory()).startswith(str(real / ".claude"))


def test_nothing_tells_where_it_was_made():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    leak = re.compile(rb"(?<![\w.])/(?:work|farm)/[\w.]")
    found = [name for name in names if name and (ROOT / name).is_file() and leak.search((ROOT / name).read_bytes())]
    assert found == []


def test_the_hook_process_answers_on_this_python(tmp_path):
    payload = json.dumps(
        {
            "session_id": "s1",
            "transcript_path": "",
            "cwd": str(tmp_path),
            "hook_event_name": "UserPromptSubmit",
            "prompt": "/bg Audit",
        },
        separators=(",", ":"),
    )
    data = tmp_path / "data"
    data.mkdir()
    (data / "python").write_text(f"{sys.executable}\n")
    done = hook(payload, tmp_path, BG_DATA=str(data))
    assert done.returncode == 0
    assert "[bg] label: bg-1" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert done.stderr == ""
