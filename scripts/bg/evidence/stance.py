"""What a statement says of a file: that it was made, changed, removed, kept, is there, or is only planned.

Only words that leave no doubt, or that the launch asked for, may be refuted by a missing or unchanged file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bg.evidence import words
from bg.evidence.beside import ANY, by_words
from bg.evidence.paths import Mention
from bg.evidence.reader import Statement
from bg.pattern import pattern

FIRST = 0xE000
CODE = "\uf8ff"
CLAUSE = pattern(
    r"[;；。]\s*|,?\s+(?:but|although|though|however|whereas|aber|jedoch|mais|pero|mas)\s+|"
    r"(?<=[.!?:])\s+(?=[^a-z\s])|\n"
)
ENGLISH_DOTS = pattern(r"\b(e)\.(g)\.|\b(i)\.(e)\.|\b(v)(s)\.", re.IGNORECASE)
LED = pattern(
    r"^\W{0,6}(?:\[[ xX]\]\s*)?(?:\*\*[^*]{1,60}\*\*\s*[:–—-]\s*)?(?:[^\W\d_:：][^:：\n]{0,60}[:：]\s*)?"
    r"(?:\w{1,12}(?:ed|ée?|iert|ado|wrote|new|written|made)\s+)?(?:the\s+)?\W{0,6}$"
)
BETWEEN = pattern(r"^(?:[\s,&+/|、・`*]|and|und|et|y|e|och|en|sowie|plus|as well as)*$")
PAST = pattern(r"(?<!\w)(?:was|were|wurden?|fue|fueron|foi|foram)(?!\w)", re.IGNORECASE)


class Stance(NamedTuple):
    """What is said of one mention, how surely (2 beyond doubt, 1 likely, 0 in passing), and whether of oneself."""

    kind: str  # made, changed, removed, kept, present, listed, state, plan, denied, neutral
    level: int
    clause: str
    own: bool = False
    headed: bool = False


def masked(text: str, found: list[Mention]) -> str:
    """The text with a single sign for each mention and for each other piece of code."""
    parts, last = [], 0
    for number, mention in enumerate(found):
        parts += [_uncoded(text[last : mention.start]), chr(FIRST + number)]
        last = mention.end
    parts.append(_uncoded(text[last:]))
    return ENGLISH_DOTS.sub(lambda dots: "".join(each for each in dots.groups() if each), "".join(parts))


def _uncoded(text: str) -> str:
    return re.sub(r"(`{1,3})[^`\n]{1,400}\1", CODE, text)


def clauses(text: str) -> list[str]:
    """The clauses of a masked text."""
    return [each for each in CLAUSE.split(text) if each and each.strip()]


def stance(statement: Statement, text: str, number: int, *, all_made: bool) -> Stance:
    """What a statement says of its mention with this number; `text` is the masked statement."""
    sign = chr(FIRST + number)
    clause = next((each for each in clauses(text) if sign in each), text)
    if planned(statement):
        return Stance("plan", 0, clause)
    kind, level = by_words(clause, sign)
    before, _, after = clause.partition(sign)
    near = f"{before} {sign} {after[:30]}" if level == 2 and kind in {"made", "changed"} else clause
    said = re.sub(r"\bno longer\b|\bnot only\b|\bno issues?\b|\bno errors?\b", " ", near, flags=re.IGNORECASE)
    if words.KEPT.search(clause):
        return Stance("kept", 0, clause)
    if words.HEDGE.search(said) or _ordered(statement, clause):
        return Stance("plan", 0, clause)
    if words.DENIED.search(said):
        return Stance("denied", 0, clause)
    head = " ".join(statement.under[-2:])
    headed = bool(words.CHANGED.search(head))
    own = headed or bool(words.AGENTIVE.search(_sentence(text, sign)))
    if kind == "present" and headed:
        return Stance("changed", 0, clause, own, headed)
    headed = headed or (level == 1 and kind != "present" and PAST.search(clause) is not None)
    own = own or headed
    if kind and level:
        return Stance(kind, level, clause, own, headed)
    placed = _by_place(statement, text, sign, all_made=all_made)
    if placed:
        level = 0 if words.BASE_VERB.match(_after(text, sign)) else 1 if placed == "present" else 2
        return Stance(placed, level, clause, own, headed=placed != "listed")
    kind = kind or _in_passing(clause) or ("named" if statement.kind != "fence" and _leads(text, sign) else "neutral")
    return Stance(kind, 0, clause, own, headed)


def _ordered(statement: Statement, clause: str) -> bool:
    """Whether a clause is an order, or a row of a table says what to do with the file."""
    if statement.kind == "row":
        return any(map(words.PLAN_CELL.match, statement.text.split("|")))
    return bool(words.BASE_VERB.match(clause))


def _in_passing(clause: str) -> str:
    """What a verb somewhere in a clause says of the files in it."""
    if words.BASE_VERB.match(clause) or words.LOOKED_AT.search(clause):
        return ""
    patterns = (
        ("changed", words.CHANGED),
        ("made", words.MADE),
        ("removed", words.REMOVED),
        ("state", words.STATE_NOW),
    )
    return next((kind for kind, pattern in patterns if pattern.search(clause)), "")


def _sentence(text: str, sign: str) -> str:
    """The sentence of a masked text that holds a mention."""
    return next((each for each in re.split(r"(?<=[.!?。])\s+|\n", text) if sign in each), text)


def planned(statement: Statement) -> bool:
    """Whether a statement stands under a heading of proposals."""
    if statement.field == "recommendations" or any(_heads_plan(head) for head in statement.under):
        return True
    return bool(words.PLAN.search(" | ".join(statement.head)))


def _heads_plan(head: str) -> bool:
    short = head if len(head) <= 60 else head[-60:]
    return bool(words.PLAN.search(short)) and not words.ALL_MADE.search(head)


def _after(text: str, sign: str) -> str:
    return text[text.index(sign) + 1 :].lstrip(" :`*–—-)")[:40] if sign in text else ""


def _by_place(statement: Statement, text: str, sign: str, *, all_made: bool) -> str:
    """What a list, a table, a drawing, a label or a field says of the mentions that it begins with."""
    head = " ".join(statement.under[-2:])
    led = _leads(text, sign)
    if words.LOOKED_AT.search(text) and not words.MADE.search(head):
        return ""
    if statement.kind in {"item", "row", "tree", "json", "prose"} and head and (led or statement.kind == "row"):
        kind = _of_head(statement, head)
        if kind:
            return kind
    if statement.field == "deliverables" and led:
        return "listed"
    if all_made and (
        (statement.kind == "tree")
        or (
            statement.kind == "row"
            and led
            and re.search(
                r"(?i)\b(?:files?|outputs?|artifacts?|pages?|documents?)\b|datei|archivo|fichier",
                " ".join(statement.head),
            )
        )
    ):
        return "made"
    before = text[: text.index(sign)] if sign in text else ""
    announced = re.match(r"^[^:\n\ue000-\uf8fe]{3,70}[:：][\W]{0,4}$", re.split(ANY, before)[0])
    if led and announced and (words.MADE.search(before) or words.FINISHED.search(before)):
        return "made"
    if led and announced and words.CHANGED.search(before) and len(before.split()) <= 4:
        return "changed"
    label = re.match(r"^\W{0,6}([^\W\d_][\w -]{0,30})\W{0,3}[:：]\W{0,4}$", before)
    if led and label and (words.LABEL.search(label[1]) or _names(label[1], statement.text)):
        return "made" if words.MADE.search(label[1]) or "deliverable" in label[1].lower() else "present"
    return ""


def _of_head(statement: Statement, head: str) -> str:
    if words.REMOVED.search(head):
        return "removed"
    if words.CHANGED.search(head):
        files = len(head.split()) <= 4 or re.search(r"(?i)files?\b|datei|archivo|fichier", head)
        return "changed" if files and statement.kind in {"item", "json", "row"} else ""
    if (
        re.match(r"^\W*(?:new|neu|nouveaux?|nuevos?|新規|新建)\b", statement.under[-1], re.IGNORECASE)
        and len(statement.under[-1].split()) <= 5
    ):
        return "made"
    if words.MADE.search(head) or words.MADE_HEAD.search(statement.under[-1]):
        return "made"
    return ""


def _names(label: str, text: str) -> bool:
    """Whether a label is the name of the file behind it: `Runbook: docs/runbook.md`."""
    stem = re.search(r"([\w-]+)\.\w+\W*$", text)
    return (
        bool(stem) and label.strip().lower() in (stem[1].lower(), stem[1].lower().replace("-", " ")) if stem else False
    )


def _leads(text: str, sign: str) -> bool:
    """Whether a mention stands at the beginning, perhaps with others before it."""
    before = text[: text.index(sign)] if sign in text else text
    first = re.search(ANY, before)
    if first is None:
        return bool(LED.match(before))
    return bool(LED.match(before[: first.start()]) and BETWEEN.match(re.sub(ANY, "", before[first.start() :])))
