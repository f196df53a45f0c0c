"""Answers: what the user typed or chose, matched to the items that wait for it."""

from __future__ import annotations

import re

from bg.host import dialogs
from bg.ledger.inbox import Question
from bg.pattern import pattern
from bg.record import Record
from bg.words.quoting import DECIDED, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

GO = "go"
# A label before an id counts at the beginning of a line only: elsewhere it belongs to the answer before it.
_ID = pattern(r"(?:^\s*(?:(bg-\d+)[\s.:]+)?|(?<=[\s,;]))([QBD]\d{1,3})\s*[:=]\s*", re.IGNORECASE | re.MULTILINE)
_LIKE = 0.55
COMPARED = 2000  # characters: comparing takes the square of them


class Typed(Record):
    """The arguments of `/bg-answer`, taken apart: every character typed stands in one of the fields."""

    label: str
    by_id: dict[str, str]
    plain: str
    go: bool
    other: str = ""
    lead: str = ""


def take_apart(arguments: str, was_asked: Callable[[str, str], bool] = lambda _label, _qid: True) -> Typed:
    """`[label] Q1: … Q2: …`, `[label] text`, `[label] go`; nothing of the text is changed or dropped.

    An answer reaches from its id to the next id that was asked, over as many lines as were typed or pasted. An id
    named again adds to its answer, on a line of its own. Lines before the first id are no answer (`lead`); an id in
    the midst of the first line is a part of the sentence, and the whole text is one answer (`plain`).
    """
    found = re.match(r"\s*(bg-\d+)\b[.:,]?\s*", arguments, re.IGNORECASE)
    label = found[1].lower() if found else ""
    rest = arguments[found.end() :] if found else arguments
    heads = list(_ID.finditer(rest))
    first = next((head for head in heads if not rest[: head.start()].strip()), None)
    heads = [head for head in heads if head is first or head[1] or was_asked(label, head[2].upper())]
    if not heads or (heads[0] is not first and not _begins_a_line(rest, heads[0])):
        words = rest.strip()
        return Typed(label, {}, "" if words.lower() == GO else words, words.lower() == GO)
    by_id: dict[str, str] = {}
    other = ""
    for head, following in zip(heads, [*heads[1:], None]):
        qid, text = head[2].upper(), _between(rest, head, following)
        by_id[qid] = f"{by_id[qid]}\n{text}".strip() if qid in by_id else text
        named = (head[1] or "").lower()
        label = label or named
        other = named if named not in ("", label) else other
    return Typed(label, by_id, "", go=False, other=other, lead=rest[: heads[0].start()].strip())


def _begins_a_line(text: str, head: re.Match[str]) -> bool:
    return not text[text.rfind("\n", 0, head.start(2)) + 1 : head.start(1 if head[1] else 2)].strip()


def _between(text: str, head: re.Match[str], following: Optional[re.Match[str]]) -> str:
    """An answer, without the one comma or semicolon that parts it from the next id."""
    if following is None:
        return text[head.end() :].strip()
    said = text[head.end() : following.start(1 if following[1] else 2)].strip()
    return said[:-1].rstrip() if said[-1:] in (",", ";") else said


def prefix(item: Question) -> str:
    """How a question is named in a dialog, so that its answer comes back to it."""
    return f"{item.label} {item.qid}:"


def prefixed(question: str) -> Optional[tuple[str, str]]:
    """The label and id that a dialog's question begins with."""
    found = re.match(r"\s*\W{0,3}(bg-\d+)[\s.,]+([A-Z]\d{1,3})\b", question, re.IGNORECASE)
    return (found[1].lower(), found[2].upper()) if found else None


def match(question: str, items: list[Question]) -> Optional[Question]:
    """The waiting item that a dialog's question puts to the user, None where it is another matter."""
    named = prefixed(question)
    if named:
        return next((item for item in items if (item.label, item.qid.upper()) == named), None)
    words = _plain(question)
    scored = [(_likeness(words, _plain(item.text)), item) for item in items]
    scored.sort(key=lambda pair: -pair[0])
    if not scored or scored[0][0] < _LIKE:
        return None
    if len(scored) > 1 and scored[1][0] > scored[0][0] - 0.1:
        # Several agents that ask the same are asked for one after the other: each question is shown with its label.
        same = {_plain(item.text) for score, item in scored if score > scored[0][0] - 0.1}
        return scored[0][1] if len(same) == 1 else None
    return scored[0][1]


def put(item: Question) -> str:
    """An item as a dialog shows it."""
    return f"{prefix(item)} {shown(item.text, DECIDED)}"


def is_put(question: str, item: Question) -> bool:
    """The dialog's question is this item in its own words."""
    return " ".join(question.split()) == " ".join(put(item).split())


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text[:COMPARED].lower()))


def _likeness(one: str, other: str) -> float:
    if not one or not other:
        return 0.0
    short, long = sorted((one, other), key=len)
    if len(short) > 12 and short in long:
        return 1.0
    # Late: nearly no prompt is an answer.
    import difflib  # noqa: PLC0415

    return difflib.SequenceMatcher(None, one, other).ratio()


def rewrite(questions: list[dict[str, Any]], items: list[Question]) -> Optional[list[dict[str, Any]]]:
    """The dialog's questions in the agents' own words, None where none of them is ours."""
    left = list(items)
    changed = False
    result = []
    for question in questions:
        item = match(dialogs.wording(question), left)
        if item is None:
            result.append(question)
            continue
        left.remove(item)
        changed = True
        result.append(dialogs.reworded(question, put(item), f"{item.label} {item.qid}"))
    return result if changed else None
