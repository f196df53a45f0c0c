"""Judges declared commits, pushes and pull requests: by the repository's objects, and by calls and their results."""

from __future__ import annotations

import re

from bg.evidence import kinds
from bg.evidence.baseline import OBJECT, Baseline
from bg.evidence.calls import Call, Calls
from bg.evidence.declared import Item
from bg.evidence.finding import Finding, short
from bg.evidence.shell import Command
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
HOOKS = pattern(r"hooks?\b|pre-commit", re.IGNORECASE)
OPENERS = {"gh": ("pr", "create"), "glab": ("mr", "create"), "hub": ("pull-request",), "az": ("repos", "pr", "create")}


def judge(base: Baseline, calls: Calls, item: Item) -> Finding:
    """What the repository or the calls say of a declared commit, push or pull request."""
    found = {"commit": _commit, "pushed": _push, "pr": _opened}[item.kind](base, calls, item)
    skips = any(
        each.program == "git" and "--no-verify" in each.words for call in calls.shells for each in call.commands
    )
    hooks = skips and found.reason == "committed" and HOOKS.search(item.remark)
    return found._replace(reason="no hook ran") if hooks else found


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
    said = item.quote.strip().lower()[:60]
    for name, subject in made:
        if not said or said in subject.lower() or subject.lower() in said:
            return _say(item, "committed", name[:10])
    if made:
        return _say(item, "loose commit", made[0][0][:10])
    printed = any(MADE.search(call.result) for call in calls.shells if "commit" in call.command)
    if printed or base.elsewhere():
        return _say(item, "loose commit")
    return _say(item, "no commit" if calls.complete else "calls unknown")


def _push(_base: Baseline, calls: Calls, item: Item) -> Finding:
    found = [(call, each) for call in calls.shells for each in call.commands if _pushes(each)]
    if not found:
        perhaps = any(PUSHES.search(call.command + call.result) and _starts(call) for call in calls.shells)
        return _say(item, "no push" if calls.complete and not perhaps else "calls unknown")
    ends = [_published(call, each) for call, each in found]
    if ends[-1] is not True:
        return _say(item, "push failed" if ends[-1] is False else "result unseen")
    named = not item.other or any(item.other in call.command + call.result for call, _ in found)
    shows = any("->" in call.result for call, _ in found)
    if not named:
        return _say(item, "other branch" if shows else "result unseen", item.other)
    return _say(item, "pushed")


def _starts(call: Call) -> bool:
    """Whether a call started something else that may have pushed."""
    return any(each.program != "git" and kinds.may_start(each.words, "git") for each in call.commands)


def _pushes(command: Command) -> bool:
    words = command.words
    return command.program == "git" and "push" in words[:7] and not {"--dry-run", "-n"} & set(words)


def _published(call: Call, command: Command) -> Optional[bool]:
    """Whether a push went through; None where its result does not say."""
    if not call.answered or call.background:
        return None
    if PUSH_FAILED.search(call.result):
        return False
    if call.failed:
        return False if command.last else None
    return True if not command.mask or PUSHED.search(call.result) else None


def _opened(_base: Baseline, calls: Calls, item: Item) -> Finding:
    found = [call for call in calls.calls if not call.command and TOOL.search(call.name)]
    found += [call for call in calls.shells if any(_opens(each) for each in call.commands)]
    if not found:
        asked = any("/pulls" in call.command or "/merge_requests" in call.command for call in calls.shells)
        return _say(item, "not opened" if calls.complete and not asked else "calls unknown")
    good = [call for call in found if not call.failed or "already exists" in call.result]
    numbers = [number for call in good for number in OPENED.findall(call.result)]
    if not numbers:
        return _say(item, "opening failed" if found[-1].failed else "result unseen")
    right = not item.subject or item.subject in numbers
    shown = item.subject if item.subject and right else numbers[-1]
    return _say(item, "opened" if right else "other number", f"#{shown}")


def _opens(command: Command) -> bool:
    wanted = OPENERS.get(command.program)
    words = tuple(word for word in command.words[1:] if not word.startswith("-"))
    return bool(wanted) and words[: len(wanted or ())] == wanted
