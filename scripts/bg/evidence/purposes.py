"""What a shell command is for, as far as its words show: a test, a check, one that reads, writes, or hides others."""

from __future__ import annotations

import re

from bg.evidence import programs, shell


def is_test(part: shell.Part) -> bool:
    """Whether a command runs tests, as far as its name says."""
    if part.asks_only or part.program in programs.INERT:
        return False
    if part.program in programs.TESTS:
        return not (part.program in {"playwright", "cypress"} and part.verb in {"install", "open"})
    if any(word in programs.VERBS.get(part.program, ()) for word in part.words[:6]):
        return not ({"-n", "--dry-run"} & set(part.words))
    script = part.verb if part.program in {"npm", "yarn", "pnpm", "bun"} else ""
    name = part.words[1] if script == "run" and len(part.words) > 1 else ""
    return bool(re.match(r"(?:test|spec|e2e|unit|it)\b", name))


def is_check(part: shell.Part) -> bool:
    """Whether a command runs a linter, a type check or the like."""
    if part.asks_only:
        return False
    if part.program in programs.CHECKS or any(
        word in programs.CHECK_VERBS.get(part.program, ()) for word in part.words[:4]
    ):
        return True
    return part.program in {"npm", "yarn", "pnpm", "bun", "make", "just", "task"} and bool(
        re.search(r"lint|typecheck|type-check|types|format|fmt|check|tsc", " ".join(part.words[:2]))
    )


def hides(part: shell.Part) -> bool:
    """Whether a command can run others that its words do not show: a script, a make target, an unknown program."""
    if (
        part.asks_only
        or part.program in programs.INERT
        or part.program in programs.CHECKS
        or part.program in programs.TESTS - {"tox", "nox"}
        or part.program in programs.CONTAINERS | {"terraform", "helm", "alembic"}
    ):
        return (
            part.program == "git"
            and part.verb in {"commit", "push", "rebase", "bisect"}
            and "--no-verify" not in part.words
        )
    if part.program in programs.SHELLS:
        return "-c" not in part.words and "-lc" not in part.words
    if part.program in {"npm", "yarn", "pnpm", "bun"}:
        return part.verb not in {
            "install",
            "i",
            "ci",
            "audit",
            "outdated",
            "ls",
            "list",
            "view",
            "add",
            "remove",
            "version",
            "init",
            "why",
            "config",
            "pack",
        }
    if part.program in {"python", "python3", "node", "ruby", "perl", "php"} and part.words[:1] in (("-c",), ("-e",)):
        code = " ".join(part.words)
        return bool(re.search(r"system|popen|exec|spawn|subprocess|runpy|pytest|unittest|import_module|`", code))
    return part.program not in {"go", "cargo", "python-config", "node-gyp", "rustc", "gcc", "javac"} or part.verb in {
        "run",
        "generate",
    }


def only_reads(command: str) -> bool:
    """Whether a command line can be seen to change nothing."""
    if re.search(r"(?<![0-9&])>(?!\s*(?:/dev/null|&))|\btee\b|<<", command):
        return False
    return all(map(looks, shell.parts(command)))


def looks(part: shell.Part) -> bool:
    """Whether a command only looks at things, as far as its words show."""
    if part.program == "git":
        return part.verb in programs.GIT_READING or part.asks_only
    if part.program == "find":
        return not {"-exec", "-delete", "-execdir", "-ok"} & set(part.words)
    if part.program == "sort":
        return not any(word.startswith(("-o", "--output")) for word in part.words)
    if part.program == "sed":
        return not any(word.startswith("-i") or word == "--in-place" for word in part.words)
    return part.program in programs.READING or part.asks_only


def written(command: str) -> list[str]:
    """The files that a command line says itself that it writes: `> FILE`, `tee FILE`, `sed -i … FILE`."""
    line = shell.without_heredocs(command[: shell.MOST])
    found = [name.strip("'\"") for name in re.findall(r"(?<![0-9&>=-])>{1,2}\s*([^\s;|&<>()]+)", line)]
    for part in shell.parts(command):
        names = [word for word in part.words if not word.startswith("-")]
        if part.program == "tee":
            found += names
        elif part.program in ("sed", "perl") and any(word.startswith("-i") or "pi" in word[:4] for word in part.words):
            found += [word for word in names if re.search(r"\.\w{1,5}$", word) and " " not in word]
    return [name for name in found if name not in ("/dev/null", "/dev/stderr", "/dev/stdout")]
