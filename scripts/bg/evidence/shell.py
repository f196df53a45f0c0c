"""Shell lines, split as the shell does: each command, its folder, and what the line's exit status proves of it."""

from __future__ import annotations

import re

from bg.evidence import programs
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Callable, Optional, Union

    Item = Union[list[str], "list[Node]"]

MOST, COMMANDS = 6000, 60
DEEPEST = 4
PIPE = "pipe"
PIPES = ("|", "|&")
UNKNOWN = "?"  # a folder that only the shell knows
_PIECE = pattern(
    r"""(?P<blank>[^\S\n]+|(?<!\S)\#[^\n]*)|(?P<put>\$\((?:[^()]|\([^()]*\))*\)|[<>]\([^()]*\)|`[^`]*`?)"""
    r"""|(?P<redirection>(?:\d*|&)[<>]{1,3}[&|]?)|(?P<sign>&&|\|\||;;|\|&|[;&|()\n])"""
    r"""|(?P<single>'[^']*'?)|(?P<double>"(?:[^"\\]|\\.)*"?)|(?P<escaped>\\.?)|(?P<plain>(?:[^\s\\'"`;&|()<>$]|\$(?!\())+|.)""",
    re.DOTALL,
)
# The text that each kind of piece adds to a word.
_MEANT: dict[str, Callable[[str], str]] = {
    "put": str,
    "plain": str,
    "escaped": lambda text: text[1:].strip("\n"),
    "single": lambda text: text[1:].removesuffix("'"),
    "double": lambda text: re.sub(r'\\(["\\$`\n])', r"\1", text[1:].removesuffix('"')),
}
_REDIRECTION = pattern(r"\0((?:\d*|&)[<>]+[&|]?)")
_ASSIGNED = pattern(r"[A-Za-z_]\w*\+?=")
_OPENED = {"if", "while", "until", "for", "case", "select"}
_CLOSED = {"fi", "done", "esac"}
_LED = {"then", "do", "else", "elif", "time"}
_PLAIN = {"echo", "printf", "true", ":", "exit"}  # commands that do not fail by themselves


class Command(Record):
    """One simple command: its words without assignments, redirections and the programs that only start another.

    With `mask` empty, an exit status of 0 of the whole line proves that the command passed; with `last`, any other
    proves that it did not. `folders` are those that the line changed to before it, `into` the files of its output.
    """

    words: tuple[str, ...]
    mask: str
    last: bool
    folders: tuple[str, ...] = ()
    into: tuple[str, ...] = ()
    piped: bool = False  # it reads the output of the command before it

    @property
    def program(self) -> str:
        """Its name without a path."""
        return programs.bare(self.words[0])


class Node(Record):
    """A command's raw words or a group of nodes, and the sign after it."""

    item: Item
    sign: str


class _Options:
    """The options that `set` has switched on so far, and the folders that `cd` went to."""

    def __init__(self) -> None:
        self.pipefail = self.errexit = False
        self.folders: list[str] = []

    def take(self, words: list[str]) -> None:
        """Note the options and folders that a command sets for those after it."""
        if words[0] == "set":
            self.pipefail = self.pipefail or "pipefail" in words
            self.errexit = self.errexit or any(re.match(r"-[a-z]*e", word) for word in words)
        elif words[0] in ("cd", "pushd"):
            place = words[1] if len(words) > 1 else "~"
            self.folders.append(UNKNOWN if re.search(r"[$`*?]|^-", place) else place)
        elif words[0] == "popd":
            self.folders.append(UNKNOWN)


def commands(line: str) -> list[Command]:
    """The simple commands of a line in their order, those inside groups and `sh -c` too."""
    found: list[Command] = []
    _Flat(found).take(_nodes(_without_heredocs(line[:MOST]), 0), "", last=True)
    return found[:COMMANDS]


def _without_heredocs(line: str) -> str:
    """The line without its here-documents."""
    kept, until = [], ""
    for each in line.split("\n"):
        if until:
            until = "" if each.strip() == until else until
            continue
        kept.append(each)
        mark = re.search(r"(?<!<)<<-?\s*['\"]?(\w+)['\"]?", each)
        until = mark[1] if mark else ""
    return "\n".join(kept)


def _nodes(line: str, depth: int) -> list[Node]:
    tokens = list(_tokens(line))
    tokens.reverse()
    return _grouped(tokens, depth)


def _grouped(tokens: list[tuple[str, bool]], depth: int) -> list[Node]:
    """The nodes up to the bracket that closes the group, or to the end."""
    found: list[Node] = []
    item: Item = []
    while tokens:
        piece, is_sign = tokens.pop()
        bracket = piece if is_sign or not item else ""
        if bracket in ("(", "{"):
            item = _grouped(tokens, depth + 1) if depth < DEEPEST else []
        elif bracket in (")", "}"):
            break
        elif is_sign:
            item = _ended(found, item, ";" if piece in ("\n", ";;") else piece)
        elif not item or isinstance(item[0], str):
            item = [*item, piece]
    _ended(found, item, "")
    return found


def _ended(found: list[Node], item: Item, sign: str) -> Item:
    """Add the command or group that ends with this sign, and return the empty item that begins the next one."""
    if item:
        found.append(Node(item, sign))
    return []


