"""The form in which an agent declares what it did, a fact a line, read leniently; the rest is prose."""

from __future__ import annotations

import re

from bg.evidence import lines, named, pieces
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MOST = 200
_JOINS = pattern(r"\s(?:and|to|in|for|with|from|of|und|nach|et|vers|y|a|e)\s")
_ENDS = pattern(
    r"\s*(?:[^\x00-\x7f]{1,8}|ausgeführt|ejecutado|exécuté|eseguito|executado|run|executed)?\s*(?:->|→|=>|⇒|➜|⟶|--+>)"
)
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


class Item(Record):
    """One declared fact: its kind, what it names, and the line as it was written; `kind` is "said" for prose."""

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


def is_longer(text: str) -> bool:
    """The list has more lines than are read."""
    return sum(1 for line in lines.whole(text) for _ in _items(line)) > MOST


def read(text: str) -> list[Item]:
    """Every line of an evidence list, as it was meant; nothing is rejected."""
    found: list[Item] = []
    for line in lines.whole(text):
        found += _items(line)
        if len(found) > MOST:
            break
    last = {item.subject: item for item in found[:MOST] if item.kind == "ran"}
    return [item._replace(followed=item.kind == "ran" and item is not last[item.subject]) for item in found[:MOST]]


def _items(line: str) -> list[Item]:
    said = " ".join(line.split())
    body = lines.body(line)
    opened = lines.opened(body)
    if opened is None:
        backward = _fits_backward(body, said)
        return [backward] if backward else _bare_run(body, said) or [Item(said, "said")]
    kind, rest = opened
    return _READERS[kind](kind, rest, said) or [Item(said, "said")]


def _paths(kind: str, rest: str, said: str) -> list[Item]:
    """Reads wrote / changed / removed PATH [, PATH …] [contains "text"]."""
    found: list[Item] = []
    while True:
        name, after, ticked = pieces.thing(rest)
        if not ticked and not (pieces.is_path(name, ticked=False) and named.is_file(name)):
            spaced = pieces.SPACED.match(rest)
            if not found and spaced and not _JOINS.search(spaced[0]):
                name, after = spaced[0], rest[spaced.end() :]
        if not pieces.is_path(name, ticked=ticked):
            break
        if not ticked and after.startswith("("):
            break  # a call, not a file
        found.append(Item(said, kind, pieces.PART_OF.sub("", pieces.OF_LINE.sub("", name)), remark=after))
        contains = pieces.CONTAINS.match(after)
        if contains:
            text, _ = pieces.quotation(after[contains.end() :], name)
            if text:
                found[-1] = found[-1]._replace(quote=text)
            break
        more = re.match(r"\s*(?:,\s*(?:and\s+|und\s+|et\s+|y\s+)?|\s(?:and|und|et|y|e|\+|&)\s+|、|和\s*)(?=\S)", after)
        if not more:
            found[-1] = found[-1]._replace(remark=after)
            if kind == "removed" and re.match(r"\s+[^\W\d_]", after):
                return []  # a part of the file, or something else in other words
            break
        rest = after[more.end() :]
    return found


def _moved(kind: str, rest: str, said: str) -> list[Item]:
    """Reads moved A -> B."""
    old, after, ticked = pieces.thing(rest)
    parted = pieces.ARROW.match(after) or re.match(r"\s+(?:to|nach|vers|a|para|als|as|into|zu)\s+", after)
    if not pieces.is_path(old, ticked=ticked) or not parted:
        return []
    new, _, ticked = pieces.thing(after[parted.end() :])
    return [Item(said, kind, old, other=new)] if new and (ticked or pieces.is_path(new, ticked=False)) else []


def _ran(kind: str, rest: str, said: str) -> list[Item]:
    """Reads ran `COMMAND` -> pass | fail [N passed]."""
    found: list[Item] = []
    while True:
        command, after = pieces.command(rest)
        if not command:
            break
        found.append(Item(said, kind, command, remark=after))
        more = _ALSO.match(after)
        if not more:
            break
        rest = after[more.end() :]
    if not found:
        return []
    if _LEFT_OUT.match(found[-1].remark) and not _claims_a_result(found[-1].remark):
        return [each._replace(kind="open", remark="") for each in found]
    passed, number = pieces.outcome(found[-1].remark)
    ends = [each._replace(passed=passed, remark=found[-1].remark) for each in found]
    return [ends[0]._replace(number=number)] if len(ends) == 1 else ends


