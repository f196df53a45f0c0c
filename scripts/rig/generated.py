"""Writes hooks.json, and fills the generated regions of the documentation and the agents, each from its one source."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Callable, Optional

from bg import settings
from bg.loop import routes
from bg.protocol import signals
from bg.results import form

from rig import clients, demo_recorded

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "README.md",
    "docs/how-it-works.md",
    "docs/old-hosts.md",
    "docs/settings.md",
    *(f"agents/{kind['agent']}.md" for kind in form.KINDS.values()),
)
REGIONS: dict[str, Callable[[], str]] = {
    "signals": signals.table,
    "settings": settings.table,
    "versions": lambda: TESTED_ON,
    "hooks": lambda: "\n".join([*(f"- {line}" for line in hook_lines()), "", HOOKS_READ_TOO]),
    **{f"result-{kind}": partial(form.prompt, kind) for kind in form.KINDS},
}

HOOKS_DESCRIPTION = (
    "Gives the background agents of /bg an identity, records what they report, reminds the parent session once of each "
    "signal, and carries answers back. Says nothing in a session without such agents; never touches an agent that it "
    "did not launch."
)
_TASKS = "gated by a task in this session"
_IN_CALL = f"{_TASKS} or this plugin's agent types or commands in the call"
_AGENT = f"{_TASKS} or this plugin's agent types"
#: For each event: when its hook does anything at all, and what it reads then.
HOOK_LINES = {
    "SessionStart": ("once as a session begins", "the ledger, for tasks of this project that are open"),
    "UserPromptSubmit": (f"{_TASKS} or a typed /bg command", "the prompt"),
    "PreToolUse": (_IN_CALL, "the call"),
    "PostToolUse": (_IN_CALL, "the call and its result"),
    "PostToolUseFailure": (_IN_CALL, "the call and its error"),
    "PermissionRequest": (_TASKS, "the agent's id and the call"),
    "SubagentStart": (_AGENT, "the agent's id and type"),
    "SubagentStop": (_AGENT, "the report of an agent with a task, and the files and commits that it names"),
    "Stop": (_AGENT, "which agents are running"),
    "SessionEnd": (_TASKS, "the session's id"),
}
MODULE = "./register.js"
MODULE_LINE = "Module:hooks/register.js - in terminals, from 2.1.287 on; reads your answers there; network none"
*_OTHERS, _LAST = clients.VERSIONS
TESTED_ON = f"The plugin is tested on the real Claude Code {', '.join(_OTHERS)} and {_LAST}."
HOOKS_READ_TOO = (
    "A hook that does something also reads the ledger, the settings, and Claude Code's transcripts of this session and "
    "its agents."
)
HOOK = {"type": "command", "command": 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/run"', "timeout": 20}

_HINT = "(edit scripts/bg/protocol/schemas/ or scripts/bg/results/contract.json, run scripts/generate)"
_HINTS = {
    "settings": "(edit scripts/bg/settings.schema.json, run scripts/generate)",
    "hooks": "(edit scripts/rig/generated.py, run scripts/generate)",
    "versions": "(edit scripts/bg/host/drift.py, run scripts/generate)",
}
_REGION = re.compile(
    r"^<!-- begin generated: (?P<name>[\w-]+)[^\n]*-->\n(?P<body>.*?)^<!-- end generated: (?P=name) -->$",
    re.DOTALL | re.MULTILINE,
)


class RegionError(Exception):
    """A region that cannot be filled; the message names it."""


def filled(text: str) -> tuple[str, list[str]]:
    """The text with every region filled, and the regions' names."""
    names = [match["name"] for match in _REGION.finditer(text)]
    unknown = sorted(set(names) - set(REGIONS))
    if unknown:
        raise RegionError(f"nothing generates the region {', '.join(unknown)}")
    if text.count("<!-- begin generated:") != len(names):
        raise RegionError("a region is opened and not closed under its own name")
    return _REGION.sub(lambda match: region(match["name"]), text), names


def hooks() -> str:
    """The text of hooks.json: each event of the table of routes, with every name of the tools that concern us."""
    names: dict[str, list[str]] = {}
    for event, tool in routes.HANDLERS:
        names.setdefault(event, []).extend(tool.names if tool else ())
    entries = {
        event: [{**({"matcher": "|".join(matched)} if matched else {}), "hooks": [HOOK]}]
        for event, matched in names.items()
    }
    description = "\n".join([HOOKS_DESCRIPTION, *hook_lines(), HOOKS_READ_TOO])
    return json.dumps({"description": description, "modules": [MODULE], "hooks": entries}, indent=2) + "\n"


def hook_lines() -> list[str]:
    """A line for each event of the table of routes, in that order, and one for the module."""
    events = dict.fromkeys(event for event, _ in routes.HANDLERS)
    lines = ["{}:hooks/run - {}; reads {}; network none".format(event, *HOOK_LINES[event]) for event in events]
    return [*lines, MODULE_LINE]


def demo_events() -> str:
    """The payloads that `scripts/demo --recorded` fills in: the first of each event, and of each event with a tool."""
    scene = ROOT / "tests" / "recorded" / demo_recorded.VERSION / "resume.jsonl"
    found: dict[str, dict[str, object]] = {}
    for line in scene.read_text(encoding="utf-8").splitlines():
        payload = json.loads(line)
        found.setdefault(f"{payload['hook_event_name']} {payload.get('tool_name', '')}".strip(), payload)
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


#: Files that are generated as a whole.
WHOLE: dict[str, Callable[[], str]] = {"hooks/hooks.json": hooks, "scripts/rig/demo_events.json": demo_events}


def region(name: str) -> str:
    """One region with its markers."""
    begin, end = f"<!-- begin generated: {name} {_HINTS.get(name, _HINT)} -->", f"<!-- end generated: {name} -->"
    return f"{begin}\n{REGIONS[name]()}\n{end}"


def main(argv: Optional[Sequence[str]] = None, root: Path = ROOT) -> int:
    """Write or check the files; return 1 if a checked file is stale, or a region is wrong or in no file."""
    parser = argparse.ArgumentParser(prog="generate", description="Write hooks.json and the generated regions.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    given = parser.parse_args(argv)
    found: list[str] = []
    stale: list[str] = []
    for name in (*FILES, *WHOLE):
        path = root / name
        try:
            text = path.read_text(encoding="utf-8")
            wanted, names = (WHOLE[name](), []) if name in WHOLE else filled(text)
        except (OSError, RegionError) as error:
            print(f"generate: {name}: {error}", file=sys.stderr)
            return 1
        found += names
        if wanted != text:
            stale.append(name)
            if not given.check:
                path.write_text(wanted, encoding="utf-8")
    missing = sorted(set(REGIONS) - set(found))
    if missing:
        print(f"generate: no file has the region {', '.join(missing)}", file=sys.stderr)
        return 1
    for name in stale:
        print(f"{name} is stale; run scripts/generate" if given.check else f"{name} written")
    return 1 if stale and given.check else 0
