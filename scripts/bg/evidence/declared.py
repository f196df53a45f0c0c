"""The form in which an agent declares what it did, read where that is certain; the rest is undeclared."""

from __future__ import annotations

import re

from bg.evidence import lines, named, pieces
from bg.evidence.lines import Line
from bg.evidence.pieces import ARROW
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MOST = 200
# What is said of a command that was left out: no claim that it ran.
_LEFT_OUT = pattern(
    r"\s*(?:->|→|=>|⇒|➜|⟶|--+>|[:：–—-])?\s*\(?\s*"
    r"(?:(?:(?:was|were|is|has|could|did)(?: not|n['’]t)|not|never)(?: be| been| yet)* "
    r"(?:run|executed|started|tried|attempted|possible|needed|applicable)|n/a|left out|omitted|"
    + lines.WORDS["open"]
    + r")(?![\w-]|\s*[:=]?\s*\d)",
    re.IGNORECASE,
)
# Where a result may begin that a remark claims: not within a reason such as "needs a clean base".
_CLAUSE = pattern(r"(?:->|→|[,;(–—]|\.\s)\s*(?:(?:all|then|now|but|and)\s+)*")
_ALSO = pattern(r"\s*(?:,\s*(?:and\s+|then\s+|und\s+)?|(?:and|then|und|puis|et|y|e|\+|&)\s+|、|和|と)(?=`)")
_MORE = pattern(r"\s*(?:,\s*(?:and\s+|und\s+|et\s+|y\s+)?|\s(?:and|und|et|y|e|\+|&)\s+|、|和\s*)(?=\S)")
_JOINS = pattern(r"\s(?:and|to|in|for|with|from|of|und|nach|et|vers|y|a|e)\s")
_NO_COMMIT = pattern(
    r"(?<!\w)(?:no|none|not|nothing|never|n/a|skip\w*|left|pending|later|will|tbd|open|without|nicht|kein\w*|nichts|"
    r"ohne|offen|aucun\w*|pas|rien|sin|ning\w*|nada|não|нет)(?!\w)|无|没|未|なし|不",
    re.IGNORECASE,
)
_BRANCH = pattern(
    r"(?:to |the |branch |nach |sur |a )*[`\"]?(?:origin[/ ])?(?P<name>[\w.-]+(?:/[\w.-]+)+|main|master)(?![\w/])"
)
_HASH = pattern(r"(?<![\w-])[0-9a-fA-F]{7,40}(?![\w-])|(?<![\w-])[0-9a-fA-F]{64}(?![\w-])")
_NUMBER = pattern(r"#(\d{1,7})\b|/(?:pull|pulls|merge_requests)/(\d{1,7})\b")
_NOT_PUSHED = pattern(r"\b(?:not|nicht|never|unpushed|pas|no)\b[^,;.]{0,12}\bpushed|unpushed", re.IGNORECASE)
_SCHEMA = pattern(r"\.(?:json|ya?ml)$")


class Item(Record):
    """One declared fact: its kind, what it names, and the line as it was written; `kind` is "said" for what is none."""

    line: str
    kind: str
    subject: str = ""
    other: str = ""
    quote: str = ""
    passed: Optional[bool] = None
    number: int = 0
    first: int = 0
    last: int = 0
    remark: str = ""  # what follows the fact
    followed: bool = False  # a later line declares the same command


def read(text: str) -> tuple[list[Item], bool]:
    """Every line of an evidence list, as it was meant, and whether there are more than are read."""
    found: list[Item] = []
    for line in lines.whole(text):
        found += _items(line)
        if len(found) > MOST:
            break
    last = {item.subject: item for item in found[:MOST] if item.kind == "ran"}
    kept = [item._replace(followed=item.kind == "ran" and item is not last[item.subject]) for item in found[:MOST]]
    return kept, len(found) > MOST


def _items(line: Line) -> list[Item]:
    opened = lines.opened(line.body)
    if opened is None and line.under:
        opened = (line.under, line.body)
    if opened is None:
        backward = _fits_backward(line.body, line.said)
        return [backward] if backward else _cells(line) or _bare_run(line) or [Item(line.said, "said")]
    kind, rest = opened
    found = _READERS[kind](kind, rest, line.said) or _cells(line) or [Item(line.said, "said")]
    return [_marked(each, line) for each in found]


