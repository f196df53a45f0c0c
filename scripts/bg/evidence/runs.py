"""Judges what is declared of commands: that they ran, how they ended, what they counted, and that it still holds."""

from __future__ import annotations

import re

from bg.evidence import masks, matching, outcomes, pieces, programs, purposes, remarks, shell, staleness, summaries
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
    if wanted.program in programs.READING and calls.looked:
        return _say(item, "calls unknown")
    return _say(item, "not run")


def _may_have_run(calls: Calls, call: Call, wanted: Part) -> bool:
    """Whether a call started something that names the command, or shows what only such a command shows."""
    word = re.compile(rf"(?<![\w/.-]){re.escape(matching.name(wanted.program))}(?![\w-])")
    if any(part.program not in programs.INERT and word.search(" ".join(part.words)) for part in call.parts):
        return True
    hiding = [part for part in call.parts if purposes.hides(part) or part.program in STARTERS]
    if not hiding:
        return False
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
        if end.how != outcomes.PASSED or (item.number and end.summary.counts and not _is_counted(item, end.summary)):
            continue
        counted = bool(item.number) and _is_counted(item, end.summary) and endings[-1].how == outcomes.PASSED
        if spoken or (counted and run is not found[-1]):
            return _say(item, "passed earlier", short(run.call.command, 80))
        if run is not found[-1] and staleness.taken_back(calls, run):
            return _passed(calls, item, wanted, run, end)
    return None


def _is_counted(item: Item, summary: summaries.Summary) -> bool:
    """Whether an output shows the declared number: of passed tests, or of all where skipped ones are spoken of."""
    total = remarks.SKIPPED.search(item.remark) or not pieces.PASS_COUNT.search(item.remark)
    return item.number in (summary.counts if total else summary.passed)


def _passed(calls: Calls, item: Item, wanted: Part, run: Run, end: Ending) -> Finding:
    """A run that is said to have passed."""
    shown = short(run.call.command, 80)
    edited, surely = staleness.edited_after(calls, run, wanted)
    empty = end.summary.empty and staleness.tests(run)
    reasons = [
        ("an answer", shown, end.how == outcomes.FAILED and _may_be_an_answer(item, run, wanted, end)),
        ("failed", shown, end.how == outcomes.FAILED and run.relation == matching.SAME),
        ("masked", shown, end.how == outcomes.MASKED),
        ("unread", shown, end.how == outcomes.UNREAD),
        ("was run", shown, empty and bool(remarks.NO_TESTS.search(item.remark))),
        ("nothing was run", shown, empty and not SKIPS.search(" ".join(wanted.words))),
        ("stale", edited, bool(edited) and surely and end.how != outcomes.FAILED),
        ("end unseen", shown, end.how != outcomes.PASSED),
        ("shows problems", shown, _shows_problems(run, end)),
        (
            "other count",
            _counted(end.summary),
            bool(item.number and end.summary.counts)
            and not _is_counted(item, end.summary)
            and run.relation == matching.SAME,
        ),
        ("other count", _shown_instead(item, run), bool(_shown_instead(item, run))),
        ("count unseen", str(item.number), bool(item.number) and not _is_counted(item, end.summary)),
        ("count unseen", _unseen_percent(item, run), bool(_unseen_percent(item, run))),
        ("perhaps stale", edited, bool(edited)),
    ]
    reason, detail = next(((reason, detail) for reason, detail, holds in reasons if holds), ("passed", shown))
    return _say(item, reason, detail)


def _may_be_an_answer(item: Item, run: Run, wanted: Part, end: Ending) -> bool:
    """Whether an exit that is not 0 may be wanted, or is spoken of: no match, a refusal, failures by number."""
    answers = wanted.program in programs.ANSWERS and not re.search(r"Exit code (?:[2-9]|\d\d)", run.call.result[:40])
    told = {int(each) for each in re.findall(r"(?<![\w.])([1-9]\d*) (?:\w+ )?fail", item.remark)}
    return answers or bool(remarks.EXPECTED.search(item.remark)) or bool(told & {end.summary.failed})


def _shown_instead(item: Item, run: Run) -> str:
    """What a search printed that is said to have found nothing, or the one number that is not the one said."""
    result = run.call.result.strip()
    if result.startswith("(") or len(run.steps) > 1:
        return ""
    nothing = remarks.NOTHING.search(item.remark)
    if nothing and not remarks.EXCEPT.match(item.remark[nothing.end() :]):
        looks = matching.name(run.steps[run.at].parts[0].program) in programs.ANSWERS
        return short(result, 60) if looks and not run.call.failed else ""
    said = re.search(r"(?<!exit )(?<!code )(?<!status )(?<![\w.,])(\d{1,9})(?:\s+[^\W\d_]+)?\s*\)?\s*$", item.remark)
    numbers = {int(each) for each in re.findall(r"\d{1,9}", item.remark)}
    return result if re.fullmatch(r"\d{1,9}", result) and said and int(result) not in numbers else ""


def _unseen_percent(item: Item, run: Run) -> str:
    """A percentage that is said and that the output does not show."""
    said = re.search(r"(?<![\w.])(\d{1,3})(?:[.,]\d+)?\s?%", item.remark)
    if not said or not any(purposes.is_test(part) for part in run.steps[run.at].parts):
        return ""
    output = re.sub(r"\[\s*\d+%\]", " ", run.call.result)
    shown = [float(each) for each in re.findall(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s*(?:%|\|)", output)]
    return "" if any(abs(each - int(said[1])) <= 1 for each in shown) else said[0]


def _shows_problems(run: Run, end: Ending) -> bool:
    """Whether a check ended well, and its output lists problems all the same."""
    checks = any(purposes.is_check(part) for part in run.steps[run.at].parts)
    return checks and not end.summary.clean and bool(outcomes.PROBLEMS.search(run.call.result))


def _counted(summary: summaries.Summary) -> str:
    return ", ".join(map(str, sorted(summary.passed - {0})[-3:])) or "0"
