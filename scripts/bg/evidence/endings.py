"""How a run ended: by its exit status or, if the line hides that, by the last words of the line or the runner."""

from __future__ import annotations

import re

from bg.evidence import programs
from bg.evidence.calls import Call, Calls
from bg.evidence.shell import Command
from bg.host import tools
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

PASSED, FAILED, UNSEEN, UNREAD, MASKED = "passed", "failed", "unseen", "unread", "masked"
LINES, LONG = 4000, 1000
# An expression that may take long even on a hundred characters: with a repeated group, or many repetitions.
_SLOW = pattern(r"\)[*+{]|(?:[*+{].*){4}", re.DOTALL)
_LONG_EXPRESSION = 200
_BASIC = pattern(r"\\?[|()+?{}]")
_COLOUR = pattern(r"\x1b\[[0-9;]*[A-Za-z]")
# The lines in which each common runner sums up its own run, matched from their beginning.
_SUMMARY = pattern(
    "|".join(
        f"(?P<{name}>{line})"
        for name, line in {
            "pytest": r"^=*\s*(?:\d+ (?:(?:subtests )?passed|failed|errors?|skipped|xfailed|xpassed|deselected|rerun|"
            r"warnings?)(?:, )?)+ in \d",
            "jest": r"^\s*Tests:\s+\d",
            "vitest": r"^\s*Tests\s+\d+ (?:passed|failed|skipped|todo)",
            "mocha": r"^\s+\d+ (?:passing|failing|pending)(?: \(|$)",
            "playwright": r"^\s+\d+ (?:passed|failed|flaky|skipped|did not run)(?: \(|$)",
            "node": r"^(?:#|ℹ) (?:tests|pass|fail|cancelled|skipped|todo)\s+\d",
            "bun": r"^ *\d+ (?:pass|fail|skip|todo)$",
            "deno": r"^(?:ok|FAILED) \| \d+ passed",
            "go": r"^(?:ok|FAIL|---\s*FAIL:|\?)\s+\S+\s+(?:[\d.]+m?s|\(cached\)|\[|\([\d.]+s\))|^FAIL$",
            "cargo": r"^test result: ",
            "maven": r"^(?:\[\w+\] )?(?:Tests run: \d|BUILD (?:SUCCESS|FAILURE)\b)",
            "gradle": r"^\d+ tests? completed|^BUILD (?:SUCCESSFUL|FAILED) in ",
            "unittest": r"^Ran \d+ tests? in |^OK(?: \(\w+=|$)|^FAILED \(\w+=",
            "phpunit": r"^OK \(\d+ tests?, |^FAILURES!$|^Tests: \d+, Assertions: ",
            "tap": r"^(?:not )?ok \d+\b|^Files=\d+, Tests=\d|^Result: [A-Z]+$|^--- (?:PASS|SKIP): ",
            "rspec": r"^(?:\d+ \w+, )*\d+ (?:examples?|runs|tests?|scenarios?), .*\d (?:failures?|failed)\b",
            "dotnet": r"^(?:Passed|Failed)!\s+- Failed:|^ +(?:Passed|Failed): \d+$",
            "ctest": r"^\d+% tests passed, ",
            "swift": r"^\s*Executed \d+ tests?, with ",
            # jest, vitest and mocha after a package's name, as pnpm, lerna and turbo print them
            "packages": r"^[@\w][\w@./-]{0,80}(?:[ :][\w:.-]{1,40})?: +"
            r"(?:Tests:? +\d|\d+ (?:passing|failing)(?: \(|$))",
        }.items()
    )
)
_ONCE = {"pytest", "jest", "vitest", "unittest", "phpunit", "rspec"}  # sum up once, at the end
# For each runner whose passing lines alone do not rule out a failure: a line that it prints about one.
_OF_A_FAILURE = {
    "mocha": "  1 failing",
    "node": "# fail 1",
    "bun": " 1 fail",
    "go": "FAIL\tx/a\t0.1s",
    "cargo": "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "tap": "not ok 2 - b",
}
_TO_THE_END = pattern(r"/.+/,\$p")
_PASSES = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests? )?(?:passed|passing|pass)\b|(?:# pass|ℹ pass|Passed:)\s+(\d+)|Passed:\s*(\d+)",
    re.IGNORECASE,
)
_TOTALS = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?|doctests?|properties|examples?|runs|total|scenarios?)\b(?! (?:passed|failed))|"
    r"Tests run: (\d+)|\bTests=(\d+)|Tests: (\d+), A|"
    r"(?:# tests|ℹ tests)\s+(\d+)|Total:\s*(\d+)|\((\d+)\)\s*$|out of (\d+)",
    re.IGNORECASE,
)
_FAILS = pattern(
    r"(?<![\w.])([1-9]\d*)\s+(?:tests? )?(?:failed|failing|failures?|errors?|fail)\b|"
    r"(?<!expected )\b(?:failures?|errors?|failed|(?<=# )fail|(?<=ℹ )fail|(?<=# )cancelled|(?<=ℹ )cancelled)"
    r"(?:[:=]\s*|\s+)([1-9]\d*)\b|"
    r"^(not ok \d+(?!.*# (?:TODO|SKIP))|FAIL|---\s*FAIL|FAILURES!|FAILED|Result: FAIL)\b|"
    r"(BUILD FAIL|test result: FAILED)",
    re.IGNORECASE,
)
_EACH = pattern(r"^(?:ok \d+\b(?!.*# (?:TODO|SKIP))|--- PASS: )", re.IGNORECASE | re.MULTILINE)
_FAILED = pattern(r"(?<![\w.])([1-9]\d*)\s+(?:tests? )?(?:failed|failing|failures?)\b", re.IGNORECASE)
_SKIPS = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests? )?(?:skipped|skips|pending|ignored|todo|xfailed|excluded)\b|"
    r"(?:skipped|ignored|expected failures)(?:[:=]\s*|\s+)(\d+)",
    re.IGNORECASE,
)
_NONE_RAN = pattern(
    r"^(?:\[\w+\] )?[=\s]*(?:no tests? (?:were |are )?(?:ran|run|collected|found|executed|to run)|no test files? found|"
    r"collected 0 items|ran 0 tests|\d+ deselected in |1\.\.0$|there are no tests|tests are skipped|no test matches|"
    r"couldn't find any files to test|all tests have been excluded)",
    re.IGNORECASE | re.MULTILINE,
)
_GO_EMPTY, _GO_RAN = pattern(r"\[no test(?:s to run| files)\]"), pattern(r"^ok\s+\S+\s+(?!.*\[no tests)", re.MULTILINE)
_JOB = pattern(r"Command .{0,80}?background.{0,80}?(?:ID|id)[:\s]+(\w{4,})", re.DOTALL)
_STILL_RUNNING = pattern(r"<status>\s*running|^status: running|still running", re.IGNORECASE | re.MULTILINE)
_FINISHED = pattern(r"completed|finished|exit code|exited", re.IGNORECASE)
_EXIT = pattern(r"exit(?:ed with)?[ _]?code(?:>|:|\s)\s*(\d+)", re.IGNORECASE)
_STATUS = pattern(r"\$\{?(?:PIPESTATUS\[0\]|pipestatus\[1\]|\?)\}?")