def _marked(item: Item, line: Line) -> Item:
    """What a sign before the line adds: how a run ended, and that what is crossed out is not done."""
    if item.kind == "ran" and item.passed is None and line.mark is not None:
        return item._replace(passed=line.mark)
    crossed = line.mark is False and item.kind not in ("ran", "said", "open")
    return item._replace(kind="open", subject=line.body) if crossed else item


def _cells(line: Line) -> list[Item]:
    """Reads a row of a table: a command and its end, or a file and what was done to it."""
    if len(line.cells) < 2:
        return []
    first, rest = line.cells[0], " ".join(line.cells[1:])
    name = first.strip("`")
    if pieces.is_command(name):
        return _ran("ran", f"`{name}` -> {rest}", line.said)
    opened = lines.opened(line.cells[1])
    kind = opened[0] if opened else ""
    return _paths(kind, first, line.said) if kind in ("wrote", "changed", "removed") else []


def _paths(kind: str, rest: str, said: str) -> list[Item]:
    """Reads wrote / changed / removed PATH [, PATH …] [contains "text"]."""
    found: list[Item] = []
    while rest:
        name, after = _path(rest, spaced=not found)
        if not name:
            break
        contains = pieces.CONTAINS.match(after)
        quote = pieces.quotation(after[contains.end() :], name)[0] if contains else ""
        found.append(Item(said, kind, name, quote=quote, remark=after))
        more = None if contains else _MORE.match(after)
        rest = after[more.end() :] if more else ""
    if found and kind == "removed" and re.match(r"\s+[^\W\d_]", found[-1].remark) and not found[-1].quote:
        return []  # a part of the file, or something else in other words
    return found


def _path(rest: str, *, spaced: bool) -> tuple[str, str]:
    """The file that a rest begins with, and what follows; empty where it is none for certain."""
    name, after, ticked = pieces.thing(rest)
    plain = ticked or (pieces.is_path(name, ticked=False) and named.is_file(name))
    blanks = pieces.SPACED.match(rest) if spaced and not plain else None
    if blanks and not _JOINS.search(blanks[0]):
        name, after = blanks[0], rest[blanks.end() :]
    called = not ticked and after.startswith("(")  # a call, not a file
    if called or not pieces.is_path(name, ticked=ticked):
        return "", rest
    return pieces.PART_OF.sub("", pieces.OF_LINE.sub("", name)), after


def _moved(kind: str, rest: str, said: str) -> list[Item]:
    """Reads moved A -> B."""
    old, after, ticked = pieces.thing(rest)
    parted = ARROW.match(after) or re.match(r"\s+(?:to|nach|vers|a|para|als|as|into|zu)\s+", after)
    if not pieces.is_path(old, ticked=ticked) or not parted:
        return []
    new, _, ticked = pieces.thing(after[parted.end() :])
    return [Item(said, kind, old, other=new)] if new and (ticked or pieces.is_path(new, ticked=False)) else []


def _ran(kind: str, rest: str, said: str) -> list[Item]:
    """Reads ran `COMMAND` -> pass | fail [N passed]."""
    found: list[Item] = []
    while rest:
        command, after = pieces.command(rest)
        if not command:
            break
        found.append(Item(said, kind, command, remark=after))
        more = _ALSO.match(after)
        rest = after[more.end() :] if more else ""
    if not found:
        return []
    remark = found[-1].remark
    if _LEFT_OUT.match(remark) and not _claims_a_result(remark):
        return [each._replace(kind="open", remark="") for each in found]
    number = pieces.count(remark) if len(found) == 1 else 0
    return [each._replace(passed=pieces.passed(remark), number=number, remark=remark) for each in found]


def _claims_a_result(remark: str) -> bool:
    """Whether a clause of a remark is a pass, or begins with a number of tests that have passed."""
    clauses = [clause.strip(" .)") for clause in _CLAUSE.split(remark)]
    return any(pieces.PASS.fullmatch(clause) or pieces.PASS_COUNT.match(clause) for clause in clauses)


def _bare_run(line: Line) -> list[Item]:
    """Reads `COMMAND` -> pass without a word of the form, with a label before it or with nothing."""
    label = lines.LABEL.match(line.body)
    for rest in (line.body, line.body[label.end() :] if label else ""):
        command, after = pieces.command(rest)
        ended = ARROW.match(after) or (line.mark is not None) or pieces.passed(after) is not None
        if command and ended and (rest.startswith("`") or pieces.is_certain(command)) and pieces.is_command(command):
            return [_marked(each, line) for each in _ran("ran", rest, line.said)]
    return []


