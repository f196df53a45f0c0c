"""The labels in what was typed: which task is named first, and which ones begin a part of their own further down."""

from __future__ import annotations

import re

from bg.ledger.naming import label_of
from bg.loop import answer_doubts
from bg.loop.answer_ids import BG, HEAD, PREDICATE, fences, first_word, folded, heads, is_blank, is_pasted, numbered
from bg.loop.answer_words import reserved
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.loop.answers import Known

_LABEL = pattern(rf"\s*({BG}|#?\d{{1,6}})(?![\w-])(?!\.\d)[.:,]?(?=\s|$|[QBD]\d)\s*", re.IGNORECASE)
_SPELT_WRONG = pattern(
    r"\s*(?:gb|bq|pg|b|g|bh|vg|bgg|bbg)\s?[-_]\s?\d{1,4}\b|\s*bg[-_ ](?:[lIo]|one|two|three)\b", re.IGNORECASE
)
_SECTION = pattern(rf"^[ \t]*({BG})(?![\w-])[ \t]*(?P<sep>[:.,])?[ \t]*", re.IGNORECASE | re.MULTILINE)


def addressed(text: str, known: Known) -> tuple[str, str, list[tuple[str, str]]]:
    """The task that is named first, and the text behind it."""
    plain = folded(text)
    found = _LABEL.match(plain)
    if found is None:
        wrong = _SPELT_WRONG.match(plain)
        return "", text, [(answer_doubts.MISSPELT, wrong[0].strip())] if wrong else []
    label, rest = label_of(found[1].replace(" ", "")), text[found.end() :]
    if found[1][:1] in "bB" and PREDICATE.match(folded(rest)) and not HEAD.match(folded(rest)):
        return label, rest, [(answer_doubts.MENTION, label)]
    if found[1][:1] not in "bB":
        if not (reserved(rest) or heads(folded(rest)) or known.is_task(label)):
            return "", text, [(answer_doubts.NUMBER, found[1])] if is_blank(rest) else []
        if not (reserved(rest) or is_blank(rest) or _first_head(rest)):
            # `1 CSV` and `1: CSV` may name the task or the question, and `3 files` is an answer.
            return ("", text, []) if not known.items(label) else _number(label, text, rest, known)
    return label, rest, []


def _number(label: str, text: str, rest: str, known: Known) -> tuple[str, str, list[tuple[str, str]]]:
    same = [item for item in known.waiting if item.qid.upper() == f"Q{label[3:]}"]
    if len(known.waiting) == 1 and known.waiting[0].label == label:
        return "", text, []  # whichever it names, the answer is the same task's, and the number stays in it
    if numbered(folded(text), known.items("")):
        return "", text, []
    return label, rest, [(answer_doubts.NUMBER, label)] if same else []


def _first_head(text: str) -> bool:
    head = HEAD.match(folded(text).lstrip())
    return head is not None


def sections(label: str, text: str, known: Known, doubts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The text of each task: a line may begin with the label of another one that waits."""
    plain = folded(text)
    marks, begins = fences(plain), first_word(plain)
    cuts = []
    for found in _SECTION.finditer(plain):
        other = label_of(found[1].replace(" ", ""))
        if is_pasted(marks, found.start()) or (found.start() == 0 and label):
            continue
        follows = HEAD.match(plain, found.end())
        if follows is not None:
            cuts.append((found.start(), found.end(), other))
        elif known.items(other) and (other != label or found["sep"]):
            if not found["sep"] and found.start() > 0:
                doubts.append((answer_doubts.LABELS, other))
            cuts.append((found.start(), found.end(), other))
    cuts = [cut for cut in cuts if cut[0] == 0 or cut[0] > begins or label]
    if not cuts:
        return [(label, text)]
    result = [(label, text[: cuts[0][0]])] if not is_blank(text[: cuts[0][0]]) else []
    for cut, following in zip(cuts, [*cuts[1:], None]):
        result.append((cut[2], text[cut[1] : following[0] if following else len(text)]))
    return result
