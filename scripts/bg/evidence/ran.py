"""The judge of runs: a declared command against the agent's own calls, by words, exit status, folder and times."""

from __future__ import annotations

import re

from bg.evidence import endings, pieces, programs, shell
from bg.evidence.calls import STATUS, Call, Calls
from bg.evidence.declared import Item
from bg.evidence.endings import Ending
from bg.evidence.finding import MISMATCH, Finding, short
from bg.evidence.project import Project
from bg.evidence.shell import Command
from bg.evidence.whose import FRESH, MOVED, OLDER, STALE, Whose
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

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
    "echo",
    "printf",
    "true",
    ":",
    "sleep",
}
_ELIDED = pattern(r"…|(?<![/.])\.\.\.(?!\w)")
_FAILED = pattern(r"(?<![\w.])([1-9]\d*) (?:\w+ )?fail", re.IGNORECASE)
_SKIPPED = pattern(r"(?<![\w./])(\d+|no|zero) (?:tests? )?(?:skipped|skips|ignored|pending)\b", re.IGNORECASE)
_EXIT = pattern(r"exit(?:s|ed)?(?: with)?(?: code| status)? ?(\d{1,3})", re.IGNORECASE)
_IN = pattern(
    r"\s*[,(]?\s*(?:in|at|inside|within|from|under|im|dans|en)\s+(?:the\s+|der\s+)?(?:folder\s+|directory\s+|package\s+)?"
    r"(?:(?:(?:repo|repository|project|workspace)(?:['’]s)?\s+)?(?:root|top)(?!\w)|"
    r"(?P<tick>[`\"]?)(?P<name>[\w.@-]+(?:/[\w.@-]+)*)/?(?P=tick)(?=$|[\s,:;)]))",
    re.IGNORECASE,
)
_SHOWN = pattern(
    r"^[\s:,;(–—-]*(?:->|→|=>)?\s*(?:(?:prints?|printed|shows?|showed|gives?|gave|says?|said|outputs?)\s+)?",
    re.IGNORECASE,
)
_NO_OUTPUT = pattern(
    r"(?:none|nothing|empty|no (?:output|match(?:es)?|hits?|results?)|0 (?:match(?:es)?|hits?|results?))"
    r"(?: (?:left|found|there|any ?more))?",
    re.IGNORECASE,
)
NOT_SEEN = {endings.MASKED: "masked", endings.UNREAD: "unread", endings.UNSEEN: "end unseen"}
GRAVEST = ("does not match", "only said", "seen")


class Run(Record):
    """One command of a call, and the folder in which it ran; `own` is False outside the run's own tree."""

    call: Call
    at: int
    folder: str
    own: bool

    @property
    def command(self) -> Command:
        """The command itself."""
        return self.call.commands[self.at]

    @property
    def shown(self) -> str:
        """Its words, with the folder if that is not the tree's top."""
        words = short(" ".join(self.command.words), 80)
        return f"{words} (in {self.folder})" if self.folder not in ("", ".") else words


