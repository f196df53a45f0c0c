"""Answers: the words typed behind /bg-answer, taken apart into a task, a command word, or answers by their ids.

An answer is any text behind its id, up to the next id of something that was asked. An id counts at the start of a line,
behind a sign that sets it apart, and, with a colon, behind any word that does not make it part of a sentence. Words
that two people could read differently are a doubt: then nothing is sent, and the user is asked to confirm the reading.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from bg.ledger.inbox import Question
from bg.ledger.naming import label_of
from bg.loop import decisions
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

SKIP, GO, HELP, STATUS, DOCTOR, UNDO, CLOSE, STOP = COMMANDS = (
    "skip", "go", "help", "status", "doctor", "undo", "close", "stop",
)  # fmt: skip

ALL_GO = "all go"  # every task that a limit has paused

# The reasons to doubt the reading of words.
TWICE, LEAD, UNKNOWN, MENTION, EMPTY, LABELS, QUESTION, POSTPONES = (
    "twice", "lead", "unknown", "mention", "empty", "labels", "question", "postpones",
)  # fmt: skip

# Full-width forms and the marks of other scripts, each replaced by one character of ours, so that positions stay.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_MARKS = "\u3000\u00a0\ufe55\u2236\ua789\ufe13\u061b\u060c\u3001\u3002"
_FOLD.update({ord(mark): ord(plain) for mark, plain in zip(_MARKS, "  ::::;,,.")})
_FOLD.update(dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF], 32))
_FOLD.update(dict.fromkeys(range(0x2010, 0x2012), 45))

_BG = r"bg ?[-_#]? ?\d{1,6}"
_ID = r"(?:question|decision|blocker|[qdb])[ ._#-]?\d{1,3}"
_IDS = pattern(_ID, re.IGNORECASE)
# A place for an id: at the start of a line, behind marks and the command itself, or after a blank or a sign.
_PLACE = r"(?:(?P<start>^[>*_#•+ \t-]*(?:/bg(?::bg)?-answer[ \t]+)?)|(?<![^\s,;|]))"
_HEAD = pattern(
    rf"{_PLACE}(?:(?P<label>{_BG})[*_`]{{0,3}}(?:[ \t]*[.:,][ \t]*|[ \t]+))?[*_`]{{0,3}}(?P<open>[(\[]?)"
    rf"(?P<ids>{_ID}(?:[*_`]*[ \t]*(?:,|&|\+|/|and\b|und\b|et\b|y\b|e\b|en\b|i\b)[ \t]*{_ID}){{0,50}})[*_`\"']*"
    r"(?P<sign>[)\]]?[ \t]*(?::|=>?|->|→)|[)\]]|\.(?=\s|$)|[ \t]+[-–—]+(?=\s)|(?=\s|$))[*_`]*\s*",
    re.IGNORECASE | re.MULTILINE,
)
_SECTION = pattern(
    rf"{_PLACE}(?P<label>{_BG})(?![\w-])(?P<open>)(?P<ids>)[ \t]*(?P<sign>[:.,]?)(?=\s|$)[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = pattern(rf"\s*({_BG}|#?\d{{1,6}})(?![\w-])(?!\.\d)[.:,]?(?=\s|$|[QBD]\d)\s*", re.IGNORECASE)
_NUMBERED = pattern(r"(?:^[ \t]*|(?<=\s))(\d{1,2})(?:\)|\.(?=\s)|:(?=\s))\s*", re.MULTILINE)
_FENCED = pattern(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_AGAIN = pattern(r"^/bg(?::bg)?-answer\b\s*", re.IGNORECASE)
# Behind one of these an id is a part of the sentence.
_CARRIES_ON = pattern(
    rf"(?:-answer|{_BG}|\b(?:in|of|as|at|see|like|from|for|to|than|about|per|with|on|by|because|question|decision|blocker"
    r"|my|your|the|wie|aus|von|zu|bei|mit|dans|de|comme|como|en|di|come))$",
    re.IGNORECASE,
)
_LONGEST = 20
_MOST_READ = 300_000
_JOINS = pattern(r"(?:[,;|]|(?<=\s)(?:and|und|et|&|/))$")
_POLITE = pattern(
    r"(?:(?:hi|hello|hey|thanks|thank you|thx|ok|okay|sure|so|here you (?:go|are)|here (?:we go|goes)|please|hallo"
    r"|danke|merci|gracias|sorry for the (?:wait|delay)|good (?:morning|evening|questions?)"
    r"|(?:here are )?(?:my |the )?answers?|no problem|see below)[\s,.!:…-]*)+",
    re.IGNORECASE,
)
_SAYS_NOTHING = pattern(r"[.…?\-–—\"'“”‘’\s]*|<your answer>")
_ASKS = pattern(
    r"\s*(?:what|why|how|who|which|where|when|can you|could you|do you|does|is it|are there|was|warum|wieso|wie|welche"
    r"|pourquoi|comment|quel|por qué|cómo|cuál)\b.*\?\s*",
    re.IGNORECASE | re.DOTALL,
)
_HOW_MANY = pattern(
    r"\b(?:how (?:many|much|long|often)|which (?:port|number|version)|wie viele?|combien)\b", re.IGNORECASE
)


_STRONG = (":", "=", ">", "→")


class Part(Record):
    """An answer to one item; `label` is empty if none was typed, `qid` if only the label was."""

    label: str
    qid: str
    text: str


class Typed(Record):
    """The typed words, taken apart. Nothing is lost: each character is in one of the fields, or all is shown back."""

    label: str
    word: str
    parts: list[Part]
    plain: str
    lead: str
    doubts: list[tuple[str, str]]


class Known(Record):
    """The facts that words are read against: the items that wait, the ids that were ever asked, and the labels in use.

    `was_asked` is called with an empty label if none was typed.
    """

    waiting: list[Question]
    was_asked: Callable[[str, str], bool]
    is_task: Callable[[str], bool]

    def items(self, label: str) -> list[Question]:
        """The waiting items of this task, or of all tasks if none is named."""
        return [item for item in self.waiting if label in ("", item.label)]


class _Head(Record):
    """A place that names items or a task, with the sign behind it and the words before it."""

    start: int
    end: int
    label: str
    qids: list[str]
    sign: str
    begins: bool
    before: str

    @property
    def is_strong(self) -> bool:
        """Whether its sign says that an answer follows."""
        return self.sign in _STRONG

    @property
    def clear(self) -> bool:
        """Whether it is set apart from the words before it."""
        return self.before.endswith(("  ", "\t")) or self.before.rstrip().endswith((*",;|.!?…)",))

    @property
    def carries(self) -> bool:
        """Whether it carries on the sentence before it."""
        return bool(_CARRIES_ON.search(self.before.rstrip()))


def read(arguments: str, known: Known) -> Typed:
    """Read the typed words: a command word, answers by their ids, or a text without ids."""
    label, text = _addressed(_AGAIN.sub("", arguments.strip(), 1), known)
    if command_word(text) or is_blank(text):
        return Typed(label, command_word(text), [], "", "", [])
    doubts: list[tuple[str, str]] = []
    heads = _named(text, label, known, doubts) or _numbered(folded(text), known.items(label))
    heads = [*_first(text, heads, label), *heads]
    lead, plain = (text[: heads[0].start].strip(), "") if heads else ("", text.strip())
    parts = _parts(text, heads, label)
    said = parts or [Part(label, "", plain)]
    _doubt(said, lead, doubts)
    doubts += [(POSTPONES, each.text) for each in said if _postpones(each, known)]
    return Typed(label, "", _merged(parts), plain, lead, doubts)


def command_word(text: str) -> str:
    """The command word that the text consists of, else empty."""
    word = folded(text).strip().rstrip(".!").strip().lower()
    word = {"--help": HELP, "-h": HELP, "--status": STATUS}.get(word, word)
    return word if word in COMMANDS else ""


def is_for_all(text: str) -> bool:
    """Whether the words tell all paused tasks to go on."""
    return " ".join(folded(text).lower().rstrip(" .!").split()) == ALL_GO


def is_question(text: str) -> bool:
    """Whether the words ask something back, and nothing else."""
    return bool(_ASKS.fullmatch(folded(text)))


def asks_for_a_number(text: str) -> bool:
    """Whether the question itself wants a number."""
    return bool(_HOW_MANY.search(text))


def folded(text: str) -> str:
    """The text with foreign marks replaced by ours; its length stays the same."""
    return text.translate(_FOLD)


def is_blank(text: str) -> bool:
    """Whether the text has nothing to read."""
    return not folded(text).strip()


def _addressed(text: str, known: Known) -> tuple[str, str]:
    """The task that is named first, and the text behind it; `3 files` is an answer."""
    found = _LABEL.match(folded(text))
    if found is None:
        return "", text
    label, rest = label_of(found[1].replace(" ", "")), text[found.end() :]
    is_alone = is_blank(rest) and known.is_task(label)
    is_label = found[1][:1] in "bB" or is_alone or command_word(rest) or _HEAD.match(folded(rest))
    return (label, rest) if is_label else ("", text)


def _named(text: str, label: str, known: Known, doubts: list[tuple[str, str]]) -> list[_Head]:
    """The places that name an answer, in their order; the doubts about them are added to `doubts`."""
    # People name the questions early: a long text behind them is the last answer's.
    heads = _heads(_FENCED.sub(lambda found: "." * len(found[0]), folded(text[:_MOST_READ])))
    named = set().union(*(head.qids for head in heads))
    was_asked = cache(known.was_asked)
    kept: list[_Head] = []
    for head in heads:
        name = head.label or label
        items = known.items(name)
        if not head.qids:
            why = _task(head, items, is_other=name != label)
        elif all(was_asked(name, qid) for qid in head.qids):
            why = _item(head, kept)
        else:
            why = _unknown(head, named, items if kept else [])
        if why is not None:
            doubts += [(why, ", ".join(head.qids) or name)] if why else []
            label = name
            kept.append(head)
    return kept


def _first(text: str, heads: list[_Head], label: str) -> list[_Head]:
    """A place for the task that is named first, if its answer has no id and another task's answer follows."""
    if not label or not heads or heads[0].label in ("", label):
        return []
    said = _JOINS.sub("", f" {text[: heads[0].start].strip()}")
    return [_Head(0, 0, label, [], ":", True, "")] if said.strip() else []


