"""Answers: what was typed behind /bg-answer, read as answers to the items that wait.

An id counts at the start of a line or after clear separation (two blanks, a comma, a semicolon, the end of a sentence),
and after one blank where a colon stands behind it and no word before it makes it part of a sentence. Whatever two
people could read differently is a doubt: then nothing is sent, and the reading is shown back to be confirmed.
"""

from __future__ import annotations

import re

from bg.ledger.inbox import Question
from bg.ledger.naming import label_of
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

# Full-width forms, and the marks of other scripts that stand for ours, one character for one, so that places stay.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_MARKS = "\u3000\u00a0\ufe55\u2236\ua789\ufe13\u061b\u060c\u3001\u3002"
_FOLD.update({ord(mark): ord(plain) for mark, plain in zip(_MARKS, "  ::::;,,.")})
_FOLD.update(dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF], 32))
_FOLD.update(dict.fromkeys(range(0x2010, 0x2012), 45))

_BG = r"bg ?[-_#]? ?\d{1,6}"
_LABEL = pattern(rf"\s*({_BG}|#?\d{{1,6}})(?![\w-])(?!\.\d)[.:,]?(?=\s|$|[QBD]\d)\s*", re.IGNORECASE)
_SPELT_WRONG = pattern(
    r"\s*(?:gb|bq|pg|b|g|bh|vg|bgg|bbg)\s?[-_]\s?\d{1,4}\b|\s*bg[-_ ](?:[lIo]|one|two|three)\b", re.IGNORECASE
)
_NAMES = {"q": "Q", "question": "Q", "d": "D", "decision": "D", "b": "B", "blocker": "B"}
_ID = r"(?:question|decision|blocker|[qdb])[ ._#-]?\d{1,3}"
_HEAD = pattern(
    r"(?P<start>^[ \t]*(?P<mark>[>*_#•(\[+ \t-]*))?(?<![\w/])"
    rf"(?:(?P<label>{_BG})[*_`]*(?:[ \t]*[.:,][ \t]*|[ \t]+))?"
    rf"(?P<ids>{_ID}(?:[*_`]*[ \t]*(?:,|&|\+|/|and\b|und\b|et\b|y\b)[ \t]*{_ID})*)(?P<close>[*_`)\]\"']*)"
    r"(?P<sep>[ \t]*(?::|=>?|->|→)[*_`]*|\)|\.(?=\s|$)|[ \t]+[-–—]+(?=\s)|(?=\s|$))\s*",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = pattern(
    r"(?P<start>^[ \t]*)(?P<number>\d{1,2})(?:\)|\.(?=\s)|:)\s*|(?<=\s)(?P<inline>\d{1,2})\)\s+", re.MULTILINE
)
_SECTION = pattern(rf"^[ \t]*({_BG})(?![\w-])[ \t]*(?P<sep>[:.,])?[ \t]*", re.IGNORECASE | re.MULTILINE)
_FENCE = pattern(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_CLEAR = pattern(r"(?:[,;|]\s*|[.!?…)]\s+|\s{2,}|\t)$")
# Behind one of these an id is a part of the sentence.
_CARRIES_ON = pattern(
    r"\b(?:in|of|as|at|see|like|from|to|for|per|and|or|with|than|the|both|by|on|about|unlike|under|is|are|was|because"
    r"|if|when|while|after|before|except|wie|in|zu|aus|und|oder|bei|mit|von|comme|dans|et|ou|como|en|y|o|e|come|is"
    r"|answer(?:ed)?|answering|question|decision|blocker|mean|meant|says?|said|your|my|that|this|not|but)\s+$",
    re.IGNORECASE,
)
# What follows an id without a sign makes it the subject of a sentence rather than the name of an answer.
_PREDICATE = pattern(
    r"(?:is|are|was|were|and|or|seems?|looks?|should|would|could|can|has|had|does|did|depends?|makes?|needs?|sounds?"
    r"|ist|sind|und|est|et|es|y|isn't|doesn't|wasn't|first|again|of|in|from|revenue|results?"
    r"|too|also|as well|likewise|instead|neither|either|:)\b",
    re.IGNORECASE,
)
SKIP, GO, HELP, DOCTOR, UNDO, CLOSE = "skip", "go", "help", "doctor", "undo", "close"
RESERVED = (SKIP, GO, HELP, DOCTOR, UNDO, CLOSE)
_CONFIRM = pattern(r"confirm\s+#?(\d{1,9})", re.IGNORECASE)
_POLITE = pattern(
    r"(?:(?:hi|hello|hey|thanks|thank you|thx|ok|okay|sure|right|so|well|here you go|here you are|here we go|here goes"
    r"|sorry for the (?:wait|delay)|good (?:morning|evening|questions?)|danke|hallo|merci|gracias|my answers?"
    r"|(?:here are )?(?:the|my) answers|answers?|please|no problem|see below)[\s,.!:…-]*)+",
    re.IGNORECASE,
)

# A word behind which `go` and the like end a sentence.
_BEFORE_A_VERB = pattern(
    r"(?:to|let|lets|it|we|good|ready|they|you|and|use|in|or|must|can|will|should|i|a|the|of|for|with|no)$",
    re.IGNORECASE,
)
_SAYS_NOTHING = pattern(r"(?:\.{2,}|…+|\?+|[-–—]+|\"\"|''|“”|‘’)")
_ASKS = pattern(
    r"(?:what|why|how|who|which|where|when|can you|could you|do you|does|is it|are there|was|warum|wieso|wie|welche"
    r"|pourquoi|comment|quel|por qué|cómo|cuál)\b.*\?\s*",
    re.IGNORECASE | re.DOTALL,
)
_HOW_MANY = pattern(
    r"\b(?:how (?:many|much|long|often)|which (?:port|number|version)|wie viele?|combien)\b", re.IGNORECASE
)
_IN_A_LINE = pattern(r"\(?1[.)]\s.*\s\(?2[.)]\s")

# Why words are not taken as they are.
TWICE, LEAD, UNKNOWN, MENTION, EMPTY, SEVERAL_IDS, QUOTED, TRAILING, LABELS, COMMAND, NUMBER, MISSPELT, QUESTION = (
    "twice", "lead", "unknown", "mention", "empty", "several ids", "quoted", "trailing", "labels", "command", "number",
    "misspelt", "question",
)  # fmt: skip


class Part(Record):
    """An answer to one item; `label` is empty where none was typed."""

    label: str
    qid: str
    text: str


class Typed(Record):
    """What was typed, taken apart: every character of it stands in one of the fields, or it is shown back whole."""

    label: str
    word: str
    parts: list[Part]
    plain: str
    lead: str
    doubts: list[tuple[str, str]]


class Known(Record):
    """What the words are read against: the items that wait, what was ever asked, and which labels there are.

    `was_asked` is also asked with no label, where none was typed.
    """

    waiting: list[Question]
    was_asked: Callable[[str, str], bool]
    is_task: Callable[[str], bool]

    def items(self, label: str) -> list[Question]:
        """What waits for this task, or for all where none is named."""
        return [item for item in self.waiting if label in ("", item.label)]


def folded(text: str) -> str:
    """The text with the signs that a reader looks for, as long as it was."""
    return text.translate(_FOLD)


def is_blank(text: str) -> bool:
    """There is nothing to read."""
    return not folded(text).strip()


def reserved(text: str) -> str:
    """The command that the text is, empty where it is none."""
    word = folded(text).strip().rstrip(".!").strip().lower()
    return word if word in RESERVED else ""


def confirmed(text: str) -> int:
    """The number of the reading that is confirmed, 0 where none is."""
    found = _CONFIRM.fullmatch(folded(text).strip())
    return int(found[1]) if found else 0


def mentions(item: Question, word: str, *, extra: str = "") -> bool:
    """The item itself offers the word as an answer."""
    return bool(re.search(rf"\b{re.escape(word)}\b", f"{item.text}\n{extra}", re.IGNORECASE))


def read(arguments: str, known: Known) -> Typed:
    """What was typed: a command, answers by their ids, or a text without ids."""
    label, rest, doubts = _addressed(arguments, known)
    word = reserved(rest)
    if word or is_blank(rest):
        return Typed(label, word, [], "", "", doubts)
    sections = _sections(label, rest, known, doubts)
    parts: list[Part] = []
    plain, lead = "", ""
    for number, (name, text) in enumerate(sections):
        found, before = _parts(name, text, known, doubts)
        if found:
            parts += found
            lead = before if number == 0 else lead
        elif len(sections) == 1:
            plain = text.strip()
        elif not is_blank(text):
            only = known.items(name)
            parts.append(Part(name, only[0].qid if len(only) == 1 else "", text.strip()))
    _doubt(parts, plain, lead, doubts)
    return Typed(label, "", _merged(parts), plain, lead, doubts)


def _addressed(text: str, known: Known) -> tuple[str, str, list[tuple[str, str]]]:
    """The task that is named first, and the text behind it."""
    plain = folded(text)
    found = _LABEL.match(plain)
    if found is None:
        wrong = _SPELT_WRONG.match(plain)
        return "", text, [(MISSPELT, wrong[0].strip())] if wrong else []
    label, rest = label_of(found[1].replace(" ", "")), text[found.end() :]
    if found[1][:1] in "bB" and _PREDICATE.match(folded(rest)) and not _HEAD.match(folded(rest)):
        return label, rest, [(MENTION, label)]
    if found[1][:1] not in "bB":
        if not (reserved(rest) or _heads(folded(rest)) or known.is_task(label)):
            return "", text, [(NUMBER, found[1])] if is_blank(rest) else []
        if not (reserved(rest) or is_blank(rest) or _first_head(rest)):
            # `1 CSV` and `1: CSV` may name the task or the question, and `3 files` is an answer.
            return ("", text, []) if not known.items(label) else _number(label, text, rest, known)
    return label, rest, []


def _number(label: str, text: str, rest: str, known: Known) -> tuple[str, str, list[tuple[str, str]]]:
    same = [item for item in known.waiting if item.qid.upper() == f"Q{label[3:]}"]
    if len(known.waiting) == 1 and known.waiting[0].label == label:
        return "", text, []  # whichever it names, the answer is the same task's, and the number stays in it
    if _numbered(folded(text), known.items("")):
        return "", text, []
    return label, rest, [(NUMBER, label)] if same else []


def _first_head(text: str) -> bool:
    head = _HEAD.match(folded(text).lstrip())
    return head is not None


def _sections(label: str, text: str, known: Known, doubts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The text of each task: a line may begin with the label of another one that waits."""
    plain = folded(text)
    fenced = _fenced(plain)
    cuts = []
    for found in _SECTION.finditer(plain):
        other = label_of(found[1].replace(" ", ""))
        if any(start <= found.start() < end for start, end in fenced) or (found.start() == 0 and label):
            continue
        follows = _HEAD.match(plain, found.end())
        if follows is not None:
            cuts.append((found.start(), found.end(), other))
        elif known.items(other) and (other != label or found["sep"]):
            if not found["sep"] and found.start() > 0:
                doubts.append((LABELS, other))
            cuts.append((found.start(), found.end(), other))
    cuts = [cut for cut in cuts if cut[0] == 0 or plain[: cut[0]].strip() or label]
    if not cuts:
        return [(label, text)]
    result = [(label, text[: cuts[0][0]])] if not is_blank(text[: cuts[0][0]]) else []
    for cut, following in zip(cuts, [*cuts[1:], None]):
        result.append((cut[2], text[cut[1] : following[0] if following else len(text)]))
    return result


def _fenced(text: str) -> list[tuple[int, int]]:
    """Where code is pasted between fences: no id counts in there."""
    marks = [found.start() for found in _FENCE.finditer(text)]
    return list(zip(marks[::2], marks[1::2]))


class _Head(Record):
    start: int
    end: int
    label: str
    qids: list[str]
    first: bool
    clear: bool
    strong: bool
    quoted: bool


def _heads(text: str) -> list[_Head]:
    """Every place that may name an item."""
    fenced = _fenced(text)
    result = []
    for found in _HEAD.finditer(text):
        if any(start <= found.start() < end for start, end in fenced):
            continue
        qids = [_qid(each[0]) for each in re.finditer(_ID, found["ids"], re.IGNORECASE)]
        before = text[: found.start()] if found["start"] is None else ""
        first = found["start"] is not None or not before.strip()
        indented = found["start"] is not None and found["start"].startswith(("  ", "\t"))
        if indented and found["sep"].strip()[:1] == "=" and text[: found.start()].strip():
            continue  # a line of code that was pasted
        start = found.start("label") if found["label"] else found.start("ids")
        if found["label"] and not first and not _CLEAR.search(before):
            # The label ends the answer before, as in `csv-bg-1. Q2: no`.
            start, label = found.start("ids"), ""
            before = text[:start]
        else:
            label = label_of(found["label"].replace(" ", "")) if found["label"] else ""
        if not first and before and not before[-1].isspace() and before[-1] not in ",;|":
            continue
        strong = found["sep"].strip()[:1] in (":", "=", "→") or "->" in found["sep"]
        result.append(
            _Head(
                found.start() if first else start,
                found.end(),
                label,
                qids,
                first,
                first or bool(_CLEAR.search(before)),
                strong,
                ">" in (found["mark"] or ""),
            )
        )
    return result


def _qid(text: str) -> str:
    letters, digits = (re.sub(kind, "", text) for kind in (r"[^A-Za-z]", r"\D"))
    return f"{_NAMES[letters.lower()]}{int(digits)}"


def _numbered(text: str, items: list[Question]) -> list[_Head]:
    """`1) CSV 2) no` where these are the numbers of questions that wait, in their order; else they are a list."""
    open_now = {item.qid.upper() for item in items}
    found = [each for each in _NUMBERED.finditer(text) if each["start"] is not None or each.start() > 0]
    heads = []
    for each in found:
        number = int(each["number"] or each["inline"])
        qid = f"Q{number}"
        if qid not in open_now or open_now & {f"D{number}", f"B{number}"}:
            return []
        heads.append(_Head(each.start(), each.end(), "", [qid], each["start"] is not None, True, True, False))
    if not heads or text[: heads[0].start].strip() or len({head.qids[0] for head in heads}) < len(heads):
        return []
    # One number before the answer to the only question is more likely a list's.
    return heads if len(heads) > 1 or len(open_now) > 1 or len(text.splitlines()) == 1 else []


def _parts(label: str, text: str, known: Known, doubts: list[tuple[str, str]]) -> tuple[list[Part], str]:
    """The answers of one task by their ids, and what stands before the first."""
    plain = folded(text)
    items = known.items(label)
    open_now = {item.qid.upper() for item in items}

    def asked(head: _Head) -> bool:
        name = head.label or label
        return all(known.was_asked(name, qid) for qid in head.qids)

    kept: list[_Head] = []
    heads = _heads(plain)
    left = open_now - {qid for head in heads if asked(head) for qid in head.qids}
    for head in heads:
        before = plain[: head.start]
        if asked(head):
            counts, why = _counts(plain, head, before, others=bool(kept))
        else:
            missed = bool(kept) and any(qid[:1] == head.qids[0][:1] for qid in left)
            counts, why = _is_unknown(head, before, others=missed)
        doubts += [(each, ", ".join(head.qids)) for each in why]
        kept += [head] if counts else []
    kept = kept or _numbered(plain, items)
    if not kept:
        return [], ""
    parts = []
    name = label
    for number, head in enumerate(kept):
        name = head.label or name
        following = kept[number + 1].start if number + 1 < len(kept) else len(text)
        said = text[head.end : following].strip()
        if following < len(text) and said[-1:] in (",", ";", "|"):
            said = said[:-1].rstrip()
        if head.quoted:
            said, is_quoted = _without_question(said, [item for item in items if item.qid.upper() in head.qids])
            doubts += [] if is_quoted else [(QUOTED, head.qids[0])]
        parts += [Part(name, qid, "" if is_blank(said) else said) for qid in head.qids]
    return parts, text[: kept[0].start].strip()


def _without_question(said: str, items: list[Question]) -> tuple[str, bool]:
    """An answer below the question that it quotes, as in a mail, and whether it is one."""
    asked, _, below = said.partition("\n")
    if any(" ".join(asked.split()) == " ".join(item.text.split()) for item in items):
        return below.strip(), True
    return said, False


def _is_unknown(head: _Head, before: str, *, others: bool) -> tuple[bool, list[str]]:
    """Whether an id that was never asked is one all the same, mistyped, and what is doubtful about it."""
    placed = head.first or head.clear or (others and not _CARRIES_ON.search(before))
    if not head.strong or not placed:
        return False, []
    return not before.strip(), [UNKNOWN]


def _counts(text: str, head: _Head, before: str, *, others: bool) -> tuple[bool, list[str]]:
    """Whether an id that was asked names an answer here, and what is doubtful about it."""
    why = []
    if not head.strong:
        sentence = bool(_PREDICATE.match(text, head.end))
        if before.strip() and not (others and head.clear):
            in_line = head.first and head.end < len(text) and not sentence
            return in_line, [MENTION] if in_line else []
        why += [MENTION] if sentence or len(head.qids) > 1 else []
    if not head.clear:
        if not others:
            return False, []
        why += [MENTION] if _CARRIES_ON.search(before) else []
    why += [SEVERAL_IDS] if len(head.qids) > 1 and any(qid[:1] != "D" for qid in head.qids) else []
    return True, why


def _doubt(parts: list[Part], plain: str, lead: str, doubts: list[tuple[str, str]]) -> None:
    """What makes two people read the same words differently."""
    if lead and not _POLITE.fullmatch(folded(lead)):
        doubts.append((LEAD, lead))
    seen: dict[tuple[str, str], str] = {}
    for part in parts:
        earlier = seen.setdefault((part.label, part.qid), part.text)
        if " ".join(earlier.split()).casefold() != " ".join(part.text.split()).casefold():
            doubts.append((TWICE, part.qid))
        is_asked_back_anyway = part.qid[:1] == "D"
        if not part.text or (not is_asked_back_anyway and _SAYS_NOTHING.fullmatch(part.text)):
            doubts.append((EMPTY, part.qid))
        doubts += _trailing(part.text)
        if not is_asked_back_anyway and is_question(part.text):
            doubts.append((QUESTION, part.qid))
        if "\n" not in part.text and _IN_A_LINE.match(part.text):
            doubts.append((NUMBER, part.text[:2]))
    first = folded(plain).split(None, 1)[:1]
    if first and first[0].lower().rstrip(",.!:") == UNDO:
        doubts.append((COMMAND, UNDO))
    doubts += _trailing(plain)


def _trailing(text: str) -> list[tuple[str, str]]:
    """A command may have been meant by the last word, or by the last line."""
    *before, last = text.splitlines() or [""]
    words = last.split()
    if before and reserved(last) and reserved(last) != SKIP:
        return [(TRAILING, last.strip())]
    ends = len(words) > 1 and words[-1] in (GO, UNDO) and not _BEFORE_A_VERB.match(words[-2])
    return [(TRAILING, words[-1])] if ends else []


def asks_for_a_number(text: str) -> bool:
    """The question itself wants a number."""
    return bool(_HOW_MANY.search(text))


def is_question(text: str) -> bool:
    """The words ask something back, and nothing else."""
    return bool(_ASKS.fullmatch(folded(text).strip()))


def _merged(parts: list[Part]) -> list[Part]:
    """Each item once: an id that was typed twice gets both texts, on lines of their own."""
    result: dict[tuple[str, str], Part] = {}
    for part in parts:
        key = (part.label, part.qid)
        earlier = result.get(key)
        if earlier is None:
            result[key] = part
        elif " ".join(earlier.text.split()).casefold() != " ".join(part.text.split()).casefold():
            result[key] = Part(part.label, part.qid, f"{earlier.text}\n{part.text}".strip())
    return list(result.values())
