"""What the output of a run says of its own end: how many tests passed and failed, that none ran, or all is clean."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.record import Record

MOST, LONG = 4000, 1000  # lines, and characters of one
_COLOUR = pattern(r"\x1b\[[0-9;]*[A-Za-z]")
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
    r"^\s*(?:--- PASS: |ok \d+\b(?!.*# (?:skip|todo))|test \S+ \.\.\. ok$|\S+::\S+ PASSED)",
    re.IGNORECASE,
)
_EACH_SKIPPED = pattern(r"^\s*(?:--- SKIP: |ok \d+\b.*# (?:skip|todo)|\S+::\S+ SKIPPED)", re.IGNORECASE)
_BROKEN = (
    r"^(?:FAIL(?:$|\t)|FAILURES!|--- FAIL|not ok \d+(?!.*# (?:TODO|SKIP)))|^(?:\[\w+\] )?BUILD FAIL(?:ED|URE)\b|"
    r"^FAILED \((?=\w+=)|^test result: FAILED|^Result: FAIL|^make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error)|"
    r"^error\[E\d+\]:|^error: could not compile|^\S+: error TS\d+:|^[✖✗] [1-9]\d* problems?\b(?! \(0 errors)|"
    r"^> Task \S+ FAILED|^FAILURE: Build failed|^\[ERROR\] (?:COMPILATION ERROR|Failed to execute goal)"
)
_FAILS = pattern(_BROKEN, re.IGNORECASE)
_NONE = (
    r"^(?:\[\w+\] |[^\w\n]{0,90})(?:\w+: ){0,2}"
    r"(?:no tests? (?:ran|found|were run|to run|collected|specified|were found|executed)|"
    r"no test files? (?:were )?found|collected 0 items|ran 0 tests|no tests? suites? found|there are no tests|"
    r"0 tests? (?:ran|run|found|executed)|no test is available|no test specified|no tests? match(?:es)?\b|"
    r"all tests have been excluded|couldn't find any files to test|no spec files were found|no test modules? found|"
    r"no tests have been (?:run|found|selected))|^1\.\.0\b|^(?:\[\w+\] )?tests are skipped|"
    r"^=*\s*\d+ deselected(?:, \d+ warnings?)? in |/ 0 selected$"
)
_NONE_RAN = pattern(_NONE, re.IGNORECASE | re.MULTILINE)
# The lines in which each runner sums up its own run, from their beginning; every other line is what a program logs.
_RUNNERS = {
    "pytest": r"^=*\s*(?:\d+ (?:(?:subtests )?passed|failed|errors?|skipped|xfailed|xpassed|deselected|rerun|warnings?)"
    r"(?:, )?)+ in \d|^\S+::\S+ (?:PASSED|SKIPPED)",
    "jest": r"^\s*Tests:\s+\d",  # and pest
    "vitest": r"^\s*Tests\s+\d+ (?:passed|failed|skipped|todo)",
    "mocha": r"^\s+\d+ (?:passing|failing|pending)(?: \(|$)",
    "playwright": r"^\s+\d+ (?:passed|failed|flaky|skipped|did not run)(?: \(|$)",
    "node": r"^(?:#|ℹ) (?:tests|pass|fail|cancelled|skipped|todo)\s+\d",
    "bun": r"^ *\d+ (?:pass|fail|skip|todo)$|^Ran \d+ tests? across",
    "deno": r"^(?:ok|FAILED) \| \d+ passed",
    "ava": r"^\s*\d+ tests? (?:passed|failed|skipped)$",
    "tap": r"^(?:not )?ok \d+\b|^1\.\.\d+",
    "go": r"^\s*--- (?:PASS|FAIL|SKIP): |^(?:PASS|FAIL)$|^(?:ok|FAIL|\?)\s+\S+\s+(?:[\d.]+m?s|\(cached\)|\[)|"
    r"^DONE \d+ tests",
    "cargo": r"^test result: |^test \S+ \.\.\. ok$|^\s*Summary \[",
    "maven": r"^(?:\[\w+\] )?(?:Tests run: \d|BUILD (?:SUCCESS|FAILURE)\b)",
    "gradle": r"^\d+ tests? completed|^BUILD (?:SUCCESSFUL|FAILED) in ",
    "unittest": r"^Ran \d+ tests? in |^OK(?: \(\w+=|,|$)|^FAILED \(\w+=|^NO TESTS RAN$",
    "phpunit": r"^OK \(\d+ tests?, |^FAILURES!$|^Tests: \d+, Assertions: ",
    "counts": r"^(?:\d+ \w+, )*\d+ (?:examples?|runs|tests?|specs?|scenarios?)(?=, ).*\d (?:failures?|failed)\b",
    "lein": r"^Ran \d+ tests containing |^\d+ failures, \d+ errors",
    "busted": r"^\d+ successes / \d+ failures",
    "dotnet": r"^(?:Passed|Failed)!\s+- Failed:|^Total tests: \d|^ +(?:Passed|Failed|Skipped): \d+$",
    "ctest": r"^\d+% tests passed, ",
    "flutter": r"^[\d:]+ \+\d+",
    "swift": r"^\s*Executed \d+ tests?, with |^[✔✘] Test run with \d+ tests?",
    "sbt": r"^\[\w+\] (?:Passed|Failed): Total \d",
    "googletest": r"^\[[\s=]*(?:PASSED|FAILED|=)[\s=]*\] \d+ tests?",
    "catch2": r"^All tests passed \(",
    "zig": r"^All \d+ tests passed\.$",
    "prove": r"^Files=\d+, Tests=\d|^Result: |^Failed \d+/\d+ subtests|^All tests successful",
    "testthat": r"^\[ FAIL \d+ \|",
    # jest, vitest and mocha behind a package's name, as pnpm, lerna and turbo print them
    "workspace": r"^[@\w][\w@./-]{0,80}(?:[ :][\w:.-]{1,40})?: +(?:Tests:? +\d|"
    r"\d+ (?:passing|failing|pending)(?: \(|$))",
}
_OWN = pattern(
    "|".join(f"(?P<{name}>{line})" for name, line in {**_RUNNERS, "broken": _BROKEN, "none": _NONE}.items()),
    re.IGNORECASE,
)
_ONCE = {"pytest", "jest", "vitest"}  # sum up once, at the end
_NO_SOURCE = pattern(r"^> Task :\S*test\S* NO-SOURCE", re.IGNORECASE | re.MULTILINE)
_A_TEST_TASK = pattern(r"^> Task :(?:\S*:)?\w*test\w*\s*$", re.IGNORECASE | re.MULTILINE)
_GO_EMPTY = pattern(r"\[no test(?:s to run| files)\]")
_CLEAN = pattern(
    r"^(?:\[\w+\] |[^\w\n]{0,9})(?:All checks passed|(?:Success: )?no issues found|BUILD SUCCESS|"
    r"OK$|OK[ ,(]|ok\s|test result: ok|Success\b|Result: PASS|PASS$|No ESLint warnings or errors|"
    r"All matched files use Prettier|all tests passed|"
    r"\d+ files? (?:already formatted|would be left unchanged|left unchanged)|100% tests passed|Compiled successfully|"
    r"Finished\b.*\btarget|built in \d|(?:\S+ )?(?:found )?(?:0|no) (?:errors|problems|failures|failed|warnings|issues|"
    r"vulnerabilities)\b|[✖✗] \d+ problems? \(0 errors)|^\S+: OK$",
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
    bad: bool  # the runner that summed up last says that something failed
    doubtful: bool  # some runner says so
    any_failed: bool  # some line says so, also one that a later line of its runner has replaced
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
        return not self.doubtful and not self.empty and (self.clean or bool(self.counts - {0}))


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
        self.broken = False

    def add(self, line: str) -> None:
        """One more line."""
        self.each += bool(_EACH.search(line))
        self.each_skipped += bool(_EACH_SKIPPED.search(line))
        self.broken = self.broken or bool(_FAILS.search(line))
        if any(each in line for each in _NO_COUNT):
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
    def fails(self) -> bool:
        """Whether anything is said to have failed."""
        return self.broken or any(self.failed) or any(self.errors)

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


def own_lines(output: str) -> list[tuple[str, str]]:
    """The lines in which runners sum up, each with its runner's name; of one that sums up once, the last only."""
    return _ends(_sums(output))


