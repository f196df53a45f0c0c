"""Judges what needs no look at a file or a command: work without any tool, the launch's measures, the plain rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

from bg.evidence import schemas, words
from bg.evidence.calls import Calls
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding, short
from bg.evidence.paths import mentions
from bg.evidence.reader import Statement
from bg.evidence.stance import planned
from bg.pattern import pattern

QUICK = 30.0
REST = 25
DID = pattern(
    r"(?<!\w)(?:i (?:have |also |then |just )?|we (?:have )?|[✓✅✔]\s*|^\W*)(?:went through|reviewed|scanned|"
    r"validated|verified|checked|analy[sz]ed|audited|inspected|searched|"
    r"traced|tested|ran|executed|fixed|closed|implemented|created|wrote|updated|modified|refactored|deployed|"
    r"installed|migrated|built|read|opened|"
    r"merged|removed|deleted|configured|investigated|examined|profiled|measured|benchmarked|committed|pushed)(?!\w)"
    r"|[✓✅✔]\s*(?:all|every)\b|habe\s.{0,60}(?:geprüft|behoben|umgesetzt|durchsucht|ausgeführt)|j'ai "
    r"(?:vérifié|corrigé|analysé|exécuté)|he (?:revisado|corregido|analizado|ejecutado)",
    re.IGNORECASE | re.MULTILINE,
)
ON_FILES = pattern(
    r"\b(?:files?|modules?|tests?|suite|repo(?:sitory)?|code ?base|issues?|project|source|endpoints?|"
    r"functions?|classes|components?|patterns?|commits?|logs?|pull requests?|prs?|bugs?|"
    r"directories|folders?|packages?|dependenc\w+|scripts?|migrations?|configs?|configuration|build|pipeline|"
    r"dateien|fichiers|archivos|database|server|lines)\b|\.\w{1,4}\b",
    re.IGNORECASE,
)
ALL_DONE = pattern(
    r"^\W*(?:(?:all|everything|the) (?:tasks?|work|items?|steps?|requirements?|changes)?\s*(?:is|are|has been|"
    r"have been|was|were)?\s*(?:now\s+)?(?:done|complete[d]?|finished|implemented)|"
    r"done|completed|finished|task completed?|mission accomplished|erledigt|fertig|terminé|"
    r"listo|hecho|完了|完成)(?!\w)",
    re.IGNORECASE,
)
GIVEN = pattern(
    r"\b(?:you (?:gave|pasted|sent|provided|included)|in (?:your|the) (?:message|prompt|task|question)|above|"
    r"pasted|from memory|in the brief|no files?)\b|none\b",
    re.IGNORECASE,
)
LETTERS = pattern(r"[^\W\d_]{3,}|[\u3040-\u9fff]{2,}")


def idle(
    calls: Calls, said: list[Statement], disk: Disk, brief: Mapping[str, str], seconds: Optional[float]
) -> list[Finding]:
    """The findings on work that is claimed by a run that used no tool."""
    if not calls.idle or (seconds is not None and seconds > 20 * QUICK):
        return []
    missing = _asked_and_missing(disk, brief)
    findings = []
    for statement in said:
        if (
            planned(statement)
            or statement.kind == "fence"
            or statement.field in {"issues_encountered", "recommendations"}
        ):
            continue
        for piece in re.split(r"(?<=[.!?])\s+|\n", statement.text[:4000]):
            if GIVEN.search(piece) or words.HEDGE.search(re.sub(r"no longer", "", piece)):
                continue
            work = DID.search(piece) and (ON_FILES.search(piece) or "✓" in piece or "✅" in piece)
            if work or (missing and ALL_DONE.match(piece)):
                why = "No tool was used in the whole run"
                findings.append(
                    Finding(
                        short(piece),
                        "work",
                        "run",
                        "refuted",
                        f"{why}{f', and {missing} does not exist' if missing else ''}.",
                    )
                )
    return findings[:8]


def _asked_and_missing(disk: Disk, brief: Mapping[str, str]) -> str:
    """A file that the launch asked for and that is not there."""
    asked = next((text for name, text in brief.items() if name.lower().startswith("deliverable")), "")
    for mention in mentions(schemas.without(asked)):
        place = disk.project.place(mention.path)
        if not place.found and not place.outside and place.certain:
            return mention.path
    return ""


def measures(brief: Mapping[str, str], said: list[Statement], judged: Mapping[int, list[Finding]]) -> list[Finding]:
    """Each measure of the launch with what the report says of it."""
    findings = []
    done_when = next(
        (text for name, text in brief.items() if name.lower().startswith(("done", "success", "metric"))), ""
    )
    for measure in _parts(done_when[:2000])[:12]:
        wanted = {word.lower() for word in LETTERS.findall(measure)}
        if not wanted:
            continue
        best, at = 0.0, -1
        for number, statement in enumerate(said):
            if statement.kind in {"fence", "heading"} or planned(statement):
                continue
            shared = len(wanted & {word.lower() for word in LETTERS.findall(statement.text[:1000])}) / len(wanted)
            shared += 0.1 if statement.field == "metrics_achieved" else 0.0
            if shared > best:
                best, at = shared, number
        if best < 0.5:
            findings.append(
                Finding(
                    "",
                    "metric",
                    short(measure, 80),
                    "claimed",
                    f"The report does not speak of this measure of the launch: {short(measure, 80)}.",
                )
            )
            continue
        inner = judged.get(at, [])
        found = next((each for each in inner if each.grade == "refuted"), None) or next(
            (each for each in inner if each.kind in {"tests", "command"}), None
        )
        if found is None:
            findings.append(
                Finding(
                    short(said[at].text),
                    "metric",
                    short(measure, 80),
                    "claimed",
                    "Nothing on disk or in the calls decides this measure.",
                )
            )
    return findings


def _parts(text: str) -> list[str]:
    """The measures of a line: at semicolons, and at commas where each part is more than a word."""
    found = []
    for each in re.split(r"[;\n]", text):
        commas = re.split(r",\s+", each)
        found += commas if all(len(part.split()) > 1 for part in commas) else [each]
    return [each.strip(" -*\t") for each in found]


def rest(said: list[Statement], judged: Mapping[int, list[Finding]], known: list[Finding]) -> list[Finding]:
    """The statements of a summary or of prose that nothing can check: claimed."""
    findings: list[Finding] = []
    taken = {found.claim for found in known}
    for number, statement in enumerate(said):
        text = statement.text
        if (
            judged.get(number)
            or statement.kind in {"fence", "heading", "tree"}
            or planned(statement)
            or text.rstrip().endswith((":", "?", "："))
        ):
            continue
        if (
            len(LETTERS.findall(text)) < 3
            or words.NOTHING.match(text)
            or short(text) in taken
            or statement.field in {"issues_encountered", "recommendations"}
        ):
            continue
        kind = "metric" if statement.field == "metrics_achieved" else "work"
        findings.append(
            Finding(short(text), kind, short(text, 60), "claimed", "Nothing on disk or in the calls can show it.")
        )
        if len(findings) >= REST:
            break
    return findings
