"""Decisions: the only place where the user's words are read as yes or no; consent.json has the words, by language.

A no decides, whatever reason follows it, unless the same words also say yes. A yes decides if it comes alone, with a
reason that the table knows ("saves time") or that "because" opens, or with a condition that an agent can keep: one that
a word of the table opens ("only", "if", "without"), or any words behind "approve:". Behind other words, a plain "go
ahead" or "no" decides too; so does an order that names another agent, beside any other words, if none of them speaks
against it. Everything else is asked back: a yes that postpones, asks or involves the user, and words that the table
does not have ("ok, noted").
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
# The rows of each language. `go` tells the agent to begin. `mild` may be mere politeness before a no, even if it is a
# yes. `not` reverses a phrase; `dont` does so too, and also opens a condition. `will` turns any clause that has a
# negation into a no. `and` adds nothing, `so` opens a conclusion, `only` opens a condition. Behind `but`, a negation or
# `must` makes a clause a condition; `limit` does so at its end. `because` opens a reason, `why` marks one.
# `turn` corrects the words before it. `unless` takes a no back. `wait` postpones, asks or is undecided; `hold` is a
# `wait` that asks for time and nothing else; `past` says that the user has already looked at the matter or thought
# about it. `me` is the user, `agent` is another agent.
_APPROVE, _GO, _AGREE, _MILD, _DENY, _REFUSE, _DONT, _NOT, _WILL = (
    "approve", "go", "yes", "mild", "deny", "no", "dont", "not", "will",
)  # fmt: skip
_AND, _SO, _TURN, _BUT, _BECAUSE, _WHY, _ONLY, _MUST, _UNLESS, _WAIT, _HOLD, _ME, _AGENT, _LIMIT, _PAST = (
    "and", "so", "turn", "but", "because", "why", "only", "must", "unless", "wait", "hold", "me", "agent", "limit",
    "past",
)  # fmt: skip
_ALSO = {_SO: _AND, _TURN: _AND, _AGENT: _AND, _LIMIT: _ONLY, _HOLD: _WAIT, _PAST: _WAIT}
_SAYS = (_APPROVE, _GO, _AGREE, _DENY, _REFUSE, _DONT, _NOT, _AND)  # of a phrase's rows, the first of these counts
_CONSENTS, _DENIES, _TURNS = {_APPROVE, _GO, _AGREE}, {_DENY, _REFUSE}, {_DONT, _NOT}
_NEGATES, _OPENS, _AGAINST = {_REFUSE, _DONT, _NOT}, {_ONLY, _UNLESS}, {_UNLESS, *_DENIES, *_TURNS}
_UNSEEN = pattern("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\ufeff\U0001f3fb-\U0001f3ff]")
_ACCENTS = pattern("[\u0300-\u036f]")
_SEPARATOR = pattern(r"([,;:!(、。\n]|[?\u061f](?!\w)|\.(?=\s|\.|$)|\s[-–]+\s|—)")
# Words that are written together: French and Italian elisions, compounds, scripts without blanks.
_ELIDED = pattern(
    r"(?<![\w'])([cdjlmnst]|qu)'(?=\w)|(?<=[^\W\d])-(?=[^\W\d])" + "|([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_DRAWN_OUT = pattern(r"([^\W\d_])\1{2,}")
_SLIPS = 7  # letters: from this length on, a word is recognized in spite of one slip
_EITHER_OF_TWO = pattern(r"\bor\b.{3}", re.IGNORECASE | re.DOTALL)
_EDGES = " \t\n*_`\"'“”„«»‘()[]<>{}.!¡¿,!;:…-–—、。•"


class Decision(Record):
    """Yes or no, and whether the user's words set a condition or give a reason besides."""

    verdict: str
    qualified: bool