def _claims_a_result(remark: str) -> bool:
    """Whether a clause of a remark is a pass, or begins with a number of tests that have passed."""
    clauses = [clause.strip(" .)") for clause in _CLAUSE.split(remark)]
    return any(pieces.PASS.fullmatch(clause) or pieces.PASS_COUNT.match(clause) for clause in clauses)


def _bare_run(body: str, said: str) -> list[Item]:
    """Reads `COMMAND` -> pass, with a label before it or with nothing."""
    label = lines.LABEL.match(body)
    rest = body[label.end() :] if label else body
    ticked = pieces.TICKED.match(rest)
    plain = ticked and pieces.is_command(ticked["text"].strip()) and _ENDS.match(rest[ticked.end() :])
    return _ran("ran", rest, said) if plain else []


def _commit(kind: str, rest: str, said: str) -> list[Item]:
    """Reads commit HASH, pushed, opened PR; a message may stand for the hash."""
    found = []
    hashes = _HASH.findall(re.sub(r"\([^()]*\)", " ", rest)) or _HASH.findall(rest)[:1]
    for name in hashes:
        found.append(Item(said, kind, name.lower()))
    if not hashes:
        text, _ = pieces.quotation(rest)
        if rest.strip() and not text and not re.match(r"\W*(?:$|pushed|and|,)", rest):
            if not re.search(r"commit(?:ted)?\W*[:：]", said, re.IGNORECASE) or _NO_COMMIT.search(rest):
                return []
            text = re.sub(r"\s*\([^()]*\)\s*$", "", rest).strip(" .*`")
        found.append(Item(said, kind, "", quote=text))
    return found + _published(rest, said)


def _published(rest: str, said: str) -> list[Item]:
    found = []
    denied = re.search(
        r"\b(?:not|nicht|never|unpushed|pas|no)\b[^,;.]{0,12}\bpushed|not pushed|unpushed", rest, re.IGNORECASE
    )
    if re.search(r"(?<!\w)pushed(?!\w)", rest, re.IGNORECASE) and not denied:
        found.append(Item(said, "pushed", "push"))
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
    at = pieces.OF_LINE.search(name)
    if not at:
        behind = ticked and after[:1] == ":"
        tail = re.match(r"\s*:?\s*L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?(?=\W|$)", after) if behind else None
        named = pieces.AT_LINE.match(after)
        first = int(tail[1]) if tail else int(named["first"]) if named else 0
        last = int(tail[2]) if tail and tail[2] else first
        after = after[tail.end() :] if tail else after[named.end() :] if named else after
        path = name
    else:
        path = name[: at.start()]
        first = int(at["first"] or at["hash"])
        last = max(first, int(at["last"] or at["until"] or first))  # less is a column
    if not pieces.is_path(path, ticked=ticked) and not (first and ticked):
        return []
    behind_text = re.sub(r"^[\s:,;–—-]*(?:(?:reads|says|contains|states|has)\s*:?\s*)?", "", after)
    text, remark = pieces.quotation(behind_text, path)
    if not first and not text:
        return []
    return [Item(said, kind, path, quote=text, first=first, last=last, remark=remark)]


def _fits(kind: str, rest: str, said: str) -> list[Item]:
    """Reads fits SCHEMA: FILE."""
    schema, after, _ = pieces.thing(rest)
    name, _, ticked = pieces.thing(re.sub(r"^[\s:：,(–—-]*(?:file\s+)?(?:->|→)?\s*", "", after))
    if not re.search(r"\.(?:json|ya?ml)$", schema):
        return []
    return [Item(said, kind, name if pieces.is_path(name, ticked=ticked) else "", other=schema)]


def _fits_backward(body: str, said: str) -> Optional[Item]:
    """Reads FILE fits SCHEMA."""
    name, after, ticked = pieces.thing(body)
    found = re.match(r"\s*(?:\w+\s+)?fits\s+(?:the\s+)?(?:schema\s+)?", after)
    if not found or not pieces.is_path(name, ticked=ticked):
        return None
    schema, _, _ = pieces.thing(after[found.end() :])
    return Item(said, "fits", name, other=schema) if re.search(r"\.(?:json|ya?ml)$", schema) else None


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
