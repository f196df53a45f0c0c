"""The lines of an evidence list: joined where a wrap has parted them, with their signs, cells and headings read."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

LONG = 1500
# The words of the form by their kind, in English and in the languages that models answer in most.
WORDS = {
    kind: "|".join(words)
    for kind, words in json.loads(Path(__file__).with_name("declared.json").read_text(encoding="utf-8")).items()
}
_BULLET = pattern(r"\s*(?:(?:[-*+]\s+|[•·・–—▪◦]\s*|\d{1,3}[.)]\s+|[✓✔✅☑❌✗✘🟢🔴]\ufe0f?\s*|\[[ xX✓]\]\s*|>\s+))*")
_BOLD = pattern(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_BEFORE = pattern(r"(?:also|then|i|we|and|finally|[^\W\d_]*[^\x00-\x7f]\w*)\s+(?=\w)", re.IGNORECASE)
_AGAIN = pattern(r"\(?\s*(?:" + "|".join(WORDS.values()) + r")\s*\)?(?![\w/.-])\s*[:：]?\s*", re.IGNORECASE)
_GOES_ON = pattern(r"(?:->|→|=>|⇒|,)$")
_MARK = pattern(r"[✓✔✅☑❌✗✘]|\[[xX✓]\]")
_CROSSES = "❌✗✘"
_HEADING = pattern(
    r"(?:(?:files?|commands?|tests?|checks?)\s+)?(?P<word>wrote|written|created|changed|modified|updated|removed|deleted|ran|run|"
    r"executed|not (?:done|checked|run)|tests|checks|commands)(?:\s+(?:files?|commands?|tests?|checks?))?\s*[:：]",
    re.IGNORECASE,
)
# What may stand before a word of the form: how grave a finding is, and that a run was made at the end.
_GRAVE = pattern(
    r"[\[(]?(?:critical|high|medium|moderate|low|info|major|minor|blocker|nit|bug|warning|[PS][0-4]|[CWE]+-\d+|kritisch|"
    r"hoch|mittel|niedrig|alta|media|baja|haute|moyenne|faible)[\])]?\s*[-–—:]?\s+(?=\w)",
    re.IGNORECASE,
)
_AT_LAST = pattern(
    r"(?:after (?:the |my |all |every )*(?:last|final|all|every)\s*(?:\w+ )?(?:changes?|edits?|fix(?:es)?|commits?)|"
    r"(?:at|in) the (?:very )?end|at last|once more|afterwards|"
    r"nach (?:der|den|allen) (?:letzten |meinen )?(?:Änderung(?:en)?)|am Ende|zum Schluss|danach|"
    r"à la fin|après (?:la dernière modification|les modifications)|al final|tras el último cambio|"
    r"最後に)\s*[,:]?\s+(?=\w)",
    re.IGNORECASE,
)
LABEL = pattern(r"[^\W\d_][^:`\"/\\]{0,28}[:：]\s+")
_KEYWORD = pattern(
    "(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in WORDS.items())
    + r")(?:(?<=[^\x00-\x7f])|(?![\w/.-]))\s*[:：]?\s*",
    re.IGNORECASE,
)


class Line(Record):
    """One line: as it was said, without its bullet, and what the signs around it say.

    `mark` is what a tick or a cross before it says, `cells` are those of a table's row, and `under` is the kind of fact
    that the heading above it names.
    """

    said: str
    body: str
    mark: Optional[bool] = None
    cells: tuple[str, ...] = ()
    under: str = ""


def whole(text: str) -> Iterator[Line]:
    """The lines of a list."""
    heading, depth = "", 0
    for said, indent in _joined(text):
        line, bulleted = _line(said), bool(_BULLET.match(said)[0].strip())  # type: ignore[index]
        under = heading if indent > depth and (depth >= 0 or bulleted) else ""
        if not under:
            heading, depth = _heading(line.body), indent if bulleted else -1
        if under or not heading:  # a heading itself says nothing
            yield line._replace(under=under)


def _joined(text: str) -> Iterator[tuple[str, int]]:
    """Each line with its indentation; one that a wrap has parted is whole, and the head of a table is left out."""
    held, at = "", 0
    for raw in text.replace("\r\n", "\n").replace("\\n", "\n").split("\n"):
        line = raw.strip()
        if re.fullmatch(r"\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?", line):
            held = ""  # what was held is the head of this table
        elif line and not re.fullmatch(r"`{3,}\w*|~{3,}\w*|[-|: ]+", line):
            if held and not _starts(line, raw, held):
                held = f"{held} {line}"[:LONG]
                continue
            if held:
                yield held, at
            held, at = line[:LONG], len(raw) - len(raw.lstrip())
    if held:
        yield held, at


def _starts(line: str, raw: str, held: str) -> bool:
    """Whether a line is one of its own, and not the rest of the one before it."""
    if line.startswith("|") or _BULLET.match(line)[0].strip() or _KEYWORD.match(line):  # type: ignore[index]
        return True
    goes_on = _GOES_ON.search(held) or line[:2] in ("->", "→ ")
    return not goes_on and not raw[:1].isspace()


def _line(said: str) -> Line:
    row = said.startswith("|") and said.endswith("|")
    cells = tuple(cell.strip() for cell in said.strip("|").split("|")) if row else ()
    text = _joined_cells(cells) if row else said
    bullet = _BULLET.match(text)
    signs = " ".join([bullet[0] if bullet else "", *filter(_MARK.fullmatch, cells)])
    marks = {mark not in _CROSSES for mark in _MARK.findall(signs)}
    body = _BULLET.sub("", text, count=1).strip()
    bold = _BOLD.match(body)
    body = bold[2] + body[bold.end() :] if bold else body
    return Line(" ".join(said.split()), body, marks.pop() if len(marks) == 1 else None, cells)


def _joined_cells(cells: tuple[str, ...]) -> str:
    """The cells of a row that say something, and its last."""
    return " ".join([*(cell for cell in cells[:-1] if re.search(r"[^\W\d_]", cell)), *cells[-1:]])


def _heading(body: str) -> str:
    """The kind of fact that a heading such as "Files changed:" names for the lines below it."""
    found = _HEADING.fullmatch(body.strip("*_# "))
    opened = _KEYWORD.match(found["word"]) if found else None
    return str(opened.lastgroup) if opened else "ran" if found else ""


def opened(said: str) -> Optional[tuple[str, str]]:
    """The kind of fact that a line begins with, by the words of the form, and what follows; None where it is prose."""
    keyword = _KEYWORD.match(said)
    for ahead in (LABEL, _BEFORE, _GRAVE, _AT_LAST):
        begins = ahead.match(said) if keyword is None else None
        keyword = _KEYWORD.match(said, begins.end()) if begins else keyword
    if keyword is None:
        return None
    rest = said[keyword.end() :]
    labelled = keyword.lastgroup != "open" and keyword[0].rstrip()[-1:] in (":", "：")  # "gelaufen: ran"
    twice = rest.startswith("(") or not keyword[0].isascii() or labelled
    again = _AGAIN.match(rest) if twice else None
    return str(keyword.lastgroup), rest[again.end() :] if again else rest
