"""The literal /bg: shown before it is written, never over another's file, told about once a version."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from bg import hook
from bg.desk import cli, shortcuts
from bg.host import versions
from bg.ledger import place
from bg.words import launch_command
from recordings import NEWEST, VERSIONS, recorded


def bgctl(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["shortcuts", *arguments])
    return (code, *capsys.readouterr())


def shortcut() -> Path:
    return Path(place.config_directory()) / "commands" / "bg.md"


def test_shown_written_renewed_and_removed(capsys):
    code, out, _ = bgctl(capsys)
    assert (code, shortcut().exists()) == (0, False)
    assert f"{shortcut()} would be written with --write" in out
    assert bgctl(capsys, "--write")[:2] == (0, f"{shortcut()} written. Type /bg <task> in a new session.\n")
    text = shortcut().read_text()
    assert text in out
    assert bgctl(capsys, "--write")[:2] == (0, f"{shortcut()} is there already.\n")
    shortcut().write_text(f"---\nname: bg\n---\n{launch_command.MARK}\nAn earlier text.\n")
    assert "with an earlier text" in bgctl(capsys)[1]
    bgctl(capsys, "--write")
    assert shortcut().read_text() == text
    assert bgctl(capsys, "--remove")[:2] == (0, f"{shortcut()} removed.\n")
    assert not shortcut().exists()
    assert bgctl(capsys, "--remove")[:2] == (0, f"{shortcut()} is not there.\n")


@pytest.mark.parametrize("text", ["Mine.\n", "", "---\nname: bg\n---\nMine, for /bg\n"])
def test_a_file_that_is_not_ours_is_never_touched(capsys, text):
    shortcut().parent.mkdir(parents=True)
    shortcut().write_text(text)
    for arguments in (["--write"], []):
        code, out, errors = bgctl(capsys, *arguments)
        assert (code, out) == (1, "")
        assert "not ours; it stays as it is" in errors
    assert bgctl(capsys, "--remove")[0] == 0
    assert shortcut().read_text() == text


def test_a_link_that_leads_nowhere_is_not_ours(capsys):
    shortcut().parent.mkdir(parents=True)
    shortcut().symlink_to("/nowhere/bg.md")
    assert bgctl(capsys, "--write")[0] == 1
    assert shortcut().is_symlink()


def test_a_directory_that_cannot_be_written_is_named(capsys):
    Path(place.config_directory()).mkdir(parents=True)
    shortcut().parent.write_text("a file where the directory should be")
    code, _, errors = bgctl(capsys, "--write")
    assert code == 1
    assert errors.startswith(f"bgctl: {shortcut()}: ")


def test_the_text_tells_by_itself_when_nobody_listens(capsys):
    """It is the plugin's command, but for what only a plugin's file can say."""
    bgctl(capsys, "--write")
    text = shortcut().read_text()
    own = (shortcuts.ROOT / "commands" / "bg.md").read_text()
    assert "${" not in text
    assert (
        "begins `[from the bg plugin, not from the user] label:`. If there is none, the plugin's hooks are not running"
        in text
    )
    assert "`claude plugin list` shows" in text
    assert f"the file `{shortcut()}`" in text
    assert "and launch nothing." in text
    assert text.splitlines()[:5] == own.splitlines()[:5]
    assert len(text.splitlines()) == len(own.splitlines()) + 1


def begins(version: str, tmp_path: Path, monkeypatch, attended: bool = True) -> str:
    """What a first session on this host says to the user, before there is any ledger."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli" if attended else "sdk-cli")
    if version not in ("2.1.7", "2.1.38", "2.1.100"):
        monkeypatch.setenv("AI_AGENT", f"claude-code_{version.replace('.', '-')}_harness")
    payload = recorded(version, "background", "SessionStart")
    out = io.StringIO()
    given = {**payload, "transcript_path": str(tmp_path / "none.jsonl"), "cwd": str(tmp_path)}
    hook.main(io.StringIO(json.dumps(given)), out)
    assert place.existing() == []
    return str(json.loads(out.getvalue() or "{}").get("systemMessage", ""))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_first_session_says_what_to_type_once(version, tmp_path, monkeypatch):
    assert begins(version, tmp_path, monkeypatch, attended=False) == ""
    said = begins(version, tmp_path, monkeypatch)
    assert begins(version, tmp_path, monkeypatch) == ""
    if version not in ("2.1.7", "2.1.38", "2.1.100", "2.1.197"):
        assert said.startswith(
            f"bg: in Claude Code {version} a plain /bg is Claude Code's own command. Type /bg:bg <task>;"
        )
        assert said.endswith(f'"{shortcuts.ROOT}/scripts/bgctl" shortcuts --write')
        assert "\n" not in said
    else:
        assert said == ""


def test_the_next_version_says_it_again_and_a_shortcut_ends_it(tmp_path, monkeypatch, capsys):
    assert begins("2.1.258", tmp_path, monkeypatch)
    bgctl(capsys, "--write")
    assert begins(NEWEST, tmp_path, monkeypatch) == ""
    bgctl(capsys, "--remove")
    assert begins(NEWEST, tmp_path, monkeypatch)


def test_notices_off_keeps_it_quiet(tmp_path, monkeypatch):
    Path(place.config_directory()).mkdir(exist_ok=True)
    (Path(place.config_directory()) / "bg.json").write_text('{"notices": false}')
    assert begins(NEWEST, tmp_path, monkeypatch) == ""


def test_it_is_said_beside_what_is_in_flight(drive, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive.prompt("/bg:bg Audit the auth code")
    drive.launch("Audit.", "a1")
    said = drive.send(recorded(NEWEST, "background", "SessionStart"))["systemMessage"].splitlines()
    assert [line.split(":")[0] for line in said] == ["bg", "bg"]
    assert "Type /bg:bg <task>" in said[0]
    assert said[1].endswith("· /bg-status")


def test_what_to_type_for_a_launch_depends_on_the_host(capsys):
    named = [None, "2.1.7", "2.1.197", "2.1.258", NEWEST]
    hosts = [versions.host_of(versions.version_of(name or "")) for name in named]
    assert [launch_command.spelled(host) for host in hosts] == ["/bg:bg", "/bg", "/bg", "/bg:bg", "/bg:bg"]
    bgctl(capsys, "--write")
    assert {launch_command.spelled(host) for host in hosts} == {"/bg"}