def _parts(text: str, heads: list[_Head], label: str) -> list[Part]:
    """The text behind each of these places, up to the next; a label holds until another one is named."""
    parts: list[Part] = []
    for head, end in zip(heads, [*(head.start for head in heads[1:]), len(text)]):
        said = text[head.end : end].strip()
        said = _JOINS.sub("", said).rstrip() if end < len(text) else said
        label = head.label or label
        parts += [Part(label, qid, said) for qid in head.qids or [""]]
    return parts


# Each gives the doubt whether a place names an answer, empty without a doubt; None if the place names none.
def _task(head: _Head, items: list[Question], *, is_other: bool) -> Optional[str]:
    """The doubt about a label without an id."""
    if not items or not (is_other or head.sign):
        return None
    if head.is_strong or (head.begins and head.sign):
        return MENTION if head.carries else ""
    return LABELS if head.begins or head.clear or _JOINS.search(head.before.rstrip()) else None


def _item(head: _Head, kept: list[_Head]) -> Optional[str]:
    """The doubt about the id of something that was asked."""
    if head.begins or (head.is_strong and head.clear):
        return ""
    if not kept:
        return "" if head.label and not head.carries else None
    if head.sign in (kept[0].sign, *_STRONG):
        return MENTION if head.carries else ""
    return MENTION if head.clear or head.before.rstrip().endswith(SKIP) else None


