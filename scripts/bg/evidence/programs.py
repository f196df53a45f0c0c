"""The nature of a command, by its words: a look, tests, a check or a build, and whether it can start others."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    Words = tuple[str, ...]

_TABLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_WRAPPERS = frozenset(_TABLES["wrappers"])
_RUN_WITH: dict[str, list[str]] = _TABLES["run_with"]
SHELLS = frozenset(_TABLES["shells"])
_LOOKS = frozenset(_TABLES["looks"])
_GIT_LOOKS = frozenset(_TABLES["git_looks"])
_PLAIN = frozenset(_TABLES["plain"])
COMMON = frozenset(_TABLES["common"])  # these words are commands if they are written as code
_TESTS = frozenset(_TABLES["tests"])
_CHECKS = frozenset(_TABLES["checks"])
_VERBS: dict[str, list[str]] = _TABLES["test_verbs"]
_SAME: dict[str, str] = _TABLES["same"]
_QUIET = frozenset(_TABLES["quiet"])
ANSWERS = frozenset(_TABLES["answers"])  # an exit of 1 is their answer, not a failure
_LANGUAGE = {program: name for name, programs in _TABLES["languages"].items() for program in programs}
_ENDINGS: dict[str, list[str]] = _TABLES["endings"]
MANAGERS = {"npm", "yarn", "pnpm", "bun"}
_TESTING = pattern(
    r"(?:^|[\s/_.:-])(?:tests?|specs?|e2e|pytest|jest|vitest|rspec|unittest)(?=$|[\s/_.:-])", re.IGNORECASE
)
_PROVING = pattern(
    r"(?:^|[\s/_.:-])(?:lint|check|checks|typecheck|types|tsc|build|compile|verify|ci|vet|clippy|validate)(?=$|[\s/_.:-])",
    re.IGNORECASE,
)
_AIMED = pattern(r"^(?!\./\.\.\.).*(?:/|\.\w{1,4}$|::)")
_NO_RUN = {
    "--co", "--collect-only", "--dry-run", "--help", "--list", "--list-tests", "--listTests", "--no-run", "--version",
    "-V",
}  # fmt: skip
_INLINE = {"python", "node", "ruby", "perl", "php", "deno", "bun"}
_STARTS = pattern(r"system|popen|exec|spawn|subprocess|runpy|child_process|import_module|`")


def bare(word: str) -> str:
    """A program's name without its path, and the same for all its spellings."""
    name = re.split(r"[/\\]", word)[-1] if not word.startswith("@") else word
    name = re.sub(r"\.(?:exe|cmd|bat)$", "", name).split("@")[0] or word
    return _SAME.get(name, name)


def started(words: list[str]) -> list[str]:
    """The words without the programs that only run another one: `timeout 60 npx jest` is `jest`."""
    while words:
        rest = _started(words)
        if not rest:
            break
        words = rest
    return words


def _started(words: list[str]) -> list[str]:
    """The words without the first program, if that only runs another one; else nothing."""
    first, second = bare(words[0]), words[1] if len(words) > 1 else ""
    if re.match(r"[A-Za-z_]\w*=", words[0]):
        return words[1:]
    if first in _WRAPPERS and second not in ("-v", "-V"):
        return _past_options(words[1:])
    if second in _RUN_WITH.get(first, ()):
        return _past_options(words[2:])
    module = first == "python" and "-m" in words[1:4]
    return words[words.index("-m") + 1 :] if module else []


def _past_options(words: list[str]) -> list[str]:
    while words and (words[0].startswith("-") or re.fullmatch(r"\d+(?:\.\d+)?[smhd]?", words[0])):
        words = words[1:]
    return words


def plain(words: Words) -> Words:
    """The words in one spelling: `npm run test` becomes `npm test`, and `-q`, which only prints less, is left out."""
    program = bare(words[0])
    quiet = _QUIET if is_proof(words) and program != "make" else frozenset[str]()
    kept = [_target(word) for word in _without_run(program, words[1:]) if word not in quiet]
    return (program, *filter(None, kept[:-1] if kept[-1:] == ["--"] else kept))


def _without_run(program: str, rest: Words) -> Words:
    """The words after a package manager or a runner, without its word for "run"."""
    if program in MANAGERS and rest[:1] in (("run",), ("run-script",)):
        rest = rest[1:] or rest
    if program in MANAGERS and rest[:1] in (("t",), ("tst",)):
        return ("test", *rest[1:])
    return rest[1:] if (program, *rest[:1]) == ("vitest", "run") else rest


def _target(word: str) -> str:
    return word.removeprefix("./").rstrip("/") if len(word) > 2 and not word.startswith("./...") else word


