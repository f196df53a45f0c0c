"""Secrets of well-known shapes: masked in what is stored, exported and shown; nothing else is, and it can be turned off."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bg import masking
from bg.desk import cli
from bg.ledger import place
from drive import Drive, block, context
from recordings import everything, recorded

ROOT = Path(__file__).resolve().parents[2]
LETTERS = string.ascii_letters + string.digits
_dice = random.Random(7)


def some(count: int, letters: str = LETTERS) -> str:
    return "".join(_dice.choice(letters) for _ in range(count))


UPPER = string.ascii_uppercase + string.digits
SECRETS = {
    "AWS key": "AKIA" + some(16, UPPER),
    "AWS secret": "aws_secret_access_key = " + some(40),
    "GitHub token": "ghp_" + some(36),
    "GitHub token, fine-grained": "github_pat_" + some(22) + "_" + some(59),
    "GitLab token": "glpat-" + some(20),
    "Slack token": "xoxb-" + some(12, string.digits) + "-" + some(24),
    "Slack webhook": "https://hooks.slack.com/services/T" + some(8, UPPER) + "/B" + some(8, UPPER) + "/" + some(24),
    "Anthropic key": "sk-ant-api03-" + some(80),
    "OpenAI key": "sk-proj-" + some(60),
    "OpenAI key, old": "sk-" + some(48),
    "Stripe key": "sk_live_" + some(24),
    "Google key": "AIza" + some(35),
    "Google secret": "GOCSPX-" + some(28),
    "npm token": "npm_" + some(36),
    "PyPI token": "pypi-AgE" + some(80),
    "Hugging Face token": "hf_" + some(34),
    "SendGrid key": "SG." + some(22) + "." + some(43),
    "JSON Web Token": "eyJ" + some(30) + ".eyJ" + some(60) + "." + some(43),
    "private key": f"-----BEGIN OPENSSH {'PRIVATE'} KEY-----\n"
    + "".join(f"{some(70)}\n" for _ in range(6))
    + f"-----END OPENSSH {'PRIVATE'} KEY-----",
    "password": "postgres://admin:" + some(12) + "@db.example.org/x",
    "bearer": "Authorization: Bearer " + some(40),
}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    masking._is_wanted.cache_clear()
    yield
    masking._is_wanted.cache_clear()


def secret_of(text: str) -> str:
    """The longest run of letters of it, which must not be left."""
    return max("".join(sign if sign in LETTERS else " " for sign in text).split(), key=len)


@pytest.mark.parametrize("name", SECRETS)
def test_each_shape_is_masked_once_and_for_all(name: str) -> None:
    text = f"I used {SECRETS[name]} for it."
    masked = masking.masked(text)
    assert secret_of(SECRETS[name]) not in masked
    assert "[masked: " in masked
    assert masked.startswith("I used ")
    assert masked.endswith(" for it.")
    assert masking.masked(masked) == masked
    assert json.loads(masking.masked(json.dumps({"text": text})))["text"].startswith("I used ")


def test_nothing_else_is_masked(tell: Any) -> None:
    """What the hosts gave their hooks, and this repository's own words."""
    payloads = [json.dumps(payload, ensure_ascii=False) for _, payload in everything()]
    texts = [
        path.read_text(encoding="utf-8")
        for kind in ("*.md", "*.py", "*.json")
        for path in (ROOT / "scripts" / "bg").rglob(kind)
    ]
    false = [text[:80] for text in payloads + texts if masking.masked(text) != text]
    tell(f"{len(payloads)} payloads and {len(texts)} files: {len(false)} false masks")
    assert false == []
    assert len(payloads) > 1000


def told(tmp_path: Path, capsys: Any) -> str:
    """Everything that is kept, exported and shown of an agent that writes secrets."""
    drive = Drive("2.1.327", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    words = "\n".join(SECRETS.values())
    said = [drive.ends("a1", block("CLARIFICATION_NEEDED", token, reason=words)), drive.announced("a1")]
    said += [drive.prompt("/bg-answer bg-1 go")]
    said += [drive.ends("a1", block("COMPLETION_REPORT", token, summary=words)), drive.announced("a1")]
    said += [drive.prompt("/bg-status bg-1"), drive.stop(last_assistant_message="ok")]
    assert "bg-1" in context(said[1])
    for arguments in (["export"], ["status", "bg-1"], ["status", "--json"]):
        cli.main(arguments)
    kept = b"".join(path.read_bytes() for path in Path(place.directory()).glob("ledger.db*"))
    return json.dumps(said) + str(capsys.readouterr().out) + kept.decode("utf-8", "replace")


def test_no_secret_is_stored_exported_or_shown(tmp_path: Path, capsys: Any) -> None:
    found = told(tmp_path, capsys)
    assert [name for name, text in SECRETS.items() if secret_of(text) in found] == []
    assert "[masked: GitHub token]" in found
    assert (
        secret_of(SECRETS["npm token"])
        in next((Path(place.config_directory()) / "projects").rglob("agent-a1.jsonl")).read_text()
    ), "the agent's own file is its own"


def test_the_user_can_turn_it_off_and_a_project_cannot(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "bg.json").write_text('{"mask_secrets": false}')
    assert secret_of(SECRETS["npm token"]) not in told(tmp_path, capsys)
    users = Path(place.config_directory()) / "bg.json"
    users.parent.mkdir(parents=True, exist_ok=True)
    users.write_text('{"mask_secrets": false}')
    masking._is_wanted.cache_clear()
    assert masking.masked(SECRETS["npm token"]) == SECRETS["npm token"]


def test_what_the_user_says_reaches_the_agent_as_it_is(tmp_path: Path) -> None:
    drive = Drive("2.1.327", tmp_path)
    secret = SECRETS["GitHub token"]
    drive.prompt("/bg Audit")
    token = drive.launch(f"Use {secret}.", "a1")
    assert secret in drive.taken["prompt"]
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.prompt(f"/bg-answer bg-1 Q1: {secret} Q2: no")
    wake = {**recorded("2.1.327", "question", "PreToolUse", "AskUserQuestion"), "tool_name": "SendMessage"}
    said = drive.send(wake, tool_use_id="w", tool_input={"to": "a1", "message": ""})
    assert f"A1: {secret}" in said["hookSpecificOutput"]["updatedInput"]["message"]