class _Mark(Record):
    """A phrase of the table with its rows, or a word that it does not have."""

    phrase: str
    rows: set[str]

    @property
    def says(self) -> str:
        """The first of its rows that say yes or no, or add nothing; empty if none does."""
        return next((row for row in _SAYS if row in self.rows), "")

    @property
    def agrees(self) -> bool:
        """Whether it says yes, and not out of mere politeness."""
        return not _CONSENTS.isdisjoint(self.rows) and _MILD not in self.rows


class _Clause(Record):
    """The marks between two separators or "but"s; whether it asks, a colon is behind it, or a "but" before it."""

    marks: list[_Mark]
    asks: bool
    colon: bool
    but: bool
    because: bool = False

    @property
    def turns(self) -> bool:
        """Whether it opens with "but" or "so"."""
        return self.but or any(mark.rows & {_SO, _TURN} for mark in self.marks[:1])

    @property
    def agrees(self) -> bool:
        """Whether a phrase in it says yes, and not out of mere politeness."""
        return any(mark.agrees for mark in self.marks)

    @property
    def leads_on(self) -> bool:
        """Whether it asks, or the words behind it belong to it."""
        return self.asks or self.colon

    @property
    def is_known(self) -> bool:
        """Whether the table has all of its words."""
        return all(mark.rows for mark in self.marks)

    def holds(self, rows: set[str]) -> bool:
        """Whether a phrase in it is in one of these rows."""
        return any(not rows.isdisjoint(mark.rows) for mark in self.marks)


def read(words: str) -> Optional[Decision]:
    """The decision in the user's words, None if the user must be asked back."""
    if len(words) > MOST:
        return None
    text = _folded(words)
    if text.strip() in ("-1", "\u22121"):
        return Decision(NO, qualified=False)
    if text.strip(_EDGES) == "go":
        return None
    clauses = _clauses(text)
    decision = _at_once(clauses) or _behind_others(clauses)
    hesitates = text.rstrip().endswith("...") and decision == Decision(YES, qualified=False)
    return None if hesitates else decision


def is_either(request: str) -> bool:
    """Whether the request asks for one of two things, so that yes and no may mean either."""
    asked = [each.rpartition(".")[2] for each in request.split("?")[:-1]]
    return any(_EITHER_OF_TWO.search(each) for each in asked)


def names_it(words: str) -> bool:
    """Whether the words name the decision ("approve"), and do not only say yes or no."""
    return any(clause.holds({_APPROVE, _DENY}) for clause in _clauses(_folded(words[:MOST])))


def postpones(words: str) -> bool:
    """Whether the words do nothing but ask for time."""
    clauses = _clauses(_folded(words[:MOST]))
    begin = [_unfilled(clause.marks)[:1] for clause in clauses]
    known = {_HOLD, _WAIT, _ME, _AND, _AGREE}
    return any(mark and _HOLD in mark[0].rows for mark in begin) and not any(
        clause.asks or (mark and _ME not in mark[0].rows and any(known.isdisjoint(each.rows) for each in clause.marks))
        for clause, mark in zip(clauses, begin)
    )


def _at_once(clauses: list[_Clause]) -> Optional[Decision]:
    """The decision in the first phrases, unless the words behind them take it back."""
    for place, clause in enumerate(clauses):
        if place and clause.because:
            break  # a mere reason: "to another agent because this one cannot"
        said, rest = _said(clause.marks)
        decides = [row for row in said if row != _AND]
        if decides:
            behind = [clause._replace(marks=rest, but=False), *clauses[place + 1 :]]
            return _denial(decides, behind) if _denies(decides) else _approval(decides, behind, is_clear=clause.agrees)
        if rest or clause.asks:
            break
    return None


def _denial(decides: list[str], clauses: list[_Clause]) -> Optional[Decision]:
    """A no with its reason, unless the same words also say yes, or turn the no round."""
    said = [clause for clause in clauses if clause.marks]
    if not _refuses(decides, clauses[0]) or any(_grants(clause.marks) for clause in said):
        return None
    if said and all(map(_is_hold, said)):
        return None  # "no, wait"
    return Decision(NO, qualified=any(_said(clause.marks)[1] for clause in clauses))


