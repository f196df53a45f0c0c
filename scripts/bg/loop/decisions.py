"""Decisions: the only place where the user's words are read as yes or no; consent.json has the words, by language.

A no decides, whatever reason follows, unless the same words also say yes. A yes decides alone, or with a condition that
an agent can keep: one that a word of the table opens ("only", "if", "without"), or anything behind "approve:". A yes
that postpones, asks or involves the user, and whatever the table does not have ("ok, noted"), is asked back.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from functools import lru_cache

from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

YES, NO = "yes", "no"
MOST = 100_000  # characters; reading ten times that would take seconds
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "consent.json")
# The rows of each language. `go` tells the agent to begin, `not` turns that round; `dont` does so too, and opens a
# condition besides. `and` adds nothing. `only` opens a condition; behind `but` one is a condition if `only` opens it or
# `must` is in it. `unless` takes a no back. `wait` postpones, asks or involves the user.
_APPROVE, _GO, _AGREE, _DENY, _REFUSE, _DONT, _NOT, _AND, _BUT, _ONLY, _MUST, _UNLESS, _WAIT = (
    "approve", "go", "yes", "deny", "no", "dont", "not", "and", "but", "only", "must", "unless", "wait",
)  # fmt: skip
_CONSENTS, _DENIES, _TURNS = {_APPROVE, _GO, _AGREE}, {_DENY, _REFUSE}, {_DONT, _NOT}
_SAYS = (_APPROVE, _GO, _AGREE, _DENY, _REFUSE, _DONT, _NOT, _AND)  # where a phrase is in two rows, the first counts
_OPENS = {_ONLY, _UNLESS}
_UNSEEN = pattern("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\ufeff\U0001f3fb-\U0001f3ff]")
_ACCENTS = pattern("[\u0300-\u036f]")
_SEPARATOR = pattern(r"([,;:!(、。\n]|[?\u061f](?!\w)|\.(?=\s|\.|$)|\s[-–]+\s|—)")
# Words that are written together: French and Italian elisions, compounds, scripts without blanks.
_ELIDED = pattern(
    r"(?<![\w'])([cdjlmnst]|qu)'(?=\w)|(?<=[^\W\d])-(?=[^\W\d])" + "|([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_EITHER_OF_TWO = pattern(r"\bor\b.{3}", re.IGNORECASE | re.DOTALL)
_EDGES = " \t\n*_`\"'“”„«»‘()[]<>{}.!¡¿,!;:…-–—、。•"


class Decision(Record):
    """Yes or no, and whether the user's words set a condition or give a reason besides."""

    verdict: str
    qualified: bool


class _Clause(Record):
    """The words between two separators, and whether the second is a question mark or a colon."""

    words: list[str]
    asks: bool
    colon: bool


def read(words: str) -> Optional[Decision]:
    """The decision in the user's words, None where it must be asked back."""
    if len(words) > MOST:
        return None
    text = _folded(words)
    if text.strip() in ("-1", "\u22121"):
        return Decision(NO, qualified=False)
    clauses = _clauses(text)
    for place, clause in enumerate(clauses):
        said, rest = _said(clause.words)
        decides = [row for row in said if row != _AND]
        if decides:
            behind = [clause._replace(words=rest), *clauses[place + 1 :]]
            return _denial(decides, behind) if _denies(decides) else _approval(decides, behind)
        if rest or clause.asks:
            break
    return Decision(NO, qualified=True) if _ends_with_no(clauses) else None


def is_either(request: str) -> bool:
    """The request asks for one of two things, so that yes and no may mean either."""
    asked = [each.rpartition(".")[2] for each in request.split("?")[:-1]]
    return any(_EITHER_OF_TWO.search(each) for each in asked)


def names_it(words: str) -> bool:
    """The words say what is decided, not only yes or no."""
    return any(_holds(clause.words, {_APPROVE, _DENY}) for clause in _clauses(_folded(words[:MOST])))


def _denies(said: list[str]) -> bool:
    return not (_DENIES | _TURNS).isdisjoint(said)


def _denial(decides: list[str], clauses: list[_Clause]) -> Optional[Decision]:
    """A no with its reason, unless the same words also say yes, or turn the no round."""
    if not _refuses(decides, clauses[0]) or any(_grants(clause.words) for clause in clauses):
        return None
    return Decision(NO, qualified=any(_said(clause.words)[1] for clause in clauses))


def _ends_with_no(clauses: list[_Clause]) -> bool:
    """A bare no behind its reason, where nothing else says yes, asks, postpones or quotes somebody."""
    *reason, last = clauses or [_Clause([], asks=True, colon=False)]
    said, rest = _said(last.words)
    if rest or last.asks or _DENIES.isdisjoint(said) or set(said) - _DENIES - {_AND}:
        return False
    return not any(clause.asks or clause.colon or _holds(clause.words, {*_CONSENTS, _WAIT}) for clause in reason)


def _refuses(decides: list[str], clause: _Clause) -> bool:
    """Whether the first phrases deny, and nothing else."""
    rest, asks, _ = clause
    first, rows = decides[0], set(decides)
    if first in _DENIES:
        # "No go ahead" says both; "no do it yourself" does not.
        return _AGREE not in rows and (bool(rest) or not (asks or rows & _CONSENTS))
    turns = first == _GO or first in _TURNS
    return turns and not (asks or rows & _DENIES or _waits(rest)) and (len(decides) > 1 or not rest)


