"""Generated regions: fresh in this repository, and a stale, unknown or absent one is a failure."""

from __future__ import annotations

import json

import pytest
from bg.host import tools
from rig import generated


@pytest.fixture
def readme(tmp_path, monkeypatch):
    """A tree with one file and one region."""
    monkeypatch.setattr(generated, "FILES", ("README.md",))
    monkeypatch.setattr(generated, "WHOLE", {})
    monkeypatch.setattr(generated, "REGIONS", {"signals": generated.REGIONS["signals"]})
    path = tmp_path / "README.md"
    path.write_text(f"# Title\n\n{generated.region('signals')}\n\nThe end.\n")
    return path


def test_this_repository_is_fresh(capsys):
    assert 0 == generated.main(["--check"])
    assert ("", "") == capsys.readouterr()


def test_hooks_json_follows_the_table_of_routes(tmp_path, monkeypatch, capsys):
    """A tool with one more name is matched under both, the newer one first."""
    monkeypatch.setattr(generated, "FILES", ())
    monkeypatch.setattr(generated, "REGIONS", {})
    monkeypatch.setattr(generated, "WHOLE", {"hooks/hooks.json": generated.hooks})
    path = tmp_path / "hooks" / "hooks.json"
    path.parent.mkdir()
    path.write_bytes((generated.ROOT / "hooks" / "hooks.json").read_bytes())
    assert 0 == generated.main(["--check"], tmp_path)
    before = json.loads(path.read_text())["hooks"]
    old = "|".join(tools.MESSAGE.names)
    monkeypatch.setattr(tools.MESSAGE, "names", ("Renamed", *tools.MESSAGE.names))
    assert 1 == generated.main(["--check"], tmp_path)
    assert "hooks/hooks.json is stale; run scripts/generate\n" == capsys.readouterr().out
    assert 0 == generated.main([], tmp_path)
    hooks = json.loads(path.read_text())["hooks"]
    for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        matcher = before[event][0]["matcher"]
        assert old in matcher
        before[event][0]["matcher"] = matcher.replace(old, f"Renamed|{old}")
    assert list(before.items()) == list(hooks.items())


def test_a_fresh_file_passes(readme):
    assert 0 == generated.main(["--check"], readme.parent)


def test_a_stale_file_is_named_and_then_written(readme, capsys):
    fresh = readme.read_text()
    readme.write_text(fresh.replace("STOP_WORK", "STOPPED"))
    assert 1 == generated.main(["--check"], readme.parent)
    assert "README.md is stale; run scripts/generate\n" == capsys.readouterr().out
    assert 0 == generated.main([], readme.parent)
    assert fresh == readme.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Title\n", "no file has the region signals"),
        ("<!-- begin generated: other -->\n<!-- end generated: other -->\n", "nothing generates the region other"),
        ("<!-- begin generated: signals -->\n", "a region is opened and not closed"),
    ],
)
def test_a_region_that_cannot_be_filled_is_a_failure(readme, text, said, capsys):
    readme.write_text(text)
    assert 1 == generated.main([], readme.parent)
    assert said in capsys.readouterr().err
    assert text == readme.read_text()


def test_no_readme_is_a_failure(tmp_path):
    assert 1 == generated.main(["--check"], tmp_path)
