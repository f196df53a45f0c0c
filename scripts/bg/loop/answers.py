"""Answers: what was typed behind /bg-answer, read as answers to the items that wait.

An id counts at the start of a line or after clear separation (two blanks, a comma, a semicolon, the end of a sentence),
and after one blank where a colon stands behind it and no word before it makes it part of a sentence. Whatever two
people could read differently is a doubt: then nothing is sent, and the reading is shown back to be confirmed.
"""

from __future__ import annotations

import re
from functools import cache

from bg.ledger.inbox import Question
from bg.loop import answer_doubts, answer_labels
from bg.loop.answer_ids import PREDICATE, Head, first_word, folded, gap, heads, is_blank, normal, numbered
from bg.loop.answer_words import reserved
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_LONGEST = 16
# Behind one of these an id is a part of the sentence.
_CARRIES_ON = pattern(
    r"\b(?:in|of|as|at|see|like|from|to|for|per|and|or|with|than|the|both|by|on|about|unlike|under|is|are|was|because"
    r"|if|when|while|after|before|except|wie|in|zu|aus|und|oder|bei|mit|von|comme|dans|et|ou|como|en|y|o|e|come|is"
    r"|answer(?:ed)?|answering|question|decision|blocker|mean|meant|says?|said|your|my|that|this|not|but)$",
    re.IGNORECASE,
)


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


def read(arguments: str, known: Known) -> Typed:
    """What was typed: a command, answers by their ids, or a text without ids."""
    label, rest, doubts = answer_labels.addressed(arguments, known)
    word = reserved(rest)
    if word or is_blank(rest):
        return Typed(label, word, [], "", "", doubts)
    sections = answer_labels.sections(label, rest, known, doubts)
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
    answer_doubts.doubt(parts, plain, lead, doubts)
    return Typed(label, "", _merged(parts), plain, lead, doubts)


def _parts(label: str, text: str, known: Known, doubts: list[tuple[str, str]]) -> tuple[list[Part], str]:
    """The answers of one task by their ids, and what stands before the first."""
    plain = folded(text)
    items = known.items(label)
    open_now = {item.qid.upper() for item in items}

    was_asked = cache(known.was_asked)

    def asked(head: Head) -> bool:
        return all(was_asked(head.label or label, qid) for qid in head.qids)

    kept: list[Head] = []
    named, begins = heads(plain), first_word(plain)
    left = open_now - {qid for head in named if asked(head) for qid in head.qids}
    for head in named:
        if asked(head):
            counts, why = _counts(plain, head, is_first=head.start <= begins, others=bool(kept))
        else:
            missed = bool(kept) and any(qid[:1] == head.qids[0][:1] for qid in left)
            counts, why = _is_unknown(plain, head, is_first=head.start <= begins, others=missed)
        doubts += [(each, ", ".join(head.qids)) for each in why]
        kept += [head] if counts else []
    kept = kept or numbered(plain, items)
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
            doubts += [] if is_quoted else [(answer_doubts.QUOTED, head.qids[0])]
        parts += [Part(name, qid, "" if is_blank(said) else said) for qid in head.qids]
    return parts, text[: kept[0].start].strip()


def _without_question(said: str, items: list[Question]) -> tuple[str, bool]:
    """An answer below the question that it quotes, as in a mail, and whether it is one."""
    asked, _, below = said.partition("\n")
    if any(" ".join(asked.split()) == " ".join(item.text.split()) for item in items):
        return below.strip(), True
    return said, False


def _is_unknown(text: str, head: Head, *, is_first: bool, others: bool) -> tuple[bool, list[str]]:
    """Whether an id that was never asked is one all the same, mistyped, and what is doubtful about it."""
    placed = head.first or head.clear or (others and not _carries_on(text, head.start))
    if not head.strong or not placed:
        return False, []
    return is_first, [answer_doubts.UNKNOWN]


def _counts(text: str, head: Head, *, is_first: bool, others: bool) -> tuple[bool, list[str]]:
    """Whether an id that was asked names an answer here, and what is doubtful about it."""
    why = []
    if not head.strong:
        sentence = bool(PREDICATE.match(text, head.end))
        if not is_first and not (others and head.clear):
            in_line = head.first and head.end < len(text) and not sentence
            return in_line, [answer_doubts.MENTION] if in_line else []
        why += [answer_doubts.MENTION] if sentence or len(head.qids) > 1 else []
    if not head.clear:
        if not others:
            return False, []
        why += [answer_doubts.MENTION] if _carries_on(text, head.start) else []
    why += [answer_doubts.SEVERAL_IDS] if len(head.qids) > 1 and any(qid[:1] != "D" for qid in head.qids) else []
    return True, why


def _carries_on(text: str, place: int) -> bool:
    """The sentence goes on with what stands there."""
    end = place - gap(text, place)
    return end < place and bool(_CARRIES_ON.search(text[max(0, end - _LONGEST) : end]))


def _merged(parts: list[Part]) -> list[Part]:
    """Each item once: an id that was typed twice gets both texts, on lines of their own."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for part in parts:
        texts.setdefault((part.label, part.qid), {}).setdefault(normal(part.text), part.text)
    return [Part(*key, "\n".join(filter(None, found.values())).strip()) for key, found in texts.items()]
