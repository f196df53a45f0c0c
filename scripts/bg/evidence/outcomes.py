"""How a command ended: passed, failed, or not to be told, from its exit and its output."""

from __future__ import annotations

import re
from typing import NamedTuple

from bg.evidence.calls import Call, Calls
from bg.evidence.shell import Part, is_test
from bg.host import tools
from bg.pattern import pattern

BAD = pattern(
    r"(?<![\w.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?)(?!\w)|(?:failures?|failed|"
    r"errors?)[=:]\s*[1-9]|^\s*(?:FAIL(?:ED|URE|URES)?|ERROR)\b(?!.*\b0\b)"
    r"|\bBUILD FAILED|\bFAILED \(|[1-9]\d* error(?:s)?(?: in |\b)|test result: FAILED",
    re.IGNORECASE | re.MULTILINE,
)
GOOD = pattern(
    r"(?<![\w.])[1-9]\d* (?:tests? )?(?:passed|passing|ok)(?!\w)|test result: ok|^ok\s|All checks passed|no "
    r"issues found|BUILD SUCCESSFUL|^OK\b|congratulations|"
    r"0 (?:failed|failures|errors|problems)|Success:|: OK\b",
    re.IGNORECASE | re.MULTILINE,
)
PASSED = pattern(r"(?<![\w.])[1-9]\d* (?:tests? )?(?:passed|passing)(?!\w)|test result: ok", re.IGNORECASE)
NUMBERED = pattern(r"^\s*\d+[→\t]", re.MULTILINE)
PREPARING = {"cd", "set", "export", "mkdir", "source", "."}


class Run(NamedTuple):
    """A command that the agent ran, as far as it concerns a claim."""

    call: Call
    parts: list[Part]
    certain: bool  # its own program is the one in question, no wrapper


def outcome(calls: Calls, run: Run) -> str:
    """How a run ended: passed, failed or unknown."""
    call = run.call
    if call.background or not call.answered:
        return _later(calls, call)
    bad, good = BAD.search(call.result), GOOD.search(call.result)
    if not call.failed:
        if not bad:
            return "passed"
        return "failed" if run.certain and _counted(call.result) else "unknown"
    programs = {part.program for part in call.parts if part.program not in PREPARING}
    if len(programs - {"head", "tail", "tee", "cat", "grep"}) > 1 and run.certain and "-c" not in call.command:
        # one of several commands failed: only a count tells which
        counted = _counted(call.result)
        return "failed" if counted else "passed" if PASSED.search(call.result) and is_test(run.parts[0]) else "unknown"
    passed = PASSED.search(call.result) and not _counted(call.result)  # a threshold was missed, not a test
    return "unknown" if passed or (good and not bad) else "failed"


def _later(calls: Calls, call: Call) -> str:
    """What a later look at the output of a run in the background shows."""
    for later in calls.calls[calls.calls.index(call) + 1 :]:
        if later.name in {"Read", "BashOutput", *tools.OUTPUT.names, "Bash"}:
            result = NUMBERED.sub("", later.result)
            if GOOD.search(result) and not BAD.search(result):
                return "passed"
    return "unknown"


def _counted(result: str) -> bool:
    """Whether an output counts failures at its end, as a runner's summary does."""
    return bool(
        re.search(
            r"(?<![\w.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?)(?!\w)|[1-9]\d* errors? in |test result: "
            r"FAILED|FAILED \(",
            result[-1500:],
        )
    )
