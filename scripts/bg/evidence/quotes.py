"""Judges quoted code: whether what is quoted with a file and a line stands there, blanks and omissions aside."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from bg.evidence import words
from bg.evidence.calls import Calls
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding, short
from bg.evidence.paths import Mention, lines_of, mentions
from bg.evidence.project import Found
from bg.evidence.reader import Statement
from bg.evidence.stance import planned
from bg.pattern import pattern

NEAR = 5
LONG = 4000
BEHIND = pattern(
    r"[\s:,;()\[\]*|>`'\"–—-]{0,12}?(?:(?:reads|says|contains|shows|lautet)[\s:]{1,3})?(?:(?:line|zeile|ligne|"
    r"línea)\s\d+[\s,:()-]{0,4})?(`{1,2})([^`\n]{2,400})\1"
)
SPOKEN = pattern(
    r"[\s:,;(–—-]{0,6}(?:(?:says|reads|states|contains|line says)[\s:,]{0,3})?[\"“]([^\"”\n]{8,400})[\"”]"
)
BEFORE = pattern(r"(`{1,2})([^`\n]{2,400})\1\s{0,2}[(\[–—:,-]{0,2}\s{0,2}(?:at |in |on )?[`*(\[]{0,2}$")
AT_LINE = pattern(r"[\s,(]{0,3}(?:at |on |in )?(?:line|zeile|ligne|línea) (\d{1,6})", re.IGNORECASE)
TICKS = pattern(r"`([^`\n]{6,400})`")
COMMENT = pattern(r"^\s*(?://|#|--|/\*|<!--|;|%)\s*(.{3,300}?)\s*(?:\*/|-->)?\s*$")
PROPOSED = pattern(
    r"\b(?:fix|should|suggest\w*|propos\w*|recommend\w*|instead|replace[ds]?|better|use|change(?: it)? to|"
    r"patch|add|becomes?|"
    r"would|could|error|fails?|failed|throws?|raises?|warning|message|e\.g|like|rename[ds]?|expected|missing|"
    r"lacks?|never|"
    r"vorschlag|statt|remplac\w+|cambi\w+)\b|→|->|=>",
    re.IGNORECASE,
)
CODE_SIGNS = pattern(r"[(){}\[\]=;<>.:$@\"'_]")
NOT_CODE = pattern(
    r"^\s*(?:\$ |>>> |[+-]{1,3}\s?\S|@@ |Traceback|diff --git|(?:PASS|FAIL|ERROR|WARN)\b)", re.MULTILINE
)


class Quote(NamedTuple):
    """Something quoted from a place."""

    text: str
    mention: Mention
    words: str
    sure: bool


def judge(disk: Disk, calls: Calls, statement: Statement, found: list[Mention]) -> list[Finding]:
    """The findings on what a statement quotes."""
    quotes = _fenced(statement) if statement.kind == "fence" else _inline(statement, found)
    findings = []
    for quote in quotes[:40]:
        finding = _judged(disk, calls, quote)
        if finding:
            findings.append(finding)
    return findings


def _inline(statement: Statement, found: list[Mention]) -> list[Quote]:
    text, quotes = statement.text[:20_000], []
    plan = planned(statement)
    for number, mention in enumerate(found):
        until = found[number + 1].start if number + 1 < len(found) else len(text)
        behind = BEHIND.match(text, mention.end)
        spoken = SPOKEN.match(text, mention.end)
        since = found[number - 1].end if number else 0
        before = BEFORE.search(text[max(since, mention.start - 420) : mention.start])
        until = min(until, mention.end + 420)
        around = (
            re.split(r"[.!?]\s", text[max(since, mention.start - 100) : mention.start])[-1]
            + text[mention.start : until]
        )
        around = re.split(r"(?<=[^\d\W])[.!?]\s", around)[0]
        sure = not plan and not PROPOSED.search(_unticked(around))
        if behind:
            quotes.append(Quote(behind[2], mention, text[mention.start : behind.end()], sure and bool(mention.first)))
        elif spoken:
            reads = re.search(r"\b(?:says|reads|states|verbatim|quote[ds]?|according to|laut)\b", around, re.IGNORECASE)
            quotes.append(Quote(spoken[1], mention, text[mention.start : spoken.end()], sure and bool(reads)))
        elif before:
            quotes.append(
                Quote(before[2], mention, before[0] + text[mention.start : mention.end], sure and bool(mention.first))
            )
        for ticked in list(TICKS.finditer(text, mention.end, until))[:4]:
            lined = AT_LINE.match(text, ticked.end())
            if lined:
                there = mention._replace(first=int(lined[1]), last=int(lined[1]))
                quotes.append(Quote(ticked[1], there, text[mention.start : lined.end()], sure))
            elif not (behind or spoken or before):
                quotes.append(Quote(ticked[1], mention, text[mention.start : ticked.end()], sure=False))
    return quotes


def _unticked(text: str) -> str:
    return re.sub(r"`[^`\n]*`|\"[^\"\n]*\"", " ", text)


def _fenced(statement: Statement) -> list[Quote]:
    """An excerpt whose first line, or the line above it, names its place."""
    text = statement.text[:LONG]
    if NOT_CODE.search(text) or (
        statement.head and statement.head[0] in {"diff", "console", "shell", "bash", "sh", "text", "patch"}
    ):
        return []
    first, _, rest = text.strip("\n").partition("\n")
    comment = COMMENT.match(first)
    named = mentions(comment[1]) if comment else []
    if named and rest.strip():
        title = " ".join(statement.under[-1:])
        sure = not PROPOSED.search(
            f"{_before_fence(statement)} {comment[1] if comment else ''}"
        ) and not words.PLAN.search(title)
        return [Quote(rest, named[0], text, sure)]
    above = mentions(statement.lead)
    if above and above[-1].first and re.search(r"[:：]\W*$", statement.lead):
        return [
            Quote(
                text,
                above[-1],
                text,
                not PROPOSED.search(_unticked(statement.lead)) and not words.PLAN.search(statement.lead),
            )
        ]
    return []


def _before_fence(statement: Statement) -> str:
    return "" if statement.lead in statement.under else _unticked(statement.lead[-200:])


def _judged(disk: Disk, calls: Calls, quote: Quote) -> Optional[Finding]:
    if mentions(f"`{quote.text}`")[:1] and " " not in quote.text.strip():
        return None  # the next path, not an excerpt
    place = disk.project.place(quote.mention.path)
    files = [each for each in place.found if each.regular]
    parts = _parts(quote.text)
    if not files or place.outside or not parts or not (quote.mention.first or _substantial(quote.text)):
        return None
    subject = lines_of(quote.mention.path, quote.mention.first, quote.mention.last)
    claim = short(quote.words)
    anywhere = False
    for each in files:
        for text in (disk.text(each), disk.earlier(each.name)):
            if text is None:
                continue
            if _near(text, parts, quote):
                return Finding(claim, "quote", subject, "verified", f"{each.name} holds the quoted text.")
            anywhere = anywhere or _holds(text, parts)
    if any(disk.text(each) is None for each in files):
        return None
    if anywhere:
        return Finding(
            claim, "quote", subject, "claimed", f"The quoted text stands in {files[0].name}, but not near that line."
        )
    if (
        not quote.sure
        or not _substantial(quote.text)
        or calls.said(quote.text.strip()[:200])
        or _partly(disk, files, quote.text)
        or _paraphrased(disk, files, quote.text)
    ):
        return None
    return Finding(claim, "quote", subject, "refuted", f"{files[0].name} holds nothing like the quoted text.")


def _tight(text: str) -> str:
    return re.sub(r"[\s\\]+", "", text)


def _parts(quote: str) -> list[str]:
    """The pieces between omissions, without blanks."""
    quote = re.sub(r"^\s*\d{1,5}[\s|:→]\s?", "", quote, flags=re.MULTILINE)
    return [
        part
        for part in (_tight(each).strip(".,;:") for each in re.split(r"\.{3}|…|\[\.\.\.\]", quote))
        if len(part) > 1
    ]


def _holds(text: str, parts: list[str]) -> bool:
    tight = _tight(text)
    return all(part in tight for part in parts)


def _near(text: str, parts: list[str], quote: Quote) -> bool:
    if not quote.mention.first:
        return _holds(text, parts)
    lines = text.splitlines()
    last = quote.mention.last + quote.text.count("\n")
    return _holds("\n".join(lines[max(0, quote.mention.first - 1 - NEAR) : last + NEAR]), parts)


def _substantial(quote: str) -> bool:
    """Whether a quote is long and code-like enough to be none by chance: no bare name, no word."""
    return (
        len(_tight(quote)) >= 10
        and not re.fullmatch(r"[\w.#:-]+(?:\(\))?", quote.strip())
        and bool(
            re.match(r"\s*[\w.-]{3,}\s*[:=]\s*\S", quote)
            or len(CODE_SIGNS.findall(quote)) >= 2
            or len(quote.split()) >= 4
        )
    )


def _paraphrased(disk: Disk, files: list[Found], quote: str) -> bool:
    """Whether a quote is a call or signature whose name does stand in the file."""
    name = re.fullmatch(r"\s*([\w.]+)\([\w\s,.]*\)\s*", quote)
    return (
        bool(name) and any(name[1].rsplit(".", 1)[-1] in (disk.text(each) or "") for each in files) if name else False
    )


def _partly(disk: Disk, files: list[Found], quote: str) -> bool:
    """Whether some line of an excerpt does stand in the file: it is shortened then, not invented."""
    lines = [_tight(line) for line in quote.split("\n") if len(_tight(line)) >= 12]
    if len(lines) < 2:
        return False
    return any(line in _tight(disk.text(each) or "") for each in files for line in lines[:60])