def _grants(words: list[str]) -> bool:
    """Whether a clause behind a no says yes, or on which condition."""
    said, rest = _said(words)
    if _holds(words, {_UNLESS}) or (said[:1] and said[0] in _TURNS and _DENY in said):
        return True
    if _denies(said) or _CONSENTS.isdisjoint(said):
        return False
    return _AGREE in said or not rest or not (_OPENS | {_BUT}).isdisjoint(_phrase(rest)[1])


def _approval(decides: list[str], clauses: list[_Clause]) -> Optional[Decision]:
    """A yes with its conditions, unless one of them is none that an agent can keep."""
    is_explicit = _AGREE not in decides
    by_colon = _APPROVE in decides and clauses[0].colon and not clauses[0].words
    opened = False
    for number, clause in enumerate(clauses):
        if clause.asks:
            return None
        if by_colon and number:
            condition = None if _begins_later(clause.words) else True
        else:
            condition = _condition(clause.words, is_explicit=is_explicit or opened, opened=opened)
        if condition is None:
            return None
        opened = opened or condition
    return Decision(YES, qualified=opened)


def _condition(words: list[str], *, is_explicit: bool, opened: bool) -> Optional[bool]:
    """Whether a clause behind a yes sets a condition; None where it does anything but that or say yes again."""
    said, rest = _said(words, decided=True)
    if _waits(rest):
        return None
    said, rest = _behind_but(said, rest)
    denies = _denies(said)
    if not rest:
        return None if denies or said[-1:] == [_BUT] else False
    is_explicit = is_explicit or not {_BUT, _DONT}.isdisjoint(said)
    if denies:
        return True if is_explicit and _CONSENTS.isdisjoint(said) else None
    return opened or _opens(rest, is_explicit=is_explicit) or None


def _opens(words: list[str], *, is_explicit: bool) -> bool:
    """Whether the words begin with what opens a condition, or oblige the agent."""
    count, rows = _phrase(words)
    if rows & _OPENS:
        return count < len(words) or count > 1
    return is_explicit and _holds(words, {_MUST})


def _behind_but(said: list[str], rest: list[str]) -> tuple[list[str], list[str]]:
    """As `_said`, beyond each "but"."""
    count, rows = _phrase(rest)
    while _BUT in rows:
        more, rest = _said(rest[count:], decided=True)
        said += [_BUT, *more]
        count, rows = _phrase(rest)
    return said, rest


def _begins_later(words: list[str]) -> bool:
    """Whether a clause behind "approve:" puts it off, or denies it."""
    said, rest = _said(words)
    count, rows = _phrase(rest)
    while rows & (_OPENS | {_BUT}):
        more, rest = _said(rest[count:])
        said += more
        count, rows = _phrase(rest)
    return _WAIT in rows or _DENY in said or (_denies(said) and not rest)


def _waits(words: list[str]) -> bool:
    """Whether the words put it off, ask, involve the user, or name the decision."""
    return _holds(words, {_WAIT, _APPROVE, _DENY})


def _folded(text: str) -> str:
    """The text without case, without accents, without signs that nobody sees, and with blanks between its words."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", _UNSEEN.sub("", text)))
    plain = unicodedata.normalize("NFKC", plain).replace("’", "'").casefold().replace("ł", "l")
    return _ELIDED.sub(lambda found: f"{found[1]}' " if found[1] else f" {found[2] or ''} ", plain)


def _clauses(text: str) -> list[_Clause]:
    """The text taken apart at its separators; what holds no word is left out."""
    found = []
    parts = [*_SEPARATOR.split(text.lstrip(_EDGES)), ""]
    for said, after in zip(parts[::2], parts[1::2]):
        words = _words(said)
        asks = after in ("?", "\u061f")
        if words or asks:
            found.append(_Clause(words, asks, after == ":"))
    return found


def _words(text: str) -> list[str]:
    return [word.strip(_EDGES) or word for word in text.strip(_EDGES).split()]


def _said(words: list[str], *, decided: bool = False) -> tuple[list[str], list[str]]:
    """The rows of the phrases that the words begin with, the longest first, and the words behind them."""
    said: list[str] = []
    while words:
        count, rows = _phrase(words)
        row = next((row for row in _SAYS if row in rows), "")
        if decided and rows & _OPENS and words[count:]:
            row = ""  # Spanish "si" is yes and if: with words behind it, it opens a condition
        elif not decided and _BUT in rows:
            row = _AND
        if not row:
            break
        said.append(row)
        decided = decided or row != _AND
        words = words[count:]
    return said, words


def _phrase(words: list[str]) -> tuple[int, set[str]]:
    """How many words the longest phrase of the table has that these begin with, and its rows."""
    table, longest = _table()
    for count in range(min(longest, len(words)), 0, -1):
        rows = table.get(" ".join(words[:count]))
        if rows:
            return count, rows
    return 0, set()


def _holds(words: list[str], rows: set[str]) -> bool:
    """Whether a phrase of these rows is anywhere in the words."""
    table, longest = _table()
    spans = ((place, place + count) for place in range(len(words)) for count in range(1, longest + 1))
    return any(not rows.isdisjoint(table.get(" ".join(words[begin:end]), ())) for begin, end in spans)


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, set[str]], int]:
    """The rows of each phrase, in all languages, and the number of words in the longest."""
    with open(TABLE, encoding="utf-8") as file:
        languages = json.load(file)
    table: dict[str, set[str]] = {}
    for language in languages.values():
        for row, phrases in language.items():
            for phrase in phrases.split(", "):
                table.setdefault(" ".join(_words(_folded(phrase))), set()).add(row)
    return table, 1 + max(phrase.count(" ") for phrase in table)