def _tokens(line: str) -> Iterator[tuple[str, bool]]:
    """Words and signs; an unclosed quote or bracket reaches to the end."""
    word: Optional[str] = None
    for found in _PIECE.finditer(line):
        kind = str(found.lastgroup)
        if kind in _MEANT:
            word = (word or "") + _MEANT[kind](found[0])
            continue
        if word is not None:
            yield word, False
        word = None
        if kind in ("sign", "redirection"):
            yield (found[0], True) if kind == "sign" else (f"\0{found[0]}", False)
    if word is not None:
        yield word, False


class _Flat:
    """The commands of a tree in their order; anything that hides the status of a list hides theirs."""

    def __init__(self, found: list[Command]) -> None:
        self._found, self._options, self._depth = found, _Options(), 0

    def take(self, nodes: list[Node], mask: str, *, last: bool) -> None:
        """Add the commands of one list."""
        loops = 0
        for place, node in enumerate(nodes):
            words, first = _unkeyed(node.item), _first(node.item)
            loops += (first in _OPENED) - (first in _CLOSED)
            own = mask or ("loop" if loops > 0 else _mask(nodes, place, self._options))
            final = last and not own and all(map(_cannot_fail, nodes[place + 1 :]))
            inner = [each for each in node.item if isinstance(each, Node)] or _of_shell_command(words, self._depth)
            if inner:
                self._group(inner, own, last=final)
            elif words:
                self._add(words, own, last=final, piped=_reads(nodes, place))

    def _group(self, nodes: list[Node], mask: str, *, last: bool) -> None:
        """Add the commands of a group, which begins in the folder of its list and does not change the list's folder."""
        kept, self._options.folders = self._options.folders, [*self._options.folders]
        self._depth += 1
        self.take(nodes, mask, last=last)
        self._depth -= 1
        self._options.folders = kept

    def _add(self, words: list[str], mask: str, *, last: bool, piped: bool) -> None:
        kept, into = _without_redirections(words)
        plain = programs.started(kept)
        if plain and len(self._found) < COMMANDS:
            self._found.append(Command(tuple(plain), mask, last, tuple(self._options.folders), into, piped))
            self._options.take(plain)


def _first(item: Item) -> str:
    return item[0] if item and isinstance(item[0], str) else ""


def _unkeyed(item: Item) -> list[str]:
    """The words of a command without the assignments and the shell's own words before it."""
    words = [word for word in item if isinstance(word, str)]
    while words and (words[0] in _LED | _OPENED | {"!"} or _ASSIGNED.match(words[0])):
        words = words[1:]
    return words


def _of_shell_command(words: list[str], depth: int) -> list[Node]:
    """The nodes of the line that `sh -c` is given to run."""
    if depth >= DEEPEST or len(words) < 3 or programs.bare(words[0]) not in programs.SHELLS:
        return []
    given = next((at for at, word in enumerate(words[1:-1], 2) if re.fullmatch(r"-[a-z]*c", word)), 0)
    return _nodes(words[given], depth + 1) if given else []


def _mask(nodes: list[Node], at: int, options: _Options) -> str:
    """The reason why a list's status is not that of this node; empty if a status of 0 proves that the node passed."""
    if _first(nodes[at].item) == "!":
        return "inverted"
    if at and nodes[at - 1].sign == "||":
        return "alternative"
    if nodes[at].sign in PIPES and not options.pipefail:
        return PIPE
    # A pipe after `&&` hides only its own commands: it would not have begun if this one had failed.
    place = next(place for place in range(at, len(nodes)) if nodes[place].sign not in ("&&", *PIPES))
    sign = nodes[place].sign
    if sign == "||" and not _gives_up(nodes[place + 1 : place + 2]):
        return "alternative"
    return _later(nodes, at, place, options) if sign == ";" else {"&": "background"}.get(sign, "")


def _reads(nodes: list[Node], at: int) -> bool:
    """Whether a node reads the output of the one before it."""
    return at > 0 and nodes[at - 1].sign in PIPES


def _later(nodes: list[Node], at: int, place: int, options: _Options) -> str:
    """The word "later" if later commands of a list hide this status, else nothing."""
    rest = nodes[place + 1 :]
    alone = place == at and (at == 0 or nodes[at - 1].sign == ";")
    if not rest or (options.errexit and alone):
        return ""
    ends = _unkeyed(rest[0].item)
    return "" if all(_first(node.item) in _CLOSED for node in rest) or ends == ["exit", "$?"] else "later"


def _gives_up(behind: list[Node]) -> bool:
    """Whether the next node ends the list with a failure."""
    item = behind[0].item if behind else []
    while item and isinstance(item[-1], Node):
        item = item[-1].item
    words = _unkeyed(item)
    return words[:1] == ["false"] or (words[:1] in (["exit"], ["return"]) and words[1:2] not in ([], ["0"]))


def _cannot_fail(node: Node) -> bool:
    """Whether a later command does nothing that may fail."""
    item = node.item
    if item and isinstance(item[0], Node):
        return all(_cannot_fail(each) for each in item if isinstance(each, Node))
    return _first(item) in _PLAIN | _CLOSED


def _without_redirections(words: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """A command's words, and the files that its output goes to."""
    kept: list[str] = []
    into: list[str] = []
    sign = ""
    for word in words:
        redirects = _REDIRECTION.match(word)
        if redirects:
            sign = redirects[1]
        elif sign:
            into += [word] if re.fullmatch(r"[1&]?>{1,2}[&|]?", sign) and not word.isdigit() else []
            sign = ""
        else:
            kept.append(word)
    return kept, tuple(into)
