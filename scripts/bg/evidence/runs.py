"""Judges what is declared of commands: that they ran, how they ended, what they counted, and that it still holds."""

from __future__ import annotations

import re

from bg.evidence import (
    claims,
    masks,
    matching,
    outcomes,
    pieces,
    programs,
    purposes,
    recipes,
    remarks,
    shell,
    staleness,
    summaries,
)
from bg.evidence.calls import Call, Calls
from bg.evidence.finding import GRADES, Finding, short
from bg.evidence.form import Item
from bg.evidence.matching import Run
from bg.evidence.outcomes import Ending
from bg.evidence.shell import Part
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

SAYING = masks.PREPARING | masks.CLOSING | {"echo", "printf", "true", ":"}
STARTERS = {"xargs", "find", "parallel", "watch"}
_ELIDED = pattern(r"…|(?<![/.])\.\.\.(?!\w)")
SKIPS = pattern(r"-DskipTests|-DskipITs|-Dmaven\.test\.skip|-x \S*test")
SCRIPTS = {"js", "ts"}  # what a script of a package manager most likely tests
WORST_FIRST = (GRADES[1], GRADES[2], GRADES[0])


def judge(calls: Calls, item: Item) -> Finding:
    """What the calls say of a declared run; of several commands in one line the worst."""
    wanted = mains(item.subject)
    if not wanted:
        return _say(item, "prose")
    if purposes.only_reads(item.subject):
        return _looked(calls, item, wanted[0])
    wanted = [part for part in wanted if not purposes.looks(part)] or wanted
    begun = _ELIDED.split(item.subject)[0].split()
    if _ELIDED.search(item.subject) and any(call.command.split()[: len(begun)] == begun for call in calls.shells):
        return _say(item, "perhaps another", short(item.subject, 80))
    folder = matching.folder_of(shell.steps(item.subject))
    tests = [part for part in wanted if purposes.is_test(part)]
    counted = tests if len(tests) == 1 else wanted if len(wanted) == 1 else []  # the command that a count is said of
    found = [_judged(calls, item if part in counted else item._replace(number=0), part, folder) for part in wanted]
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


def _looked(calls: Calls, item: Item, wanted: Part) -> Finding:
    """A look: no edit makes it stale, and what it is said to show is not judged."""
    found = [run.call for run in matching.runs(calls, wanted) if run.relation == matching.SAME]
    if not found or re.search(r"\w", pieces.PASS.sub(" ", item.remark)):
        return _say(item, "a look")
    return _say(item, "an answer" if item.passed and found[-1].failed else "was run", short(found[-1].command, 80))


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
    unclear = any(run.relation == matching.UNCLEAR for run in found) or matching.together(found, wanted)
    if not calls.known or unclear:
        return _say(item, "perhaps another", shown)
    part = any(run.relation == matching.PART for run in found)
    return _say(item, "only a part" if part else "other options", shown)


def _unseen(calls: Calls, item: Item, wanted: Part) -> Finding:
    """No call ran it: certain, unless something that hides what it runs was called."""
    if not calls.known or calls.hidden:
        return _say(item, "calls unknown")
    for call in calls.shells:
        if _may_have_run(calls, call, wanted):
            return _say(item, "perhaps within", short(call.command, 80))
    return _say(item, "not run")


def _may_have_run(calls: Calls, call: Call, wanted: Part) -> bool:
    """Whether a call started something that names the command, or shows what only such a command shows."""
    word = re.compile(rf"(?<![\w/.-]){re.escape(matching.name(wanted.program))}(?![\w-])")
    if any(part.program not in programs.INERT and word.search(" ".join(part.words)) for part in call.parts):
        return True
    hiding = [part for part in call.parts if purposes.hides(part) or part.program in STARTERS]
    if not hiding:
        return False
    within = [recipes.commands(calls, part) for part in hiding]
    if None not in within:
        return any(matching.akin(wanted, each) for parts in within for each in parts or ())
    if word.search(call.result) or any(word.search(calls.text(name)) for part in hiding for name in _scripts(part)):
        return True
    managed = [part for part in hiding if part.program in matching.MANAGERS and purposes.is_check(part)]
    if purposes.is_check(wanted) and any(not any(map(calls.text, _scripts(part))) for part in managed):
        return True
    language = programs.LANGUAGES.get(matching.name(wanted.program))
    if language and not language & SCRIPTS and all(part.program in matching.MANAGERS for part in hiding):
        return False
    summary = summaries.read(call.result)
    return bool(purposes.is_test(wanted) and summary.counts) or (purposes.is_check(wanted) and summary.clean)