def verb(words: Words) -> str:
    """The first word that is not an option: the program's subcommand."""
    return next((word for word in words[1:] if not word.startswith("-")), "")


def only_lists(words: Words) -> bool:
    """Whether a command only lists or prints a version, and does not do its work."""
    return bool(_NO_RUN & set(words[1:]))


def is_look(words: Words) -> bool:
    """Whether a command only looks at things, as far as its words show."""
    program = bare(words[0])
    if program == "git":
        return verb(words) in _GIT_LOOKS
    if program == "find":
        return not {"-exec", "-delete", "-execdir", "-ok"} & set(words)
    if program == "sed":
        return not any(word.startswith(("-i", "--in-place")) for word in words)
    if program == "sort":
        return not any(word.startswith(("-o", "--output")) for word in words)
    return program in _LOOKS


def is_test(words: Words) -> bool:
    """Whether a known runner runs tests."""
    program = bare(words[0])
    if program in _TESTS:
        return not (program in ("playwright", "cypress") and verb(words) in ("install", "open"))
    wanted = _VERBS.get(program, [])
    script = words[2:3] if program in MANAGERS and words[1:2] == ("run",) else ()
    named = bool(script) and bool(re.match(r"(?:test|spec|e2e|unit)(?:$|[:_-])", script[0]))
    return named or any(word in wanted for word in words[1:5])


def is_tool(words: Words) -> bool:
    """Whether a program always tests or checks, whatever its first word."""
    return bare(words[0]) in _TESTS | _CHECKS


def is_known_check(words: Words) -> bool:
    """Whether a command is that of a known runner, linter or package manager, with its subcommand if it needs one."""
    program = bare(words[0])
    managed = program in MANAGERS and verb(words) in ("run", "install", "ci", "audit", "lint", "build", "exec", "t")
    return program in _CHECKS | _TESTS - {"tap", "standard", "vale"} or is_test(words) or managed


def looks_like_a_test(words: Words) -> bool:
    """Whether a command, known or not, names tests in its first words, and is not a look."""
    if is_look(words) or bare(words[0]) in _PLAIN | {"git"}:
        return False
    return is_test(words) or bool(_TESTING.search(" ".join(words[:3])))


def is_proof(words: Words) -> bool:
    """Whether a command tests, checks or builds, by its name or its first words."""
    program = bare(words[0])
    if is_look(words) or program in _PLAIN | {"git"}:
        return False
    return program in _CHECKS or looks_like_a_test(words) or bool(_PROVING.search(" ".join(words[:3])))


def may_start(words: Words, program: str) -> bool:
    """Whether a command may have run another program that its words do not name."""
    first = bare(words[0])
    if only_lists(words) or is_look(words):
        return False
    if first in _INLINE and {"-c", "-e", "-p"} & set(words[1:3]):
        return bool(_STARTS.search(" ".join(words))) or program in " ".join(words)
    if first == "git":
        return verb(words) in ("commit", "push", "rebase", "bisect") and "--no-verify" not in words
    if first in ("go", "cargo", "rustc", "javac", "gcc"):
        return verb(words) in ("run", "generate")
    if first in MANAGERS:
        return verb(words) not in ("install", "i", "ci", "add", "remove", "audit", "ls", "list", "view", "init")
    own = _TESTS - {"tox", "nox"} | _CHECKS
    return first not in _PLAIN | own


def covers(words: Words, path: str) -> bool:
    """Whether a run certainly covers a file: by the file's language, and by the files and folders that the run names.

    For an unknown program, only tests do: nothing tells which files its `lint` or `check` looks at.
    """
    if not (is_known_check(words) or looks_like_a_test(words)):
        return False
    known = _language_of(path)
    language = _LANGUAGE.get(bare(words[0]), known)
    return bool(known) and known == language and _is_within(path, _aims(words))


def may_cover(words: Words, path: str) -> bool:
    """Whether a program of an unknown language may cover a file of code."""
    folders = [aim for aim in _aims(words) if not re.search(r"\.\w{1,4}$", aim)]  # a file may be the script itself
    return bool(_language_of(path)) and bare(words[0]) not in _LANGUAGE and _is_within(path, folders)


def _aims(words: Words) -> list[str]:
    """The files and folders that a command names."""
    return [_target(word) for word in words[1:] if _AIMED.search(word) and not word.startswith("-")]


def _is_within(path: str, aims: list[str]) -> bool:
    return not aims or any(f"/{aim.split('::')[0]}/" in f"/{path}/" for aim in aims)


def _language_of(path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return next((name for name, endings in _ENDINGS.items() if ending in endings), "")
