"""The ids in what was typed: every place that may name an item that waits, by its id or by its number."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from bg.ledger.inbox import Question
from bg.ledger.naming import label_of
from bg.pattern import pattern
from bg.record import Record

# Full-width forms, and the marks of other scripts that stand for ours, one character for one, so that places stay.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_MARKS = "\u3000\u00a0\ufe55\u2236\ua789\ufe13\u061b\u060c\u3001\u3002"
_FOLD.update({ord(mark): ord(plain) for mark, plain in zip(_MARKS, "  ::::;,,.")})
_FOLD.update(dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF], 32))
_FOLD.update(dict.fromkeys(range(0x2010, 0x2012), 45))

BG = r"bg ?[-_#]? ?\d{1,6}"
_NAMES = {"q": "Q", "question": "Q", "d": "D", "decision": "D", "b": "B", "blocker": "B"}
_ID = r"(?:question|decision|blocker|[qdb])[ ._#-]?\d{1,3}"
_IDS = pattern(_ID, re.IGNORECASE)
HEAD = pattern(
    r"(?P<start>^(?P<mark>[>*_#•(\[+ \t-]*))?(?<![\w/])"
    rf"(?:(?P<label>{BG})[*_`]*(?:[ \t]*[.:,][ \t]*|[ \t]+))?"
    rf"(?P<ids>{_ID}(?:[*_`]*[ \t]*(?:,|&|\+|/|and\b|und\b|et\b|y\b)[ \t]*{_ID}){{0,50}})(?P<close>[*_`)\]\"']*)"
    r"(?P<sep>[ \t]*(?::|=>?|->|→)[*_`]*|\)|\.(?=\s|$)|[ \t]+[-–—]+(?=\s)|(?=\s|$))\s*",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = pattern(
    r"(?P<start>^[ \t]*)(?P<number>\d{1,2})(?:\)|\.(?=\s)|:)\s*|(?<=\s)(?P<inline>\d{1,2})\)\s+", re.MULTILINE
)
_FENCE = pattern(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_SENTENCE_ENDS = (*".!?…)",)
# What follows an id without a sign makes it the subject of a sentence rather than the name of an answer.
PREDICATE = pattern(
    r"(?:is|are|was|were|and|or|seems?|looks?|should|would|could|can|has|had|does|did|depends?|makes?|needs?|sounds?"
    r"|ist|sind|und|est|et|es|y|isn't|doesn't|wasn't|first|again|of|in|from|revenue|results?"
    r"|too|also|as well|likewise|instead|neither|either|:)\b",
    re.IGNORECASE,
)


def folded(text: str) -> str:
    """The text with the signs that a reader looks for, as long as it was."""
    return text.translate(_FOLD)


def is_blank(text: str) -> bool:
    """There is nothing to read."""
    return not folded(text).strip()


def normal(text: str) -> str:
    """What makes two texts the same answer."""
    return " ".join(text.split()).casefold()


def fences(text: str) -> list[int]:
    """Where code is pasted: each fence that opens, and the one that closes it."""
    marks = [found.start() for found in _FENCE.finditer(text)]
    return marks[: len(marks) & ~1]


def is_pasted(marks: list[int], place: int) -> bool:
    """The place stands between two fences: no id counts in there."""
    return bisect_right(marks, place) % 2 == 1


def first_word(text: str) -> int:
    """Where it stands."""
    return len(text) - len(text.lstrip())


# What stands before a place is looked at, not copied: a long text has many places.
def gap(text: str, place: int) -> int:
    """How many blanks stand directly before it."""
    begins = place
    while begins and text[begins - 1].isspace():
        begins -= 1
    return place - begins


def _is_clear(text: str, place: int) -> bool:
    """It is set apart from what comes before: by two blanks, a comma, or the end of a sentence."""
    blanks = gap(text, place)
    last = text[place - blanks - 1 : place - blanks]
    ends = blanks == 1 and (text[place - 1] == "\t" or last in _SENTENCE_ENDS)
    return blanks > 1 or ends or last in tuple(",;|")


class Head(Record):
    """A place that may name items: what stands there, and how clearly it is set apart from the words around it."""

    start: int
    end: int
    label: str
    qids: list[str]
    first: bool
    clear: bool
    strong: bool
    quoted: bool


def heads(text: str) -> list[Head]:
    """Every place that may name an item."""
    marks, begins = fences(text), first_word(text)
    result = []
    for found in HEAD.finditer(text):
        place = found.start()
        if is_pasted(marks, place):
            continue
        qids = [_qid(each) for each in _IDS.findall(found["ids"])]
        first = found["start"] is not None or place <= begins
        indented = found["start"] is not None and found["start"].startswith(("  ", "\t"))
        if indented and found["sep"].strip()[:1] == "=" and place > begins:
            continue  # a line of code that was pasted
        start = found.start("label") if found["label"] else found.start("ids")
        if found["label"] and not first and not _is_clear(text, place):
            # The label ends the answer before, as in `csv-bg-1. Q2: no`.
            place = start = found.start("ids")
            label = ""
        else:
            label = label_of(found["label"].replace(" ", "")) if found["label"] else ""
        last = text[place - 1 : place]
        if not first and last and not last.isspace() and last not in ",;|":
            continue
        strong = found["sep"].strip()[:1] in (":", "=", "→") or "->" in found["sep"]
        result.append(
            Head(
                found.start() if first else start,
                found.end(),
                label,
                qids,
                first,
                first or _is_clear(text, place),
                strong,
                ">" in (found["mark"] or ""),
            )
        )
    return result


@lru_cache(maxsize=1024)
def _qid(text: str) -> str:
    letters, digits = (re.sub(kind, "", text) for kind in (r"[^A-Za-z]", r"\D"))
    return f"{_NAMES[letters.lower()]}{int(digits)}"


def numbered(text: str, items: list[Question]) -> list[Head]:
    """`1) CSV 2) no` where these are the numbers of questions that wait, in their order; else they are a list."""
    open_now = {item.qid.upper() for item in items}
    found = [each for each in _NUMBERED.finditer(text) if each["start"] is not None or each.start() > 0]
    named = []
    for each in found:
        number = int(each["number"] or each["inline"])
        qid = f"Q{number}"
        if qid not in open_now or open_now & {f"D{number}", f"B{number}"}:
            return []
        named.append(Head(each.start(), each.end(), "", [qid], each["start"] is not None, True, True, False))
    if not named or text[: named[0].start].strip() or len({head.qids[0] for head in named}) < len(named):
        return []
    # One number before the answer to the only question is more likely a list's.
    return named if len(named) > 1 or len(open_now) > 1 or len(text.splitlines()) == 1 else []
