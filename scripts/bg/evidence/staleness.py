"""What was edited after a run, and whether the run speaks for it: then what it showed holds no more."""

from __future__ import annotations

import re

from bg.evidence import matching, programs, purposes, recipes, shell
from bg.evidence.calls import WRITING, Call, Calls
from bg.evidence.finding import short
from bg.evidence.matching import Run
from bg.evidence.shell import Part
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

CODE = pattern(
    r"\.(?:py|pyi|[cm]?[jt]sx?|vue|svelte|go|rs|java|kts?|scala|rb|php|cs|fs|swift|c|h|cc|cpp|hpp|mm?|exs?|erl|clj|hs|"
    r"ml|lua|p[lm]|sh|bash|zsh|sql|dart|zig|r|jl|groovy|s?css|html|proto|tf)$",
    re.IGNORECASE,
)
PROSE = pattern(
    r"\.(?:md|rst|txt|adoc|markdown|png|jpe?g|gif|svg|pdf|log)$|(?:^|/)(?:LICENSE|CHANGELOG|README)[^/]*$",
    re.IGNORECASE,
)
TEST_FILE = pattern(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_[^/]*$|[._-](?:test|spec|tests)\.[^/]*$|_test\.\w+$|Tests?\.\w+$"
)
_APART = pattern(r"(?:^|/)(?:docs?|examples?|samples?|demo)/")  # mostly beside what tests speak for
_FORMATS = pattern(r"(?<!\w)(?:--fix|--write|-w|fmt|format)(?!\w)|(?<!\w)(?:black|isort|rustfmt)(?!\w)")
_SURELY = pattern(r"(?:-C \S+ )?(?:stash (?:pop|apply)|reset .*--hard .*\w+[~^])")
_PERHAPS = pattern(
    r"(?:-C \S+ )?(?:stash(?! list| show)|reset|restore|pull|merge|rebase|revert|cherry-pick|checkout (?!-b))"
)
_LOOKS_ONLY = {"--check", "--diff", "-l"}


def edited_after(calls: Calls, run: Run, wanted: Part) -> tuple[str, bool]:
    """A file that the run speaks for and that was edited after it, and whether the run is surely older than that."""
    edited, sure = _edited_after(calls, run, wanted)
    return edited, sure and not perhaps_repeated(calls, run)


def perhaps_repeated(calls: Calls, run: Run) -> bool:
    """Whether something of which nobody knows what it runs ended well after a run, and after the last edit."""
    for later in reversed(calls.after(run.call)):
        if edits(later) or _moves_the_tree(later) is True:
            return False
        ended = later.answered and not later.failed and not later.background
        if ended and any(_may_test(calls, part) for part in later.parts):
            return True
    return False


def _may_test(calls: Calls, part: Part) -> bool:
    """Whether an unknown program may run tests; where the project's own files say what it runs, they decide."""
    if part.program == "git" or purposes.is_check(part) or not purposes.hides(part):
        return False
    within = recipes.commands(calls, part)
    return within is None or any(map(purposes.is_test, within))


def _edited_after(calls: Calls, run: Run, wanted: Part) -> tuple[str, bool]:
    perhaps, folder = "", matching.folder_of(run.steps)
    if _moves_the_tree(run.call, [part for step in run.steps[run.at + 1 :] for part in step.parts]):
        return short(run.call.command, 60), True
    for later in calls.after(run.call):
        for path in edits(later):
            if calls.elsewhere(path):
                continue
            sure = _speaks_for(path, run, wanted)
            below = folder.strip("./") if not folder.startswith(("/", "..", "$", "~")) else ""
            outside = bool(below) and not _lies_in(path, below)
            if sure and (outside or _says_nothing_new(later) or _APART.search(path)):
                sure = False
            if sure and not calls.as_at_launch(path):
                return path, True
            perhaps = perhaps or (path if sure is not None else "")
        if _moves_the_tree(later) is True:
            return short(later.command, 60), True
        unclear = reformats(later) or _moves_the_tree(later) is False or _places_code(later)
        perhaps = perhaps or (short(later.command, 60) if unclear else "")
    return perhaps, False


