"""Shell command lines taken apart: the simple commands of a line, those inside others too, and what joins them."""

from __future__ import annotations

import re

from bg.evidence import programs
from bg.pattern import pattern
from bg.record import Record

MOST = 6000
PARTS = 60
ASSIGNED = pattern(r"[A-Za-z_]\w*=")


class Part(Record):
    """One simple command: its program without path and wrappers, and its words."""

    program: str
    words: tuple[str, ...]

    @property
    def asks_only(self) -> bool:
        """Whether it only prints a version or help."""
        asking = (
            programs.ASKING if self.program not in programs.TESTS | programs.CHECKS else programs.ASKING - {"-v", "-V"}
        )  # there it asks for more words
        return len(self.words) == 1 and self.words[0] in asking

    @property
    def verb(self) -> str:
        """The first word that is no option: what the program is to do."""
        return next((word for word in self.words if not word.startswith("-")), "")


def parts(command: str, depth: int = 0) -> list[Part]:
    """The simple commands of a line, those inside `sh -c` and containers too."""
    found: list[Part] = []
    for words, _ in _split(without_heredocs(command[:MOST])):
        found += _unwrapped(words, depth)
        if len(found) > PARTS:
            break
    return found[:PARTS]


def without_heredocs(command: str) -> str:
    """The line without the texts that it hands to programs."""
    lines, kept, until = command.split("\n"), [], ""
    for line in lines:
        if until:
            until = "" if line.strip() == until else until
            continue
        kept.append(line)
        mark = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", line)
        until = mark[1] if mark else ""
    return "\n".join(kept)


class Step(Record):
    """One simple command of a line with those inside it, and the sign that joins the next one to it."""

    parts: tuple[Part, ...]
    sign: str


def steps(command: str) -> list[Step]:
    """The simple commands of a line with what joins them: `&&`, `||`, `|`, `;`, `&`, or nothing at the end."""
    split = _split(without_heredocs(command[:MOST]))[:PARTS]
    return [Step(tuple(_unwrapped(words, 0)), sign) for words, sign in split]


def within(step: Step) -> Part:
    """The command of a step, where a shell or a container was started for one that one."""
    return next((part for part in step.parts[1:] if part.program != "cd"), step.parts[0])


def _split(command: str) -> list[tuple[list[str], str]]:
    """Words by simple command, with the signs behind it; what quotes do not close goes to the end."""
    commands: list[list[str]] = [[]]
    signs: list[str] = [""]
    word, quote, has = "", "", False
    at = 0
    while at < len(command):
        sign = command[at]
        at += 1
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"' and at < len(command):
                word, at = word + command[at], at + 1
            else:
                word += sign
        elif sign in "'\"":
            quote, has = sign, True
        elif sign == "\\" and at < len(command):
            word, at, has = word + command[at].strip("\n"), at + 1, True
        elif sign in ";|&\n()" and not (sign == "&" and word[-1:] in (">", "<")) and command[at - 2 : at] != ">&":
            commands[-1] += [word] if has or word else []
            _part(commands, signs, sign)
            word, has = "", False
        elif sign.isspace():
            commands[-1] += [word] if has or word else []
            word, has = "", False
        elif sign == "#" and not word and not has:
            end = command.find("\n", at)
            at = len(command) if end < 0 else end
        else:
            word += sign
    commands[-1] += [word] if has or word else []
    return [(words, sign) for words, sign in zip(commands, signs) if words]


def _part(commands: list[list[str]], signs: list[str], sign: str) -> None:
    """A command ends with this sign, unless it is the second half of one, as in `&&`."""
    if commands[-1]:
        signs[-1] = ";" if sign == "\n" else sign
        commands.append([])
        signs.append("")
    elif len(signs) > 1 and sign in "&|":
        signs[-2] += sign


def _bared(words: list[str]) -> list[str]:
    """A command without assignments and without the programs that only run another."""
    while words:
        first = _bare(words[0])
        if ASSIGNED.match(words[0]) or re.match(r"^\d*[<>]", words[0]):
            words = words[1:]
        elif first == "command" and words[1:2] in (["-v"], ["-V"]):
            return ["which", *words[2:]]
        elif first in programs.WRAPPERS:
            words = _past_options(words[1:])
        elif first in programs.RUN_WITH and len(words) > 1 and words[1] in programs.RUN_WITH[first]:
            words = _past_options(words[2 + (first == "direnv") :])
        elif re.fullmatch(r"python[\d.]*|py|coverage", first) and "-m" in words[1:6]:
            words = words[words.index("-m") + 1 :]
        else:
            break
    return words


def _past_options(words: list[str]) -> list[str]:
    """What a wrapper runs: behind its options and their values, as far as a known program shows where those end."""
    valued = words[:1] and words[0].startswith("-")
    while words and (words[0].startswith("-") or re.fullmatch(r"\d+(?:\.\d+)?[smhd]?", words[0])):
        words = words[1:]
    if valued and words and not _is_program(words[0]):
        later = next((at for at, word in enumerate(words[:6]) if at and _is_program(word)), 0)
        words = words[later:]
    if words and " " in words[0] and parts(words[0], 2):
        first = parts(words[0], 2)[0]
        return [first.program, *first.words]  # nix-shell --run "pytest -q"
    return words


def _is_program(word: str) -> bool:
    name = _bare(word)
    return name in programs.COMMON or name in programs.WRAPPERS or name in programs.VERBS


def _unwrapped(words: list[str], depth: int) -> list[Part]:
    words = _bared(words)
    if not words:
        return []
    program = _bare(words[0])
    part = Part(program, _without_redirections(words[1:]))
    inner: list[Part] = []
    if depth < 3 and program in programs.SHELLS | programs.CONTAINERS:
        if "-c" in words or "-lc" in words:
            at = words.index("-c") if "-c" in words else words.index("-lc")
            inner = parts(words[at + 1], depth + 1) if at + 1 < len(words) else []
        elif program in programs.CONTAINERS:
            known = next((at for at, word in enumerate(words) if at and _known(word, words[at + 1 : at + 2])), 0)
            inner = _unwrapped(words[known:], depth + 1) if known else []
    return [part, *inner]


def _without_redirections(words: list[str]) -> tuple[str, ...]:
    kept, skip = [], False
    for word in words:
        redirects = re.match(r"^(?:\d*|&)[<>]", word)
        if not redirects and not skip:
            kept.append(word)
        skip = bool(redirects and re.fullmatch(r"(?:\d*|&)[<>]{1,3}&?", word))
    return tuple(kept)


def _known(word: str, follows: list[str]) -> bool:
    name = _bare(word)
    return (
        name in programs.TESTS
        or name in programs.CHECKS
        or (name in programs.VERBS and bool(follows) and follows[0] in programs.VERBS[name])
    )


def _bare(word: str) -> str:
    name = re.split(r"[/\\]", word)[-1].split("@")[0] if not word.startswith("@") else word
    return re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", name) or word
