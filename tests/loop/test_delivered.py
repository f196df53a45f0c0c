"""What result files lack by the contract, told with the report that names them and with its group."""

from __future__ import annotations

import subprocess

import pytest
from bg.loop import delivered
from bg.results import contract, form
from drive import block, context
from test_hearing import calls, written

EXPLORED = """## Explorer Result

### Status
SUCCESS

### Summary
Traced the login.

### Findings

#### Entry Points
| Entry | File:Line | Type |
|---|---|---|
| POST /login | `src/auth.ts:2` | REST |
| POST /token | `src/token.ts:8` | REST |

### Key References
| Item | Location | Relevance |
|---|---|---|
| AuthService | `src/auth.ts:900` | the core |
| Config | the settings | read at start |

### Confidence
97 - all paths traced
"""


def test_what_a_result_lacks_by_the_contract_is_told_with_its_report_and_with_its_group(newest):
    """A high confidence without its components, and places that are not there; a report is no result, nor a README."""
    newest.prompt("/bg Explore the login from two sides")
    tokens = [newest.launch("Explore", agent, description=f"bg-1: {agent}") for agent in ("a1", "a2")]
    newest.stop()
    (newest.folder / "src").mkdir()
    (newest.folder / "src" / "auth.ts").write_text("one\ntwo\nthree\n")
    (newest.folder / "results").mkdir()
    (newest.folder / "results" / "login.md").write_text(EXPLORED)
    (newest.folder / "README.md").write_text("# The project\n\nHow to begin.\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(newest.folder), *words], check=True, capture_output=True)
    written(newest, {"type": "user", "message": {"role": "user", "content": tokens[0]}}, *calls("Bash", command="ls"))
    newest.ends("a1", block("COMPLETION_REPORT", tokens[0], deliverables="results/login.md", status="success"))
    told = context(newest.announced("a1"))
    lacks = [
        "no such file: “src/token.ts:8”; no such line: “src/auth.ts:900”",
        "without a file:line: “Config”",
        "confidence 97 without its components: “verified”, “inferred”, “combined”; confidence 97 without a justification",
    ]
    assert [line for line in told.split("\n") if "contract" in line] == [
        f"By the result contract, {each}" for each in lacks
    ]
    newest.stop()
    newest.ends("a2", block("COMPLETION_REPORT", tokens[1], deliverables="README.md", status="success"))
    account = context(newest.announced("a2"))
    assert [line for line in account.split("\n") if "contract" in line] == [
        f"> bg-1, by the result contract: {each}" for each in lacks
    ]
    assert "could not be read" not in account


@pytest.mark.parametrize("name", [name for name, section in form.SECTIONS.items() if section in contract.TELLING])
def test_whatever_names_a_section_that_every_result_has_is_looked_at(name):
    spelled = name.replace(" ", "_").title()
    assert all(delivered.is_telling(f"words\n{each}\nmore") for each in (f"## 1. {spelled} (92)", f"  # **{name}**"))
    assert delivered.is_telling(f"words\r\n**{spelled}:** high")


def test_a_file_that_is_no_result_is_not_read_as_one(newest, monkeypatch):
    """Neither is its report, which has a status of its own."""
    newest.prompt("/bg Explore the login")
    token = newest.launch("Explore", "a1")
    newest.stop()
    (newest.folder / "notes.md").write_text("# The notes\n\nThey say nothing.\n")
    monkeypatch.setattr(contract, "parse_all", lambda _: pytest.fail("it was read"))
    newest.ends("a1", block("COMPLETION_REPORT", token, deliverables="notes.md", status="success"))
    newest.announced("a1")
    assert newest.rows("SELECT text FROM errors") == []
    assert newest.rows("SELECT state FROM tasks") == [{"state": "done"}]
