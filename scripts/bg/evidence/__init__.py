"""What a report declares, judged against the disk and the agent's own tool calls; nothing of a report is ever run.

In reading order: `finding` (the records, and every reason with its grade); `lines`, `form`, `pieces` and `remarks`
(what is declared); `project`, `baseline`, `access` (what may be opened), `formats` and `disk` (what is there); `calls`,
`programs`, `shell`, `purposes`, `summaries`, `masks` and `outcomes` (what was done, and how it ended); the judges
`files`, `quotes`, `runs` (with `matching` and `staleness`), `commits` and `schemas` with its process `fitting`;
`named`, `whose` (who changed a file), `asked` (what the launch wanted, notes on prose) and `facts` (what the host sees
by itself).
"""

from __future__ import annotations

from collections.abc import Mapping

from bg.evidence import asked, commits, facts, files, form, named, runs, schemas
from bg.evidence import calls as tool_calls
from bg.evidence.clock import Clock
from bg.evidence.disk import Disk
from bg.evidence.finding import MISMATCH, SAID, SEEN, Evidence, Finding, Launch, short
from bg.evidence.form import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Callable, Optional

__all__ = ["MISMATCH", "SAID", "SEEN", "Evidence", "Finding", "Launch", "closed", "examine"]

SECONDS = 1.2  # what is begun is ended: about a second and a half in all
NO_BRIEF: Mapping[str, str] = {}
FIELD = "evidence"
PARSED = 50
ASKED = 4000  # characters of a line of the launch
WRITTEN = {"wrote", "changed"}


def examine(
    report: str,
    fields: Optional[Mapping[str, Any]],
    launch: Launch,
    transcript: str,
    brief: Mapping[str, str] = NO_BRIEF,
) -> Evidence:
    """What is seen, and what not, of a report; never raises.

    It takes about a second and a half at most, five seconds more where a schema is named. `fields` are those of a
    COMPLETION_REPORT, None for prose; `transcript` is the path of the agent's own transcript, without which nothing
    that depends on tool calls is found not to match.
    """
    clock = Clock(SECONDS)
    evidence = Evidence()
    try:
        _examine(report, fields, launch, transcript, brief, clock, evidence)
    except Exception as error:  # noqa: BLE001  what could be done is worth more than a traceback
        evidence.limit("ended early", f"{type(error).__name__}: {short(str(error), 80)}")
    evidence.seconds = clock.taken
    return evidence


def closed(launch: Launch, transcript: str) -> Callable[[Path], str]:
    """Why a file may not be opened for the agent of a transcript, asked by its path; empty where it may."""
    clock = Clock(SECONDS)
    return Disk(launch, clock, tool_calls.read(transcript, clock)).project.refusal


def _examine(
    report: str, fields: Optional[Mapping[str, Any]], launch: Launch, transcript: str, brief: Mapping[str, str],
    clock: Clock, evidence: Evidence,
) -> None:  # fmt: skip
    if any(len(str(text)) > ASKED and str(name).lower() in asked.READ for name, text in brief.items()):
        evidence.limit("words", str(ASKED))
    brief = {str(name): str(text)[:ASKED] for name, text in brief.items()}
    given = dict(fields or {})
    status = str(given.get("status", "")).strip().lower()
    deliverables = str(given.get("deliverables") or "")
    items = form.read(str(given.get(FIELD) or ""))
    if len(items) == form.MOST and form.is_longer(str(given.get(FIELD) or "")):
        evidence.limit("lines", str(form.MOST))
    evidence.declared = any(item.kind not in ("said", "open") for item in items)
    calls = tool_calls.read(transcript, clock)
    disk = Disk(launch, clock, calls)
    calls.roots = disk.project.spellings
    calls.as_at_launch = lambda path: disk.any_changed(disk.project.place(path).found) is False
    calls.text = disk.said_in
    if not calls.known:
        evidence.limit("calls")
    steps: list[Callable[[], object]] = [
        lambda: evidence.facts.update(facts.gather(disk, calls, clock, evidence)),
        lambda: asked.judge(disk, calls, brief, evidence),
        *(_step(disk, calls, item, evidence) for item in items if item.kind != "fits"),
        lambda: asked.notes(disk, calls, report, deliverables, evidence, success=status in ("", "success")),
        lambda: _parse(disk, items, brief, evidence),
        lambda: _fit(disk, items, brief, deliverables, evidence),
    ]
    for step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001  one fact must not hide the others
            evidence.limit("not checked", f"{type(error).__name__}: {short(str(error), 80)}")
    for name, why in disk.project.unread.items():
        evidence.limit(why, short(name))
    if clock.spent:
        evidence.limit("time")


def _step(disk: Disk, calls: tool_calls.Calls, item: Item, evidence: Evidence) -> Callable[[], object]:
    return lambda: evidence.findings.append(_judged(disk, calls, item))


def _judged(disk: Disk, calls: tool_calls.Calls, item: Item) -> Finding:
    if item.kind in ("said", "open"):
        reason = "prose" if item.kind == "said" else "open"
        return Finding(item.line, item.kind, item.subject or short(item.line), reason)
    if item.kind == "ran":
        return runs.judge(calls, item)
    if item.kind in ("commit", "pushed", "pr"):
        return commits.judge(disk.baseline(), calls, item)
    return files.judge(disk, calls, item)


def _parse(disk: Disk, items: list[Item], brief: Mapping[str, str], evidence: Evidence) -> None:
    """Files of the declaration or the order that are not what their name says."""
    names = [item.subject for item in items if item.kind in WRITTEN] + named.paths(brief.get("Deliverables", ""))
    wanted = list(dict.fromkeys(names))
    for name in evidence.first(wanted, PARSED, "files to parse"):
        for each in disk.project.place(name).found:
            fault = disk.fault(each) if each.regular and disk.changed(each) else None
            if fault:
                evidence.note("does not parse", f"{each.name}: {fault}")


def _fit(disk: Disk, items: list[Item], brief: Mapping[str, str], deliverables: str, evidence: Evidence) -> None:
    pairs = schemas.gather(disk, brief, deliverables, [item for item in items if item.kind == "fits"], evidence)
    for pair, found in schemas.judge(pairs):
        (evidence.asked if pair.launch else evidence.findings).append(found)
