"""Honest answers, in every way in which people were seen to give them on each client: none is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from recordings import VERSIONS
from test_proof import say, typed, waiting

PROMPTS = json.loads((Path(__file__).parents[1] / "host" / "prompts.json").read_text(encoding="utf-8"))
ANSWERS = (
    "CSV", "both, please", "the first one", "no", "yes, but keep the old file", "XLSX (see docs/export.md)", "3.0-beta",
    "whatever is <faster> & safe", "beide, bitte", "“quoted”, with #12 and `code`", "nein\nund noch etwas", "sí, adelante",
)  # fmt: skip


def written_as(each: dict, words: str) -> dict:
    """The record of this way, of these words, as the host writes it."""
    record = json.loads(json.dumps(each["record"]))
    if "attachment" in record:
        record["attachment"]["prompt"] = words
        return record
    name, _, rest = words.partition(" ")
    content = record["message"]["content"]
    is_command = "<command-name>" in (content if isinstance(content, str) else content[0]["text"])
    whole = f"<command-message>{name[1:]}</command-message>\n<command-name>{name}</command-name>"
    text = f"{whole}\n<command-args>{rest}</command-args>" if is_command else words
    record["message"]["content"] = text if isinstance(content, str) else [{"type": "text", "text": text}]
    return record


@pytest.mark.parametrize("version", VERSIONS)
def test_no_honest_answer_is_refused(version, drive, monkeypatch, tell: Callable[[str], None]):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    waiting(drive, "CLARIFICATION_NEEDED")
    ways = [each for each in PROMPTS if each["whose"] == "human" and each["record"]["version"] == version]
    given = []
    for number, each in enumerate(ways * 3):
        words = f"/bg-answer bg-1 Q1: {ANSWERS[number % len(ANSWERS)]} ({number})"
        moment = {key: value for key, value in typed(drive, words).items() if key in ("promptId", "timestamp")}
        say(drive, words, {**written_as(each, words), **moment})
        drive.stop()
        given.append(words)
    found = {row["text"]: row["proof"] for row in drive.rows("SELECT text, proof FROM proofs")}
    refused = [words for words in given if found.get(words) != "keyboard"]
    tell(f"{version}: {len(given)} answers in {len(ways)} ways, {len(refused)} refused")
    assert refused == []
    assert len(given) >= 24