def _is_hold(clause: _Clause) -> bool:
    """Whether the clause tells to wait, and nothing else; "not yet" tells why it is denied."""
    table, _ = _table()
    return all(_HOLD in table.get(mark.phrase.split()[0], ()) for mark in clause.marks)


def _refuses(decides: list[str], clause: _Clause) -> bool:
    """Whether the first phrases deny, and nothing else."""
    if decides[0] in _DENIES:
        return _is_no(decides, clause)
    if decides[0] == _GO and decides[-1] == _REFUSE:
        return not (_AGREE in decides or clause.marks or clause.asks)  # "do it yourself"
    return decides[0] in (_GO, *_TURNS) and _is_turned_round(decides, clause)


def _is_no(decides: list[str], clause: _Clause) -> bool:
    """Whether phrases that begin with a no mean no: "no do it yourself" does, "no go ahead" says both."""
    if _AGREE in decides:
        return False
    both = clause.asks or (not _CONSENTS.isdisjoint(decides) and decides[-1] not in _DENIES)
    return bool(clause.marks) or not both


def _is_turned_round(decides: list[str], clause: _Clause) -> bool:
    """Whether a "do not" or a "go" makes a no of all phrases, and nothing behind asks, denies again or postpones."""
    against = clause.asks or not _DENIES.isdisjoint(decides) or _waits(clause.marks)
    return not against and (len(decides) > 1 or not clause.marks)


def _grants(marks: list[_Mark]) -> bool:
    """Whether a clause behind a no says yes, or sets a condition for a yes."""
    said, rest = _said(marks)
    if any(_UNLESS in mark.rows for mark in marks) or (said[:1] and said[0] in _TURNS and _DENY in said):
        return True
    if _denies(said) or _CONSENTS.isdisjoint(said):
        return False
    return _AGREE in said or not rest or not _OPENS.isdisjoint(rest[0].rows)


def _approval(decides: list[str], clauses: list[_Clause], *, is_clear: bool) -> Optional[Decision]:
    """A yes with its conditions, unless an agent cannot keep one of them."""
    if _APPROVE in decides and clauses[0].colon and not clauses[0].marks:
        return _behind_colon(clauses)
    opened = False
    for number, clause in enumerate(clauses):
        condition = _condition(clause, is_explicit=opened or _AGREE not in decides, opened=opened)
        if condition is None and number:
            condition = _is_reason(clause, is_clear=is_clear) or None
        if condition is None or clause.asks:
            return None
        opened |= condition
    return Decision(YES, qualified=opened)


def _behind_colon(clauses: list[_Clause]) -> Optional[Decision]:
    """The yes of "approve:", with the words behind it, unless they ask something or take it back."""
    takes_back = any(clause.asks or _begins_later(clause.marks) for clause in clauses)
    return None if takes_back else Decision(YES, qualified=len(clauses) > 1)


def _condition(clause: _Clause, *, is_explicit: bool, opened: bool) -> Optional[bool]:
    """Whether a clause behind a yes sets a condition; None if it neither does that nor merely says yes again."""
    said, rest = _said(clause.marks, decided=True)
    if _waits(rest) or _is_unwilling(clause):
        return None
    if not rest:
        return False if _only_agrees(clause, said) else None
    is_explicit = is_explicit or clause.but or _DONT in said
    if _denies(said):
        sets_one = is_explicit and _CONSENTS.isdisjoint(said)
    else:
        sets_one = any((opened, _opens(rest), is_explicit and clause.holds({_MUST})))
    return sets_one or None


def _only_agrees(clause: _Clause, said: list[str]) -> bool:
    """Whether a clause of only these phrases says yes again, or nothing: "ah yes, the second agent" does more."""
    return not _denies(said) and not (clause.holds({_AGENT}) and _CONSENTS.isdisjoint(said))


