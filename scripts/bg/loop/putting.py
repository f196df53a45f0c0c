"""Putting questions: how an item stands in a dialog, and which item a dialog's question puts to the user."""

from __future__ import annotations

import re

from bg.host import dialogs
from bg.ledger import inbox
from bg.ledger.inbox import Question
from bg.ledger.naming import label_of
from bg.ledger.values import Item
from bg.loop import answers
from bg.pattern import pattern
from bg.words import feedback, recoveries
from bg.words.quoting import DECIDED, as_text, inline, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

_LIKE = 0.55
MOST_OPTIONS = 4  # more a dialog does not take
AGENTS_OPTIONS = 2  # of the agent's own, so that ways by name are left to choose; all are in the question
LONGEST_OPTION = 200  # characters
COMPARED = 2000  # characters: comparing takes the square of them
_PREFIX = pattern(
    r"\s*\W{0,3}(bg[-_ ]?\d{1,6})\s*(?:\(.{0,120}?\))?[\s.,:]+([QBD]\d{1,3})\b\W{0,3}", re.IGNORECASE | re.DOTALL
)


def prefixed(question: str) -> Optional[tuple[str, str]]:
    """The label and id that a dialog's question begins with."""
    found = _PREFIX.match(question)
    return (label_of(found[1].replace(" ", "")), found[2].upper()) if found else None


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


def put(item: Question, task: str) -> str:
    """An item as a dialog shows it: whose it is, what is asked, and why it matters."""
    lines = feedback.IN_DIALOGS[inbox.kind(item)].splitlines()
    extra = inbox.extra(item)
    known = {
        "label": item.label,
        "task": inline(task, 60),
        "qid": item.qid,
        "text": shown(item.text, DECIDED),
        "context": inline(item.context, 400),
        "priority": inline(item.priority, 40),
        "time": inline(str(extra.get("estimated_duration") or ""), 60),
        "waits": feedback.WAITS_FOR_IT.get(str(extra.get("independence") or ""), ""),
        "default": inline(str(extra.get("default") or ""), 120),
        "assumed": inline(inbox.assumed(item), 200),
        "ways": inline("\n".join(as_text(extra[key]) for key in ("error_recovery", "ways") if extra.get(key)), 500),
    }
    filled = [(line, line.format(**known)) for line in lines]
    # A line whose fact the agent has not given is left out.
    return "\n".join(words for line, words in filled if words != line.format(**dict.fromkeys(known, "")))


def is_put(question: str, item: Question, task: str) -> bool:
    """The dialog's question is this item in its own words, whatever stands behind them."""
    return " ".join(question.split()).startswith(" ".join(put(item, task).split()))


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


def rewrite(
    questions: list[dict[str, Any]], items: list[Question], task_of: Callable[[str], str], *, by_module: bool = False
) -> Optional[tuple[list[dict[str, Any]], list[Question]]]:
    """The dialog's questions in the agents' own words, and what they put; None where none of them is ours.

    The module's own dialog has them already, and is given what its labels mean.
    """
    left = list(items)
    result = []
    for question in questions:
        item = match(dialogs.wording(question), left)
        if item is None:
            result.append(question)
            continue
        left.remove(item)
        words, header = put(item, task_of(item.label)), f"{item.label} {item.qid}"
        if by_module:
            result.append(dialogs.with_options(dialogs.reworded(question, words, header), offered(item)))
        else:
            result.append(_decidable(dialogs.reworded(question, words + _view(question, item), header), item))
    put_now = [item for item in items if item not in left]
    return (result, put_now) if put_now else None


def offered(item: Question) -> list[tuple[str, str]]:
    """What the module's own dialog offers to choose from, each with what it means; the host takes two to four."""
    if inbox.kind(item) == Item.DELEGATION:
        return [feedback.APPROVE, feedback.DENY]
    if inbox.kind(item) == Item.BLOCKER:
        ways = [(each["label"], each["description"]) for each in _with_recoveries({}, item)["options"]]
        return ways if len(ways) > 1 else _TO_TYPE
    words = recoveries.entries(inbox.extra(item).get("options"))
    listed = list(dict.fromkeys(" ".join(each.split()) for each in words))
    fits = 1 < len(listed) <= MOST_OPTIONS and all(len(each) <= LONGEST_OPTION for each in listed)
    return [(each, "") for each in listed] if fits else _TO_TYPE


_TO_TYPE = [feedback.I_TYPE, feedback.LEAVE_IT]


def meant(chosen: str) -> str:
    """What a choice in the module's own dialog says; empty where it says nothing yet."""
    return {feedback.I_TYPE[0]: "", feedback.LEAVE_IT[0]: answers.SKIP}.get(chosen, chosen)


def _view(question: dict[str, Any], item: Question) -> str:
    """What the parent says of a blocker or a request, which is more than its words."""
    words = " ".join(dialogs.wording(question).split())
    found = _PREFIX.match(words)
    words = words[found.end() :] if found else words
    words = words.replace(" ".join(item.text.split()), "").strip().lstrip(".:-–— ")
    if inbox.kind(item) == Item.QUESTION or len(words) < 3:
        return ""
    return "\n" + feedback.PARENTS_VIEW.format(words=inline(words, 700))


def _decidable(question: dict[str, Any], item: Question) -> dict[str, Any]:
    """A request has our yes and our no, whatever the parent offers; a blocker has the ways to go on, by their names."""
    if inbox.kind(item) == Item.DELEGATION:
        return dialogs.with_options(question, [feedback.APPROVE, feedback.DENY])
    return _with_recoveries(question, item) if inbox.kind(item) == Item.BLOCKER else question


def _with_recoveries(question: dict[str, Any], item: Question) -> dict[str, Any]:
    """What to leave out, where the parent asks that; the agent's own ways; those by name; the parent's own."""
    extra = inbox.extra(item)
    read = [(option, *recoveries.read(option)) for option in dialogs.options_of(question) if option.strip()]
    less = [option for option, name, beyond in read if name == recoveries.REDUCE and beyond]
    others = [option for option, name, beyond in read if (not name or beyond) and option not in less]
    agents = recoveries.entries(extra.get("ways"))[:AGENTS_OPTIONS]
    offered = [each for each in recoveries.options(extra) if not (less and each[0].lower() == recoveries.REDUCE)]
    found = [(option, feedback.LESS) for option in less]
    found += [(option, feedback.AGENTS_OPTION) for option in agents] + offered
    found += [(option, feedback.PARENTS_OPTION) for option in others]
    return dialogs.with_options(question, found[:MOST_OPTIONS])
