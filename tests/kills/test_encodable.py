"""Names that are not UTF-8 and halves of surrogate pairs: no event is lost for them, and the name can be told."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from bg import foreign
from play import Host, block, label_in, notification, token_in

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
NAME = os.fsdecode(b"caf\xe9.txt")
SHOWN = "caf\N{REPLACEMENT CHARACTER}(E9).txt"


def _launched(host: Host) -> str:
    """A launch with everything that the host sends of it; the agent's token."""
    label = label_in(host.hook(host.prompt("/bg Audit the menu")).context)
    launch = host.launch("toolu_1", f"{label} audit", "Audit the menu.")
    given = host.hook(launch).whole["hookSpecificOutput"]["updatedInput"]
    host.hook(host.launched("toolu_1", "a1", given))
    return token_in(given["prompt"])


def _write(folder: Path, text: str, after: float = 0.0) -> None:
    path = folder / NAME
    path.write_text(text)
    if after:
        os.utime(path, (time.time() + after, time.time() + after))


@pytest.mark.parametrize("kind", ["tracked", "untracked", "no repository", "removed"])
def test_a_changed_file_whose_name_is_not_utf_8_costs_no_report(tmp_path, kind):
    host = Host(tmp_path)
    if kind != "no repository":
        subprocess.run([*GIT, "-C", str(host.project), "init", "-q"], check=True)
    if kind in ("tracked", "removed"):
        _write(host.project, "coffee\n", -3600)
        for words in (["add", "-A"], ["commit", "-q", "-m", "before"]):
            subprocess.run([*GIT, "-C", str(host.project), *words], check=True)
    token = _launched(host)
    if kind == "removed":
        (host.project / NAME).unlink()
    else:
        _write(host.project, "coffee and tea\n", 20)
    report = block(
        "COMPLETION_REPORT", token, summary="word-a1-x", deliverables="The menu", evidence="- changed menu.md"
    )
    host.agent_says("a1", ("user", "Audit the menu."), ("assistant", report))
    asked = host.hook(host.ends("a1", report))
    assert "word-a1-x" not in asked.context
    host.hook(host.ends("a1", report, again=True))
    told = host.hook(host.prompt(notification("a1", report)))
    assert "word-a1-x" in told.context
    assert host.rows("SELECT state FROM tasks") == [{"state": "disputed"}]
    facts = json.loads(host.rows("SELECT evidence FROM runs")[0]["evidence"])["facts"]
    assert facts["meanwhile"] == [SHOWN]  # no call of the agent names it
    assert SHOWN in asked.whole["reason"]
    assert host.rows("SELECT * FROM errors") == []


def test_half_of_a_surrogate_pair_costs_no_event(tmp_path):
    """As bytes, the way a host that cuts a text in the midst of a pair writes it."""
    host = Host(tmp_path)

    def told(event: dict[str, Any]) -> dict[str, Any]:
        code, out, err = host.run(json.dumps(event, separators=(",", ":")).replace("HALF", "\\ud800").encode())
        assert (code, err) == (0, "")
        return json.loads(out or "{}")

    said = told(host.prompt("/bg Audit HALF the menu"))
    label = label_in(said["hookSpecificOutput"]["additionalContext"])
    launch = host.launch("toolu_1", f"{label} audit HALF", "Audit HALF the menu.")
    given = told(launch)["hookSpecificOutput"]["updatedInput"]
    told(host.launched("toolu_1", "a1", given))
    token = token_in(given["prompt"])
    asking = block("CLARIFICATION_NEEDED", token, summary="word HALF")
    told({**host.ends("a1", asking), "cwd": f"{host.project}/HALF"})
    assert "asks: “Should the export" in told(host.prompt(notification("a1", asking)))["systemMessage"]
    told(host.prompt(f"/bg-answer {label} Q1: HALF of it Q2: none"))
    assert [each["text"] for each in host.rows("SELECT text FROM typed")][-1:] == [f"{label} Q1: ? of it Q2: none"]
    assert host.rows("SELECT * FROM errors") == []


def test_a_text_that_can_be_stored_tells_which_file_is_meant():
    assert foreign.encodable("café ☕") == "café ☕"
    assert foreign.encodable(NAME) == SHOWN
    assert foreign.encodable("\ud800x\udfff") == "\N{REPLACEMENT CHARACTER}(D800)x\N{REPLACEMENT CHARACTER}(DFFF)"
    assert json.loads(foreign.encodable(json.dumps({"a": NAME}, ensure_ascii=False))) == {"a": SHOWN}