def taken_back(calls: Calls, run: Run) -> bool:
    """Whether everything that was edited after a run was put back by the opposite edit."""
    open_edits: dict[str, list[tuple[str, str]]] = {}
    for later in calls.after(run.call):
        if not later.answered or later.failed or not edits(later):
            continue
        old, new = later.given.get("old_string"), later.given.get("new_string")
        if later.name != "Edit" or not isinstance(old, str) or not isinstance(new, str):
            return False
        stack = open_edits.setdefault(later.path, [])
        if stack and stack[-1] == (new, old):
            stack.pop()
        else:
            stack.append((old, new))
    return not any(open_edits.values())


def _says_nothing_new(call: Call) -> bool:
    """Whether an edit changes only comments, white space or the number of a version."""
    old, new = call.given.get("old_string"), call.given.get("new_string")
    return isinstance(old, str) and isinstance(new, str) and _bare(old) == _bare(new)


def _bare(code: str) -> str:
    code = re.sub(r"(?m)(?:^|(?<=\s))(?:#(?!!)|//|--\s).*$|/\*.*?\*/", "", code)
    return re.sub(r"\s+", "", re.sub(r"\d+(?:\.\d+)+", "V", code))


def edits(call: Call) -> list[str]:
    """The files that a call certainly wrote to."""
    if call.failed or not call.answered:
        return []
    if call.name in WRITING:
        return [call.path]
    return purposes.written(call.command) if call.command else []


def _moves_the_tree(call: Call, parts: Optional[list[Part]] = None) -> Optional[bool]:
    """Whether a call of git has changed files: surely, perhaps (False), or not (None)."""
    for part in (call.parts if parts is None else parts) if call.answered and not call.failed else []:
        words = " ".join(part.words)
        if part.program == "git" and _SURELY.match(words):
            return True
        if part.program == "git" and _PERHAPS.match(words):
            return False
    return None


def _places_code(call: Call) -> bool:
    """Whether a call copied, moved, removed or patched code."""
    if call.failed or not call.answered:
        return False
    for part in call.parts:
        git = part.program == "git"
        if part.program == "patch" or (git and part.verb in ("apply", "am")):
            return True
        places = part.program in ("cp", "mv", "rm") or (git and part.verb in ("mv", "rm"))
        if places and any(map(CODE.search, part.words)):
            return True
    return False


def reformats(call: Call) -> bool:
    """Whether a call may have rewritten files that its words do not name."""
    if not call.command or not _FORMATS.search(call.command):
        return False
    return any(purposes.is_check(part) and not _LOOKS_ONLY & set(part.words) for part in call.parts)


def _speaks_for(path: str, run: Run, wanted: Part) -> Optional[bool]:
    """Whether a run speaks for a file: surely, perhaps (False), or not at all (None)."""
    program = matching.name(inner(run).program)
    _, aimed, narrowed = matching.aims(wanted)
    scoped = [each for each in aimed if each not in programs.VERBS.get(program, ())]  # as in `zig build test`
    path = path.replace("\\", "/")
    if PROSE.search(path):
        return True if program in programs.DOCUMENTS and not scoped else None
    if not CODE.search(path):
        return False if not scoped else None
    language = programs.LANGUAGES.get(program)
    if language and path.rsplit(".", 1)[-1].lower() not in language:
        return None
    if not scoped and not narrowed:
        return True
    if any(_lies_in(path, target.split("::")[0]) for target in scoped):
        return True
    return False if tests(run) and not TEST_FILE.search(path) else None


def _lies_in(path: str, target: str) -> bool:
    return f"/{target}/" in f"/{path}/"


def tests(run: Run) -> bool:
    """Whether a run is one of tests."""
    return any(purposes.is_test(part) for part in run.steps[run.at].parts)


def inner(run: Run) -> Part:
    """The command that a run was about, where a shell or a container was started for it."""
    return shell.within(run.steps[run.at])