def _sums(output: str) -> list[tuple[str, str]]:
    """Every line in which a runner sums up; of an output that is long, both ends."""
    lines = _COLOUR.sub("", output).split("\n")
    return [
        (str(match.lastgroup), line)
        for line in (lines if len(lines) <= MOST else lines[: MOST // 2] + lines[-MOST // 2 :])
        for match in [_OWN.search(line) if len(line) <= LONG else None]
        if match
    ]


def _ends(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    last = {name: place for place, (name, _) in enumerate(found)}
    return [each for place, each in enumerate(found) if each[0] not in _ONCE or last[each[0]] == place]


def read(output: str) -> Summary:
    """The summary of an output, from its runners' own lines; numbers are added up over packages and suites.

    One call may start a runner several times, so its counts are of all lines. What failed is said by the last: an
    earlier line may be printed by a test.
    """
    sums = _sums(output)
    own = _ends(sums)
    plain = _COLOUR.sub("", output)
    tally, ends = _tallied(sums), _tallied(own)
    passed, totals = tally.numbers() if tally.known else (set(), set())
    last = _tallied([each for each in own if each[0] == own[-1][0]])
    return Summary(
        frozenset(passed),
        frozenset(totals),
        frozenset({*tally.skipped, sum(tally.skipped)} if tally.skipped else ()),
        max(ends.failed, default=0),
        last.fails,
        ends.fails,
        tally.fails,
        _empty(tally, plain),
        bool(_CLEAN.search(plain)),
        bool(_WHOLE_LINE.search(plain)),
    )


def _tallied(own: list[tuple[str, str]]) -> _Tally:
    tally = _Tally()
    for _, line in own:
        tally.add(line)
    return tally


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
