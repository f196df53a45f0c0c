"""Judges declared commits, pushes and pull requests: by the repository's objects, and by calls and their results."""

from __future__ import annotations

import re

from bg.evidence import masks, purposes, shell
from bg.evidence.baseline import OBJECT, Baseline
from bg.evidence.calls import Call, Calls
from bg.evidence.finding import Finding, short
from bg.evidence.form import Item
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

PUSH_FAILED = pattern(
    r"\[rejected\]|\[remote rejected\]|^fatal: |^error: failed to push|Permission denied|Could not read from remote|"
    r"Authentication failed|does not appear to be a git repository",
    re.IGNORECASE | re.MULTILINE,
)
MADE = pattern(r"^\[[^\]\s]+(?: \([^)]*\))? [0-9a-f]{7,}\] ", re.MULTILINE)  # what git prints of a new commit
PUSHED = pattern(r"->|Everything up-to-date|\[new branch\]|set up to track", re.IGNORECASE)
PUSHES = pattern(r"push|release|publish|deploy|ship|sync", re.IGNORECASE)
OPENED = pattern(r"/(?:pull|pulls|merge_requests|pullrequest)/(\d+)")
TOOL = pattern(r"pull_?request|merge_?request", re.IGNORECASE)
OPENERS = {"gh": ("pr", "create"), "glab": ("mr", "create"), "hub": ("pull-request",), "az": ("repos", "pr", "create")}


def judge(base: Baseline, calls: Calls, item: Item) -> Finding:
    """What the repository or the calls say of a declared commit, push or pull request."""
    return {"commit": _commit, "pushed": _push, "pr": _opened}[item.kind](base, calls, item)


def _say(item: Item, reason: str, detail: str = "") -> Finding:
    return Finding(item.line, item.kind, item.subject or short(item.quote, 60), reason, detail)


def _commit(base: Baseline, calls: Calls, item: Item) -> Finding:
    if not item.subject:
        return _nameless(base, calls, item)
    if not OBJECT.fullmatch(item.subject) or not base.known:
        return _say(item, "no repository")
    there = base.commit(item.subject)
    if there is None:
        return _say(item, "no repository")
    if not there:
        return _say(item, "no such commit")
    made = base.made()
    if made is None or any(name.startswith(item.subject) for name, _ in made):
        return _say(item, "committed" if made is not None else "no repository")
    return _say(item, "older commit" if base.is_older(item.subject) else "loose commit")


def _nameless(base: Baseline, calls: Calls, item: Item) -> Finding:
    """A commit that is declared by its message, or only as made."""
    made = base.made()
    if made is None:
        return _say(item, "no repository")
    for name, subject in made:
        said, written = item.quote.strip().lower()[:60], subject.lower()
        if not said or said in written or written in said:
            return _say(item, "committed", name[:10])
    if made:
        return _say(item, "loose commit", made[0][0][:10])
    if base.elsewhere() or any(MADE.search(call.result) for call in calls.shells if "commit" in call.command):
        return _say(item, "loose commit")
    return _say(item, "no commit" if calls.known and not calls.hidden else "calls unknown")


def _push(_base: Baseline, calls: Calls, item: Item) -> Finding:
    found = [call for call in calls.shells if any(_pushes(part) for part in call.parts)]
    if not found:
        known = calls.known and not calls.hidden and not any(map(_may_push, calls.shells))
        return _say(item, "no push" if known else "calls unknown")
    ends = [_published(call) for call in found]
    if True in ends and item.other and not any(item.other in call.command + call.result for call in found):
        shows = any("->" in call.result for call in found)
        return _say(item, "other branch" if shows else "result unseen", item.other)
    if True in ends:
        return _say(item, "pushed" if ends[-1] is not False else "result unseen")
    return _say(item, "push failed" if ends[-1] is False else "result unseen")


def _may_push(call: Call) -> bool:
    """Whether a call started something else that may have pushed."""
    hides = any(purposes.hides(part) and part.program != "git" for part in call.parts)
    return hides and bool(PUSHES.search(call.command + call.result))


def _pushes(part: shell.Part) -> bool:
    return part.program == "git" and "push" in part.words[:6] and not {"--dry-run", "-n"} & set(part.words)


def _published(call: Call) -> Optional[bool]:
    """Whether a push went through; None where its result does not say."""
    if not call.answered or call.background:
        return None
    if PUSH_FAILED.search(call.result):
        return False
    if PUSHED.search(call.result):
        return not call.failed or None
    if call.failed:
        return False if {part.program for part in call.parts} - masks.PREPARING == {"git"} else None
    steps = shell.steps(call.command)
    at = next((place for place, step in enumerate(steps) if any(map(_pushes, step.parts))), 0)
    return True if not masks.hidden(steps, at) else None


def _opened(_base: Baseline, calls: Calls, item: Item) -> Finding:
    by_tool = [call for call in calls.calls if not call.command and TOOL.search(call.name)]
    found = [call for call in calls.shells if any(_opens(part) for part in call.parts)]
    if not found and not by_tool:
        known = calls.known and not calls.hidden
        asked = any("/pulls" in call.command or "/merge_requests" in call.command for call in calls.shells)
        return _say(item, "not opened" if known and not asked else "calls unknown")
    for call in reversed([*by_tool, *found]):
        numbers = OPENED.findall(call.result)
        if numbers and (not call.failed or "already exists" in call.result):
            wrong = item.subject and item.subject not in numbers
            return _say(item, "other number" if wrong else "opened", f"#{numbers[0]}")
    last = [*by_tool, *found][-1]
    return _say(item, "opening failed" if last.failed else "result unseen")


def _opens(part: shell.Part) -> bool:
    words = OPENERS.get(part.program)
    return bool(words) and tuple(word for word in part.words if not word.startswith("-"))[: len(words or ())] == words