def _is_reason(clause: _Clause, *, is_clear: bool) -> bool:
    """Whether a clause behind a yes says why: with a word of the table, or after "because" behind a clear yes."""
    if clause.because and is_clear:
        return bool(clause.marks) and not clause.holds({_WAIT, _UNLESS, _DENY})
    against = {_WAIT, _ME, _APPROVE, _SO, *_AGAINST}
    return clause.holds({_WHY}) and not (clause.but or clause.holds(against))


def _opens(marks: list[_Mark]) -> bool:
    """Whether the words begin with a word that opens a condition, or end with a limit."""
    return bool((marks[0].rows & _OPENS and (len(marks) > 1 or " " in marks[0].phrase)) or _LIMIT in marks[-1].rows)


def _begins_later(marks: list[_Mark]) -> bool:
    """Whether a clause behind "approve:" puts it off, or denies it."""
    said, rest = _said(marks)
    while rest and rest[0].rows & _OPENS:
        more, rest = _said(rest[1:])
        said += more
    later = rest and rest[0].rows & {_WAIT, _ME}
    return bool(later) or _DENY in said or (_denies(said) and not rest)


def _waits(marks: list[_Mark]) -> bool:
    """Whether the words postpone, ask, involve the user, name the decision, or wait for somebody's consent."""
    return any(mark.rows & {_WAIT, _ME, _APPROVE, _DENY} or {_AGREE} <= mark.rows <= {_AGREE, _MILD} for mark in marks)


def _behind_others(clauses: list[_Clause]) -> Optional[Decision]:
    """The decision of a whole clause behind others that decide nothing, or before reasons not in the table."""
    for place, clause in enumerate(clauses):
        before, behind = clauses[:place], clauses[place + 1 :]
        if place and clause.because:
            continue
        if _refuses_whole(clause, is_bare=_any_holds(before, _CONSENTS)) and _lead_to_no(before, clause, behind):
            return Decision(NO, qualified=True)
        if _is_order(clause) and all(map(_leads_to_yes, before)) and all(map(_goes_with, behind)):
            return Decision(YES, qualified=True)
    return None


def _refuses_whole(clause: _Clause, *, is_bare: bool) -> bool:
    """Whether the clause is a no, at most behind an "ok"; or, unless it has to be bare, a saying that means no."""
    said, rest = _said(_unfilled(clause.marks))
    decides = [row for row in said if row != _AND]
    if rest and not is_bare:
        refuses = _is_saying(rest)
    else:
        refuses = not rest and _denies(decides) and _refuses(decides, clause._replace(marks=rest))
    return (refuses or _is_unwilling(clause)) and not clause.asks


def _is_saying(marks: list[_Mark]) -> bool:
    """Whether one phrase of three words or more denies, or a condition ends with a no ("senza budget no")."""
    idiom = any(_REFUSE in mark.rows and mark.phrase.count(" ") > 1 for mark in marks)
    ends = bool(marks[0].rows & _OPENS) and marks[-1].rows == {_REFUSE}
    return (idiom or ends) and not any(mark.rows & {_WAIT, _UNLESS, *_CONSENTS, *_TURNS} for mark in marks)


def _is_unwilling(clause: _Clause) -> bool:
    return clause.holds(_NEGATES) and clause.holds({_WILL}) and not clause.holds({_WAIT})


def _lead_to_no(before: list[_Clause], clause: _Clause, behind: list[_Clause]) -> bool:
    """Whether nothing around a refusal says yes, postpones, asks or quotes somebody."""
    if any(each.leads_on for each in before) or any(map(_takes_back, behind)):
        return False
    if before and _REFUSE in clause.marks[-1].rows and not _any_holds(before, {_HOLD, *_CONSENTS}):
        return clause.is_known
    if not clause.is_known:
        # "Ok, but I don't want it to touch main" may be a condition.
        return not _any_holds([*before, clause], _CONSENTS)
    if any(each.agrees for each in before):
        return _overrules(clause, before, behind)
    return clause.turns or not any(map(_defers, before))


