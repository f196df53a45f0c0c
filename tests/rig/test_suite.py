"""`scripts/test` itself: which tests, which clients, and a registry that gives nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rig import clients, demo, draw, fetching, pins, registry, suite

ROOT = Path(__file__).resolve().parents[2]
REFUSED = """npm error code ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/@anthropic-ai%2fclaude-code failed, reason: connect ECONNREFUSED
"""
SAID = {
    REFUSED: "the registry 127.0.0.1:9 refuses the connection",
    "npm error code ENOTFOUND\nnpm error network request to https://no.invalid/x failed, reason: getaddrinfo ENOTFOUND": "the registry no.invalid has no known name",
    "npm error code FETCH_ERROR\nnpm error network timeout at: http://127.0.0.1:8801/@anthropic-ai%2fclaude-code": "the registry 127.0.0.1:8801 does not answer",
    "npm error code E403\nnpm error 403 403 Forbidden - GET http://user:secret@npm.example/x": "the registry npm.example answers with HTTP status 403",
    "npm error code ETARGET\nnpm error notarget No matching version found for x@9.\n": "the registry does not give it: npm error code ETARGET / npm error notarget No matching version found for x@9.",
    "Could not fetch URL http://127.0.0.1:9/simple/pytest/: connection error: HTTPConnectionPool(host='127.0.0.1', port=9): Max retries exceeded (Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused')) - skipping": "the registry 127.0.0.1:9 refuses the connection",
    "Could not fetch URL https://pypi.example/simple/pytest/: connection error: Max retries exceeded (Caused by ReadTimeoutError('Read timed out. (read timeout=6.0)')) - skipping": "the registry pypi.example does not answer",
    "Could not fetch URL https://pypi.example/simple/pytest/: 403 Client Error: Forbidden for url: https://pypi.example/simple/pytest/ - skipping": "the registry pypi.example answers with HTTP status 403",
    "Could not fetch URL https://pypi.example/simple/pytest/: Max retries exceeded (Caused by ResponseError('too many 503 error responses'))": "the registry pypi.example answers with HTTP status 503",
    "Could not fetch URL https://no.invalid/simple/: (Caused by NewConnectionError('[Errno -2] Name or service not known'))": "the registry no.invalid has no known name",
    "ERROR: No matching distribution found for pytest==9.2.0\n": "the registry does not give it: ERROR: No matching distribution found for pytest==9.2.0",
    "": "the registry does not give it: no reason was given",
}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Nothing is installed; `program` puts a program on PATH that does what is given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("BG_HOSTS", str(tmp_path / "hosts"))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv(clients.IN_PLACE, raising=False)

    def program(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return program


@pytest.mark.parametrize("said", SAID)
def test_the_cause_is_named(said):
    assert SAID[said] == registry.reason(said)


def test_a_registry_that_does_not_answer_is_not_waited_for(machine, tmp_path, monkeypatch):
    """The one question of all runs; the demo says so, and goes on with the recorded events."""
    monkeypatch.setattr(demo, "run_recorded", lambda *_: 0)
    said = []
    monkeypatch.setattr(demo.View, "plain", lambda _, words: said.append(words))
    monkeypatch.setattr(registry, "PATIENCE", 0.3)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    machine("npm", f"echo asked >> '{tmp_path}/asked'\nexec sleep 60")
    begun = time.monotonic()
    missing = fetching.install_all(clients.VERSIONS, lambda _: None)
    assert 0 == demo.main([])
    assert time.monotonic() - begun < 30
    cause = "Claude Code cannot be fetched with npm: the registry does not answer (waited 0 s)"
    assert dict.fromkeys(clients.VERSIONS, cause) == missing
    assert [f"No Claude Code to run: {cause}."] == said
    assert "asked\nasked\n" == (tmp_path / "asked").read_text()


def test_the_question_is_bounded_and_asked_without_retries():
    assert registry.PATIENCE < 10
    assert "--fetch-retries=0" in registry.NPM
    assert registry.PIP[1:3] == ("--retries", "0")


def test_a_refusal_is_said_once_for_all_clients(machine):
    machine("npm", f"cat <<'X'\n{REFUSED}X\nexit 1")
    said = []
    missing = fetching.install_all(clients.VERSIONS, said.append)
    assert ["Claude Code cannot be fetched with npm: the registry 127.0.0.1:9 refuses the connection"] == said
    assert set(clients.VERSIONS) == set(missing)


def test_a_download_that_breaks_off_leaves_nothing_that_looks_installed(machine, tmp_path):
    script = """[ "$1" = install ] || exit 0
