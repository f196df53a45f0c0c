"""The lines of an evidence list: put together where a wrap has parted them, and opened by a word of the form."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

LONG = 1500
# The words of the form by their kind, in English and in the languages that models answer in most.
WORDS = {
    kind: "|".join(words)
    for kind, words in json.loads(Path(__file__).with_name("form.json").read_text(encoding="utf-8")).items()
}
_BULLET = pattern(r"\s*(?:(?:[-*+]\s+|[•·・–—▪◦]\s*|\d{1,3}[.)]\s+|[✓✔✅☑❌✗✘🟢🔴]\ufe0f?\s*|\[[ xX✓]\]\s*|>\s+))*")
_BOLD = pattern(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_BEFORE = pattern(r"(?:also|then|i|we|and|finally|[^\W\d_]*[^\x00-\x7f]\w*)\s+(?=\w)", re.IGNORECASE)
_AGAIN = pattern(r"\(?\s*(?:" + "|".join(WORDS.values()) + r")\s*\)?(?![\w/.-])\s*[:：]?\s*", re.IGNORECASE)
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


def whole(text: str) -> Iterator[str]:
    """The lines, those that a wrap has parted put together again."""
    held = ""
    for raw in text.replace("\r\n", "\n").replace("\\n", "\n").split("\n"):
        line = raw.strip()
        if not line or re.fullmatch(r"`{3,}\w*|~{3,}\w*|[-|: ]+", line):
            continue
        starts = _BULLET.match(line)[0].strip() or _KEYWORD.match(line) or not raw[:1].isspace()  # type: ignore[index]
        if starts:
            if held:
                yield held
            held = line[:LONG]
        else:
            held = f"{held} {line}"[:LONG]
    if held:
        yield held


def body(line: str) -> str:
    """What a line says, without its bullet, its cells' borders and its bold marks."""
    if line.startswith("|") and line.endswith("|"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        line = " ".join(cell for cell in cells if re.search(r"[^\W\d_]", cell) or cell is cells[-1])
    said = _BULLET.sub("", line, count=1).strip()
    bold = _BOLD.match(said)
    return bold[2] + said[bold.end() :] if bold else said


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
