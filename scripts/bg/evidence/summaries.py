"""What the output of a run says of its own end: how many tests passed and failed, that none ran, or all is clean."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.record import Record

MOST = 4000
_COLOUR = pattern(r"\x1b\[[0-9;]*[A-Za-z]")
_NOT_TESTS = pattern(
    r"^\s*(?:test suites|test files|snapshots|suites|files|ℹ suites|# suites|time|duration)\b", re.IGNORECASE
)
_PASSED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+|specs?\s+|examples?\s+)?(?:passed|passing|pass|ok|successful)(?!\w)|"
    r"(?:\bpassed|# pass|ℹ pass)(?:\s*[:=]\s*|\s+)(\d+)(?![\w.%])",
    re.IGNORECASE,
)
_FAILED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+|specs?\s+)?(?:failed|failing|failures?|fail)(?!\w)|"
    r"(?:\b(?:failed|failures?)|# fail|ℹ fail)(?:\s*[:=]\s*|(?<=# fail)\s+|(?<=ℹ fail)\s+)(\d+)(?![\w.%])",
    re.IGNORECASE,
)
_ERRORS = pattern(r"(?<![\w.])(\d+)\s+errors?(?!\w)|\berrors?\s*[:=]\s*(\d+)(?![\w.%])", re.IGNORECASE)
_SKIPPED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+)?(?:skipped|pending|ignored|todo|xfailed|deselected)(?!\w)|"
    r"(?:\b(?:skipped|ignored|pending)|# skipped|ℹ skipped)(?:\s*[:=]\s*|\s+)(\d+)(?![\w.%])",
    re.IGNORECASE,
)
_TOTAL = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?|specs?|examples?|runs|total|scenarios?|assertions)(?!\w)|\bRan\s+(\d+)\s+tests?|"
    r"(?:\btests?(?: run)?|\btotal(?: tests)?|# tests|ℹ tests)(?:\s*[:=]\s*|(?<=# tests)\s+|(?<=ℹ tests)\s+)(\d+)"
    r"(?![\w.%])|\((\d+)(?: tests?)?\)\s*$|\bout of\s+(\d+)",
    re.IGNORECASE,
)
_EACH = pattern(r"^\s*(?:--- PASS: |ok \d+\b|✓ |✔ |√ |test \S+ \.\.\. ok$|\S+::\S+ PASSED)|\.\.\. ok$")
_BROKEN = pattern(
    r"^(?:FAIL(?:ED|URE)?\b(?![:=]\s*0)|--- FAIL|not ok \d+(?!.*# (?:TODO|SKIP)))|\bBUILD FAIL(?:ED|URE)\b|\bFAILED \(|"
    r"test result: FAILED|^Result: FAIL|^make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error)|"
    r"^error\[E\d+\]:|\berror TS\d+:|[✖✗] [1-9]\d* problems?",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_CRASHED = pattern(
    r"Traceback \(most recent call|^error: |^E {3}|command not found|^panic:|segmentation fault|^fatal: |"
    r"\bpanicked at\b|\bFailed to compile\b",
    re.IGNORECASE | re.MULTILINE,
)
_NONE_RAN = pattern(
    r"no tests? (?:ran|found|were run|to run|collected|specified|were found|files? (?:were )?found|executed)|"
    r"collected 0 items|\bran 0 tests|no tests? (?:suites? )?found|there are no tests|0 tests? (?:ran|run|found|"
    r"executed)|"
    r"no test is available|NO TESTS RAN",
    re.IGNORECASE,
)
_GO_EMPTY = pattern(r"\[no test(?:s to run| files)\]")
_CLEAN = pattern(
    r"All checks passed|no issues found|BUILD SUCCESS|^OK\b|^ok\s|test result: ok|\bSuccess: |^Success\b|: OK\b|"
    r"(?<![\w.])0 (?:errors|problems|failures|failed|warnings|issues|vulnerabilities)|No ESLint warnings or errors|"
    r"All matched files use Prettier|already formatted|^Result: PASS|no (?:errors|problems|warnings)(?: found)?|"
    r"100% tests passed|"
    r"Compiled successfully|^✔|^✓|\bFinished\b.*\btarget|all tests passed|^PASS\b|built in \d",
    re.IGNORECASE | re.MULTILINE,
)
_WHOLE_LINE = pattern(
    r"^=*\s*\d+ passed\b.* in [\d.]+|^\s*Tests:?\s+(?:\d+ \w+, )*\d+ passed\b|^test result: |^Tests run: \d+|"
    r"^OK \(\d+ tests?|^\d+ (?:examples?|tests|runs), ",
    re.IGNORECASE | re.MULTILINE,
)


class Summary(Record):
    """What an output says: numbers that may be called the passed ones, failures, and whether tests or all is clean."""

    counts: frozenset[int]
    failed: int
    broken: bool
    empty: bool
    clean: bool
    whole: bool

    @property
    def good(self) -> bool:
        """It says that all went well."""
        return not self.bad and not self.empty and (self.clean or bool(self.counts - {0}))

    @property
    def bad(self) -> bool:
        """It says that something failed."""
        return self.failed > 0 or self.broken


def read(output: str) -> Summary:
    """The summary of an output; numbers are added up over packages and suites."""
    output = _COLOUR.sub("", output)
    passed, skipped, failed, errors = [], [], [], []
    single: set[int] = set()
    totals: list[int] = []
    each = 0
    lines = output.split("\n")
    for line in lines[:MOST] if len(lines) <= MOST else lines[: MOST // 2] + lines[-MOST // 2 :]:
        each += bool(_EACH.search(line))
        if (
            _NOT_TESTS.match(line)
            or "0 remaining" in line
            or len(line) > 1000
            or not any(sign.isdigit() for sign in line)
        ):
            continue
        passed += _numbers(_PASSED, line)
        failed += _numbers(_FAILED, line)
        errors += _numbers(_ERRORS, line)
        skipped += _numbers(_SKIPPED, line)
        found = _numbers(_TOTAL, line)
        totals += found
        single.update(found, _numbers(_PASSED, line))
    counts = {*single, sum(passed), sum(totals), sum(passed) + sum(skipped)}
    counts.update(number - skip for number in totals for skip in {sum(skipped), *skipped} if number >= skip)
    counts.update(sum(totals) - number for number in [sum(skipped)] if sum(totals) >= number)
    counts.update({each} if each else ())
    known = bool(passed or totals or each)
    go_only_empty = bool(_GO_EMPTY.search(output)) and not re.search(
        r"^ok\s+\S+\s+(?!.*\[no tests)", output, re.MULTILINE
    )
    empty = (
        not any(passed)
        and not each
        and (bool(_NONE_RAN.search(output)) or go_only_empty or (known and not any(totals)))
    )
    return Summary(
        frozenset(counts) if known else frozenset(),
        max(failed, default=0),
        bool(_BROKEN.search(output)) or max(errors, default=0) > 0 or (not known and bool(_CRASHED.search(output))),
        empty,
        bool(_CLEAN.search(output)),
        bool(_WHOLE_LINE.search(output)),
    )


def _numbers(found: re.Pattern[str], line: str) -> list[int]:
    return [int(next(group for group in match.groups() if group)[:9]) for match in found.finditer(line)]
