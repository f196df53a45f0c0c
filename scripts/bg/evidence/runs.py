"""Judges what is declared of commands: that they ran, how they ended, what they counted, and that it still holds."""

from __future__ import annotations

import re

from bg.evidence import matching, outcomes, programs, purposes, shell, staleness, summaries
from bg.evidence.calls import Call, Calls
from bg.evidence.finding import GRADES, Finding, short
from bg.evidence.form import Item
from bg.evidence.matching import Run
from bg.evidence.outcomes import Ending
from bg.evidence.shell import Part

SAYING = outcomes.PREPARING | outcomes.CLOSING | {"echo", "printf", "true", ":"}
STARTERS = {"xargs", "find", "parallel", "watch"}
SCRIPTS = {"js", "ts"}  # what a script of a package manager most likely tests
WORST_FIRST = (GRADES[1], GRADES[2], GRADES[0])


def judge(calls: Calls, item: Item) -> Finding:
    """What the calls say of a declared run; of several commands in one line the worst."""
    wanted = mains(item.subject)
    if not wanted:
        return _say(item, "prose")
    folder = matching.folder_of(shell.steps(item.subject))
    found = [_judged(calls, item if len(wanted) == 1 else item._replace(number=0), part, folder) for part in wanted]
    if item.passed is False and len(found) > 1 and any(each.reason == "failed as said" for each in found):
        return next(each for each in found if each.reason == "failed as said")
    if item.passed is False and len(found) > 1 and not any(each.reason == "not run" for each in found):
        return _say(item, "end unseen", short(item.subject, 80))
    return min(found, key=lambda each: WORST_FIRST.index(each.grade))


def mains(line: str) -> list[Part]:
    """The commands of a line that do its work: not what prepares, filters or only says something."""
    steps = shell.steps(line)
    piped = [place > 0 and steps[place - 1].sign in ("|", "|&") for place in range(len(steps))]
    found = [shell.within(step) for step, filters in zip(steps, piped) if step.parts and not filters]
    return [part for part in found if part.program not in SAYING] or found[:1]


def _say(item: Item, reason: str, detail: str = "") -> Finding:
    return Finding(item.line, "run", short(item.subject, 80), reason, detail)


def _judged(calls: Calls, item: Item, wanted: Part, folder: str) -> Finding:
    found = matching.runs(calls, wanted, folder)
    if not found:
        return _unseen(calls, item, wanted)
    for relation in (matching.SAME, matching.WIDER):
        chosen = [run for run in found if run.relation == relation]
        if chosen:
            return _ended(calls, item, wanted, chosen)
    shown = short(found[-1].call.command, 80)
    unclear = not calls.known or any(run.relation == matching.UNCLEAR for run in found)
    return _say(item, "perhaps another" if unclear else "only a part", shown)


def _unseen(calls: Calls, item: Item, wanted: Part) -> Finding:
    """No call ran it: certain, unless something that hides what it runs was called."""
    if not calls.known or calls.hidden:
        return _say(item, "calls unknown")
    for call in calls.shells:
        if _may_have_run(call, wanted):
            return _say(item, "perhaps within", short(call.command, 80))
    return _say(item, "not run")


def _may_have_run(call: Call, wanted: Part) -> bool:
    """Whether a call started something that names the command, or shows what only such a command shows."""
    hiding = [part for part in call.parts if purposes.hides(part) or part.program in STARTERS]
    if not hiding:
        return False
    word = re.compile(rf"(?<![\w/.-]){re.escape(matching.name(wanted.program))}(?![\w-])")
    if word.search(call.result) or any(word.search(" ".join(part.words)) for part in hiding):
        return True
    language = programs.LANGUAGES.get(matching.name(wanted.program))
    if language and not language & SCRIPTS and all(part.program in matching.MANAGERS for part in hiding):
        return False
    summary = summaries.read(call.result)
    return bool(purposes.is_test(wanted) and summary.counts) or (purposes.is_check(wanted) and summary.clean)


def _ended(calls: Calls, item: Item, wanted: Part, found: list[Run]) -> Finding:
    endings = [outcomes.ending(calls, run.call, run.steps, run.at, test=staleness.tests(run)) for run in found]
    last = found[-1]
    shown = short(last.call.command, 80)
    if item.passed is None:
        return _say(item, "was run", shown)
    if item.passed is False:
        if any(each.how == outcomes.FAILED for each in endings):
            return _say(item, "failed as said", shown)
        sure = last.relation == matching.SAME and all(each.how == outcomes.PASSED for each in endings)
        return _say(item, "passed instead" if sure else "end unseen", shown)
    return _passed(calls, item, wanted, last, endings[-1])


def _passed(calls: Calls, item: Item, wanted: Part, run: Run, end: Ending) -> Finding:
    """A run that is said to have passed."""
    shown = short(run.call.command, 80)
    edited, surely = staleness.edited_after(calls, run, wanted)
    reasons = [
        ("failed", shown, end.how == outcomes.FAILED and run.relation == matching.SAME),
        ("unread", shown, end.how == outcomes.UNREAD),
        ("nothing was run", shown, end.summary.empty and staleness.tests(run)),
        ("stale", edited, bool(edited) and surely and end.how != outcomes.FAILED),
        ("end unseen", shown, end.how != outcomes.PASSED),
        ("shows problems", shown, _shows_problems(run, end)),
        (
            "other count",
            _counted(end.summary),
            bool(item.number and end.summary.counts) and item.number not in end.summary.counts,
        ),
        ("count unseen", str(item.number), bool(item.number and not end.summary.counts)),
        ("perhaps stale", edited, bool(edited)),
    ]
    reason, detail = next(((reason, detail) for reason, detail, holds in reasons if holds), ("passed", shown))
    return _say(item, reason, detail)


def _shows_problems(run: Run, end: Ending) -> bool:
    """Whether a check ended well, and its output lists problems all the same."""
    checks = any(purposes.is_check(part) for part in run.steps[run.at].parts)
    return checks and not end.summary.clean and bool(outcomes.PROBLEMS.search(run.call.result))


def _counted(summary: summaries.Summary) -> str:
    return ", ".join(map(str, sorted(summary.counts - {0})[-3:])) or "0"