class Judge:
    """Judges declared commands by the calls, one after the other."""

    def __init__(self, project: Project, calls: Calls, whose: Whose) -> None:
        self._project, self.calls, self._whose = project, calls, whose
        self._runs: Optional[list[Run]] = None

    def runs(self) -> list[Run]:
        """Every command that was called, in order."""
        if self._runs is None:
            self._runs = [self._run(call, at) for call in self.calls.shells for at in range(len(call.commands))]
        return self._runs

    def _run(self, call: Call, at: int) -> Run:
        place = self._project.folder(call.folder, call.commands[at].folders)
        name = self._project.within_tree(place) if place else "a folder that cannot be told"
        return Run(call, at, name if name is not None else str(place), name is not None and place is not None)

    def ending(self, run: Run) -> Ending:
        """How a run ended."""
        return endings.ending(self.calls, run.call, run.at)

    def judge(self, item: Item) -> Finding:
        """The finding on a declared run; one that was read from a sentence is never doubted."""
        found = self._worst(item)
        return _say(item, "prose") if item.loose and found.grade == MISMATCH else found

    def _worst(self, item: Item) -> Finding:
        """The worst finding on the commands of a declared run."""
        wanted = _mains(item.subject)
        working = [each for each in wanted if not programs.is_look(each.words)]
        if not wanted:
            return _say(item, "prose")
        if not working:
            return self._looked(item, wanted[0])
        found = [self._judged(_counted(item, each, working), each) for each in working]
        if item.passed is False and len(found) > 1:
            ends = [each.reason for each in found]
            reason = next((reason for reason in ("failed as said", "not run") if reason in ends), "end unseen")
            return _say(item, reason, short(item.subject, 80))
        return min(found, key=lambda each: GRAVEST.index(each.grade))

    def _looked(self, item: Item, wanted: Command) -> Finding:
        """The finding on a look, which no edit makes stale; a remark on its output must give all of it to be judged."""
        found = self._same(wanted)
        said = _EXIT.sub("", re.sub(r"(?i)\b(?:pass(?:ed)?|ok|success|code|status)\b", "", item.remark))
        if not found or (re.search(r"\w", said) and not _is_all_that(found[-1].call, item.remark)):
            return _say(item, "a look")
        return _say(item, "an answer" if item.passed and found[-1].call.failed else "was run", found[-1].shown)

    def _judged(self, item: Item, wanted: Command) -> Finding:
        found = self._same(wanted)
        if not found:
            return self._unseen(item, wanted)
        meant = self._meant(item, wanted)
        own = [run for run in found if run.own and (meant is None or f"/{run.folder}".endswith(f"/{meant}"))]
        if not own:
            return _say(item, "elsewhere", found[-1].folder)
        ends = [(run, self.ending(run)) for run in own]
        if item.passed is None:
            return _say(item, "was run", own[-1].shown)
        return self._failed(item, ends) if item.passed is False else self._passed(item, ends)

    def _same(self, wanted: Command) -> list[Run]:
        """The runs of a command, in any folder."""
        words, asks = programs.plain(wanted.words), programs.only_lists(wanted.words)
        found = [run for run in self.runs() if programs.plain(run.command.words) == words]
        return [run for run in found if programs.only_lists(run.command.words) == asks]

    def _meant(self, item: Item, wanted: Command) -> Optional[str]:
        """The folder that is named with a command, in its line or after it; None if none is."""
        said = _IN.match(item.remark)
        name = said["name"] if said else None
        if wanted.folders:
            place = self._project.folder("", wanted.folders)
        elif said and (name is None or (self._project.main / name).is_dir()):
            place = self._project.main / (name or "")
        else:
            place = None
        return self._project.within_tree(place) if place else None

    def _unseen(self, item: Item, wanted: Command) -> Finding:
        """The finding on a command that no call has: it did not run, unless another command may have run it."""
        if not self.calls.complete:
            return _say(item, "calls unknown")
        runs = [run for run in self.runs() if not programs.is_look(run.command.words)]
        begun = _ELIDED.split(item.subject)[0].split()
        akin = [run for run in runs if _is_akin(run.command.words, wanted) or _begins(run.call, begun, item.subject)]
        if akin:
            return _say(item, "perhaps another", akin[-1].shown)
        within = [run for run in runs if _may_have_run(run.command.words, wanted.program)]
        return _say(item, "perhaps within", within[0].shown) if within else _say(item, "not run")

    def _failed(self, item: Item, ends: list[tuple[Run, Ending]]) -> Finding:
        """The finding on a run that is declared as failed: any run of the command may be meant."""
        failed = [run for run, end in ends if end.how == endings.FAILED]
        sure = all(end.how == endings.PASSED for _, end in ends)
        run = failed[-1] if failed else ends[-1][0]
        if sure and pieces.speaks_of_a_pass(item.remark):
            return _say(item, "was run", run.shown)
        return _say(item, "failed as said" if failed else "passed instead" if sure else "end unseen", run.shown)

    def _passed(self, item: Item, ends: list[tuple[Run, Ending]]) -> Finding:
        """The finding on a run that is declared as passed: the last run in each folder counts."""
        last = {run.folder: (run, end) for run, end in ends}
        chosen = ends[-1]
        if len({end.how for _, end in last.values()}) > 1:
            spoken = [each for name, each in last.items() if name != "." and name in item.line]
            if len(spoken) != 1:
                return _say(item, "in several folders", ", ".join(sorted(last)))
            chosen = spoken[0]
        found = self._end(item, *chosen)
        return self._earlier(item, ends, found) if item.followed else found

    def _earlier(self, item: Item, ends: list[tuple[Run, Ending]], found: Finding) -> Finding:
        """The finding if a later line declares the same command: an earlier run of it is meant, if one has passed."""
        earlier = [run for run, end in ends if end.how == endings.PASSED]
        meant = bool(earlier) and found.reason in ("failed", "stale", "other count")
        return _say(item, "passed earlier", earlier[-1].shown) if meant else found

    def _end(self, item: Item, run: Run, end: Ending) -> Finding:
        """The finding by the end of the run that counts, and by whether that end still holds."""
        if end.how == endings.FAILED:
            return self._end_failed(item, run, end)
        if end.how in NOT_SEEN:
            return _say(item, NOT_SEEN[end.how], run.shown)
        since, edited = self.since(run)
        if since == STALE:
            return _say(item, "stale", edited)
        miscounted = _miscounted(item, run, end)
        if miscounted:
            return miscounted
        if since in (MOVED, OLDER):
            return _say(item, "perhaps stale" if since == MOVED else "edited after", edited)
        return _say(item, "by its summary" if end.by_summary else "passed" if since == FRESH else "exit 0", run.shown)

    def _end_failed(self, item: Item, run: Run, end: Ending) -> Finding:
        statuses, failed = ([int(each) for each in found.findall(item.remark)] for found in (_EXIT, _FAILED))
        if run.call.status in statuses or set(failed) & set(end.failed):
            return _say(item, "failed as said", run.shown)
        answers = endings.answers_no(run.command, run.call)
        return _say(item, "an answer" if answers else "failed", run.shown)

    def since(self, run: Run) -> tuple[str, str]:
        """Whether the agent's own files were edited after a command that tests, checks or builds, and which file."""
        if not programs.is_proof(run.command.words):
            return "", ""
        return self._whose.since(run.call, run.command.words, run.folder)


