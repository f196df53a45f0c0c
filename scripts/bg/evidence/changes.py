"""Judges renames and counts: `a.py -> b.py`, "moved docs to site/docs", "3 files under docs/"."""

from __future__ import annotations

import re
from typing import Optional

from bg.evidence import words
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding, short
from bg.evidence.paths import Mention
from bg.evidence.reader import Statement
from bg.evidence.stance import FIRST, planned
from bg.pattern import pattern

PAIR = pattern(
    "([\ue000-\uf8fe])[`*\"')]{0,3}\\s*(?:→|->|=>|⇒|➜|\\bto\\b|\\bnach\\b|\\bin\\b|\\ben\\b|\\bà\\b|\\ba\\b|到|"
    "に)\\s*[`*\"'(]{0,3}([\ue000-\uf8fe])"
)
PLAIN = pattern(
    r"(?<!\w)(?:renamed|moved)\s+(?:the\s+)?(?:folder|directory|file|module|"
    r"package)\s+[`'\"]?([\w./-]{1,200})[`'\"]?\s+(?:to|into)\s+[`'\"]?([\w./-]{1,200})",
    re.IGNORECASE,
)
NUMBER_WORDS = (
    "", "one ein eine un une uno una", "two zwei deux dos both", "three drei trois tres", "four vier quatre cuatro",
    "five fünf cinq cinco", "six sechs seis", "seven sieben sept siete", "eight acht huit ocho", "nine neun neuf nueve",
    "ten zehn dix diez", "eleven elf once", "twelve zwölf douze doce",
)  # fmt: skip
NUMBERS = {word: number for number, group in enumerate(NUMBER_WORDS) for word in group.split()}
COUNT = pattern(
    r"(?<![\w.])(\d{1,4}|[a-zäöüßé]{3,7})\s+(?:(?:new|neue|nouveaux|nuevos|more|separate|markdown|test|json|"
    r"html)\s+){0,2}"
    r"(?:files|pages|documents|guides|specs|modules|tests|dateien|seiten|fichiers|archivos|"
    r"páginas)\s+(?:are\s+|were\s+)?"
    r"(?:under|in|below|into|to|inside|unter|sous|dans|en|bajo)\s+[`*\"'(]{0,3}([\ue000-\uf8fe])",
    re.IGNORECASE,
)
BEHIND = pattern(
    r"([\ue000-\uf8fe])[`*\"')]{0,3}\s*[(:–—-]\s*(?:all\s+)?(\d{1,4}|[a-zäöüé]{3,7})\s+(?:new\s+)?(?:files|"
    r"pages|dateien|fichiers|archivos)\b",
    re.IGNORECASE,
)


def renames(disk: Disk, statement: Statement, text: str, found: list[Mention]) -> tuple[list[Finding], set[int]]:
    """The findings on renames, and the numbers of the mentions that are old names."""
    findings: list[Finding] = []
    old: set[int] = set()
    said = f"{' '.join(statement.under[-2:])} {text}"
    if planned(statement) or not words.RENAMED.search(said) or words.HEDGE.search(text):
        return findings, old
    for pair in PAIR.finditer(text):
        before, after = (ord(sign) - FIRST for sign in pair.groups())
        if max(before, after) >= len(found) or found[before].first or found[after].first:
            continue
        old |= {before, after}
        findings += _renamed(disk, statement, found[before].path, found[after].path)
    for plain in PLAIN.finditer(statement.text):
        findings += _renamed(disk, statement, plain[1], plain[2].rstrip("."))
    return findings, old


def _renamed(disk: Disk, statement: Statement, old: str, new: str) -> list[Finding]:
    claim, subject = short(statement.text), f"{old} -> {new}"
    here, there = disk.project.place(old), disk.project.place(new)
    if here.outside or there.outside:
        return [Finding(claim, "deliverable", subject, "claimed", "One of the two names lies outside the project.")]
    if not there.found and "/" not in new and "/" in old:
        there = disk.project.place(old.rpartition("/")[0] + "/" + new)
    before = disk.existed(old)
    if not there.found and there.certain:
        return [Finding(claim, "deliverable", subject, "refuted", f"{new} does not exist in the project.")]
    stays = [each for each in here.found if each.name in before or not before]
    if there.found and not stays:
        grade = "verified" if before else "claimed"
        return [Finding(claim, "deliverable", subject, grade, f"{new} is there and {old} is not.")]
    if (
        there.found
        and stays
        and "/" in old
        and disk.any_changed(tuple(each for each in stays if each.regular)) is False
    ):
        return [Finding(claim, "deliverable", subject, "refuted", f"{old} is still there, as it was at launch.")]
    return [Finding(claim, "deliverable", subject, "claimed", "Both names or neither could be found.")]


def counts(disk: Disk, statement: Statement, text: str, found: list[Mention]) -> tuple[list[Finding], set[int]]:
    """The findings on numbers of files in a folder or of a glob, and the mentions that they settle."""
    findings: list[Finding] = []
    settled: set[int] = set()
    if planned(statement) or words.HEDGE.search(text):
        return findings, settled
    listed = bool(
        words.MADE.search(" ".join(statement.under[-1:]))
        or statement.field == "deliverables"
        or "eliverables" in text[:20]
    )
    for match in [*COUNT.finditer(text), *BEHIND.finditer(text)]:
        first, second = match.groups()
        sign, number = (second, _number(first)) if "\ue000" <= second <= "\uf8fe" else (first, _number(second))
        place = ord(sign) - FIRST
        if number is None or place >= len(found) or place in settled:
            continue
        ahead = re.split(r"[.;:!?]\s", text[: match.start()])[-1]
        made = listed or bool(re.search(rf"(?<!\w)(?:{words.MADE_WORDS})\W+(?:\w+\W+){{0,2}}$", ahead, re.IGNORECASE))
        finding = _counted(disk, found[place].path, number, short(statement.text), made=made)
        if finding:
            findings.append(finding)
            settled.add(place)
    return findings, settled


def _counted(disk: Disk, path: str, number: int, claim: str, *, made: bool) -> Optional[Finding]:
    if "*" in path:
        files = disk.project.matching(path)
    else:
        folders = [each for each in disk.project.place(path).found if each.folder]
        if not folders:
            return None
        files = disk.project.below(folders[0])
    fresh = [each for each in files if disk.changed(each) is not False]
    if len(fresh) >= number:
        empty = [each for each in fresh if disk.empty(each)]
        if len(fresh) - len(empty) < number:
            return (
                Finding(claim, "deliverable", path, "refuted", f"Of {number} files, {len(empty)} are empty.")
                if made
                else None
            )
        return Finding(claim, "deliverable", path, "verified", f"{len(fresh)} new or changed files are there.")
    if made and disk.project.complete:
        return Finding(
            claim,
            "deliverable",
            path,
            "refuted",
            f"{number} files are claimed, {len(fresh)} new or changed ones are there.",
        )
    return Finding(claim, "reference", path, "claimed", f"{len(files)} files are there.")


def _number(word: str) -> Optional[int]:
    return int(word) if word.isdigit() else NUMBERS.get(word.lower())
