"""What a statement says of a file: that it was made, changed, removed, kept, is there, or is only planned.

Only words that leave no doubt, or that the launch asked for, may be refuted by a missing or unchanged file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bg.evidence import words
from bg.evidence.paths import Mention
from bg.evidence.reader import Statement

FIRST = 0xE000
CODE = "\uf8ff"
ANY = "[\ue000-\uf8fe]"
CLAUSE = re.compile(
    r"[;；。]\s*|,?\s+(?:but|although|though|however|whereas|aber|jedoch|mais|pero|mas)\s+|"
    r"(?<=[.!?:])\s+(?=[^a-z\s])|\n"
)
ENGLISH_DOTS = re.compile(r"\b(e)\.(g)\.|\b(i)\.(e)\.|\b(v)(s)\.", re.IGNORECASE)
LED = re.compile(
    r"^\W{0,6}(?:\[[ xX]\]\s*)?(?:\*\*[^*]{1,60}\*\*\s*[:–—-]\s*)?(?:[^\W\d_:：][^:：\n]{0,60}[:：]\s*)?(?:\w{1,12}(?:ed|ée?|iert|ado|wrote|new|written|made)\s+)?(?:the\s+)?\W{0,6}$"
)
BETWEEN = re.compile(r"^(?:[\s,&+/|、・`*]|and|und|et|y|e|och|en|sowie|plus|as well as)*$")
OBJECT = (
    r"\s+(?:(?:the|a|an|my|our|new|its|their|file|files|module|modules|page|script|test|tests|folder|document|"
    r"old|guide|whole|also|both|"
    r"die|das|den|der|le|la|les|el|los|il|lo|un|une|una|ein|eine|neue?|nouveau|nuevo|then|two|three|dead|"
    r"unused),?\s+){0,4}"
)
WERE = (
    r"[`*\"')\]]{0,3}\s*(?:\([^()]{0,60}\)\s*)?[,:–—-]?\s*(?:is|are|was|were|has been|have been|got|wurde|"
    r"wurden|ist|sind|a été|ont été|"
    r"fue|fueron|ha sido)?\s*(?:now\s+|also\s+|all\s+|both\s+|newly\s+|jetzt\s+)?\(?"
)
LISTED = (
    rf"(?:{ANY}(?:\s*\([^()]{{0,60}}\))?(?:\s*,\s*|\s+and\s+|\s+und\s+|\s*&\s*|\s+et\s+|"
    rf"\s+y\s+)(?:and\s+)?){{0,8}}"
)
PAST = re.compile(r"(?<!\w)(?:was|were|wurden?|fue|fueron|foi|foram)(?!\w)", re.IGNORECASE)
PASSIVE = re.compile(r"(?<!\w)(?:is|are|was|were|ist|sind|wurde|wurden|fue|fueron)(?!\w)", re.IGNORECASE)
DESCRIBING = re.compile(r"(?<!\w)(?:is|are|gets?|be|being|which|that|wird|werden)\s+(?:\w+\s+)?$", re.IGNORECASE)
PRESENT_PASSIVE = re.compile(
    r"(?<!\w)(?:is|are|gets?)\s+(?:\w+\s+)?\w+(?:ed|en|t)\b.*\b(?:and|then)\s+\w+\s+\w+\s+\W*$", re.IGNORECASE
)
DESCRIBED = re.compile(
    (
        r"\s+(?:by|when|whenever|at|on|from|every|each|via|through|during|only|automatically|ago|since|originally|"
        r"last|in (?:20|19|v|commit|version|\d|(?:the |an? )?(?:\w+ )?(?:commit|version|release|pr|pull request|"
        r"branch|past)))\b"
    ),
    re.IGNORECASE,
)
OTHER_SUBJECT = re.compile(
    r"^\W*(?:the|this|that|these|those|it|they|she|an?|commit|version|pr|pull|upstream|somebody|someone|"
    r"another|nobody|each|every|der|die|das|le|la|el|los|v\d\S*)\b",
    re.IGNORECASE,
)
ELSEWHERE = re.compile(
    r"[`*\"')\]]{0,3}\s+(?:in|of|from|on) (?:the |another |an? |our |your |their )?(?:[\w-]+ ){0,2}?(?:repo|"
    r"repository|project|package|library|branch|gist|wiki|server|host|machine|cluster|image|container)\b",
    re.IGNORECASE,
)
AGENT_NOUN = re.compile(
    (
        r"(?:for|from|of|about|on|like|by|with|using|via|than|against|per|auf|aus|für|von|pour|de|"
        r"para)\s+\W{0,3}(?:the\s+)?$"
    ),
    re.IGNORECASE,
)


class Stance(NamedTuple):
    """What is said of one mention, how surely (2 beyond doubt, 1 likely, 0 in passing), and whether the agent says it of itself."""

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
    kind, level = _by_words(clause, sign)
    before, _, after = clause.partition(sign)
    near = f"{before} {sign} {after[:30]}" if level == 2 and kind in {"made", "changed"} else clause
    said = re.sub(r"\bno longer\b|\bnot only\b|\bno issues?\b|\bno errors?\b", " ", near, flags=re.IGNORECASE)
    if words.KEPT.search(clause):
        return Stance("kept", 0, clause)
    ordered = words.BASE_VERB.match(clause) and statement.kind != "row"
    if (
        ordered
        or words.HEDGE.search(said)
        or (statement.kind == "row" and any(map(words.PLAN_CELL.match, statement.text.split("|"))))
    ):
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
    if kind:
        return Stance(kind, 0, clause, own)
    for kind, pattern in (
        ("changed", words.CHANGED),
        ("made", words.MADE),
        ("removed", words.REMOVED),
        ("state", words.STATE_NOW),
    ):
        if pattern.search(clause) and not words.BASE_VERB.match(clause) and not words.LOOKED_AT.search(clause):
            return Stance(kind, 0, clause, own, headed)
    named = statement.kind != "fence" and _leads(text, sign)
    return Stance("named" if named else "neutral", 0, clause, own)


def _sentence(text: str, sign: str) -> str:
    """The sentence of a masked text that holds a mention."""
    return next((each for each in re.split(r"(?<=[.!?。])\s+|\n", text) if sign in each), text)


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


def _by_words(clause: str, sign: str) -> tuple[str, int]:
    """What a verb right beside the mention says of it, and how surely: `is generated by` describes, `generated` claims."""
    before, _, after = clause.partition(sign)
    if AGENT_NOUN.search(before) or ELSEWHERE.match(after):
        return "", 0
    for kind, verbs in _VERBS.items():
        verb = re.search(rf"(?<!\w)(?:{verbs}){OBJECT}[`*\"'(\[]{{0,3}}{LISTED}$", before[-240:], re.IGNORECASE)
        if verb:
            return kind, 2 if _by_agent(before[-240:][: verb.start()]) else 0
        behind = re.match(
            rf"{WERE}(?:{verbs})(?!\w)(?!\s+(?:in|to|by|from|on|at|with)\s+[`*]{{0,2}}{ANY})",
            after[:120],
            re.IGNORECASE,
        )
        if behind and not DESCRIBED.match(after[behind.end() : behind.end() + 40]):
            return kind, 1 if PASSIVE.search(behind[0]) else 2
    if re.match(
        r"[`*\"')\]]{0,3}\s*[:(–—-]\s*\(?(?:brand )?new\b(?! (?:in|since) )", after[:40], re.IGNORECASE
    ) or re.search(r"(?i)\bnew (?:\w+ ){1,2}(?:is|are|lives?) (?:at|in|under) [`*\"']{0,3}$", before):
        return "made", 2
    put = re.search(rf"(?:^|\W)(?:{words.PUT})[`*\"'(\[]{{0,3}}(?:\w+/)?{LISTED}$", before[-240:], re.IGNORECASE)
    if put:
        return "made", 1 if DESCRIBING.search(before[-240:][: put.start() + 1]) or PRESENT_PASSIVE.search(
            before[-240:]
        ) else 2
    if re.search(rf"(?:^|\W)(?:{words.AT})[`*\"'(\[]{{0,3}}(?:\w+/)?{LISTED}$", before[-240:], re.IGNORECASE):
        return "present", 1
    if re.search(rf"{words.SEE}[`*\"'(\[]{{0,3}}$", before[-60:], re.IGNORECASE):
        return "present", 2
    if re.match(rf"[`*\"')\]]{{0,3}}\s*(?:\([^()]{{0,60}}\)\s*)?(?:{words.PRESENT})(?!\w)", after[:120], re.IGNORECASE):
        return "present", 2 if words.FINISHED.search(after[:60]) else 1
    if re.search(r"(?:→|->|=>|⇒)\s*[`*]{0,3}$", before) and re.search(r"\w", before) and not re.search(ANY, before):
        return "present", 2 if re.search(r"\d|\bok\b|✓|✅", before) or words.MADE.search(before) else 1
    return "", 0


def _by_agent(before: str) -> bool:
    """Whether nobody else than the agent stands before a verb: `commit 4c1d0aa added x.py` tells of another."""
    if OTHER_SUBJECT.match(before) and not words.FIRST_PERSON.search(before):
        return False
    before = re.split(r"(?:^|,\s|\band\b|\bund\b|\bet\b|\by\b|[:–—]\s)", before)[-1]
    return bool(
        re.fullmatch(
            (
                r"\W*(?:\[[ xX]\]\s*)?(?:(?:I|I've|we|we've|also|then|now|have|has been|ich|habe|successfully|newly|"
                r"just|finally|j'ai|he|done)\W+){0,4}\W*"
            ),
            before,
            re.IGNORECASE,
        )
    )


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