def _is_all_that(call: Call, remark: str) -> bool:
    """Whether a remark gives the whole output of the only command of a call, or rightly says that it had none."""
    said = _SHOWN.sub("", remark).strip(" .)`\"'")
    output = STATUS.sub("", call.result, count=1).strip()
    alone = len(_mains(call.command)) == 1 and call.answered and not call.background
    return alone and (said == output if output else bool(_NO_OUTPUT.fullmatch(said)))


def _is_akin(words: tuple[str, ...], wanted: Command) -> bool:
    """Whether a command is the declared program with the same purpose in other words."""
    if programs.bare(words[0]) != wanted.program or programs.only_lists(words):
        return False
    return programs.is_tool(words) or programs.verb(programs.plain(wanted.words)) in ("", *programs.plain(words))


def _begins(call: Call, begun: list[str], subject: str) -> bool:
    """Whether a call begins like a declared command that leaves its end out."""
    return bool(begun and _ELIDED.search(subject)) and call.command.split()[: len(begun)] == begun


def _may_have_run(words: tuple[str, ...], program: str) -> bool:
    """Whether a command names a program, or may have started it without naming it."""
    named = re.search(rf"(?<![\w.-]){re.escape(program)}(?![\w-])", " ".join(words[1:]))
    return bool(named) or programs.may_start(words, program)


def _miscounted(item: Item, run: Run, end: Ending) -> Optional[Finding]:
    """The finding if the runner's own counts do not confirm the declared ones; None if they do."""
    if end.empty and programs.is_test(run.command.words) and not (item.number and end.whole):
        return _say(item, "nothing was run", run.shown)
    skipped = _skipped(item)
    if end.counts and skipped not in (None, end.skipped):
        return _say(item, "count unseen", f"{skipped} skipped")
    meant = end.passes if pieces.is_of_passed(item.remark, item.number) else end.counts
    if item.number in {0, *meant}:
        return None
    if end.whole and item.number not in end.counts:
        return _say(item, "other count", ", ".join(map(str, sorted(end.counts))))
    return _say(item, "count unseen", str(item.number))


def _skipped(item: Item) -> Optional[int]:
    """The declared number of skipped tests; None if none is declared."""
    said = _SKIPPED.search(item.remark)
    return int(said[1]) if said and said[1].isdigit() else 0 if said else None


def _mains(line: str) -> list[Command]:
    """The commands of a line that do its work, without those that prepare, filter or only print words."""
    found = [each for each in shell.commands(line) if not each.piped]
    return [each for each in found if each.program not in PREPARING] or found[:1]


def _counted(item: Item, each: Command, wanted: list[Command]) -> Item:
    """The item for one of its commands: the count stays only if it is about this command."""
    tests = [other for other in wanted if programs.is_test(other.words)]
    return item if [each] in (wanted, tests) else item._replace(number=0)


def _say(item: Item, reason: str, detail: Optional[str] = "") -> Finding:
    return Finding(item.line, "run", short(item.subject, 80), reason, detail or "")
