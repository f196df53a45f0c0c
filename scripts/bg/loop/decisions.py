"""Decisions: the only place where the user's words are read as yes or no; consent.json has the words, by language.

A no decides, whatever reason follows, unless the same words also say yes. A yes decides alone, or with a condition that
an agent can keep: one that a word of the table opens ("but", "only", "if", "without"), or anything behind "approve:".
A yes that postpones, asks or involves the user ("not yet", "let me check"), and all that the table does not have
("ok, noted"), decides nothing and is asked back: that costs the user a line, a wrong yes an agent.
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
    from collections.abc import Container
    from typing import Optional

YES, NO = "yes", "no"
MOST = 100_000  # characters; reading ten times that would take seconds
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "consent.json")
# The rows of each language. A phrase of `yes` decides alone or with a condition, one of `approve` also with anything
# behind its colon. Behind one of `no` a reason is set apart, by a comma or by a word of `because`; behind one of
# `no whatever` it need not be. `either` decides nothing, `besides` adds nothing. `but` opens a condition, `whole` is
# one; `unless` takes a no back; `later` postpones, asks or involves the user; words that begin like `names` name the
# decision. A phrase that means yes in one language and no in another is left out; of two rows the first counts.
_ROWS = ("either", "approve", "no", "yes", "no whatever", "besides")
_EITHER, _APPROVE, _DENY, _AGREE, _REFUSE, _BESIDES = _ROWS
_SETS = ("but", "whole", "because", "unless", "later")
# In these, a phrase is also found within a longer word.
_UNSPACED = ("ja", "zh", "ko")
_UNSEEN = pattern("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\ufeff\U0001f3fb-\U0001f3ff]")
_ACCENTS = pattern("[\u0300-\u036f]")
_SEPARATOR = pattern(r"([,;:!(、。]|[?\u061f](?!\w)|\.(?=\s|\.|$)|\s[-–]+\s|—)")
_LISTED = pattern(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_EITHER_OF_TWO = pattern(r"\bor\b.{3}", re.IGNORECASE | re.DOTALL)
_EDGES = " \t\n*_`\"'“”„«»‘()[]<>{}.!,;:…-–—、。"


class Decision(Record):
    """Yes or no, and whether the user's words set a condition or give a reason besides."""

    verdict: str
    qualified: bool


class _Table(Record):
    """The words of all languages: the row of each phrase, the phrases of each set, what is found within words."""

    rows: dict[str, str]
    sets: dict[str, frozenset[str]]
    names: tuple[str, ...]
    opens_within: tuple[str, ...]
    later_within: tuple[str, ...]
    longest: int


class _Clause(Record):
    """The words between two separators, and where they are."""

    words: list[str]
    asks: bool
    behind_colon: bool
    begins_line: bool
    listed: bool


class _Yes(Record):
    """What the clauses of a yes have said so far; `opened` and `by_colon` hold to the end of the line."""

    explicit: bool
    opened: bool
    by_colon: bool
    qualified: bool


def read(words: str) -> Optional[Decision]:
    """The decision in the user's words, None where it must be asked back."""
    if len(words) > MOST:
        return None
    text = _folded(words)
    if text.strip() in ("-1", "\u22121"):
        return Decision(NO, qualified=False)
    clauses = _clauses(text)
    for place, clause in enumerate(clauses):
        said, rest = _said(clause.words[_leads(clause.words, _table().sets["because"]) :], is_first=True)
        decides = [row for row in said if row != _BESIDES]
        if decides and not clause.asks:
            return _decision(decides, [clause._replace(words=rest), *clauses[place + 1 :]])
        if rest or clause.asks:
            return None
    return None


def is_either(request: str) -> bool:
    """The request asks for one of two things, so that yes and no may mean either."""
    asked = [each.rpartition(".")[2] for each in request.split("?")[:-1]]
    return any(_EITHER_OF_TWO.search(each) for each in asked)


def names_it(words: str) -> bool:
    """The words say what is decided, not only yes or no."""
    return any(_names(clause.words) for clause in _clauses(_folded(words[:MOST])))


def _decision(decides: list[str], clauses: list[_Clause]) -> Optional[Decision]:
    """What the first phrases decide, and whether the clauses behind them leave it so."""
    rows = set(decides)
    if rows <= {_APPROVE, _AGREE}:
        return _approval(clauses, is_explicit=_APPROVE in rows)
    if not rows <= {_DENY, _REFUSE}:
        return None
    rest = clauses[0].words
    set_apart = not rest or decides[-1] == _REFUSE or _leads(rest, _table().sets["because"])
    if not set_apart or any(_grants(clause.words) for clause in clauses):
        return None
    return Decision(NO, qualified=any(_said(clause.words)[1] for clause in clauses))


def _grants(words: list[str]) -> bool:
    """Whether a clause behind a no says yes, or on which condition."""
    sets = _table().sets
    if _leads(words, sets["unless"]):
        return True
    rows, rest = _said(words[_leads(words, sets["because"]) :])
    # "No, ok for the fixtures" says both; "no, do it yourself" does not.
    return _EITHER in rows or _AGREE in rows or (_APPROVE in rows and (not rest or _behind(rest) is not None))


def _approval(clauses: list[_Clause], *, is_explicit: bool) -> Optional[Decision]:
    """A yes with its conditions, unless one of them is none that an agent can keep."""
    said = _Yes(is_explicit, opened=False, by_colon=False, qualified=False)
    for clause in clauses:
        longer = _further(said, clause)
        if longer is None:
            return None
        said = longer
    return Decision(YES, said.qualified)


