"""Which command a call ran, held against one that is declared: the same, a part of it, more, or another."""

from __future__ import annotations

import re

from bg.evidence import programs, purposes, shell
from bg.evidence.calls import Call, Calls
from bg.evidence.shell import Part, Step
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

SAME, WIDER, PART, UNCLEAR, OTHER = "same", "wider", "part", "unclear", "with other options"
REWRITES = {"--fix", "--write", "--apply", "--unsafe-fixes"}
_FILLED_IN = pattern(r"[$*`]|\{.*,.*\}")  # what the shell puts in cannot be seen
STRICT = {"-D", "-Wall", "-Werror", "-Wextra", "-race", "-cover", "-covermode", "-shuffle", "-vet", "-O2", "-O3"}
MANAGERS = {"npm", "yarn", "pnpm", "bun"}


class Run(Record):
    """A call that ran a command, or a part or more of it: which step of its line, and in what relation."""

    call: Call
    steps: list[Step]
    at: int
    relation: str


def akin(wanted: Part, part: Part) -> bool:
    """Whether a command that some script runs may be the one in question, or one that is called by its name."""
    return _relation(wanted, part) is not None or (
        name(wanted.program) in part.program and wanted.program != part.program
    )


def runs(calls: Calls, wanted: Part, folder: str = "") -> list[Run]:
    """The calls that ran this command, a part of it, or more; `folder` is where it is said to have been run."""
    found = []
    moved = any(part.program in ("cd", "pushd") for call in calls.shells for part in call.parts)
    for call in calls.shells:
        steps = shell.steps(call.command)
        elsewhere = folder_of(steps)
        if folder and elsewhere and not _same_folder(folder, elsewhere):
            continue
        for at, step in enumerate(steps):
            relations = [
                _relation(wanted, part, elsewhere, moved=moved)
                for part in step.parts
                if only_shows(part) <= only_shows(wanted)
            ]
            relation = next((each for each in relations if each), None)
            if relation:
                found.append(Run(call, steps, at, relation))
    return found


def folder_of(steps: list[Step]) -> str:
    """Where a line goes before it does its work, empty where it stays."""
    moves = [part.words[0] for step in steps for part in step.parts[:1] if part.program == "cd" and part.words]
    return moves[0] if moves else ""


def _same_folder(one: str, other: str) -> bool:
    one, other = (f"/{name.strip('./')}" for name in (one, other))
    return one == "/" or other == "/" or one.endswith(other) or other.endswith(one)


def only_shows(part: Part) -> set[str]:
    """The options by which a command does not do its work."""
    plain = {word.partition("=")[0] for word in part.words}
    return set((programs.NOT_A_RUN | programs.ONLY_SHOWS_OF.get(part.program, frozenset())) & plain)


def _relation(wanted: Part, part: Part, folder: str = "", *, moved: bool = True) -> Optional[str]:
    """How a command that ran, in a folder, covers the one in question; None where it is another one."""
    if name(wanted.program) != name(part.program):
        return None
    if wanted.words == part.words:
        return SAME
    verb, targets, narrow = aims(wanted)
    given_verb, given, narrowed = aims(part)
    proves = purposes.is_test(wanted) or purposes.is_check(wanted) or wanted.program in {"make", "cargo", "go"}
    if not proves and wanted.words and (targets != given or verb != given_verb) and _spelled_longer(wanted, part):
        return UNCLEAR
    if verb != given_verb or (not moved and _globs_apart(targets, given)):
        return None
    if REWRITES & set(part.words) - set(wanted.words) or any(map(_FILLED_IN.search, part.words)):
        return UNCLEAR
    if _asks_more(wanted, part):
        return OTHER
    if folder and set(targets) != set(given):
        below = folder.removeprefix("./").rstrip("/")
        targets = [each.removeprefix(f"{below}/") if each != below else "" for each in targets]
        targets = [each for each in targets if each]
    if proves:
        aimed = part.program == "go" or any("/" in each or "." in each for each in given) or _filters(part, given)
        return _coverage(targets, given, more=bool(narrowed - narrow), fewer=bool(narrow - narrowed), aimed=aimed)
    if targets == given:
        return SAME if narrow == narrowed else UNCLEAR
    return UNCLEAR if targets[:1] == given[:1] and wanted.program not in programs.INERT else None


def _spelled_longer(wanted: Part, part: Part) -> bool:
    """Whether a command is the one in question with more options, of an unknown program, and perhaps their values."""
    sure = _surely(wanted)
    return set(wanted.words) <= set(part.words) or (bool(sure) and sure == _surely(part))


def _surely(part: Part) -> list[str]:
    """The words that no option of an unknown program may have for its value."""
    before = ("", *part.words)
    return [
        word
        for option, word in zip(before, part.words)
        if not word.startswith("-") and not re.fullmatch(r"--?[\w-]+", option)
    ]


def _filters(part: Part, given: list[str]) -> bool:
    """Whether words without a folder choose among the tests: surely no option's value, and no whole folder's name."""
    named = not any(word.startswith("-") and "=" not in word for word in part.words)
    return part.program in programs.FILTERED and named and not programs.WHOLE_FOLDERS & set(given)


