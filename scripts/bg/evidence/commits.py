"""Judges declared commits, pushes and pull requests: by the repository's objects, and by calls and their results."""

from __future__ import annotations

import re

from bg.evidence import programs
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
MADE = pattern(r"^\[[^\]\s]+(?: \([^)]*\))? [0-9a-f]{7,}\] ", re.MULTILINE)  # git's line about a new commit
PUSHED = pattern(r"->|Everything up-to-date|\[new branch\]|set up to track", re.IGNORECASE)
PUSHES = pattern(r"push|release|publish|deploy|ship|sync", re.IGNORECASE)
OPENED = pattern(r"/(?:pull|pulls|merge_requests|pullrequest)/(\d+)")
TOOL = pattern(r"pull_?request|merge_?request", re.IGNORECASE)
HOOKS = pattern(r"hooks?\b|pre-commit", re.IGNORECASE)
OPENERS = {"gh": ("pr", "create"), "glab": ("mr", "create"), "hub": ("pull-request",), "az": ("repos", "pr", "create")}


def judge(base: Baseline, calls: Calls, item: Item) -> Finding:
    """The finding on a declared commit, push or pull request, by the repository or the calls."""
    found = {"commit": _commit, "pushed": _push, "pr": _opened}[item.kind](base, calls, item)
    skips = any(
        each.program == "git" and "--no-verify" in each.words for call in calls.shells for each in call.commands
    )
    hooks = skips and found.reason == "committed" and HOOKS.search(item.remark)
    return found._replace(reason="no hook ran") if hooks else found


def _finding(item: Item, reason: str, detail: str = "") -> Finding:
    return Finding(item.line, item.kind, item.subject or short(item.quote, 60), reason, detail)


def _commit(base: Baseline, calls: Calls, item: Item) -> Finding:
    if not item.subject:
        return _nameless(base, calls, item)
    if not OBJECT.fullmatch(item.subject) or not base.known:
        return _finding(item, "no repository")
    there = base.commit(item.subject)
    if there is None:
        return _finding(item, "no repository")
    if not there:
        return _finding(item, "no such commit")
    made = base.made()
    if made is None or any(name.startswith(item.subject) for name, _ in made):
        return _finding(item, "committed" if made is not None else "no repository")
    return _finding(item, "older commit" if base.is_older(item.subject) else "loose commit")


def _nameless(base: Baseline, calls: Calls, item: Item) -> Finding:
    """The finding on a commit that is declared by its message, or only as made."""
    made = base.made()
    if made is None:
        return _finding(item, "no repository")
    said = item.quote.strip().lower()[:60]
    named = [name for name, subject in made if _is_of(said, subject.lower())]
    if named:
        return _finding(item, "committed", named[0][:10])
    printed = any(MADE.search(call.result) for call in calls.shells)
    if made or printed or base.elsewhere():
        return _finding(item, "loose commit", *(name[:10] for name, _ in made[:1]))
    return _finding(item, "no commit" if calls.complete else "calls unknown")


def _is_of(said: str, subject: str) -> bool:
    return said in subject or subject in said


def _push(_base: Baseline, calls: Calls, item: Item) -> Finding:
    found = [(call, each) for call in calls.shells for each in call.commands if _pushes(each)]
    if not found:
        unknown = not calls.complete or any(map(_may_push, calls.shells))
        return _finding(item, "calls unknown" if unknown else "no push")
    reason = {True: "pushed", False: "push failed", None: "result unseen"}[_published(*found[-1])]
    shown = "\n".join(call.command + call.result for call, _ in found)
    if reason != "pushed" or item.other in shown:
        return _finding(item, reason)
    return _finding(item, "other branch" if "->" in shown else "result unseen", item.other)


def _may_push(call: Call) -> bool:
    """Whether a call started another program that may have pushed."""
    starts = any(each.program != "git" and programs.may_start(each.words, "git") for each in call.commands)
    return starts and bool(PUSHES.search(call.command + call.result))


def _pushes(command: Command) -> bool:
    words = command.words
    return command.program == "git" and "push" in words[:7] and not {"--dry-run", "-n"} & set(words)


def _published(call: Call, command: Command) -> Optional[bool]:
    """Whether a push went through; None if its result does not say."""
    if not call.answered or call.background:
        return None
    if PUSH_FAILED.search(call.result):
        return False
    if call.failed:
        return False if command.last else None
    return True if not command.mask or PUSHED.search(call.result) else None


def _opened(_base: Baseline, calls: Calls, item: Item) -> Finding:
    found = list(filter(_asks_for_one, calls.calls))
    if not found:
        asked = re.search("/pulls|/merge_requests", "\n".join(call.command for call in calls.shells))
        return _finding(item, "not opened" if calls.complete and not asked else "calls unknown")
    numbers = [number for call in found for number in _opened_by(call)]
    if not numbers:
        return _finding(item, "opening failed" if found[-1].failed else "result unseen")
    if item.subject in numbers:
        return _finding(item, "opened", f"#{item.subject}")
    return _finding(item, "other number" if item.subject else "opened", f"#{numbers[-1]}")


def _opened_by(call: Call) -> list[str]:
    """The numbers of the pull requests that a call opened, or found to be open already."""
    good = not call.failed or "already exists" in call.result
    return OPENED.findall(call.result) if good else []


def _asks_for_one(call: Call) -> bool:
    return any(map(_opens, call.commands)) if call.command else bool(TOOL.search(call.name))


def _opens(command: Command) -> bool:
    wanted = OPENERS.get(command.program)
    words = tuple(word for word in command.words[1:] if not word.startswith("-"))
    return bool(wanted) and words[: len(wanted or ())] == wanted