mkdir -p "$3/node_modules/@anthropic-ai/claude-code"; echo half > "$3/node_modules/@anthropic-ai/claude-code/cli.js"
echo 'npm error code ECONNRESET'; exit 1"""
    machine("npm", script)
    machine("node", "true")
    with pytest.raises(clients.ClientError, match="breaks the connection off"):
        fetching.install("2.1.7", lambda _: None)
    assert not clients.installed("2.1.7")
    assert [] == list((tmp_path / "hosts").iterdir())
    machine("npm", script.replace("exit 1", "exit 0"))
    fetching.install("2.1.7", lambda _: None)
    assert clients.installed("2.1.7")


def test_a_version_that_the_registry_lacks_says_nothing_of_the_others(machine):
    machine("npm", """case $* in *@2.1.7\\ *) echo 'npm error code E404'; exit 1;; esac; exit 0""")
    said = []
    missing = fetching.install_all(["2.1.7", "2.1.38"], said.append)
    assert "Claude Code 2.1.7 cannot be fetched: the registry does not have it" == missing["2.1.7"]
    assert "without a program for this machine" in missing["2.1.38"]


PUBLISHED = [f"2.1.{number}" for number in range(3, 340)]


def test_the_same_tree_draws_the_same_versions_and_another_tree_draws_others():
    found = draw.pick(PUBLISHED, "one tree")
    assert found == draw.pick(reversed(PUBLISHED), "one tree")
    assert draw.COUNT == len(set(found))
    assert not set(found) & set(clients.VERSIONS)
    assert all((2, 1, 7) < clients.numbers(each) < clients.numbers(clients.newest()) for each in found)
    several = {tuple(draw.pick(PUBLISHED, f"tree {number}")) for number in range(20)}
    assert 20 == len(several)


def test_a_version_that_comes_or_goes_leaves_the_others_drawn():
    found = draw.pick(PUBLISHED, "one tree")
    assert found[1:] == [each for each in draw.pick(set(PUBLISHED) - {found[0]}, "one tree") if each in found]


def test_only_what_speaks_to_the_client_decides_the_draw(tmp_path):
    for name in (".gitignore", "hooks/run", "scripts/bg/host/event.py", "scripts/bg/loop/turns.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("as it was\n")
    before = draw.state(tmp_path)
    (tmp_path / "scripts/bg/loop/turns.py").write_text("changed\n")
    assert before == draw.state(tmp_path)
    for name in ("hooks/run", "scripts/bg/host/event.py"):
        (tmp_path / name).write_text("changed\n")
        assert before != (before := draw.state(tmp_path))


def test_the_registry_is_asked_which_versions_there_are(machine):
    machine("npm", """echo 'npm warn config'; echo '[ "2.1.7", "2.1.8" ]'""")
    assert ["2.1.7", "2.1.8"] == fetching.published()
    machine("npm", f"cat <<'X'\n{REFUSED}X\nexit 1")
    with pytest.raises(clients.ClientError, match=r"cannot be listed with npm: .* refuses"):
        fetching.published()


@pytest.fixture
def told(monkeypatch):
    """What a run of the tests says, and what it would start; it starts nothing."""
    said, started = [], []
    monkeypatch.setattr(suite, "_say", said.append)
    monkeypatch.setattr(suite, "_packages", lambda _: True)
    monkeypatch.setattr(suite, "_run", lambda options, **_: started.append(options) or 0)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    for name in (clients.GIVEN, clients.DRAWN, clients.IN_PLACE, suite.REQUIRED, suite.ONE_CLIENT):
        monkeypatch.setenv(name, "")
    return said, started


def test_a_client_at_a_path_is_played_as_the_version_that_it_is(machine, told):
    path = machine("another", "echo '2.1.400 (Claude Code)'")
    assert 0 == suite.main(["--client", str(path), "-n0"])
    assert [["-rs", "-m", "loop", "-n0"]] == told[1]
    assert ["2.1.400"] == clients.given()
    assert [str(path)] == clients.entry("2.1.400")
    assert "1" == os.environ[suite.REQUIRED]


@pytest.mark.parametrize("named", ["2.1.400", "bin/none", "bin/odd"])
def test_a_client_that_cannot_be_had_is_red(machine, told, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    machine("odd", "echo Hello")
    machine("npm", "echo 'npm error code E404'; exit 1")
    monkeypatch.setattr(suite, "ROOT", tmp_path)
    assert 1 == suite.main(["--client", named])
    assert [] == told[1]
    assert named in told[0][-1]


def test_versions_that_cannot_be_drawn_are_red_where_clients_are_required(machine, told, monkeypatch):
    machine("npm", f"cat <<'X'\n{REFUSED}X\nexit 1")
    monkeypatch.setenv(suite.REQUIRED, "1")
    assert 1 == suite.main(["--all"])
    assert "the versions to be drawn" in told[0][-1]
    assert [] == told[1]


@pytest.mark.parametrize(
    ("version", "counts_as"),
    [
        ("2.1.7", "2.1.7"),
        ("2.1.8", ""),
        ("2.1.196", ""),
        ("2.1.198", "2.1.197"),
        ("2.1.326", "2.1.258"),
        ("2.1.327", "2.1.327"),
        ("2.2.0", clients.newest()),
        ("3.0", clients.newest()),
        ("nightly", ""),
    ],
)
def test_a_claude_on_path_stands_for_what_it_can_at_least(machine, version, counts_as):
    path = machine("claude", f"echo '{version} (Claude Code)'")
    found = clients.on_path()
    assert (clients.Found(str(path), version, counts_as) if counts_as else None) == found


def test_a_claude_on_path_is_run_where_its_version_is_asked_for(machine, monkeypatch):
    path = machine("claude", "echo '2.1.400 (Claude Code)'")
    monkeypatch.setenv(clients.IN_PLACE, "")
    clients.use_in_place(clients.on_path())
    assert [str(path)] == clients.entry(clients.newest())
    assert not clients.installed("2.1.258")


def test_a_client_that_stands_for_another_is_called_by_its_own_version(machine, monkeypatch):
    """The demo and the ids of the tests name what really runs."""
    machine("claude", "echo '2.1.400 (Claude Code)'")
    monkeypatch.setenv(clients.IN_PLACE, "")
    assert "2.1.197" == clients.running("2.1.197")
    clients.use_in_place(clients.on_path())
    assert "2.1.400" == clients.running(clients.newest())
    assert "2.1.197" == clients.running("2.1.197")


@pytest.mark.parametrize("script", ["exit 1", "echo Hello", "true"])
def test_a_claude_that_does_not_tell_its_version_is_not_used(machine, script):
    assert clients.on_path() is None
    machine("claude", script)
    assert clients.on_path() is None


@pytest.mark.parametrize(
    ("arguments", "selected"),
    [
        ([], False),
        (["-q", "-n", "2", "--durations=15"], False),
        (["-x", "--ignore", "tests/kills/test_many.py"], True),
        (["tests/rig/test_rig.py"], True),
        (["tests/rig/test_rig.py::test_the_other_paths_are_harmless"], True),
        (["-k", "loop"], True),
        (["-kloop"], True),
        (["--lf"], True),
    ],
)
def test_what_counts_as_a_selection(arguments, selected):
    assert selected == suite.selects(arguments)


@pytest.mark.parametrize(
    ("arguments", "versions"),
    [
        (["tests/rig/test_rig.py"], []),
        (["tests/clients/test_cut.py"], list(clients.VERSIONS)),
        (["tests/clients/test_room.py"], [clients.newest()]),
        (["tests/clients/test_inbox.py"], ["2.1.7", "2.1.197", clients.newest()]),
        (["tests/clients/test_cut.py", "-k", "2.1.38"], ["2.1.38"]),
        (["tests/clients/test_bare_python.py"], []),
        (["tests/nothing.py"], []),
    ],
)
def test_only_the_clients_that_the_selected_tests_need_are_fetched(arguments, versions, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert versions == suite._clients_of(arguments)


def test_a_file_that_needs_no_client_asks_no_registry(machine, tmp_path):
    """As it is started; the packages are there."""
    machine("npm", f"echo asked >> '{tmp_path}/asked'; exit 1")
    command = [
        sys.executable,
        str(ROOT / "scripts/rig/suite.py"),
        "tests/rig/test_rig.py",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, suite.AS_IS: "1", "CI": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("lane", [[], ["--all"]])
def test_a_run_of_many_tests_is_started_without_any_client(machine, lane):
    """As far as pytest's own start; what npm said stands before it."""
    machine("npm", f"cat <<'X'\n{REFUSED}X\nexit 1")
    machine("tmux", "true")
    command = [sys.executable, str(ROOT / "scripts/rig/suite.py"), *lane, "--markers"]
    environment = {**os.environ, suite.AS_IS: "1", "BG_REQUIRE_HOSTS": "0", "CI": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "127.0.0.1:9 refuses the connection" in done.stdout
    required = subprocess.run(command, capture_output=True, text=True, env={**environment, "BG_REQUIRE_HOSTS": "1"})
    assert 1 == required.returncode
    assert "test: required and missing: " in required.stdout


def test_packages_that_cannot_be_had_are_named_with_the_cause(monkeypatch):
    monkeypatch.setattr(pins, "_has", lambda pin: not pin.startswith("pytest=="))
    monkeypatch.setattr(registry, "ask", lambda command: f"the registry does not answer {command[-1][:8]}")
    trouble = pins.provide(lambda _: None)
    assert trouble.startswith("pip cannot fetch pytest==")
    assert trouble.endswith(": the registry does not answer pytest==")


def test_another_interpreter_is_taken_only_with_all_that_the_tests_import(machine, monkeypatch):
    monkeypatch.setattr(pins, "IMPORTED", ("json", "no_such_package"))
    machine("python3", f"exec '{sys.executable}' \"$@\"")
    assert "" == pins.another()
    monkeypatch.setattr(pins, "IMPORTED", ("json",))
    assert pins.another().endswith("/bin/python3")


def test_the_tests_on_a_real_client_are_counted_and_no_others():
    count = suite.Count()
    for name in ("clients/test_loop.py::test_the_loop[2.1.7-text]", "host/test_event.py::test_names[2.1.38]"):
        count.pytest_runtest_logreport(
            SimpleNamespace(when="call", skipped=False, outcome="passed", nodeid=f"tests/{name}")
        )
    assert count.hosts == {("2.1.7", "passed"): 1}