class Ending(Record):
    """The end of a run, whether a summary tells it, and the runner's counts; `whole` if one line gives all counts."""

    how: str
    by_summary: bool = False
    counts: frozenset[int] = frozenset()
    passes: frozenset[int] = frozenset()
    skipped: int = 0
    failed: tuple[int, ...] = ()
    whole: bool = False
    empty: bool = False


class Tally:
    """The runners' own lines in an output: the counts in all of them, and the failures in the final ones."""

    def __init__(self, output: str) -> None:
        plain = _COLOUR.sub("", output)
        matches = filter(None, map(_SUMMARY.match, _lines(plain)))
        self.own = [(str(match.lastgroup), match.string) for match in matches]
        last = {name: place for place, (name, _) in enumerate(self.own)}
        final = [line for place, (name, line) in enumerate(self.own) if name not in _ONCE or last[name] == place]
        self.passed, self.totals, self.skipped = map(self._numbers, (_PASSES, _TOTALS, _SKIPS))
        self.passed += self._each()
        self.bad = any(map(_FAILS.search, final))
        self.failed = list(map(int, _FAILED.findall("\n".join(final))))
        self.empty = not self.bad and (not self._ran() or (_says_none(plain) and not sum(self.passed)))

    def _each(self) -> list[int]:
        """The number of tests that passed by lines of their own, if there are such lines."""
        number = len(_EACH.findall("\n".join(line for _, line in self.own)))
        return [number] if number else []

    def _ran(self) -> bool:
        """Whether any test ran, as far as the counts say."""
        left = max(self.totals, default=0) - sum(self.skipped)
        return sum(self.passed) > 0 or left > 0 or not (self.passed or self.totals or self.skipped)

    def _numbers(self, kind: re.Pattern[str]) -> list[int]:
        found = [match for _, line in self.own for match in kind.finditer(line)]
        return [int(next(group for group in match.groups() if group)[:9]) for match in found]

    @property
    def good(self) -> bool:
        """Whether a runner says that its tests passed."""
        return bool(self.own) and not self.bad and not self.empty

    @property
    def counts(self) -> frozenset[int]:
        """Every number that a report may rightly declare as that of the tests."""
        every = {*self.totals, sum(self.totals), sum(self.passed) + sum(self.skipped), *self.passes}
        return frozenset(every - {0})

    @property
    def passes(self) -> frozenset[int]:
        """Every number that a report may rightly declare as that of the passed tests."""
        left = {max(self.totals, default=0), sum(self.totals)} if not self.passed else set()
        every = {*self.passed, sum(self.passed), *(each - sum(self.skipped) for each in left)}
        return frozenset(each for each in every if each > 0)

    def by_itself(self) -> Optional[Ending]:
        """The ending by the runners' lines alone; None if they do not tell it."""
        return self.ending(FAILED if self.bad else PASSED, by_summary=True) if self.bad or self.good else None

    def ending(self, how: str, *, by_summary: bool = False) -> Ending:
        """An ending with these counts."""
        numbers = (self.counts, self.passes, sum(self.skipped), tuple(self.failed))
        return Ending(how, by_summary, *numbers, self.whole, self.empty)

    @property
    def whole(self) -> bool:
        """Whether one line of one runner gives every count."""
        names = [name for name, line in self.own if not line.startswith(("OK", "FAILED"))]
        ended = names != ["unittest"] or len(self.own) > 1  # unittest gives its count in one line, its end in the next
        return ended and len(names) == 1 and names[0] in _ONCE

    @property
    def is_cut(self) -> bool:
        """Whether only the later part of a list of single tests is there, and no summary."""
        singles = [line for name, line in self.own if name == "tap" and line.startswith(("ok", "not ok"))]
        return len(singles) == len(self.own) > 0 and not re.match(r"(?:not )?ok 1\b", singles[0])


