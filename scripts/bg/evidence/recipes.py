"""What a script of a package, a target of make or a recipe of just runs, as the project's own files say it."""

from __future__ import annotations

import json
import re

from bg.evidence import programs, purposes, shell
from bg.evidence.calls import Call, Calls
from bg.evidence.shell import Part
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

DEEPEST = 4
PACKAGED = {"npm", "yarn", "pnpm", "bun"}
ELSEWHERE = {"-C", "-w", "-W", "-r", "-f", "--prefix", "--cwd", "--dir", "--filter", "--workspace", "--workspaces"}
SAYING = {"echo", "printf", "true", ":", "exit"}
_FILLED_IN = pattern(r"[$`]|\{\{")
_INCLUDES = pattern(r"^-?(?:include|sinclude|import|mod|ifdef|ifeq|ifndef|set)\b", re.MULTILINE)
_SHOWN = pattern(r"^[>$] (.+)$", re.MULTILINE)


def commands(calls: Calls, part: Part, depth: int = 0) -> Optional[list[Part]]:
    """The commands that a runner starts, those of its other scripts too; None where that is not certain."""
    if depth > DEEPEST or ELSEWHERE & {word.partition("=")[0] for word in part.words} or _moved(calls):
        return None
    lines = _lines(calls, part)
    if lines is None or any(map(_FILLED_IN.search, lines)):
        return None
    found: list[Part] = []
    for each in (one for line in lines for one in shell.parts(line)):
        found.append(each)
        if _is_runner(each):
            inner = commands(calls, each, depth + 1)
            if inner is None:
                return None
            found += inner
        elif purposes.hides(each) and (each.program in {"tox", "nox"} or not _is_proof(each)):
            return None
    return found


def only_says(calls: Calls, call: Call, part: Part) -> bool:
    """Whether a runner's script does nothing but say something."""
    if not _is_runner(part):
        return False
    found = commands(calls, part)
    if found is None and part.program in PACKAGED:
        shown = _SHOWN.findall(call.result[:2000])
        found = shell.parts(shown[-1]) if len(shown) == 1 + (part.program != "yarn") else None
    return bool(found) and all(
        each.program in SAYING and (each.program != "exit" or each.words in ((), ("0",))) for each in found or ()
    )


def _is_runner(part: Part) -> bool:
    return part.program in PACKAGED | {"make", "just"} and not (part.program == "bun" and part.verb == "test")


def _is_proof(part: Part) -> bool:
    return purposes.is_test(part) or purposes.is_check(part)


def _moved(calls: Calls) -> bool:
    """Whether the agent went into another folder, where another file may say what a script is."""
    goes = [part.words[:1] for call in calls.shells for part in call.parts if part.program in ("cd", "pushd")]
    return any(words and words[0].rstrip("/") not in calls.roots for words in goes)


def _lines(calls: Calls, part: Part) -> Optional[list[str]]:
    """The command lines that stand for what a runner is called with, in a file that is as it was at launch."""
    names = [word for word in part.words if not word.startswith("-") and "=" not in word]
    name = next((each for each in names if each not in ("run", "run-script")), "")
    name = "test" if name in ("t", "tst") and part.program in PACKAGED else name
    for file in programs.SCRIPTS.get(part.program, ()):
        text = calls.text(file)
        if text:
            read = _of_package if part.program in PACKAGED else _of_target
            return read(text, name) if name and calls.as_at_launch(file) else None
    return None


def _of_package(text: str, name: str) -> Optional[list[str]]:
    try:
        scripts = json.loads(text)["scripts"]
        return [str(scripts[each]) for each in (f"pre{name}", name, f"post{name}") if each in scripts or each == name]
    except (ValueError, LookupError, TypeError):
        return None


def _of_target(text: str, name: str, depth: int = 0) -> Optional[list[str]]:
    """The lines below a target, those of what it depends on first."""
    head = re.search(rf"(?m)^@?{re.escape(name)}[ \t]*:(?![=:])[ \t]*([\w ./-]*)(?:#.*)?$", text)
    if depth > DEEPEST or head is None or _INCLUDES.search(text):
        return None
    found: list[str] = []
    for other in head[1].split():
        lines = _of_target(text, other, depth + 1)
        if lines is None:
            return None
        found += lines
    below = re.match(r"(?:[ \t]+\S.*\n?|[ \t]*\n)*", text[head.end() :].lstrip("\n"))
    body = re.sub(r"\\\n", " ", below[0] if below else "")
    if "#!" in body:
        return None
    return found + [line.strip().lstrip("@-+").strip() for line in body.split("\n") if line.strip()]
