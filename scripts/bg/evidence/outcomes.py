"""How a command ended: passed, failed, or not to be seen, from its exit, what hides that, and its output."""

from __future__ import annotations

import re

from bg.evidence import masks, programs, purposes, summaries
from bg.evidence.calls import BACKGROUND, Call, Calls
from bg.evidence.shell import Step
from bg.host import tools
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NUMBERED = pattern(r"^\s*\d+[→\t]", re.MULTILINE)
REFUSED = pattern(
    r"doesn't want to|permission (?:to use|denied by|for this)|was blocked|was not run|hook (?:error|denied)|"
    r"requires approval",
    re.IGNORECASE,
)
STILL_RUNNING = pattern(r"<status>\s*running|^status: running|still running", re.IGNORECASE | re.MULTILINE)
FINISHED = pattern(r"completed|finished|exit code|exited", re.IGNORECASE)

# A check that had no file to look at.
NO_FILES = pattern(
    r"^(?:\W|\w+:)*\s*(?:no (?:python |go |matching |\S+ )?files? "
    r"(?:matching|matched|found|are present|to (?:check|lint|format|analy[sz]e)|were processed|have been)|no files to |"
    r"all matched files are ignored|no go files to analyze|no packages to|no inputs were found|checked 0 files|"
    r"there are no \.py\[i\] files)|\b0 files (?:inspected|checked|linted)\b|matched no packages",
    re.IGNORECASE | re.MULTILINE,
)
LENIENT = {"--exit-zero", "--exit-0", "--no-error", "--issues-exit-code=0"}
LISTING = {"ls", "stat", "wc", "test", "[", "file", "jobs", "ps", "pgrep", "du", "sleep", "echo", "printf", "kill"}
# Of what has no end that could be read, such as a server, nothing is missed when nobody reads it.
_ENDS = pattern(
    r"(?<![\w-])(?:build|compile|bundle|install|package|publish|deploy|migrate|export|generate|pull|clean)(?!\w)"
)
PASSED, FAILED, UNSEEN, UNREAD, MASKED = "passed", "failed", "unseen", "unread", "masked"
DISCARDED = pattern(r"(?:&|\b1|(?<![\w&]))>\s*/dev/null")


class Ending(Record):
    """How a run ended, with the summary that its output gives."""

    how: str
    summary: summaries.Summary


def ending(calls: Calls, call: Call, steps: list[Step], at: int, *, test: bool) -> Ending:
    """How the step of a call ended."""
    if call.background or not call.answered or _left_running(steps, at):
        return _later(calls, call, ends=_comes_to_an_end(steps[at]))
    result = masks.without_own_words(steps, call.result)
    summary = summaries.read(result)
    if call.failed and REFUSED.search(result[:400]):
        return Ending(FAILED, summary)
    if not summary.counts and purposes.written(call.command):
        logged = _later(calls, call, ends=True)  # what it printed went into a file
        summary = logged.summary if logged.how in (PASSED, FAILED) else summary
    mask = masks.hidden(steps, at)
    known = _by_status(call, steps, at, summary, mask, test=test)
    if known is not None:
        return Ending(PASSED if known else FAILED, summary)
    proves = any(purposes.is_test(part) or purposes.is_check(part) for part in steps[at].parts)
    if proves and mask == "another" and not call.failed and not result.strip() and all(map(_says, steps[at + 1 :])):
        if DISCARDED.search(call.command):
            return Ending(MASKED, summary)
        if purposes.written(call.command):
            return _later(calls, call, ends=True)
    works = [place for place, step in enumerate(steps) if step.parts and not masks.prepares(step)]
    mains = [place for place in works if not _filters(steps, place)]
    return Ending(_by_output(summary, result, steps, mains, at, whole=mask != "filter"), summary)


def _by_status(
    call: Call, steps: list[Step], at: int, summary: summaries.Summary, mask: str, *, test: bool
) -> Optional[bool]:  # fmt: skip
    """Whether it passed, from the status of the line or what the line says of it; None where neither shows it."""
    said = masks.by_echo(call, steps, at)
    if said is not None:
        return said
    if mask:
        return masks.told_status(steps, at, call.result)
    if not call.failed:
        return True  # whatever its output says: a log line or a test's name may speak of failures
    others = [place for place, step in enumerate(steps) if place != at and not masks.prepares(step)]
    if not others or (at > max(others) and steps[at - 1].sign.strip("() ") == ";"):
        return False
    rest = range(at, max(others))
    counted = any(purposes.is_test(part) for step in steps[at + 1 :] for part in step.parts) and bool(summary.counts)
    if not test and counted and all(steps[place].sign.strip("() ") == "&&" for place in rest):
        return True  # what came after it was begun
    return None