def _lines(output: str) -> list[str]:
    """The lines of an output, long ones cut; of very many only the first and the last."""
    lines = output.split("\n")
    return [line[:LONG] for line in (lines if len(lines) <= LINES else lines[: LINES // 2] + lines[-LINES // 2 :])]


def _says_none(output: str) -> bool:
    """Whether a runner says that it found no tests."""
    return bool(_NONE_RAN.search(output)) or (bool(_GO_EMPTY.search(output)) and not _GO_RAN.search(output))


def ending(calls: Calls, call: Call, at: int) -> Ending:
    """How one command of a call ended."""
    command = call.commands[at]
    if _goes_on(call, at):
        return _later(calls, call)
    tally = Tally(_without_own_words(call))
    passed = _by_status(call, command)
    passed = _told(call, at) if passed is None else passed
    if passed is not None:
        return tally.ending(PASSED if passed else FAILED)
    return _by_summary(call, at, tally) or (_silent(calls, call) if _is_silent(call, command) else Ending(UNSEEN))


def _goes_on(call: Call, at: int) -> bool:
    """Whether a command is left running when its call ends."""
    waited = any(each.program in ("wait", "fg") for each in call.commands[at + 1 :])
    return call.background or not call.answered or (call.commands[at].mask == "background" and not waited)


def _by_summary(call: Call, at: int, tally: Tally) -> Optional[Ending]:
    """The ending by the runner's own summary, if that can only be about this command."""
    tests = [each for each in call.commands if programs.looks_like_a_test(each.words)]
    shown = not tally.is_cut and (_shows_the_end(call, at) or _shows_failures(call, at, tally))
    sure = tally.bad or tally.whole or shown
    return tally.by_itself() if tests == [call.commands[at]] and sure else None


def _is_silent(call: Call, command: Command) -> bool:
    """Whether a test, a check or a build printed into files only."""
    return programs.is_proof(command.words) and bool(command.into) and not call.result.strip()


def _silent(calls: Calls, call: Call) -> Ending:
    """The ending of a run whose status is hidden, and whose output is discarded or in a file that may be read later."""
    thrown = any("/dev/null" in each.into for each in call.commands) and not call.failed
    return Ending(MASKED) if thrown else _later(calls, call)


def _by_status(call: Call, command: Command) -> Optional[bool]:
    """Whether a command passed, by the exit status of its line; None if that does not tell."""
    if call.failed:
        return False if command.last else None
    return None if command.mask else True


def _filters(call: Call, at: int) -> list[Command]:
    """The commands that a command is piped into."""
    return [each for each in call.commands[at + 1 :] if each.piped]


def _shows_the_end(call: Call, at: int) -> bool:
    """Whether the pipe after a command lets its last lines through."""
    return all(map(_is_let_through, _filters(call, at)))


def _is_let_through(command: Command) -> bool:
    to_the_end = command.words[:2] == ("sed", "-n") and _TO_THE_END.fullmatch(command.words[-1])
    return bool(to_the_end) or command.program in {"tail", "tee", "cat", "nl", "less", "more", "ts"}


def _shows_failures(call: Call, at: int, tally: Tally) -> bool:
    """Whether the pipe after a command would have shown a failure, just as it has shown the passes."""
    failures = [_OF_A_FAILURE.get(name) for name in {name for name, _ in tally.own}]
    if not failures or None in failures or not (tally.passes or "go" in dict(tally.own)):
        return False
    filters = _filters(call, at)
    return all(_is_let_through(each) or _greps(each.words, line or "") for each in filters for line in failures)


def _greps(words: tuple[str, ...], line: str) -> bool:
    """Whether `grep` lets a line through; False if its options are not known."""
    options = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    wanted = [word for word in words[1:] if not word.startswith("-")]
    if len(wanted) != 1 or words[0] not in ("grep", "egrep") or set(options) - set("EPive"):
        return False
    is_basic = words[0] != "egrep" and not {"E", "P"} & set(options)
    expression = _BASIC.sub(_swapped, wanted[0]) if is_basic else wanted[0]
    anycase = "(?i)" if "i" in options else ""
    return _found(anycase + expression, line) is ("v" not in options)


def _found(expression: str, line: str) -> Optional[bool]:
    """Whether an agent's expression matches; None if it is invalid, or might take long to try."""
    if len(expression) > _LONG_EXPRESSION or _SLOW.search(expression):
        return None
    try:
        return re.search(expression, line) is not None
    except re.error:
        return None


def _swapped(sign: re.Match[str]) -> str:
    """The sign in extended form: in a basic expression it is special with a backslash, and plain without one."""
    return sign[0][1:] if len(sign[0]) > 1 else "\\" + sign[0]


def _told(call: Call, at: int) -> Optional[bool]:
    """Whether a command passed, as its line prints: by `echo $?`, or by words after `&&` and `||`; None if not told."""
    rest = call.commands[at + 1 :]
    behind = [each for each in rest if not each.piped]
    lines = call.result.strip().split("\n")
    if not behind or behind[0].program not in ("echo", "printf"):
        return None
    words = " ".join(behind[0].words[1:])
    status = _STATUS.search(words)
    piped = len(behind) < len(rest)
    if piped and (status is None or "?" in status[0]):
        return None  # the status is that of the last command in the pipe
    return _printed(words[: status.start()], lines) if status else _by_words(call, behind, lines)


def _printed(before: str, lines: list[str]) -> Optional[bool]:
    """Whether the number after these words is 0; None without a number."""
    shape = re.compile(re.escape(before.strip()) + r"\s*(\d{1,3})\b")
    shown = [found[1] for line in lines[-4:] for found in [shape.match(line)] if found]
    return shown[-1] == "0" if shown else None


def _by_words(call: Call, behind: list[Command], lines: list[str]) -> Optional[bool]:
    """Whether a command passed, as `&& echo A || echo B` printed last; None if that is not the form."""
    said = [" ".join(each.words[1:]) for each in behind[:2] if each.program == "echo"]
    joined = re.sub(r"[\"']", "", call.command)
    if len(said) == 2 and f"&& echo {said[0]}" in joined and f"|| echo {said[1]}" in joined and said[0] != said[1]:
        return {said[0]: True, said[1]: False}.get(lines[-1])
    return None


def _without_own_words(call: Call) -> str:
    """A call's output without the lines that `echo` or `printf` in its command line printed: those show no run."""
    own = {" ".join(each.words[1:]).strip() for each in call.commands if each.program in ("echo", "printf")} - {""}
    return "\n".join(line for line in call.result.split("\n") if line.strip() not in own) if own else call.result


def _later(calls: Calls, call: Call) -> Ending:
    """How a run in the background ended: by the host's word on it, else by a later look at its output."""
    job = _JOB.findall(call.result)[:1]
    names = [*job, *(name for each in call.commands for name in each.into)]
    looks = [later for later in calls.after(call) if _is_about(later, names)]
    tally = Tally(re.sub(r"(?m)^\s*\d+[→\t]", "", looks[-1].result if looks else ""))
    told = _passed_as_host_says(calls, job, looks)
    if told is not None:
        return tally.ending(PASSED if told else FAILED)
    return tally.by_itself() or Ending(UNREAD if _is_unread(call, looks) else UNSEEN)


def _is_unread(call: Call, looks: list[Call]) -> bool:
    """Whether nobody read how a test, a check or a build in the background ended."""
    if not any(programs.is_proof(each.words) for each in call.commands):
        return False
    if not call.answered:
        return call.passed_over
    return not looks or bool(_STILL_RUNNING.search(looks[-1].result[:400]))


def _is_about(later: Call, names: list[str]) -> bool:
    """Whether a later call looked at the output of a command in the background."""
    shown = later.name in {"BashOutput", *tools.OUTPUT.names}
    if shown and not names:
        return True
    given = str(later.given)
    reads = shown or later.name == "Read" or bool(later.command)
    return reads and any(name.rsplit("/", 1)[-1] in given for name in names)


def _passed_as_host_says(calls: Calls, names: list[str], looks: list[Call]) -> Optional[bool]:
    """Whether the host says that a command in the background passed; None if it does not tell its end."""
    words = [told for told in calls.told if any(name in told for name in names) and _FINISHED.search(told)]
    words += [look.result[:2000] for look in looks if not look.command and look.name != "Read"]
    for each in words:
        code = _EXIT.search(each)
        if code:
            return code[1] == "0"
    return None


def answers_no(command: Command, call: Call) -> bool:
    """Whether a command ended with status 1 as its answer, as `grep` and `diff` do."""
    return command.program in programs.ANSWERS and call.status == 1