def _any_holds(clauses: list[_Clause], rows: set[str]) -> bool:
    return any(clause.holds(rows) for clause in clauses)


def _overrules(clause: _Clause, before: list[_Clause], behind: list[_Clause]) -> bool:
    """Whether a refusal outweighs a yes: "yes, but no" is both, "yes, I see why, but no" is a no."""
    corrects = any(_TURN in mark.rows for mark in before[-1].marks[-1:] + clause.marks[:1])
    return corrects or (clause.turns and (bool(behind) or len(before) > 1 or len(before[0].marks) > 1))


def _takes_back(clause: _Clause) -> bool:
    return clause.asks or _defers(clause) or _grants(clause.marks)


def _defers(clause: _Clause) -> bool:
    return any(_WAIT in mark.rows and _PAST not in mark.rows for mark in clause.marks)


def _is_order(clause: _Clause) -> bool:
    """Whether the clause tells the agent to begin, and nothing else; or to hand its work over, whatever the work is."""
    said, rest = _said(clause.marks)
    if clause.asks or _denies(said) or {_APPROVE, _GO}.isdisjoint(said):
        return False
    return not rest or (_hands_over(clause) and not _waits(rest) and not any(mark.rows & _AGAINST for mark in rest))


def _hands_over(clause: _Clause) -> bool:
    """Whether the clause names another agent and has a verb; a `go` of one word may be a noun: "the delegate thing"."""
    is_verb = any(_APPROVE in mark.rows or (_GO in mark.rows and " " in mark.phrase) for mark in clause.marks)
    return is_verb and clause.holds({_AGENT})


def _leads_to_yes(clause: _Clause) -> bool:
    """Whether nothing before an order asks, quotes, postpones, denies anything or sets a condition."""
    said, rest = _said(clause.marks)
    against = any(mark.rows & {_WAIT, _ONLY, *_AGAINST} and _PAST not in mark.rows for mark in rest)
    return not (clause.leads_on or _denies(said) or against)


def _goes_with(clause: _Clause) -> bool:
    """Whether a clause behind an order is a condition, or a reason that takes nothing back."""
    if _condition(clause, is_explicit=True, opened=False) is not None:
        return not clause.asks
    said, rest = _said(clause.marks)
    return not (clause.asks or _denies(said) or any(mark.rows & {_WAIT, _UNLESS, _DENY, _APPROVE} for mark in rest))


