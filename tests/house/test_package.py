"""The package: from one commit always the same, complete, and nothing in it that a careful reviewer would refuse."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import cli
from rig import package, release, tree

ROOT = package.ROOT
TOP = {
    ".claude-plugin", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "agents", "commands", "docs", "hooks",
    "plugin.json", "scripts", "skills",
}  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A repository with these files in one commit."""
    return tree.snapshot(ROOT, tmp_path_factory.mktemp("copy") / "bg")


def names(folder: Path) -> dict[str, Path]:
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if not path.is_dir()}


def texts(folder: Path) -> dict[str, str]:
    """What a reviewing model reads: everything but the icon."""
    return {name: path.read_text(encoding="utf-8") for name, path in names(folder).items() if path.suffix != ".png"}


def state(folder: Path) -> list[tuple[str, int, float, bytes]]:
    """Every file and folder as it is on the disk: mode, time, content."""
    return [
        (
            str(path.relative_to(folder)),
            path.stat().st_mode,
            path.stat().st_mtime,
            b"" if path.is_dir() else path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
    ]


def test_the_same_commit_gives_the_same_package_and_commit_everywhere(copy, tmp_path):
    """Under another umask, time zone and configuration, from another clone."""
    subprocess.run(["git", "clone", "-q", copy, tmp_path / "clone"], check=True)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[core]\n\tautocrlf = true\n[user]\n\tname = Somebody\n\temail = s@example.org\n[i18n]\n\tcommitEncoding = latin1\n"
    )
    code = (
        "import os, sys; from pathlib import Path; from rig import package; os.umask(0o077);"
        "built = package.read(Path(sys.argv[1])); built.write(Path(sys.argv[2])); print(built.store())"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "TZ": "Asia/Tokyo", "GIT_CONFIG_GLOBAL": str(settings)}
    command = [sys.executable, "-c", code, str(tmp_path / "clone"), str(tmp_path / "there")]
    there = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()
    built = package.read(copy)
    built.write(tmp_path / "here")
    assert there == built.store()
    assert state(tmp_path / "here") == state(tmp_path / "there")
    stored = package.git(copy, "ls-tree", "-r", "--name-only", there).decode().split()
    assert sorted(names(tmp_path / "here")) == sorted(stored)
    modes = {name: path.stat().st_mode & 0o777 for name, path in names(tmp_path / "here").items()}
    assert {"scripts/bgctl", "scripts/demo"} <= {name for name, mode in modes.items() if mode == 0o755}
    assert {0o644, 0o755} == set(modes.values())


def test_a_commit_of_a_package_follows_the_last_one(copy):
    first = package.read(copy).store()
    second = package.read(copy).store(first)
    assert first == package.git(copy, "rev-parse", f"{second}^").decode().strip()
    said = package.git(copy, "show", "-s", "--format=%an <%ae> %at%n%B", second).decode()
    source = package.git(copy, "rev-parse", "HEAD").decode().strip()
    version = json.loads((ROOT / "plugin.json").read_text())["version"]
    wanted = f"Nobody <nobody@example.org> 1000000000\nbg {version}\n\nBuilt by scripts/package from {source}.\n"
    assert wanted == said.rstrip("\n") + "\n"


def test_what_is_missing_is_named_and_nothing_is_overwritten(tmp_path):
    with pytest.raises(package.PackageError, match="not empty"):
        package.Package(ROOT, "", {}, set()).write(Path(__file__).parent)
    less = tree.snapshot(ROOT, tmp_path / "less")
    for name in ("scripts/rig/model.py", "docs/settings.md", "LICENSE"):
        package.git(less, "rm", "-q", name)
        package.git(less, "commit", "-qm", f"Without {name}")
        with pytest.raises(package.PackageError, match=f"has no .*{name}"):
            package.read(less)


def test_it_has_what_runs_and_nothing_else(packaged):
    found = names(packaged)
    assert TOP == {name.partition("/")[0] for name in found}
    assert {name for name in tree.files(ROOT) if name.startswith("scripts/bg/")} == {
        name for name in found if name.startswith("scripts/bg/")
    }
    assert {"bg", "bgctl", "demo", "rig"} == {path.name for path in (packaged / "scripts").iterdir()}
    for name, path in found.items():
        if name != "README.md":
            assert (ROOT / name).read_bytes() == path.read_bytes(), name


def test_every_command_of_bgctl_runs_from_it_and_so_does_the_doctors_trial(packaged, tmp_path):
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}

    def bgctl(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(packaged / "scripts" / "bgctl"), *words]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)

    for name in cli.COMMANDS:
        done = bgctl(name, "--help")
        assert (0, "") == (done.returncode, done.stderr), name
    found = {item["subject"]: item["state"] for item in json.loads(bgctl("doctor", "--json").stdout)}
    assert "ok" == found["trial"]


def test_its_readme_has_no_part_about_development_and_no_link_that_leads_nowhere(packaged):
    readme = (packaged / "README.md").read_text(encoding="utf-8")
    whole = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "## Working on it" in whole
    assert "## Working on it" not in readme
    assert "repository only" not in readme
    kept = iter(whole.splitlines())
    assert all(line in kept for line in readme.splitlines()), "it has only lines of the whole one, in their order"
    for page in packaged.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s:]+)[)#]", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)


def test_nothing_in_it_is_packed_linked_or_too_large(packaged):
    found = names(packaged)
    assert not [name for name, path in found.items() if path.is_symlink()]
    assert [".claude-plugin/icon.png"] == [name for name in found if b"\0" in found[name].read_bytes()]
    assert len(found) < 512
    assert max(path.stat().st_size for path in found.values()) < 256 * 1024
    assert max(len(line) for text in texts(packaged).values() for line in text.splitlines()) < 5_000