def _by_output(
    summary: summaries.Summary, result: str, steps: list[Step], mains: list[int], at: int, *, whole: bool
) -> str:  # fmt: skip
    """How it ended by what was printed, of which other commands of the line may have a part."""
    if mains in ([], [at]):
        bad, good = summary.bad or refused(steps[at], result), summary.good
    elif sum(_is_test(steps[place]) for place in mains) > 1 and _is_test(steps[at]) and summary.any_failed:
        return UNSEEN
    elif _is_test(steps[at]):
        bad, good = summary.failed > 0, bool(summary.passed - {0}) and not summary.failed
    else:
        bad = refused(steps[at], result)
        good = summary.clean and not bad and not any(_is_test(steps[place]) for place in mains)
    if bad:
        return FAILED
    return PASSED if good and (whole or summary.whole) else UNSEEN


def _is_test(step: Step) -> bool:
    return any(map(purposes.is_test, step.parts))


def _says(step: Step) -> bool:
    return all(part.program in {"echo", "printf", "true", ":"} for part in step.parts)


def _filters(steps: list[Step], place: int) -> bool:
    return place > 0 and steps[place - 1].sign.strip("() ") in ("|", "|&")


def _left_running(steps: list[Step], at: int) -> bool:
    """Whether a step was begun with `&` and its line did not wait for it."""
    end = at
    while steps[end].sign.strip("() ") in ("|", "|&", "&&", "||") and end + 1 < len(steps):
        end += 1
    waits = any(part.program in ("wait", "fg") for step in steps[end + 1 :] for part in step.parts)
    return steps[end].sign.strip("() ") == "&" and not waits


def _comes_to_an_end(step: Step) -> bool:
    """Whether what a step runs ends by itself, as tests, checks and builds do."""
    watched = {"--watch", "--watchAll", "-w", "--ui"}
    return any(
        (purposes.is_test(part) or purposes.is_check(part) or _ENDS.search(" ".join((part.program, *part.words))))
        and not watched & set(part.words)
        for part in step.parts
    )


def refused(step: Step, result: str) -> bool:
    """Whether the output of a check says that it refused something, in the check's own words."""
    for part in step.parts:
        words = programs.REFUSALS.get(part.program, "") if purposes.is_check(part) else ""
        if words and not LENIENT & set(part.words) and re.search(words, result, re.MULTILINE):
            return True
    return False


def _later(calls: Calls, call: Call, *, ends: bool) -> Ending:
    """How a run in the background ended: by the host's word on it, else by what a later look at its output shows."""
    begun = BACKGROUND.search(call.result)
    found = re.search(r"(?:ID|id)[:\s]+(\w{4,})", call.result[begun.start() if begun else 0 :][:500])
    name = found[1] if found else ""
    looks = [later for later in calls.after(call) if _is_about(later, name, call)]
    shown = [summaries.read(NUMBERED.sub("", later.result)) for later in looks]
    seen = next((each for each in reversed(shown) if each.bad or each.good), None)
    told = _told(calls, name)
    if told is None and seen:
        told = not seen.bad
    if told is not None:
        return Ending(PASSED if told else FAILED, seen or summaries.read(""))
    return Ending(UNREAD if _is_unread(call, looks, ends=ends) else UNSEEN, summaries.read(""))


def _is_about(later: Call, name: str, call: Call) -> bool:
    """Whether a later call looked at what a command of the background, of this name, has printed."""
    if later.name in {"BashOutput", *tools.OUTPUT.names} and not name:
        return True
    if later.name not in {"Read", "BashOutput", *tools.OUTPUT.names} and not later.command:
        return False
    logs = [path.rsplit("/", 1)[-1] for path in purposes.written(call.command)]
    named = bool(name) and (name in str(later.given) or name in later.result[:2000])
    return named or any(log in str(later.given) for log in logs)


def _is_unread(call: Call, looks: list[Call], *, ends: bool) -> bool:
    """Whether nobody read how something of the background ended that has an end."""
    if not call.answered:
        return call.passed_over
    read = any(not later.command or any(part.program not in LISTING for part in later.parts) for later in looks)
    return ends and (not read or bool(STILL_RUNNING.search(looks[-1].result[:400])))


def _told(calls: Calls, name: str) -> Optional[bool]:
    """Whether the host says that a command of the background passed; None where it says nothing of its end."""
    for words in calls.told:
        if name and name in words and FINISHED.search(words):
            code = re.search(r"exit(?:ed with)? code:?\s*(\d+)", words)
            return code[1] == "0" if code else "failed" not in words
    return None
