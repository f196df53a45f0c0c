"""What a statement says of a file: that it was made, changed, removed, kept, is there, or is only planned.

`strong` means that the words leave no doubt; only then may a missing or unchanged file refute them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bg.evidence import words
from bg.evidence.paths import Mention
from bg.evidence.report import Statement

FIRST = 0xE000
CODE = "\uf8ff"
ANY = "[\ue000-\uf8fe]"
CLAUSE = re.compile(r"[;；。]\s*|,?\s+(?:but|although|though|however|whereas|aber|jedoch|mais|pero|mas)\s+|(?<=[.!?:])\s+(?=[^a-z\s])|\n")
ENGLISH_DOTS = re.compile(r"\b(e)\.(g)\.|\b(i)\.(e)\.|\b(v)(s)\.", re.IGNORECASE)
LED = re.compile(
    r"^\W{0,6}(?:\[[ xX]\]\s*)?(?:\*\*[^*]{1,60}\*\*\s*[:–—-]\s*)?(?:[^\W\d_:：][^:：\n]{0,60}[:：]\s*)?(?:\w{1,12}(?:ed|ée?|iert|ado|wrote|new|written|made)\s+)?(?:the\s+)?\W{0,6}$"
)
BETWEEN = re.compile(r"^(?:[\s,&+/|、・`*]|and|und|et|y|e|och|en|sowie|plus|as well as)*$")
OBJECT = (
    r"\s+(?:(?:the|a|an|my|our|new|its|their|file|files|module|modules|page|script|test|tests|folder|document|old|guide|whole|also|both|"
    r"die|das|den|der|le|la|les|el|los|il|lo|un|une|una|ein|eine|neue?|nouveau|nuevo|then|two|three|dead|unused),?\s+){0,4}"
)
WERE = (
    r"[`*\"')\]]{0,3}\s*(?:\([^()]{0,60}\)\s*)?[,:–—-]?\s*(?:is|are|was|were|has been|have been|got|wurde|wurden|ist|sind|a été|ont été|"
    r"fue|fueron|ha sido)?\s*(?:now\s+|also\s+|all\s+|both\s+|newly\s+|jetzt\s+)?\(?"
)
LISTED = rf"(?:{ANY}(?:\s*\([^()]{{0,60}}\))?(?:\s*,\s*|\s+and\s+|\s+und\s+|\s*&\s*|\s+et\s+|\s+y\s+)(?:and\s+)?){{0,8}}"
AGENT_NOUN = re.compile(r"(?:for|from|of|about|on|like|by|with|using|via|than|against|per|auf|aus|für|von|pour|de|para)\s+\W{0,3}(?:the\s+)?$", re.IGNORECASE)


class Stance(NamedTuple):
    """What is said of one mention."""

    kind: str  # made, changed, removed, kept, present, listed, state, plan, denied, neutral
    strong: bool
    clause: str


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
        return Stance("plan", strong=False, clause=clause)
    said = re.sub(r"\bno longer\b|\bnot only\b|\bno issues?\b|\bno errors?\b", " ", clause, flags=re.IGNORECASE)
    if words.KEPT.search(clause):
        return Stance("kept", strong=False, clause=clause)
    ordered = words.BASE_VERB.match(clause) and statement.kind != "row"
    if ordered or words.HEDGE.search(said) or (statement.kind == "row" and any(map(words.PLAN_CELL.match, statement.text.split("|")))):
        return Stance("plan", strong=False, clause=clause)
    if words.DENIED.search(said):
        return Stance("denied", strong=False, clause=clause)
    kind = _by_words(clause, sign)
    if kind == "present" and words.CHANGED.search(" ".join(statement.under[-2:])):
        return Stance("changed", strong=False, clause=clause)
    if kind:
        return Stance(kind, strong=True, clause=clause)
    kind = _by_place(statement, text, sign, all_made=all_made)
    if kind:
        return Stance(kind, strong=not words.BASE_VERB.match(_after(text, sign)), clause=clause)
    for kind, pattern in (("changed", words.CHANGED), ("made", words.MADE), ("removed", words.REMOVED), ("state", words.STATE_NOW)):
        if pattern.search(clause) and not words.BASE_VERB.match(clause) and not words.LOOKED_AT.search(clause):
            return Stance(kind, strong=False, clause=clause)
    return Stance("neutral", strong=False, clause=clause)


def planned(statement: Statement) -> bool:
    """Whether a statement stands under a heading of proposals."""
    if statement.field in {"recommendations"} or any(_heads_plan(head) for head in statement.under):
        return True
    return bool(words.PLAN.search(" | ".join(statement.head)))


def _heads_plan(head: str) -> bool:
    short = head if len(head) <= 60 else head[-60:]
    return bool(words.PLAN.search(short)) and not words.ALL_MADE.search(head)


def _after(text: str, sign: str) -> str:
    return text[text.index(sign) + 1 :].lstrip(" :`*–—-)")[:40] if sign in text else ""


def _by_words(clause: str, sign: str) -> str:
    """What a verb right beside the mention says of it."""
    before, _, after = clause.partition(sign)
    if words.BASE_VERB.match(clause) or AGENT_NOUN.search(before):
        return ""
    for kind, verbs in _VERBS.items():
        if re.search(rf"(?<!\w)(?:{verbs}){OBJECT}[`*\"'(\[]{{0,3}}{LISTED}$", before[-240:], re.IGNORECASE):
            return kind
        if re.match(rf"{WERE}(?:{verbs})(?!\w)(?!\s+(?:in|to|by|from|on|at|with)\s+[`*]{{0,2}}{ANY})", after[:120], re.IGNORECASE):
            return kind
    if re.search(rf"(?:^|\W)(?:{words.PUT})[`*\"'(\[]{{0,3}}(?:\w+/)?{LISTED}$", before[-240:], re.IGNORECASE):
        return "made"
    if re.search(rf"(?:^|\W)(?:{words.AT})[`*\"'(\[]{{0,3}}(?:\w+/)?{LISTED}$", before[-240:], re.IGNORECASE):
        return "present"
    if re.search(rf"{words.SEE}[`*\"'(\[]{{0,3}}$", before[-60:], re.IGNORECASE):
        return "present"
    if re.match(rf"[`*\"')\]]{{0,3}}\s*(?:\([^()]{{0,60}}\)\s*)?(?:{words.PRESENT})(?!\w)", after[:120], re.IGNORECASE):
        return "present"
    if re.search(r"(?:→|->|=>|⇒)\s*[`*]{0,3}$", before) and re.search(r"\w", before) and not re.search(ANY, before):
        return "present"
    return ""


_VERBS = {
    "removed": words.REMOVED_WORDS,
    "made": words.MADE_WORDS + "|" + words.MADE_CJK,
    "changed": words.CHANGED_WORDS + "|" + words.CHANGED_CJK,
}


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
    if all_made and ((statement.kind == "tree") or (statement.kind == "row" and led and re.search(r"(?i)\bfiles?\b|datei|archivo|fichier", " ".join(statement.head)))):
        return "made"
    before = text[: text.index(sign)] if sign in text else ""
    announced = re.match(r"^[^:\n\ue000-\uf8fe]{3,70}[:：][\W]{0,4}$", re.split(ANY, before)[0])
    if led and announced and (words.MADE.search(before) or words.FINISHED.search(before)):
        return "made"
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
    if words.MADE.search(head) or words.MADE_HEAD.search(statement.under[-1]):
        return "made"
    return ""


def _names(label: str, text: str) -> bool:
    """Whether a label is the name of the file behind it: `Runbook: docs/runbook.md`."""
    stem = re.search(r"([\w-]+)\.\w+\W*$", text)
    return bool(stem) and label.strip().lower() in (stem[1].lower(), stem[1].lower().replace("-", " ")) if stem else False


def _leads(text: str, sign: str) -> bool:
    """Whether a mention stands at the beginning, perhaps with others before it."""
    before = text[: text.index(sign)] if sign in text else text
    first = re.search(ANY, before)
    if first is None:
        return bool(LED.match(before))
    return bool(LED.match(before[: first.start()]) and BETWEEN.match(re.sub(ANY, "", before[first.start() :])))