def _scripts(part: Part) -> list[str]:
    """The files that say what a command runs: a package's or make's, or the script that it names."""
    named = [word for word in (part.program, *part.words[:2]) if re.search(r"^[^-].*(?:\.\w{2,4}$|/)", word)]
    return [*programs.SCRIPTS.get(part.program, ()), *named]


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
    said = _passed(calls, item, wanted, last, endings[-1])
    if said.grade != GRADES[1]:
        return said
    return _earlier(calls, item, wanted, found, endings) or said


def _earlier(calls: Calls, item: Item, wanted: Part, found: list[Run], endings: list[Ending]) -> Optional[Finding]:
    """What an earlier run shows, where words beside it, a later line, or an edit taken back make it the one meant."""
    spoken = item.followed or bool(remarks.BEFORE.search(item.remark))
    for run, end in reversed(list(zip(found, endings))):
        if end.how != outcomes.PASSED or (
            item.number and end.summary.counts and not claims.is_counted(item, end.summary)
        ):
            continue
        counted = bool(item.number) and claims.is_counted(item, end.summary) and endings[-1].how == outcomes.PASSED
        if spoken or (counted and run is not found[-1]):
            return _say(item, "passed earlier", short(run.call.command, 80))
        if run is not found[-1] and staleness.taken_back(calls, run):
            return _passed(calls, item, wanted, run, end)
    return None


def _passed(calls: Calls, item: Item, wanted: Part, run: Run, end: Ending) -> Finding:
    """A run that is said to have passed."""
    shown = short(run.call.command, 80)
    edited, surely = staleness.edited_after(calls, run, wanted)
    empty = _is_empty(calls, run, end)
    reasons = [
        ("an answer", shown, end.how == outcomes.FAILED and _may_be_an_answer(item, run, wanted, end)),
        ("failed", shown, end.how == outcomes.FAILED and run.relation == matching.SAME),
        ("masked", shown, end.how == outcomes.MASKED),
        ("unread", shown, end.how == outcomes.UNREAD),
        ("was run", shown, empty and bool(remarks.NO_TESTS.search(item.remark))),
        ("nothing was run", shown, empty and not SKIPS.search(" ".join(wanted.words))),
        ("stale", edited, bool(edited) and surely and end.how != outcomes.FAILED),
        ("end unseen", shown, end.how != outcomes.PASSED),
        ("other count", *claims.other_count(item, run, end.summary)),
        ("count unseen", str(item.number), bool(item.number) and not claims.is_counted(item, end.summary)),
        ("count unseen", *claims.unseen_percent(item, run)),
        ("perhaps stale", edited, bool(edited)),
    ]
    reason, detail = next(((reason, detail) for reason, detail, holds in reasons if holds), ("passed", shown))
    return _say(item, reason, detail)


def _may_be_an_answer(item: Item, run: Run, wanted: Part, end: Ending) -> bool:
    """Whether an exit that is not 0 may be wanted, or is spoken of: no match, a refusal, failures by number."""
    answers = wanted.program in programs.ANSWERS and not re.search(r"Exit code (?:[2-9]|\d\d)", run.call.result[:40])
    told = {int(each) for each in re.findall(r"(?<![\w.])([1-9]\d*) (?:\w+ )?fail", item.remark)}
    return answers or bool(remarks.EXPECTED.search(item.remark)) or bool(told & {end.summary.failed})


def _is_empty(calls: Calls, run: Run, end: Ending) -> bool:
    """Whether tests ran none, a check looked at no file, or a script of tests only says something."""
    parts = run.steps[run.at].parts
    if not staleness.tests(run):
        return any(map(purposes.is_check, parts)) and bool(outcomes.NO_FILES.search(run.call.result))
    says = not end.summary.passed - {0} and any(recipes.only_says(calls, run.call, part) for part in parts)
    return end.summary.empty or says