def _globs_apart(targets: list[str], given: list[str]) -> bool:
    """Whether what two commands are aimed at lies in different folders, as far as their globs begin with one."""
    one, other = ([each.split("*")[0] for each in names] for names in (targets, given))
    if (
        not any("*" in each for each in [*targets, *given])
        or not one
        or not other
        or not all("/" in each for each in [*one, *other])
    ):
        return False
    return not any(
        a.startswith(b) or b.startswith(a) or a.endswith("/" + b) or b.endswith("/" + a) for a in one for b in other
    )


def _asks_more(wanted: Part, part: Part) -> bool:
    """Whether a declared command has an option that the call had not, and that changes what it shows."""
    given = {word.partition("=")[0] for word in part.words}
    narrow = (programs.NARROW | programs.NARROW_OF.get(name(part.program), frozenset())) - _wide(part)
    options = {word.partition("=")[0] for word in wanted.words if re.match(r"--[A-Za-z]{2}", word) or word in STRICT}
    options -= {each for each in options if given & _spellings(each)}
    return bool(options - given - programs.HARMLESS - narrow)


def _spellings(option: str) -> set[str]:
    """Other spellings of an option, as `--coverage` and `--cov`."""
    plain = option.lstrip("-")
    if plain.startswith("cov"):
        return {"--cov", "--coverage", "--coverage.enabled", "-cover", "-coverprofile", "--collect"}
    return {f"-{plain}", f"--{plain}"}


def _wide(part: Part) -> frozenset[str]:
    return programs.WIDE_OF.get(name(part.program), frozenset())


def _coverage(targets: list[str], given: list[str], *, more: bool, fewer: bool, aimed: bool) -> Optional[str]:
    """How the targets that were given cover the declared ones; `more` options narrowed the run, `aimed`: at files."""
    left = [each for each in targets if not any(covers(one, each) for one in given)]
    apart = bool(targets and given) and len(left) == len(targets) and not _within(given, targets)
    if apart:
        return None
    if more:
        return PART
    if not targets and given:
        return PART if aimed else UNCLEAR
    if targets and not given:
        return WIDER
    if left:
        return PART
    return SAME if set(targets) == set(given) and not fewer else WIDER


def together(found: list[Run], wanted: Part) -> bool:
    """Whether runs of parts cover, each in its turn, all that a command is aimed at."""
    _, targets, _ = aims(wanted)
    parts = [part for run in found if run.relation == PART for part in run.steps[run.at].parts]
    given = [target for part in parts for target in aims(part)[1]]
    return len(targets) > 1 and all(any(covers(one, each) for one in given) for each in targets)


def _within(given: list[str], targets: list[str]) -> bool:
    return any(covers(target, each) for target in targets for each in given)


def covers(wide: str, narrow: str) -> bool:
    """Whether a target is another one or lies in it."""
    if wide == narrow or narrow.startswith((wide + "/", wide + "::", wide + ":")):
        return True
    file = re.search(r"[/.]", wide) and re.search(r"[/.]", narrow)  # one may be spelled from another folder
    return bool(file) and (wide.endswith("/" + narrow) or narrow.endswith("/" + wide))


def name(program: str) -> str:
    """A program by the one of its names that stands for all."""
    return programs.SAME.get(program, program)


def aims(part: Part) -> tuple[str, list[str], set[str]]:
    """A command's verb, what it is aimed at, and the options that make it do less."""
    words = _plain_words(part)
    options = (programs.NARROW | programs.NARROW_OF.get(name(part.program), frozenset())) - _wide(part)
    valued = programs.VALUED | programs.VALUED_OF.get(name(part.program), frozenset())
    targets: list[str] = []
    narrow: set[str] = set()
    while words:
        word = words.pop(0)
        option, _, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            targets.append(_plain(word))
        elif option in options:
            alone = value or option in programs.NARROW_ALONE
            narrow.add(word if alone else f"{option}={words.pop(0) if words else ''}")
        elif re.match(r"-D(?:test|it\.test|groups)=|-D(?:skipTests|skipITs|maven\.test\.skip)", word):
            narrow.add(word)
        elif not value and option in valued - options:
            del words[:1]
    verb = "" if part.program in programs.TESTS | programs.CHECKS else (targets or [""])[0]
    return verb, [each for each in targets[bool(verb) :] if each], narrow


def _plain_words(part: Part) -> list[str]:
    """The words without what only spells a command otherwise: `npm run test` is `npm test`."""
    words = [word for word in part.words if word not in ("--", "2>&1")]
    while part.program in MANAGERS and words[:1] and words[0].startswith("-"):
        words = words[2 if words[0] in programs.VALUED else 1 :]
    if part.program in MANAGERS and words[:1] and words[0] in ("run", "run-script") and len(words) > 1:
        words = words[1:]
    if part.program in MANAGERS and words[:1] and words[0] in ("t", "tst"):
        words = ["test", *words[1:]]
    if part.program in MANAGERS and words[:1] == ["workspace"] and len(words) > 2:
        words = words[2:]
    return words[1:] if part.program == "vitest" and words[:1] == ["run"] else words


def _plain(word: str) -> str:
    """A target without what only spells it otherwise; the whole project is nothing."""
    word = re.sub(r"/?\.\.\.$", "", word.removeprefix("./").rstrip("/"))
    return "" if word == "." else word
