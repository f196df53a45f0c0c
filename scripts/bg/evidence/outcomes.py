"""How a command ended: passed, failed, or not to be seen, from its exit, what hides that, and its output."""

from __future__ import annotations

import re

from bg.evidence import programs, purposes, shell, summaries
from bg.evidence.calls import Call, Calls
from bg.evidence.shell import Step
from bg.host import tools
from bg.pattern import pattern
from bg.record import Record

PREPARING = {
    "cd",
    "set",
    "export",
    "mkdir",
    "source",
    ".",
    "pushd",
    "popd",
    "unset",
    "ulimit",
    "umask",
    "sleep",
    "rm",
    "nvm",
}
CLOSING = {"fi", "done", "esac", "}", "popd"}
WHOLE = {"tail", "tee", "cat", "ts", "less", "more"}
NUMBERED = pattern(r"^\s*\d+[→\t]", re.MULTILINE)
REFUSED = pattern(
    r"doesn't want to|permission (?:to use|denied by|for this)|was blocked|was not run|hook (?:error|denied)|"
    r"requires approval",
    re.IGNORECASE,
)
STATUS = pattern(r"\$\?|\$\{?PIPESTATUS|\$\{?pipestatus")
FINISHED = pattern(r"completed|finished|exit code|exited", re.IGNORECASE)

VIOLATIONS = pattern(r"^\s*\S+:\d+(?::\d+)?:?\s+(?:-\s+)?(?:error\b|[EF]\d{3,4}\b)", re.MULTILINE)
PROBLEMS = pattern(
    r"(?<!\w)(?<!0 )(?<!no )warnings?(?=[:\s])(?!s? found)|^\s*\S+:\d+(?::\d+)?:?\s+(?:-\s+)?(?:error|warning|"
    r"[A-Z]{1,4}\d{2,5})\b|"
    r"\berror(?:\[| TS)",
    re.IGNORECASE | re.MULTILINE,
)
PASSED, FAILED, UNSEEN, UNREAD = "passed", "failed", "unseen", "unread"


class Ending(Record):
    """How a run ended, with the summary that its output gives."""

    how: str
    summary: summaries.Summary


def ending(calls: Calls, call: Call, steps: list[Step], at: int, *, test: bool) -> Ending:
    """How the step of a call ended."""
    result = call.result
    if call.background or not call.answered:
        return _later(calls, call)
    summary = summaries.read(result)
    if call.failed and REFUSED.search(result[:400]):
        return Ending(FAILED, summary)
    mask = hidden(steps, at)
    if mask == "":
        if not call.failed:
            broke = test and (summary.failed or (summary.bad and not summary.counts - {0}))
            broke = broke or (not test and not summary.clean and bool(VIOLATIONS.search(result)))
            return Ending(FAILED if broke else PASSED, summary)
        alone = all(_prepares(step) for place, step in enumerate(steps) if place != at)
        if alone:
            return Ending(FAILED, summary)
        return Ending(_by_output(summary, whole=True), summary)
    told = _told_status(steps, at, result)
    if told is not None:
        return Ending(PASSED if told else FAILED, summary)
    return Ending(_by_output(summary, whole=mask != "filter"), summary)


def _by_output(summary: summaries.Summary, *, whole: bool) -> str:
    if summary.bad:
        return FAILED
    return PASSED if summary.good and (whole or summary.whole) else UNSEEN


def _prepares(step: Step) -> bool:
    return all(part.program in PREPARING | CLOSING | {"echo", "printf", "true"} for part in step.parts)