def _unknown(head: _Head, named: set[str], items: list[Question]) -> Optional[str]:
    """The doubt about an id that nobody has asked, which may be a mistyped one."""
    missed = {item.qid[:1] for item in items if item.qid.upper() not in named}
    placed = head.begins or head.clear or (head.qids[0][:1] in missed and not head.carries)
    return UNKNOWN if head.is_strong and placed else None


def _heads(plain: str) -> list[_Head]:
    """Every place that may name an item, and every label without one; an indented `x = y` is code that was pasted."""
    found = {each.start(): each for signs in (_SECTION, _HEAD) for each in signs.finditer(plain)}
    code = {place for place, each in found.items() if each["sign"].strip() == "=" and plain[place] in " \t"}
    return [_head(plain, found[place]) for place in sorted(found.keys() - code)]


def _head(plain: str, found: re.Match[str]) -> _Head:
    start, begins = found.start(), found["start"] is not None
    label = label_of((found["label"] or "").replace(" ", ""))
    before = plain[max(0, start - _LONGEST) : start] or "\t"
    if label and found["ids"] and not begins and _CARRIES_ON.search(before.rstrip()):
        # The label belongs to the end of the preceding answer, as in `csv for bg-1  Q2: no`.
        start, label = found.start("open"), ""
        before = plain[max(0, start - _LONGEST) : start]
    qids = [_qid(each) for each in _IDS.findall(found["ids"])]
    return _Head(start, found.end(), label, qids, (found["open"] + found["sign"].strip())[-1:], begins, before)


