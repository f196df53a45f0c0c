"""Finds the commands that sentences name, in code and in prose."""

from __future__ import annotations

import re

from bg.evidence import programs, shell
from bg.pattern import pattern

AMBIGUOUS = pattern(
    r"(?<![\w/.@-])(?:python3? -\w|go (?:test|build|vet|run|install)\b|make [a-z][\w-]*(?=\W)|docker (?:build|"
    r"run|compose|push|pull)\b|helm (?:lint|template|upgrade|install)\b|"
    r"dart (?:test|analyze)\b|swift (?:test|build)\b|bun (?:test|run)\b|nix (?:build|flake)\b|node --?\w)"
)
SCRIPTS = pattern(r"(?<![\w/.])(?:\./)?(?:[\w-]+/){1,6}[\w-]+\.(?:sh|bash)(?!\w)")


def pieces(text: str) -> list[str]:
    """Sentences, each code span left whole."""
    spans = [span.span() for span in re.finditer(r"`[^`\n]{1,400}`", text)]
    cuts = list(re.finditer(r"(?<=[.!?])\s+(?=[^a-z])|[。]|\n|;\s|,?\s+(?:but|aber|mais|pero)\s+", text))
    pieces, last = [], 0
    for cut in cuts:
        if not any(low <= cut.start() < high for low, high in spans):
            pieces.append(text[last : cut.start()])
            last = cut.end()
    return [each for each in [*pieces, text[last:]] if each.strip()]


def commands(piece: str) -> list[tuple[int, int, str]]:
    """The commands that a sentence names: in code, or as a known program in prose."""
    found = []
    for span in re.finditer(r"`([^`\n]{2,300})`", piece):
        line = span[1].replace("\\|", "|")
        if _is_command(line):
            found.append((span.start(), span.end(), line))
    prose = re.sub(r"`[^`\n]*`", lambda span: " " * len(span[0]), piece)
    for script in SCRIPTS.finditer(prose):
        found.append((script.start(), script.end(), script[0]))
    for word in AMBIGUOUS.finditer(prose):
        line = re.match(r"[^,;:()→|\n\"]{1,120}", prose[word.start() :])
        if line:
            found.append((word.start(), word.start() + _length(line[0]), line[0][: _length(line[0])]))
    for word in re.finditer(r"(?<![\w/.@-])[A-Za-z][\w.-]{1,24}(?![\w/]|\.\w)", prose):
        line = re.match(r"[^,;:()→|\n\"]{1,120}", prose[word.start() :])
        if (
            line
            and word[0] in programs.NO_PROSE
            and word[0] not in {"test", "find", "diff", "pip"}
            and not any(low <= word.start() < high for low, high, _ in found)
        ):
            found.append((word.start(), word.start() + _length(line[0]), line[0][: _length(line[0])]))
    return found


def _is_command(line: str) -> bool:
    """Whether a piece of code is a command: its program is known, and it is no call and no place in a file."""
    first = shell.parts(line)[:1]
    if not first or not re.match(r"[\w./@~$-]", line) or re.match(r"[\w.]+\(|[\w./-]+:\d", line):
        return False
    program = first[0].program
    known = {plain(program), plain(line.split(maxsplit=1)[0])} & programs.COMMON or program.endswith(".sh")
    return bool(known) and bool(first[0].words or program in programs.NO_PROSE)


def plain(program: str) -> str:
    """A program without the version in its name."""
    return re.sub(r"(?<=[a-z])[\d.]+$", "", program)


def _length(line: str) -> int:
    """How far a command goes in prose: its program, and what looks like words of a command behind it."""
    pieces = re.match(
        r"[\w.-]+(?: (?:-{1,2}[\w=.-]+|[\w-]*/[\w./-]*|[\w-]+\.\w+|(?!is\b|was\b|has\b|had\b|reports?\b|"
        r"shows?\b|finds?\b|passes\b|passed\b|ran\b|and\b|run\b)[a-z][\w:-]*(?=$| -| [\w-]*/|:)))*",
        line,
    )
    return pieces.end() if pieces else len(line)
