"""The result contract's description (contract.json), with the names and the text of prompts that derive from it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from bg.results import markdown
from bg.words import phrases

FORM: dict[str, Any] = json.loads((Path(__file__).parent / "contract.json").read_text(encoding="utf-8"))
LIMITS: dict[str, int] = FORM["limits"]
KINDS: dict[str, Any] = FORM["kinds"]
STATUSES: dict[str, Any] = FORM["statuses"]

NUMBER = re.compile(r"(?<![\w.])(-?\d{1,6}(?:\.\d{1,6})?)(?![\w.]*\d)")


def names(entries: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Every spelling of the entries' names, with the name it means."""
    return {
        markdown.key(name): entry["name"] for entry in entries for name in (entry["name"], *entry.get("aliases", ()))
    }


SECTIONS = {**names(FORM["error_sections"]), **names(FORM["sections"])}
PARTS = {spelling: name for kind in KINDS.values() for spelling, name in names(kind["parts"]).items()}
SEVERITIES: dict[str, str] = {word: name for name, others in FORM["severities"].items() for word in (name, *others)}
CATEGORIES: dict[str, str] = {word: name for name, others in FORM["categories"].items() for word in (name, *others)}
COLUMNS = {name: {markdown.key(word) or word for word in words} for name, words in FORM["columns"].items()}


def severity(stated: str) -> str:
    """The contract's word for a stated severity, or an empty string."""
    return next((SEVERITIES[word] for word in markdown.key(stated).split() if word in SEVERITIES), "")


def category(stated: str) -> str:
    """A category in one spelling, without case and signs; a known short form becomes the long one."""
    name = markdown.key(stated)
    return CATEGORIES.get(name, name)


def number(stated: str) -> Optional[float]:
    """A score as people write it: 92, 92/100, 92%, or 0.92 on a scale of 0 to 1."""
    match = NUMBER.search(stated)
    if not match:
        return None
    value = float(match[1])
    return round(value * 100, 4) if "." in match[1] and 0 < value <= 1 else value


def inside(confidence: Optional[float]) -> Optional[float]:
    """The confidence if it is from 0 to 100, else None."""
    return confidence if confidence is not None and 0 <= confidence <= 100 else None


def prompt(kind: str) -> str:
    """The instructions to an agent of this kind about its result: both forms, confidence rules and checklist."""
    agent = KINDS[kind]["agent"].capitalize()
    forms = (_form(agent, FORM["sections"], KINDS[kind]["parts"]), _form(agent, FORM["error_sections"], ()))
    bands = [f"| {band['from']}-{band['to']} | {band['name']} | {band['evidence']} |" for band in FORM["bands"]]
    return "\n".join(
        [
            phrases.FORM,
            "",
            "```markdown",
            *forms[0],
            "```",
            "",
            *[f"- {name}: {status['means']}." for name, status in STATUSES.items()],
            phrases.SUMMARY_STAYS.format(limit=LIMITS["summary_tokens"]),
            f"- Severities are {', '.join(FORM['severities'])}.",
            *[f"- {rule}" for rule in FORM["rules"]],
            "",
            phrases.BANDS,
            "|---|---|---|",
            *bands,
            "",
            phrases.FAILED_FORM,
            "",
            "```markdown",
            *forms[1],
            "```",
            "",
            phrases.CHECKLIST,
            "",
            "```markdown",
            "### Verification Completed",
            *[f"- [ ] {line}" for line in FORM["checklist"]],
            "```",
        ]
    )


def _form(agent: str, sections: Sequence[dict[str, Any]], parts: Sequence[dict[str, Any]]) -> list[str]:
    out = [f"## {agent} Result"]
    for section in sections:
        if section.get("inner"):
            continue
        out += [
            "",
            f"### {section['name']}{' (' + section['when'] + ')' if 'when' in section else ''}",
            *_body(section),
        ]
        for part in parts if section["name"] == "Findings" else ():
            out += ["", f"#### {part['name']}", *_body(part)]
    return out


def _body(entry: dict[str, Any]) -> list[str]:
    if "table" not in entry:
        return list(entry["lines"])
    table = entry["table"]
    rows = table.get("rows") or [table["row"]]
    return [_row(table["columns"]), "|" + "---|" * len(table["columns"]), *[_row(row) for row in rows]]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