@lru_cache(maxsize=1024)
def _qid(text: str) -> str:
    return f"{text[0].upper()}{int(''.join(sign for sign in text if sign.isdecimal()))}"


def _numbered(plain: str, items: list[Question]) -> list[_Head]:
    """The places in `1) CSV 2) no`, if these are the numbers of waiting questions, each once; else it is a list."""
    open_now = {item.qid.upper() for item in items}
    found = list(_NUMBERED.finditer(plain))
    qids = [f"Q{int(each[1])}" for each in found]
    fits = len(open_now) > 1 and len(set(qids)) == len(qids) and open_now.issuperset(qids)
    if not found or not fits or plain[: found[0].start()].strip() or any(qid[0] != "Q" for qid in open_now):
        return []
    return [_Head(each.start(), each.end(), "", [qid], ".", True, "") for each, qid in zip(found, qids)]


def _doubt(parts: list[Part], lead: str, doubts: list[tuple[str, str]]) -> None:
    """Add the doubts about words that two people could read differently, except on decisions: see `decisions`."""
    if lead and not _POLITE.fullmatch(folded(lead)):
        doubts.append((LEAD, lead))
    said: dict[tuple[str, str], str] = {}
    for part in parts:
        words, name = _normal(part.text), part.qid or "/bg-answer"
        decides = part.qid[:1] == "D"
        if said.setdefault((part.label, part.qid), words) != words:
            doubts.append((TWICE, part.qid))
        if is_blank(words) or (_SAYS_NOTHING.fullmatch(words) and not decides):
            doubts.append((EMPTY, name))
        elif is_question(words) and not decides:
            doubts.append((QUESTION, name))


def _postpones(part: Part, known: Known) -> bool:
    """Whether words behind a bare label only ask for time; not if a question offers them, or a decision asks back."""
    if part.qid or not decisions.postpones(part.text):
        return False
    words = _normal(part.text).strip(" .!…")
    items = known.items(part.label)
    return not any(item.qid[:1] == "D" or words in _normal(f"{item.text} {item.extra}") for item in items)


def _normal(text: str) -> str:
    """The text without case and extra blanks, in which equal answers may differ."""
    return " ".join(text.split()).casefold()


def _merged(parts: list[Part]) -> list[Part]:
    """Each item once: an id that was typed twice gets both texts, on lines of their own."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for part in parts:
        texts.setdefault((part.label, part.qid), {}).setdefault(_normal(part.text), part.text)
    return [Part(*key, "\n".join(filter(None, found.values())).strip()) for key, found in texts.items()]
