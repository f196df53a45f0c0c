"""The house: manifests, hook events, import directions, names, the quiet path, and what stands where."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from string import Formatter

import pytest
from bg.host import tools
from bg.ledger import place, values
from bg.loop import routes
from bg.protocol import marks
from bg.words import feedback, phrases, texts
from rig import tree

ROOT = Path(__file__).resolve().parents[2]
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

WORDS = {"Agent", "Task", "Skill"}  # names of tools that are words of any sentence as well
ALL_TOOLS = {name for tool in tools.TOOLS for name in tool.names}

# What each room may import of bg; the ground modules below are what every room stands on.
ROOMS = {
    "host": set(),
    "protocol": set(),
    "ledger": set(),
    "evidence": {"host"},
    "words": {"host", "protocol", "ledger"},
    "signals": {"host", "protocol", "ledger", "words"},
    "results": {"words"},
    "desk": {"host", "protocol", "ledger", "words", "signals", "evidence", "results"},
    "loop": {"host", "protocol", "ledger", "words", "signals", "evidence", "results"},
}
DOOR = {"hook": {*ROOMS}}  # the way in imports them all, and nothing imports it
GROUND = {
    "durations": set(),
    "foreign": set(),
    "machine": set(),
    "masking": set(),
    "pattern": set(),
    "record": set(),
    "repository": set(),
    "settings": {"ledger"},
}


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
    assert {subject(path) for path in modules()} == {*ROOMS, *GROUND, *DOOR}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_through_their_doors(path):
    room = subject(path)
    rooms = {**ROOMS, **DOOR}
    allowed = {room, *GROUND, *rooms[room]} if room in rooms else {*GROUND, *GROUND[room]}
    assert imported(path) - allowed == set()


ARTICLES = {"a", "an", "the"}
# These open a sentence, of which the first three words count; every other opening is a title.
SENTENCES = {"what", "how", "reads", "finds", "checks", "judges"}


def opening(path: Path) -> str:
    """How the sentence begins that says what a module holds, without an article."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    words = [word.casefold() for word in re.findall(r"[\w'/-]+", said) if word.casefold() not in ARTICLES]
    return " ".join(words[: 3 if words[0] in SENTENCES else 1])


def together(name: Callable[[Path], str]) -> dict[str, set[str]]:
    """The modules that share what this says of each."""
    found: dict[str, set[str]] = {}
    for path in modules():
        found.setdefault(name(path), set()).add(str(path.relative_to(PACKAGE)))
    return {shared: paths for shared, paths in found.items() if len(paths) > 1}


def test_no_two_modules_have_one_name():
    assert together(lambda path: path.stem) == {}


def test_no_two_modules_open_with_the_same_word():
    assert together(opening) == {}


@pytest.mark.parametrize("room", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
def test_a_room_opens_with_a_map_of_its_modules(room):
    """Each is named where a reader begins, and nothing is named that is gone."""
    opening = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    there = {path.stem for path in (PACKAGE / room).glob("*.py")} - {"__init__"}
    assert there == set(re.findall(r"`(\w+)`", opening))


def needed_at_once(path: Path) -> set[Path]:
    """The modules of ours that a module imports as it is read."""
    needed = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "bg":
            folder = PACKAGE.joinpath(*str(node.module).split(".")[1:])
            needed |= {folder / f"{alias.name}.py" for alias in node.names} | {folder.with_suffix(".py")}
    return {each for each in needed if each.is_file()}


def test_no_module_needs_itself():
    """What is imported late in the hooks is read at once elsewhere, where a circle would depend on who begins it."""
    needed = {path: needed_at_once(path) for path in modules()}
    assert sum(map(len, needed.values())) > 500
    while any(needed.values()):
        free = {path for path, others in needed.items() if not others & needed.keys()}
        assert free, sorted(str(path.relative_to(PACKAGE)) for path in needed)
        needed = {path: others - free for path, others in needed.items() if path not in free}


def test_optional_packages_are_imported_in_few_places():
    outside = {
        subject(path)
        for path in modules()
        if re.search(r"^\s*import (yaml|jsonschema)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert outside == {"evidence"}


STATEMENT = re.compile(
    r"\bselect\b.+\bfrom\b|\binsert\s+(or\s+\w+\s+)?into\b|\bupdate\s+\w+\s+set\b|\bdelete\s+from\b"
    r"|\bcreate\s+table\b|\bpragma\s+\w",
    re.IGNORECASE | re.DOTALL,
)
STATEMENTS = {"write", "insert", "one", "all", "value"}  # of an open ledger


def strings(tree: ast.AST) -> list[str]:
    """Every text in a module, with the constant parts of a formatted one put together."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            found.append("".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)))
    return found


def on_a_ledger(node: ast.AST) -> bool:
    """`book.write`, `scene.book.one` and the like."""
    if not isinstance(node, ast.Attribute) or node.attr not in STATEMENTS:
        return False
    owner = node.value
    return (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")) in {
        "book",
        "ledger",
        "_connection",
    }


def sql_in(path: Path) -> list[str]:
    """What a module does that only the ledger's modules may do."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [text for text in strings(tree) if STATEMENT.search(text)]
    found += [f"{ast.unparse(node)} in line {node.lineno}" for node in ast.walk(tree) if on_a_ledger(node)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [getattr(node, "module", None), *(alias.name for alias in node.names)]
            found += ["imports sqlite3"] if {"sqlite3", "_sqlite3"} & set(names) else []
    return found


@pytest.mark.parametrize(
    "path",
    [path for path in modules() if subject(path) != "ledger"],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_the_ledger_speaks_sql(path):
    assert sql_in(path) == []


def test_the_door_of_the_ledger_sees_what_passes_it():
    seen = {path.stem for path in modules() if subject(path) == "ledger" and sql_in(path)}
    assert seen >= {"tasks", "launches", "runs", "inbox", "delegations", "resumes", "deliveries", "sessions", "notes"}
    assert not seen & {"place", "spool"}


def test_single_values_are_read_and_written_by_name_only():
    speaking = {
        path.stem
        for path in modules()
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        if STATEMENT.search(text) and re.search(r"\bmeta\b", text)
    }
    # `opening` makes the table, and notes in a new ledger where the damaged one before it lies; `idle` asks
    # in one statement whether anything is due.
    assert speaking == {"notes", "opening", "idle"}


MARKERS = re.compile(rf"\b(?:{'|'.join(marks.MARKERS)})\b", re.IGNORECASE)


def values_of(*kinds: type) -> set[str]:
    return {value for kind in kinds for name, value in vars(kind).items() if name.isupper()}


# Rooms that cannot import the ledger mean something else by these words.
KNOW_THE_LEDGER = {"ledger", "hook", "settings"} | {room for room, doors in ROOMS.items() if "ledger" in doors}
STATES_AND_ITEMS = values_of(values.State, values.Item)
VALUES = values_of(*(kind for kind in vars(values).values() if isinstance(kind, type)))
# The same words for something else.
OTHER_WORDS = {
    ("desk/report.py", "launched"): "a line of a task's history",
    ("desk/look.py", "failed"): "a column of the messages that wake agents",
    ("loop/answers.py", "question"): "a doubt about what was typed",
    ("loop/asking.py", "question"): "a doubt about what was chosen",
    ("loop/concluding.py", "failed"): "the host's word for how a run ended",
    ("loop/module.py", "question"): "what the client's module is to ask",
    ("words/feedback.py", "question"): "a doubt about what was typed",
    ("words/reasons.py", "failed"): "what was seen of a command",
    ("words/verdict.py", "failed"): "the status of a report, and how a command ended",
}


def spelled(source: str, room: str) -> set[str]:
    """The markers, states and kinds of items that a module spells; in the ledger's SQL, any value of its columns."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone]
    found = set()
    for text in filter(lambda each: isinstance(each, str), texts):
        found |= set(MARKERS.findall(text))
        if room in KNOW_THE_LEDGER:
            found |= {text} & STATES_AND_ITEMS
            found |= set(re.findall(r"'(\w+)'", text)) & VALUES
    return found


def test_a_marker_a_state_and_a_kind_of_item_are_spelled_in_one_place():
    """Markers in the module of their signal, the ledger's values in `values`: whoever decides by one imports it."""
    found = {
        (str(path.relative_to(PACKAGE)), value)
        for path in modules()
        if subject(path) != "signals" and path.stem != "values"
        for value in spelled(path.read_text(encoding="utf-8"), subject(path))
    }
    assert found == set(OTHER_WORDS)


@pytest.mark.parametrize(
    ("source", "room", "seen"),
    [
        ('if task.state in ("done", State.PARTIAL): pass', "loop", {"done"}),
        ('if inbox.kind(item) == "blocker": pass', "words", {"blocker"}),
        ("sql = f\"SELECT 1 FROM tasks WHERE state = 'stopped' AND kind = '{Due.ENDED}'\"", "ledger", {"stopped"}),
        ("sql = \"UPDATE questions SET state = 'withdrawn'\"", "ledger", {"withdrawn"}),
        ('form = signals.template("DELEGATE_WORK")', "loop", {"DELEGATE_WORK"}),
        ('words = "end with STOP_WORK"', "words", {"STOP_WORK"}),
        ('module = "bg.signals.stop_work"', "desk", {"stop_work"}),
        ('"""A docstring may name STOP_WORK."""', "loop", set()),
        ('grade = "failed"', "evidence", set()),
    ],
)
def test_the_door_of_the_values_sees_what_passes_it(source, room, seen):
    assert seen == spelled(source, room)


TAKES_APART = {"split", "rsplit", "partition", "rpartition", "startswith", "endswith", "removeprefix", "removesuffix"}


def columns() -> set[str]:
    """The names of all columns that a record has, and of the two that `notes` reads without one."""
    return {"key", "value"} | {
        line.target.id
        for path in modules()
        if subject(path) == "ledger"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and "Record" in map(ast.unparse, node.bases)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


def taken_apart(path: Path) -> set[str]:
    """The names of the values that a module takes apart by a sign within them."""
    return {
        part.attr if isinstance(part, ast.Attribute) else str(part.slice.value)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
        if node.func.attr in TAKES_APART
        for part in ast.walk(node.func.value)
        if (isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name))
        or (isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant))
    }


def test_no_column_holds_several_facts():
    rooms = [path for path in modules() if subject(path) in ("ledger", "loop", "words", "desk")]
    known = columns()
    found = {(str(path.relative_to(PACKAGE)), column) for path in rooms for column in taken_apart(path) & known}
    assert found == set()


# By what a module asks the machine for the time or for random bytes. A wait for the host may look at `time.monotonic`.
ASKED = {
    *("time.time", "time.time_ns", "os.urandom", "os.getrandom", "random", "secrets", "uuid"),
    *("datetime.now", "datetime.today", "datetime.utcnow", "date.today"),
}
# With less than so many arguments, these tell the time that it is.
NOW_UNLESS_GIVEN = {"time.strftime": 2, "time.localtime": 1, "time.gmtime": 1, "time.ctime": 1, "time.asctime": 1}
# The ledger's own defaults; what starts a hook; and three commands for people that begin without a ledger.
HANDS_IN = {"hook.py", "ledger/file.py", "desk/board.py", "desk/doctor.py", "desk/truth.py"}


def asked_of_the_machine(path: Path) -> list[str]:
    """The places at which a module takes the time or random bytes from nobody who hands them in."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            names = [".".join(ast.unparse(node).split(".")[-2:])]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        lacks_time = isinstance(node, ast.Call) and len(node.args) < NOW_UNLESS_GIVEN.get(ast.unparse(node.func), 0)
        if lacks_time or ASKED.intersection(names):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_clock_and_chance_are_handed_in(path):
    assert bool(asked_of_the_machine(path)) == (str(path.relative_to(PACKAGE)) in HANDS_IN), asked_of_the_machine(path)


HOST_NAMES = re.compile(
    rf"\b(?:{'|'.join(name for tool in tools.TOOLS for name in tool.names if name not in WORDS)})\b"
)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_hosts_room_names_a_tool_or_its_fields(path):
    """A docstring may; a sentence for a model takes the name from the tool's record."""
    if subject(path) == "host":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    named = [
        f"line {node.lineno}: {node.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        if node.value in ALL_TOOLS or HOST_NAMES.search(node.value)
    ]
    read = [
        f"line {node.lineno}: {node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("tool_input", "tool_response")
    ]
    assert named + read == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "words" / "texts").glob("*.md")), ids=lambda path: path.name)
def test_texts_take_the_names_of_tools_from_the_hosts_room(path):
    assert HOST_NAMES.findall(path.read_text(encoding="utf-8")) == []


def test_the_launcher_knows_every_name_of_a_launch():
    """It refuses a launch of ours where Python cannot be started."""
    source = (ROOT / "hooks" / "run").read_text(encoding="utf-8")
    assert set(re.findall(r'"tool_name":"(\w+)"', source)) == set(tools.LAUNCH.names)


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
    handled = {f"{event} {name}".strip() for event, tool in routes.HANDLERS for name in (tool.names if tool else ("",))}
    assert registered == handled


@pytest.mark.parametrize("path", sorted((ROOT / "commands").glob("*.md")), ids=lambda path: path.stem)
def test_a_command_is_short_and_says_when_no_hooks_run(path):
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
    there = set(texts.named())
    source = "\n".join(path.read_text(encoding="utf-8") for path in modules())
    used = set(re.findall(r"fill\(\s*\"([a-z_]+)\"", source))
    assert used == there


@pytest.mark.parametrize(
    "path",
    [
        PACKAGE / "words" / "texts.md",
        *sorted((ROOT / "commands").glob("*.md")),
        *sorted((ROOT / "agents").glob("*.md")),
    ],
    ids=lambda path: path.name,
)
def test_texts_for_models_are_calm(path):
    text = path.read_text(encoding="utf-8")
    shouted = set(re.findall(r"\b[A-Z]{4,}\b", text))
    markers = {"CLARIFICATION", "CONTINUATION", "ARGUMENTS", "CLAUDE", "SUCCESS", "PARTIAL", "FAILED", "PLUGIN", "ROOT"}
    assert {word for word in shouted if "_" not in word} - markers <= {
        "PASS",
        "FAIL",
        "JSON",
        "PERF",
        "TEST",
        "FILE",
        "HASH",
        "SCHEMA",
    }
    assert not re.search("[\U0001f300-\U0001faff\u2600-\u27bf]", text)


# Modules of loop/ and results/ whose longer strings are no sentences, each with the reason.
NO_SENTENCES = {
    "reconciling.py": "the names of what was lost, for its trace and its test",
    "delivered.py": "the names by which it recognizes that a text may be a result",
    "answers.py": "the words by which it recognizes what is no answer",
    "intake.py": "the words by which it recognizes that somebody disputes a finding",
    "issues.py": "the signs by which it recognizes an id",
    "contract.py": "the marks by which it recognizes a heading",
    "launching.py": "the words by which it recognizes a part of some work",
}


def sentences(path: Path) -> list[str]:
    """The strings of more than four words in a module: no docstrings, and no SQL, which has a door of its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = " ".join(part.value for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone | parts:
            text = node.value
        else:
            continue
        if len(re.findall(r"[A-Za-z'`-]{2,}", text)) > 4 and not re.search(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", text):
            found.append(f"{path.name}:{node.lineno}: {text}")
    return found


@pytest.mark.parametrize(
    "path",
    sorted([*(PACKAGE / "loop").glob("*.py"), *(PACKAGE / "results").glob("*.py")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_the_loop_decides_and_words_say_it(path):
    assert bool(sentences(path)) == (path.name in NO_SENTENCES), sentences(path)


@pytest.mark.parametrize("table", [phrases, feedback], ids=lambda table: table.__name__.split(".")[-1])
def test_every_phrase_is_used_and_gets_what_it_asks_for(table):
    name = table.__name__.split(".")[-1]
    known = {name: value for name, value in vars(table).items() if name.isupper()}
    used = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == name and node.attr.isupper():
                used.add(node.attr)
            called = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
            if called is None or called.attr != "format" or not ast.unparse(called.value).startswith(f"{name}."):
                continue
            text = known[ast.unparse(called.value).removeprefix(f"{name}.")]
            given = {keyword.arg for keyword in node.keywords}
            assert given == {slot for _, slot, _, _ in Formatter().parse(text) if slot}, f"{path.name}:{node.lineno}"
    assert used == set(known)


def test_the_sender_is_named_in_one_place_and_by_every_text_that_a_hook_adds():
    """What stands in an agent's prompt or in another text names no sender; hooks/run has no Python to ask."""
    parts = {
        "after_asking", "after_asking_anew", "block_in_text", "checkpoint", "delegated", "identity", "contract",
        "continuation", "handback", "left", "message",
    }  # fmt: skip
    for name, text in texts.named().items():
        assert text.startswith("$sender ") == (name not in parts), name
    spelled = [path.name for path in modules() if phrases.SENDER in path.read_text(encoding="utf-8")]
    assert spelled == ["phrases.py"]
    assert phrases.SENDER in (ROOT / "hooks" / "run").read_text(encoding="utf-8")
    for name in ("bg", "bg-answer", "bg-status"):
        assert phrases.SENDER in (ROOT / "commands" / f"{name}.md").read_text(encoding="utf-8")


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
    script = source[source.index("session=\n") : source.index('[ -z "$seen" ] || ')] + '\nprintf %s "$place"'
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
    assert str(place.directory()) == shell


def test_no_test_can_reach_the_real_home():
    real = Path("~root").expanduser()
    assert not str(place.directory()).startswith(str(real / ".claude"))


def test_nothing_tells_where_it_was_made():
    names = list(tree.files(ROOT))
    assert "README.md" in names
    leak = re.compile(rb"(?<![\w.])/(?:work|farm)/[\w.]")
    found = [name for name in names if (ROOT / name).is_file() and leak.search((ROOT / name).read_bytes())]
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
    assert (
        "[from the bg plugin, not from the user] label: bg-1"
        in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    )
    assert done.stderr == ""


def test_no_two_test_modules_have_one_name():
    """Their folders are no packages: pytest takes the second of one name for the first, and stops."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))