def _further(before: _Yes, clause: _Clause) -> Optional[_Yes]:
    """The yes with one more clause, None where that asks, postpones, or says anything but a condition."""
    by_colon = before.by_colon or (clause.behind_colon and before.explicit and not before.qualified)
    by_colon = by_colon and not clause.begins_line
    opened = by_colon or (before.opened and not clause.begins_line)
    condition = _condition(clause, is_explicit=before.explicit, opened=opened)
    if condition is None or clause.asks:
        return None
    if _begins_later(condition) if by_colon else (_postpones(condition) or _names(condition)):
        return None
    explicit = before.explicit or _APPROVE in _said(clause.words)[0]
    return _Yes(explicit, opened or bool(condition), by_colon, before.qualified or bool(condition))


def _condition(clause: _Clause, *, is_explicit: bool, opened: bool) -> Optional[list[str]]:
    """The condition in a clause behind a yes, empty where it only says yes again; None where it is neither."""
    rows, rest = _said(clause.words)
    denies = not {_DENY, _REFUSE, _EITHER}.isdisjoint(rows)
    if not rest:
        return None if denies else []
    if opened or clause.listed:
        return clause.words
    if denies:
        # "Approve, no tests" sets a condition; "ok, no tests" may be either.
        return clause.words if is_explicit and not clause.begins_line else None
    if _leads(rest, _table().sets["whole"]):
        return rest
    behind = _behind(rest)
    rows, more = _said(behind or [])
    if more:
        return rest
    return [] if rows and set(rows) <= {_APPROVE, _AGREE, _BESIDES} else None


def _folded(text: str) -> str:
    """The text without case, without accents, and without signs that nobody sees."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", _UNSEEN.sub("", text)))
    return unicodedata.normalize("NFKC", plain).replace("’", "'").casefold().replace("ł", "l")


def _clauses(text: str) -> list[_Clause]:
    """The text taken apart at its separators; what holds no word is left out."""
    found = []
    for number, line in enumerate(text.lstrip(_EDGES).split("\n")):
        begins, before = number > 0, ""
        listed = begins and bool(_LISTED.match(line))
        parts = [*_SEPARATOR.split(line), ""]
        for said, after in zip(parts[::2], parts[1::2]):
            words = [word.strip(_EDGES) or word for word in said.strip(_EDGES).split()]
            asks = after in ("?", "\u061f")
            if words or asks:
                found.append(_Clause(words, asks, before == ":", begins, listed))
                begins = False
            before = after
    return found


def _said(words: list[str], *, is_first: bool = False) -> tuple[list[str], list[str]]:
    """The rows of the phrases that the words begin with, the longest first, and the words behind them."""
    table = _table()
    rows: list[str] = []
    place = 0
    while place < len(words):
        ahead = words[place : place + table.longest]
        count = _leads(ahead, table.rows)
        # Spanish "si" is yes and if: with words behind it, it opens a condition.
        if not count or ((place or not is_first) and count <= _leads(ahead[:-1], table.sets["but"])):
            break
        rows.append(table.rows[" ".join(ahead[:count])])
        place += count
    return rows, words[place:]


def _behind(words: list[str]) -> Optional[list[str]]:
    """The words behind those that open a condition, None where none does."""
    table = _table()
    count = _leads(words, table.sets["but"])
    if count:
        return words[count:]
    within = [each for each in table.opens_within if words and words[0].startswith(each)]
    return [words[0][len(max(within, key=len)) :], *words[1:]] if within else None


def _leads(words: list[str], phrases: Container[str]) -> int:
    """How many words the longest of the phrases has that these begin with."""
    counts = range(min(_table().longest, len(words)), 0, -1)
    return next((count for count in counts if " ".join(words[:count]) in phrases), 0)


def _postpones(words: list[str]) -> bool:
    """Whether the words put it off, ask, or involve the user."""
    table = _table()
    places = range(len(words))
    if any(_leads(words[place : place + table.longest], table.sets["later"]) for place in places):
        return True
    text = "".join(words)
    return any(each in text for each in table.later_within)


def _begins_later(words: list[str]) -> bool:
    """Whether the words put it off first of all, behind what opens a condition or adds nothing."""
    table = _table()
    rest = _said(words)[1]
    behind = _behind(rest) or rest
    starts = [each for each in (words, rest, behind, _said(behind)[1]) if each]
    return any(_leads(each, table.sets["later"]) or each[0].startswith(table.later_within) for each in starts)


def _names(words: list[str]) -> bool:
    return any(word.startswith(_table().names) for word in words)


@lru_cache(maxsize=1)
def _table() -> _Table:
    with open(TABLE, encoding="utf-8") as file:
        languages = json.loads(_folded(file.read()))

    def listed(row: str, names: Container[str] = languages) -> list[str]:
        found = [language.get(row, "").split(", ") for name, language in languages.items() if name in names]
        return [phrase for phrases in found for phrase in phrases if phrase]

    rows = {phrase: row for row in reversed(_ROWS) for phrase in listed(row)}
    sets = {row: frozenset(listed(row)) for row in _SETS}
    longest = 1 + max(phrase.count(" ") for phrase in rows.keys() | set().union(*sets.values()))
    within = (tuple(listed("but", _UNSPACED)), tuple(listed("later", _UNSPACED)))
    return _Table(rows, sets, tuple(listed("names")), *within, longest)