STORES = r"find-(generic|internet)-password|secret-tool|\bkeyring\b|keytar|cmdkey|\.aws/credentials|\.ssh/|\bid_rsa\b|\.credentials"
STEERING = r"(ignore|disregard|forget) (all|any|every|the|your|these|previous|prior|earlier|other)[^.\n]{0,30}(instruction|rule|prompt)"
LAUNCHERS = r"\b(npx|uvx|pipx|curl|wget)\b"


def test_nothing_in_it_reads_credentials_or_steers_a_model(packaged):
    for name, text in texts(packaged).items():
        assert not re.search(STORES, text, re.IGNORECASE), name
        assert not re.search(STEERING, text, re.IGNORECASE), name


def test_nothing_that_claude_code_starts_fetches_a_program(packaged):
    """The check of reports knows the names of such programs; what the host reads has none of them."""
    found = texts(packaged)
    assert not [name for name in found if name.endswith((".mcp.json", ".lsp.json"))]
    read = [name for name in found if name.startswith((".claude-plugin/", "agents/", "commands/", "hooks/", "skills/"))]
    assert len(read) >= 13
    assert not [name for name in read if re.search(LAUNCHERS, found[name])]


def test_its_manifest_says_what_surprises_nobody(packaged):
    manifest = json.loads((packaged / "plugin.json").read_text())
    assert manifest == json.loads((packaged / ".claude-plugin/plugin.json").read_text())
    words = manifest["description"]
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{1,63}", manifest["name"])
    assert 10 <= len(words) <= 2000
    assert words == words.strip()
    assert words.isascii()
    for said in ("Hooks at agent and prompt events", "ledger on your machine", "sends nothing"):
        assert said in words
    readme = (packaged / "README.md").read_text(encoding="utf-8")
    assert len(readme.split()) >= 40
    for name in ("LICENSE", "SECURITY.md"):
        assert f"]({name})" in readme
    for command in ("scripts/bgctl install-packages", "the demo"):
        assert command in readme.partition("\n## Privacy\n")[2].partition("\n## ")[0]


def test_every_point_of_the_review_names_a_test_that_is_there():
    lines = (ROOT / "docs" / "review.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| ")][2:]
    assert len(rows) >= 12
    for question, _, proof in rows:
        tests = re.findall(r"`(tests/[\w./]+)`", proof)
        assert tests, question
        assert all((ROOT / name).is_file() for name in tests), question


# A release


@pytest.fixture
def checked(monkeypatch) -> list[Path]:
    """The packages that would be validated; the client itself does so in .ci/run."""
    folders: list[Path] = []
    monkeypatch.setattr(release, "check", folders.append)
    return folders


@pytest.fixture
def here(tmp_path) -> Path:
    """A repository in which something is unreleased."""
    folder = tree.snapshot(ROOT, tmp_path / "here")
    unreleased(folder)
    return folder


def unreleased(repository: Path) -> None:
    changelog = repository / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    changelog.write_text(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n- A thing.\n", 1), encoding="utf-8")
    package.git(repository, "commit", "-qam", "Add a thing")


def log(repository: Path, name: str) -> list[str]:
    return package.git(repository, "log", "--format=%s", name).decode().split("\n")[:-1]


def test_a_release_cuts_the_changelog_sets_the_version_and_stores_the_package(here, checked, capsys):
    assert 0 == release.main(["1.2.3", "--date", "2027-01-31"], here)
    assert "git push origin HEAD release bg--v1.2.3" in capsys.readouterr().out
    assert 1 == len(checked)
    assert ["Release 1.2.3", "Add a thing", "As it is"] == log(here, "HEAD")
    changed = package.git(here, "diff", "--name-only", "HEAD^", "HEAD").decode().split()
    assert [".claude-plugin/plugin.json", "CHANGELOG.md", "plugin.json"] == changed
    before = package.git(here, "show", "HEAD^:CHANGELOG.md").decode()
    after = (here / "CHANGELOG.md").read_text(encoding="utf-8")
    assert before.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [1.2.3] - 2027-01-31\n") == after
    assert ["bg 1.2.3"] == log(here, "release")
    assert package.git(here, "rev-parse", "release") == package.git(here, "rev-parse", "bg--v1.2.3")
    inside = json.loads(package.git(here, "show", "release:.claude-plugin/plugin.json"))
    assert "1.2.3" == inside["version"]
    assert 1 == release.main(["1.2.4"], here), "nothing is unreleased"
    (here / "another").touch()
    assert 1 == release.main(["1.2.4"], here), "not everything is committed"
    (here / "another").unlink()
    unreleased(here)
    assert 1 == release.main(["1.2.2"], here), "an older version"
    assert 1 == release.main(["1.2.3"], here), "the tag is there"
    assert 0 == release.main(["1.2.4"], here)
    assert ["bg 1.2.4", "bg 1.2.3"] == log(here, "release")
    assert package.git(here, "status", "--porcelain") == b""


@pytest.mark.parametrize("dry", [True, False])
def test_nothing_changes_unless_everything_has_worked(here, checked, monkeypatch, capsys, dry):
    refs = package.git(here, "for-each-ref")
    if not dry:

        def refuse(folder: Path) -> None:
            raise package.PackageError(f"not valid: {folder.name}")

        monkeypatch.setattr(release, "check", refuse)
    assert int(not dry) == release.main(["1.2.3", *(["--dry-run"] if dry else [])], here)
    said = capsys.readouterr()
    assert ("nothing was changed" in said.out, "not valid: package" in said.err) == (dry, not dry)
    assert refs == package.git(here, "for-each-ref")
    assert package.git(here, "status", "--porcelain") == b""
