"""How a run ended: by its exit status, or, where the line hides that, by what the line or the runner says last."""

from __future__ import annotations

import re

from bg.evidence import kinds
from bg.evidence.calls import BACKGROUND, Call, Calls
from bg.evidence.shell import Command
from bg.host import tools
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

PASSED, FAILED, UNSEEN, UNREAD, MASKED = "passed", "failed", "unseen", "unread", "masked"
LINES, LONG = 4000, 1000
_COLOUR = pattern(r"\x1b\[[0-9;]*[A-Za-z]")
# The lines in which each common runner sums up its own run, from their beginning.
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
            "rspec": r"^\d+ (?:examples?|runs|tests?|scenarios?), .*\d (?:failures?|failed)\b",
            "dotnet": r"^(?:Passed|Failed)!\s+- Failed:|^ +(?:Passed|Failed): \d+$",
            "ctest": r"^\d+% tests passed, ",
            "swift": r"^\s*Executed \d+ tests?, with ",
            # jest, vitest and mocha behind a package's name, as pnpm, lerna and turbo print them
            "packages": r"^[@\w][\w@./-]{0,80}(?:[ :][\w:.-]{1,40})?: +"
            r"(?:Tests:? +\d|\d+ (?:passing|failing)(?: \(|$))",
        }.items()
    )
)
_ONCE = {"pytest", "jest", "vitest", "unittest", "phpunit", "rspec"}  # sum up once, at the end
_PASSES = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests? )?(?:passed|passing|pass)\b|(?:# pass|ℹ pass|Passed:)\s+(\d+)|Passed:\s*(\d+)",
    re.IGNORECASE,
)
_TOTALS = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests?|examples?|runs|total|scenarios?)\b(?! (?:passed|failed))|"
    r"Tests run: (\d+)|Tests: (\d+), A|"
    r"(?:# tests|ℹ tests)\s+(\d+)|Total:\s*(\d+)|\((\d+)\)\s*$|out of (\d+)",
    re.IGNORECASE,
)
_FAILS = pattern(
    r"(?<![\w.])([1-9]\d*)\s+(?:tests? )?(?:failed|failing|failures?|errors?|fail)\b|"
    r"(?:failures?|errors?|failed|# fail|ℹ fail)(?:[:=]\s*|\s+)([1-9]\d*)\b|^(FAIL|---\s*FAIL|FAILURES!|FAILED)\b|"
    r"(BUILD FAIL|test result: FAILED)",
    re.IGNORECASE,
)
_FAILED = pattern(r"(?<![\w.])([1-9]\d*)\s+(?:tests? )?(?:failed|failing|failures?)\b", re.IGNORECASE)
_SKIPS = pattern(
    r"(?<![\w.])(\d+)\s+(?:tests? )?(?:skipped|pending|ignored|todo|xfailed|excluded)\b|"
    r"(?:skipped|ignored)(?:[:=]\s*|\s+)(\d+)",
    re.IGNORECASE,
)
_NONE_RAN = pattern(
    r"^(?:\[\w+\] )?[=\s]*(?:no tests? (?:were |are )?(?:ran|run|collected|found|executed|to run)|no test files? found|"
    r"collected 0 items|ran 0 tests|\d+ deselected in |1\.\.0$|there are no tests|tests are skipped|no test matches|"
    r"couldn't find any files to test|all tests have been excluded)",
    re.IGNORECASE | re.MULTILINE,
)
_GO_EMPTY, _GO_RAN = pattern(r"\[no test(?:s to run| files)\]"), pattern(r"^ok\s+\S+\s+(?!.*\[no tests)", re.MULTILINE)
_STILL_RUNNING = pattern(r"<status>\s*running|^status: running|still running", re.IGNORECASE | re.MULTILINE)
_FINISHED = pattern(r"completed|finished|exit code|exited", re.IGNORECASE)
_EXIT = pattern(r"exit(?:ed with)?[ _]?code(?:>|:|\s)\s*(\d+)", re.IGNORECASE)
_STATUS = pattern(r"\$\{?(?:PIPESTATUS\[0\]|pipestatus\[1\]|\?)\}?")


class Ending(Record):
    """How a run ended, what shows that, and what its runner counts; `whole` where one line gives every count."""

    how: str
    by_summary: bool = False
    counts: frozenset[int] = frozenset()
    passes: frozenset[int] = frozenset()
    skipped: int = 0
    failed: tuple[int, ...] = ()
    whole: bool = False
    empty: bool = False