def hidden(steps: list[Step], at: int) -> str:
    """What hides how a step ended: a pipe, a filter, another command; empty where nothing does."""
    inside = _hidden_within(steps[at])
    if inside:
        return inside
    if at and "(" in steps[at - 1].sign and steps[at - 1].parts and steps[at - 1].parts[-1].program[-1:] in ("$", "<"):
        return "another"
    options = [word for step in steps[:at] for part in step.parts if part.program == "set" for word in part.words]
    pipes = any("pipefail" in word for word in options)
    stops = any(re.match(r"-[a-z]*e", word) for word in options)
    for place in range(at, len(steps) - 1):
        sign = steps[place].sign.strip("() ")
        if sign in ("|", "|&") and not pipes:
            return _piped(steps, place)
        if sign == "||":
            return "" if _gives_up(steps[place + 1]) else "another"
        if sign == "&" or (sign not in ("", "&&", "|", "|&") and not stops):
            return "" if sign != "&" and all(map(_closes, steps[place + 1 :])) else "another"
    return ""


def _hidden_within(step: Step) -> str:
    """What hides it in the line that a shell was started with."""
    if not step.parts or step.parts[0].program not in programs.SHELLS or len(step.parts) < 2:
        return ""
    within = shell.steps(next((word for word in step.parts[0].words if " " in word), ""))
    mains = [place for place, each in enumerate(within) if not _prepares(each)]
    return hidden(within, mains[0]) if mains else ""


def _piped(steps: list[Step], place: int) -> str:
    end = place + 1
    while end < len(steps) and steps[end].sign in ("|", "|&"):
        end += 1
    between = {part.program for each in steps[place + 1 : end + 1] for part in each.parts}
    return "pipe" if between <= WHOLE else "filter"


def _gives_up(step: Step) -> bool:
    return bool(step.parts) and step.parts[0].program == "exit" and step.parts[0].words[:1] not in ((), ("0",))


def _closes(step: Step) -> bool:
    return bool(step.parts) and step.parts[0].program in CLOSING


def _told_status(steps: list[Step], at: int, result: str) -> bool | None:
    """The status that the line itself prints with `echo $?`; None where it prints none."""
    for place in range(at + 1, len(steps)):
        parts = steps[place].parts
        words = " ".join(parts[0].words) if parts else ""
        found = STATUS.search(words) or (parts and STATUS.search(parts[0].program))
        if not found:
            if steps[place - 1].sign in ("|", "|&"):
                continue
            return None
        piped = steps[at].sign in ("|", "|&")
        if piped and "?" in found[0]:
            return None  # that of the last in the pipe
        if not parts or parts[0].program not in ("echo", "printf"):
            return None
        last = [line for line in result.strip().split("\n") if line.strip()][-3:]
        before = re.escape(words[: found.start()].strip().strip("\"'")[-20:])
        for line in reversed(last):
            number = (
                re.search(rf"{before}\s*(\d{{1,3}})(?!\d)", line) if before else re.fullmatch(r"\s*(\d{1,3})\s*", line)
            )
            if number:
                return number[1] == "0"
        return None
    return None


def _later(calls: Calls, call: Call) -> Ending:
    """What a later look at the output of a run in the background shows, or the host's word on it."""
    nothing = summaries.read("")
    name = re.search(r"(?:ID|id)[:\s]+(\w{4,})", call.result[:500])
    looked = False
    logs = [path.rsplit("/", 1)[-1] for path in purposes.written(call.command)]
    for later in calls.after(call):
        about = name is not None and (name[1] in str(later.given) or name[1] in later.result[:2000])
        about = about or any(log in str(later.given) for log in logs)
        if later.name not in {"Read", "BashOutput", *tools.OUTPUT.names} and not (later.command and about):
            continue
        looked = looked or about or later.name != "Read"
        summary = summaries.read(NUMBERED.sub("", later.result))
        if summary.bad and (about or summary.failed):
            return Ending(FAILED, summary)
        if summary.good:
            return Ending(PASSED, summary)
    for words in calls.told:
        if name is not None and name[1] in words and FINISHED.search(words):
            failed = re.search(r"exit code:?\s*[1-9]|failed", words)
            return Ending(FAILED if failed else PASSED, nothing)
    unread = not looked if call.answered else call.passed_over
    return Ending(UNREAD if unread else UNSEEN, nothing)
