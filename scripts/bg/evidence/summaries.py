"""What the output of a run says of its own end: how many tests passed and failed, that none ran, or all is clean."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.record import Record

MOST = 4000
_COLOUR = pattern(r"\x1b\[[0-9;]*[A-Za-z]")
_NOT_TESTS = pattern(
    r"^\s*(?:test suites|test files|snapshots|suites|files(?!=)|ℹ suites|# suites|time|duration)\b", re.IGNORECASE
)
_NO_COUNT = ("0 remaining", "Test run with 0 tests")  # the second is of one library of two
_PASSED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+|specs?\s+|examples?\s+)?(?:passed|passing|pass|ok|successful|success(?:es)?)(?!\w)|"
    r"(?:\bpassed|# pass|ℹ pass|\| PASS|\[\s*PASSED\s*\])(?:\s*[:=]\s*|\s+)(\d+)(?![\w%]|\.\d)|"
    r"^[\d:]+ \+(\d+)(?= ?[~:-])",
    re.IGNORECASE,
)
_FAILED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+|specs?\s+)?(?:failed|failing|failures?|fail)(?!\w)|"
    r"(?:(?<!expected )\b(?:failed|failures?)|# fail|ℹ fail|\[\s*FAILED\s*\])"
    r"(?:\s*[:=]\s*|(?<=# fail)\s+|(?<=ℹ fail)\s+|(?<=\])\s+)(\d+)(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_ERRORS = pattern(r"(?<![\w.])(\d+)\s+errors?(?!\w)|\berrors?\s*[:=]\s*(\d+)(?![\w%]|\.\d)", re.IGNORECASE)
_SKIPPED = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?\s+)?(?:skipped|skips?|pending|ignored|todo|xfailed|excluded)(?!\w)|"
    r"(?:\b(?:skipped|ignored|pending|expected failures|SKIP)|[#ℹ] (?:skipped|todo))(?:\s*[:=]\s*|\s+)(\d+)"
    r"(?![\w%]|\.\d)|"
    r"^[\d:]+ \+\d+ ~(\d+)",
    re.IGNORECASE,
)
_TOTAL = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?|doctests?|propert(?:y|ies)|specs?|examples?|runs|total|scenarios?)(?!\w)(?!\s+(?:skipped|failed|ignored))|"
    r"\bRan\s+(\d+)\s+tests?|"
    r"(?:\btests?(?: run)?|\btotal(?: tests)?|# tests|ℹ tests)(?:\s*[:=]\s*|(?<=# tests)\s+|(?<=ℹ tests)\s+)(\d+)"
    r"(?![\w%]|\.\d)|\((\d+)(?: tests?)?\)\s*$|\bout of\s+(\d+)",
    re.IGNORECASE,
)
_EACH = pattern(
    r"^\s*(?:--- PASS: |ok \d+\b(?!.*# (?:skip|todo))|✓ |✔ |√ |test \S+ \.\.\. ok$|\S+::\S+ PASSED)|\.\.\. ok$",
    re.IGNORECASE,
)
_EACH_SKIPPED = pattern(r"^\s*(?:--- SKIP: |ok \d+\b.*# (?:skip|todo)|\S+::\S+ SKIPPED)", re.IGNORECASE)
_BROKEN = pattern(
    r"^(?:FAIL(?:ED|URE)?\b(?![:=]\s*0)|--- FAIL|not ok \d+(?!.*# (?:TODO|SKIP)))|\bBUILD FAIL(?:ED|URE)\b|"
    r"\bFAILED \((?=\w+=)|"
    r"test result: FAILED|^Result: FAIL|^make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error)|"
    r"^error\[E\d+\]:|\berror TS\d+:|[✖✗] [1-9]\d* problems?\b(?! \(0 errors)",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
# Said by compilers and builds; programs print the like while they pass: it counts only where nothing else is counted.
_BUILD_BROKEN = pattern(
    r"^> Task \S+ FAILED|^\S+\.\w+:\d+(?::\d+)?:? (?:fatal )?error:|^\[ERROR\] |^FAILURE: Build failed|^ERROR in |"
    r"^e: \S+\.kts?\b",
    re.MULTILINE,
)
_CRASHED = pattern(
    r"Traceback \(most recent call|^error: |^E {3}|command not found|^panic:|segmentation fault|^fatal: |"
    r"\bpanicked at\b|\bFailed to compile\b",
    re.IGNORECASE | re.MULTILINE,
)
_NONE_RAN = pattern(
    r"no tests? (?:ran|found|were run|to run|collected|specified|were found|files? (?:were )?found|executed)|"
    r"collected 0 items|\bran 0 tests|no tests? (?:suites? )?found|there are no tests|0 tests? (?:ran|run|found|"
    r"executed)|"
    r"no test is available|NO TESTS RAN|tests are skipped|no test specified|^1\.\.0\b|no tests? match(?:es)?\b|"
    r"all tests have been excluded|couldn't find any files to test|no spec files were found|no test modules? found|"
    r"^=*\s*\d+ deselected(?:, \d+ warnings?)? in |/ 0 selected$|no tests have been (?:run|found|selected)",
    re.IGNORECASE | re.MULTILINE,
)
_NO_SOURCE = pattern(r"^> Task :\S*test\S* NO-SOURCE", re.IGNORECASE | re.MULTILINE)
_A_TEST_TASK = pattern(r"^> Task :(?:\S*:)?\w*test\w*\s*$", re.IGNORECASE | re.MULTILINE)
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
    """What an output says: how many tests passed and how many there are, failures, whether none ran, all is clean."""

    passed: frozenset[int]
    totals: frozenset[int]
    skipped: frozenset[int]
    failed: int
    broken: bool
    empty: bool
    clean: bool
    whole: bool

    @property
    def counts(self) -> frozenset[int]:
        """Every number of tests that it gives."""
        return self.passed | self.totals

    @property
    def good(self) -> bool:
        """It says that all went well."""
        return not self.bad and not self.empty and (self.clean or bool(self.counts - {0}))

    @property
    def bad(self) -> bool:
        """It says that something failed."""
        return self.failed > 0 or self.broken


class _Tally:
    """The numbers of one output, a list of each kind, and those of lines that give only how many there were."""

    def __init__(self) -> None:
        self.passed: list[int] = []
        self.skipped: list[int] = []
        self.failed: list[int] = []
        self.errors: list[int] = []
        self.totals: list[int] = []
        self.left: list[int] = []  # of a total, what neither failed nor was skipped in its line
        self.same_line = False  # whether a line with a total names some that failed or were skipped
        self.each = self.each_skipped = 0

    def add(self, line: str) -> None:
        """One more line."""
        self.each += bool(_EACH.search(line))
        self.each_skipped += bool(_EACH_SKIPPED.search(line))
        if (
            _NOT_TESTS.match(line)
            or any(each in line for each in _NO_COUNT)
            or len(line) > 1000
            or not any(map(str.isdigit, line))
        ):
            return
        skipped, failed, errors = (_numbers(each, line) for each in (_SKIPPED, _FAILED, _ERRORS))
        totals = _numbers(_TOTAL, line)
        self.passed += _numbers(_PASSED, line)
        self.skipped += skipped
        self.failed += failed
        self.errors += errors
        self.totals += totals
        gone = sum(skipped) + sum(failed) + sum(errors)
        self.same_line = self.same_line or bool(totals and gone)
        whole = [sum(totals)] if len(totals) > 1 else []  # tests of several kinds
        self.left += [max(0, number - gone) for number in [*totals, *whole]]

    @property
    def known(self) -> bool:
        """Whether any test was counted."""
        return bool(self.passed or self.totals or self.each)

    def numbers(self) -> tuple[set[int], set[int]]:
        """The numbers that may be called passed, and those that may be called tests."""
        skipped = sum(self.skipped)
        if self.passed:
            done = {*self.passed, sum(self.passed)}
        elif self.totals:
            fewer = {number - skipped for number in (sum(self.totals), max(self.totals)) if number >= skipped}
            done = {*self.left, sum(self.left)} if self.same_line or not skipped else fewer
        else:
            done = {self.each}
        all_in = {*self.totals, sum(self.totals), sum(self.passed) + skipped, *done}
        all_in.update({self.each + self.each_skipped} if self.each else ())
        return done, all_in


def read(output: str) -> Summary:
    """The summary of an output; numbers are added up over packages and suites."""
    output = _COLOUR.sub("", output)
    tally = _Tally()
    lines = output.split("\n")
    for line in lines if len(lines) <= MOST else lines[: MOST // 2] + lines[-MOST // 2 :]:
        tally.add(line)
    passed, totals = tally.numbers() if tally.known else (set(), set())
    clean = bool(_CLEAN.search(output))
    broken = bool(_BROKEN.search(output)) or max(tally.errors, default=0) > 0
    broken = broken or (not tally.known and bool(_CRASHED.search(output)))
    broken = broken or (not clean and not passed - {0} and bool(_BUILD_BROKEN.search(output)))
    return Summary(
        frozenset(passed),
        frozenset(totals),
        frozenset({*tally.skipped, sum(tally.skipped)} if tally.skipped else ()),
        max(tally.failed, default=0),
        broken,
        _empty(tally, output),
        clean,
        bool(_WHOLE_LINE.search(output)),
    )


def _empty(tally: _Tally, output: str) -> bool:
    """Whether a run of tests ran none."""
    if any(tally.passed) or tally.each or any(tally.failed):
        return False
    if _NONE_RAN.search(output) or (_NO_SOURCE.search(output) and not _A_TEST_TASK.search(output)):
        return True
    if _GO_EMPTY.search(output) and not re.search(r"^ok\s+\S+\s+(?!.*\[no tests)", output, re.MULTILINE):
        return True
    left = max(tally.totals, default=0) - sum(tally.skipped)
    return left <= 0 if tally.passed or tally.totals or tally.skipped else False


def _numbers(found: re.Pattern[str], line: str) -> list[int]:
    return [int(next(group for group in match.groups() if group)[:9]) for match in found.finditer(line)]