class Tally:
    """What the runners' own lines of an output say: the counts of all, and a failure of the last of each."""

    def __init__(self, output: str) -> None:
        lines = _COLOUR.sub("", output).split("\n")
        lines = lines if len(lines) <= LINES else lines[: LINES // 2] + lines[-LINES // 2 :]
        found = [match for line in lines if len(line) <= LONG for match in [_SUMMARY.match(line)] if match]
        self.own = [(str(match.lastgroup), match.string) for match in found]
        last = {name: place for place, (name, _) in enumerate(self.own)}
        final = [line for place, (name, line) in enumerate(self.own) if name not in _ONCE or last[name] == place]
        self.passed, self.totals, self.skipped = (self._numbers(each) for each in (_PASSES, _TOTALS, _SKIPS))
        self.bad = any(map(_FAILS.search, final))
        self.failed = [int(number) for line in final for number in _FAILED.findall(line)]
        none = not sum(self.passed) and _says_none("\n".join(lines))
        self.empty = not self.bad and (none or not self._ran())

    def _ran(self) -> bool:
        """Whether any test ran, as far as the counts say."""
        left = max(self.totals, default=0) - sum(self.skipped)
        return sum(self.passed) > 0 or left > 0 or not (self.passed or self.totals or self.skipped)

    def _numbers(self, kind: re.Pattern[str]) -> list[int]:
        found = [match for _, line in self.own for match in kind.finditer(line)]
        return [int(next(group for group in match.groups() if group)[:9]) for match in found]

    @property
    def good(self) -> bool:
        """A runner says that its tests passed."""
        return bool(self.own) and not self.bad and not self.empty

    @property
    def counts(self) -> frozenset[int]:
        """Every number of tests that may be meant by one that is declared."""
        every = {*self.totals, sum(self.totals), sum(self.passed) + sum(self.skipped), *self.passes}
        return frozenset(every - {0})

    @property
    def passes(self) -> frozenset[int]:
        """Every number of them that may be said to have passed."""
        left = {max(self.totals, default=0), sum(self.totals)} if not self.passed else set()
        every = {*self.passed, sum(self.passed), *(each - sum(self.skipped) for each in left)}
        return frozenset(each for each in every if each > 0)

    def ending(self, how: str, *, by_summary: bool = False) -> Ending:
        """An ending with these counts."""
        numbers = (self.counts, self.passes, sum(self.skipped), tuple(self.failed))
        return Ending(how, by_summary, *numbers, self.whole, self.empty)

    @property
    def whole(self) -> bool:
        """One line of one runner gives every count."""
        names = [name for name, line in self.own if not line.startswith(("OK", "FAILED"))]
        return len(names) == 1 and names[0] in _ONCE


def _says_none(output: str) -> bool:
    """Whether a runner says that it found no tests."""
    return bool(_NONE_RAN.search(output)) or (bool(_GO_EMPTY.search(output)) and not _GO_RAN.search(output))


def ending(calls: Calls, call: Call, at: int) -> Ending:
    """How one command of a call ended."""
    command = call.commands[at]
    waited = any(each.program in ("wait", "fg") for each in call.commands[at + 1 :])
    if call.background or not call.answered or (command.mask == "background" and not waited):
        return _later(calls, call)
    tally = Tally(_without_own_words(call))
    known = _by_status(call, command) if not command.mask or call.failed else None
    known = _told(call, at) if known is None else known
    if known is not None:
        return tally.ending(PASSED if known else FAILED)
    tests = [each for each in call.commands if kinds.looks_like_a_test(each.words)]
    if tests == [command] and (tally.bad or (tally.good and (tally.whole or _shows_the_end(call, at)))):
        return tally.ending(FAILED if tally.bad else PASSED, by_summary=True)
    if kinds.is_proof(command.words) and command.into and call.answered and not call.result.strip():
        discards = "/dev/null" in command.into
        return Ending(MASKED) if discards and not call.failed else _later(calls, call)
    return Ending(UNSEEN)


def _by_status(call: Call, command: Command) -> Optional[bool]:
    """Whether a command passed, by the exit status of its line; None where that does not tell."""
    if call.failed:
        return False if command.last else None
    return True


def _shows_the_end(call: Call, at: int) -> bool:
    """Whether what a command is piped into lets its last lines through."""
    filters = [each.program for each in call.commands[at + 1 :] if each.piped]
    return set(filters) <= {"tail", "tee", "cat", "nl", "less", "more", "ts"}


def _told(call: Call, at: int) -> Optional[bool]:
    """What the line itself prints of a command's status: by `echo $?`, or by words behind `&&` and `||`."""
    behind = [each for each in call.commands[at + 1 :] if not each.piped]
    lines = [line.strip() for line in call.result.split("\n") if line.strip()]
    first = behind[0] if behind else None
    if first is None or first.program not in ("echo", "printf") or not lines:
        return None
    words = " ".join(first.words[1:])
    status = _STATUS.search(words)
    piped = len(behind) < len(call.commands[at + 1 :])
    if status is None:
        return _by_words(call, behind, lines) if not piped else None
    if piped and "?" in status[0]:
        return None  # that of the last in the pipe
    shape = re.escape(words[: status.start()].strip()) + r"\s*(\d{1,3})\b"
    shown = next((found for line in reversed(lines[-4:]) for found in [re.match(shape, line)] if found), None)
    return shown[1] == "0" if shown else None


def _by_words(call: Call, behind: list[Command], lines: list[str]) -> Optional[bool]:
    """What `&& echo A || echo B` printed last."""
    said = [" ".join(each.words[1:]) for each in behind[:2] if each.program == "echo"]
    joined = re.sub(r"[\"']", "", call.command)
    if len(said) == 2 and f"&& echo {said[0]}" in joined and f"|| echo {said[1]}" in joined and said[0] != said[1]:
        return {said[0]: True, said[1]: False}.get(lines[-1])
    return None


def _without_own_words(call: Call) -> str:
    """An output without the lines that its own command line printed: they show nothing of what it ran."""
    own = {" ".join(each.words[1:]).strip() for each in call.commands if each.program in ("echo", "printf")} - {""}
    return "\n".join(line for line in call.result.split("\n") if line.strip() not in own) if own else call.result


def _later(calls: Calls, call: Call) -> Ending:
    """How a run in the background ended: by the host's word on it, else by what a later look at its output shows."""
    begun = BACKGROUND.search(call.result)
    found = re.search(r"(?:ID|id)[:\s]+(\w{4,})", call.result[begun.start() if begun else 0 :][:500])
    names = [
        each for each in (found[1] if found else "", *(name for each in call.commands for name in each.into)) if each
    ]
    looks = [later for later in calls.after(call) if _is_about(later, names)]
    tally = Tally("\n".join(re.sub(r"(?m)^\s*\d+[→\t]", "", look.result) for look in looks[-1:]))
    told = _host_said(calls, names[:1] if found else [], looks)
    if told is not None:
        return tally.ending(PASSED if told else FAILED)
    if tally.good or tally.bad:
        return tally.ending(FAILED if tally.bad else PASSED, by_summary=True)
    unread = call.passed_over if not call.answered else not looks or bool(_STILL_RUNNING.search(looks[-1].result[:400]))
    proves = any(kinds.is_proof(each.words) for each in call.commands)
    return Ending(UNREAD if unread and proves else UNSEEN)


def _is_about(later: Call, names: list[str]) -> bool:
    """Whether a later call looked at what a command of the background has printed."""
    shown = later.name in {"BashOutput", *tools.OUTPUT.names}
    if shown and not names:
        return True
    given = str(later.given)
    reads = shown or later.name == "Read" or bool(later.command)
    return reads and any(name.rsplit("/", 1)[-1] in given for name in names)


def _host_said(calls: Calls, names: list[str], looks: list[Call]) -> Optional[bool]:
    """Whether the host says that a command of the background passed; None where it says nothing of its end."""
    words = [told for told in calls.told if any(name in told for name in names) and _FINISHED.search(told)]
    words += [look.result[:2000] for look in looks if not look.command and look.name != "Read"]
    for each in words:
        code = _EXIT.search(each)
        if code:
            return code[1] == "0"
    return None


def gives_no_answer(command: Command, call: Call) -> bool:
    """Whether a status of 1 is a command's answer, as that of `grep` and `diff` is."""
    return command.program in kinds.ANSWERS and call.status == 1