def _commit(kind: str, rest: str, said: str) -> list[Item]:
    """Reads commit HASH, pushed, opened PR; a message may stand for the hash."""
    hashes = _HASH.findall(re.sub(r"\([^()]*\)", " ", rest)) or _HASH.findall(rest)[:1]
    found = [Item(said, kind, name.lower(), remark=rest) for name in hashes]
    if found:
        return found + _published(rest, said)
    text, _ = pieces.quotation(rest)
    if rest.strip() and not text and not re.match(r"\W*(?:$|pushed|and|,)", rest):
        if not re.search(r"commit(?:ted)?\W*[:：]", said, re.IGNORECASE) or _NO_COMMIT.search(rest):
            return []
        text = re.sub(r"\s*\([^()]*\)\s*$", "", rest).strip(" .*`")
    return [Item(said, kind, "", quote=text, remark=rest), *_published(rest, said)]


def _published(rest: str, said: str) -> list[Item]:
    pushed = re.search(r"(?<!\w)pushed(?!\w)", rest, re.IGNORECASE) and not _NOT_PUSHED.search(rest)
    found = [Item(said, "pushed", "push")] if pushed else []
    opened = re.search(r"(?<!\w)" + lines.WORDS["pr"].split("|PR")[0], rest, re.IGNORECASE)
    if opened and not re.search(r"\b(?:no|not)\b[^,;.]{0,20}$", rest[: opened.start()], re.IGNORECASE):
        found += _pr("pr", rest[opened.end() :], said)
    return found


def _pushed(kind: str, rest: str, said: str) -> list[Item]:
    branch = _BRANCH.match(rest)
    found = [Item(said, kind, "push", other=branch["name"] if branch else "")]
    return [*found, *(each for each in _published(rest, said) if each.kind == "pr")]


def _pr(kind: str, rest: str, said: str) -> list[Item]:
    number = _NUMBER.search(rest)
    return [Item(said, kind, (number[1] or number[2]) if number else "")]


def _saw(kind: str, rest: str, said: str) -> list[Item]:
    """Reads saw PATH:LINE "quote"."""
    name, after, ticked = pieces.thing(rest)
    path, first, last, after = pieces.place(name, after, ticked=ticked)
    if not pieces.is_path(path, ticked=ticked) and not (first and ticked):
        return []
    behind = re.sub(r"^[\s:,;–—-]*(?:(?:reads|says|contains|states|has)\s*:?\s*)?", "", after)
    text, remark = pieces.quotation(behind, path)
    return [Item(said, kind, path, quote=text, first=first, last=last, remark=remark)] if first or text else []


def _fits(kind: str, rest: str, said: str) -> list[Item]:
    """Reads fits SCHEMA: FILE."""
    schema, after, _ = pieces.thing(rest)
    name, _, ticked = pieces.thing(re.sub(r"^[\s:：,(–—-]*(?:file\s+)?(?:->|→)?\s*", "", after))
    if not _SCHEMA.search(schema):
        return []
    return [Item(said, kind, name if pieces.is_path(name, ticked=ticked) else "", other=schema)]


def _fits_backward(body: str, said: str) -> Optional[Item]:
    """Reads FILE fits SCHEMA."""
    name, after, ticked = pieces.thing(body)
    found = re.match(r"\s*(?:\w+\s+)?fits\s+(?:the\s+)?(?:schema\s+)?", after)
    if not found or not pieces.is_path(name, ticked=ticked):
        return None
    schema, _, _ = pieces.thing(after[found.end() :])
    return Item(said, "fits", name, other=schema) if _SCHEMA.search(schema) else None


def _open(kind: str, rest: str, said: str) -> list[Item]:
    return [Item(said, kind, rest.strip())]


_READERS = {
    "wrote": _paths,
    "changed": _paths,
    "removed": _paths,
    "moved": _moved,
    "ran": _ran,
    "commit": _commit,
    "pushed": _pushed,
    "pr": _pr,
    "saw": _saw,
    "fits": _fits,
    "open": _open,
}
