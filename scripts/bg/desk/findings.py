"""The doctor's findings, each with its remedy, and their layout for people."""

from __future__ import annotations

from bg.desk.page import Page
from bg.record import Record
from bg.words.quoting import spelled

NARROW = 60


class Finding(Record):
    """One thing that the doctor looked at; `remedy` is empty if nothing is to be done."""

    subject: str
    state: str
    found: str
    remedy: str = ""


def told(findings: list[Finding], sheet: Page) -> str:
    """The findings for people, the wrong ones first; a remedy's line is not broken, so that it can be copied."""
    colours = {"wrong": "bad", "note": "needs", "ok": "good"}
    width = max(len(finding.subject) for finding in findings)
    beside = sheet.width >= NARROW
    lines = []
    for finding in sorted(findings, key=lambda finding: list(colours).index(finding.state)):
        subject = finding.subject.ljust(width) if beside else finding.subject
        head = f"{sheet.paint(f'{finding.state:5}', colours[finding.state])}  {sheet.paint(subject, 'heading')}"
        inset = 9 + width if beside else 7
        found = sheet.wrapped(spelled(finding.found), indent=inset)
        lines += [f"{head}  {found[0].strip()}", *found[1:]] if beside else [head, *found]
        if finding.remedy:
            lines.append(f"{' ' * inset}{sheet.paint(sheet.plain(f'remedy: {finding.remedy}'), 'type')}")
    bad = sum(finding.state == "wrong" for finding in findings)
    lines += ["", sheet.paint("Nothing is wrong." if not bad else f"{bad} wrong.", "bad" if bad else "good")]
    return "\n".join(lines)