def _folded(text: str) -> str:
    """The text without case, accents and invisible signs, and with blanks between its words."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", _UNSEEN.sub("", text)))
    plain = unicodedata.normalize("NFKC", plain).replace("’", "'").casefold().replace("ł", "l")
    return _ELIDED.sub(lambda found: f"{found[1]}' " if found[1] else f" {found[2] or ''} ", plain)


def _clauses(text: str) -> list[_Clause]:
    """The text taken apart at its separators and before each "but"; a part without words is left out."""
    found = []
    parts = [*_SEPARATOR.split(text.lstrip(_EDGES)), ""]
    for said, after in zip(parts[::2], parts[1::2]):
        clause = _Clause([], asks=False, colon=False, but=False)
        for mark in _marks(_words(said)):
            if mark.rows & {_BUT, _BECAUSE}:
                found += [clause] if clause.marks else []
                clause = _Clause([], asks=False, colon=False, but=_BUT in mark.rows, because=_BECAUSE in mark.rows)
            else:
                clause.marks.append(mark)
        asks = after in ("?", "\u061f") or ((clause.but or clause.because) and not clause.marks)
        if clause.marks or asks:
            found.append(clause._replace(asks=asks, colon=after == ":"))
    return found


def _words(text: str) -> list[str]:
    return [word.strip(_EDGES) or word for word in text.strip(_EDGES).split()]


def _marks(words: list[str]) -> list[_Mark]:
    """The words as the longest phrases of the table, one after the other."""
    table, longest = _table()
    marks = []
    while words:
        spans = (" ".join(words[:count]) for count in range(min(longest, len(words)), 0, -1))
        phrase = next((span for span in spans if span in table or _drawn_in(span) in table), words[0])
        marks.append(_Mark(phrase, table.get(phrase) or table.get(_drawn_in(phrase)) or _misspelt(phrase)))
        words = words[phrase.count(" ") + 1 :]
    return marks


@lru_cache(maxsize=1024)
def _drawn_in(phrase: str) -> str:
    """A phrase whose drawn-out letters are shortened ("nooope")."""
    return _DRAWN_OUT.sub(r"\1", phrase)


@lru_cache(maxsize=1024)
def _misspelt(word: str) -> set[str]:
    """The rows of a long word that approves or denies with one slip in it."""
    table, _ = _table()
    if not _SLIPS <= len(word) <= 20:
        return set()
    return next((table[known] for known in _long_words() if _differ_by_one(word, known)), set())


@lru_cache(maxsize=1)
def _long_words() -> list[str]:
    """The single words of the table that approve or deny."""
    table, _ = _table()
    return [word for word, rows in table.items() if rows & {_APPROVE, _DENY} and " " not in word]


def _differ_by_one(word: str, known: str) -> bool:
    """Whether one letter is missing, added, wrong or swapped with the next; not in a noun that ends in "er"."""
    if abs(len(word) - len(known)) > 1 or word[0] != known[0] or word.endswith("er"):
        return False
    same = next((place for place, (one, other) in enumerate(zip(word, known)) if one != other), -1)
    one, other = word[same:], known[same:]
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return same < 0 or swapped or one[1:] == other[1:] or one[1:] == other or one == other[1:]


def _unfilled(marks: list[_Mark]) -> list[_Mark]:
    """The marks behind those that only open a sentence, or that the user corrects."""
    marks = marks[max((place for place, mark in enumerate(marks[:-1]) if _TURN in mark.rows), default=0) :]
    fills = (_MILD in mark.rows or (_AND in mark.rows and mark.rows.isdisjoint(_CONSENTS)) for mark in marks)
    return marks[next((place for place, fill in enumerate(fills) if not fill), len(marks)) :]


def _denies(said: list[str]) -> bool:
    return not (_DENIES | _TURNS).isdisjoint(said)


def _said(marks: list[_Mark], *, decided: bool = False) -> tuple[list[str], list[_Mark]]:
    """The rows of the first marks, as far as they say yes or no or add nothing, and the marks behind these."""
    said: list[str] = []
    is_clear = False
    for place, mark in enumerate(marks):
        opens = (decided and mark.rows & _OPENS) or (is_clear and _DONT in mark.rows)
        if not mark.says or (opens and marks[place + 1 :]):
            return said, marks[place:]  # Spanish "si" is yes and if: with words behind it, it opens a condition
        said.append(mark.says)
        decided = decided or mark.says != _AND
        is_clear = is_clear or mark.agrees
    return said, []


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, set[str]], int]:
    """The rows of each phrase, in all languages, and the number of words in the longest."""
    with open(TABLE, encoding="utf-8") as file:
        languages = json.load(file)
    table: dict[str, set[str]] = {}
    bare: dict[str, set[str]] = {}  # as people type it without apostrophes; "well" is no "we'll"
    for language in languages.values():
        for row, lines in language.items():
            for phrase in ", ".join(lines).split(", "):
                rows = {row, _ALSO.get(row, row)}
                table.setdefault(_key(phrase), set()).update(rows)
                if "'" in phrase and (" " in phrase or phrase.endswith("n't")):
                    bare.setdefault(_key(phrase.replace("'", "")), set()).update(rows)
    return {**bare, **table}, 1 + max(phrase.count(" ") for phrase in table)


def _key(phrase: str) -> str:
    return " ".join(_words(_folded(phrase)))
