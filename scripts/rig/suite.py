"""The tests on this machine, for scripts/test: their requirements, the choice and order of tests, and their counts.

Exit status: pytest's, or 1 if CI ran no test or a required client is missing, or 2 if the packages cannot be had.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "scripts")  # instead of this folder, whose modules would hide others of the same name

from rig import clients, draw, fetching, pins  # noqa: E402 (the package is beside this folder, wherever it was started)

SHORT = "not long and (not host or loop)"
ALONE = "alone"  # the mark of tests that start fifty processes at once, which would disturb all others
CLIENTS_OF = "--clients-of"
AS_IS = "BG_TEST_AS_IS"
ONE_CLIENT, NO_CLIENT = "BG_ONE_CLIENT", "BG_NO_CLIENT"  # the version of the short run, and why it is missing
REQUIRED = "BG_REQUIRE_HOSTS"
CLIENT, MUTANTS = "--client", "--mutants"
USAGE = """scripts/test              what needs no client, and the loop on one client (`claude` on PATH, else fetched)
scripts/test --all        everything, on the tested clients, and the loop on three more that are drawn; all are fetched
scripts/test --client C   the loop on this version, which is fetched, or on the client at this path
scripts/test FILE ...     these tests, and the clients that they need; any other option is pytest's
scripts/test --mutants    small faults in the plugin, one at a time: which of them a test of their room notices
scripts/test --setup      only fetches what a run would need
"""


def main(arguments: list[str]) -> int:
    """Set everything up, run the tests, return the exit status."""
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0
    for name in (ONE_CLIENT, NO_CLIENT, clients.DRAWN, clients.GIVEN):
        os.environ.pop(name, None)  # set if a test of another run has started this one
    inner = {CLIENTS_OF: _tell_clients, MUTANTS: _try_mutants}.get("".join(arguments[:1]))
    if inner:
        return inner(arguments[1:])
    named, arguments = _named(arguments)
    everything, only_setup = "--all" in arguments, "--setup" in arguments
    given = [argument for argument in arguments if argument not in ("--all", "--setup")]
    if not _packages([*([CLIENT, named] if named else []), *arguments]):
        return 2
    # Tests get a home of their own, but the clients are in the real one.
    os.environ.setdefault("BG_TEST_REAL_HOME", str(Path.home()))
    os.environ["BG_HOSTS"] = str(clients.hosts())
    signal.signal(signal.SIGTERM, _stop)
    os.chdir(ROOT)
    options, missing = _chosen(named, given, everything=everything)
    if missing and named:
        return 1
    if not _complete(missing, required=os.environ.get(REQUIRED, "") not in ("", "0")):
        return 1
    return 0 if only_setup else _run(options, alone=everything and not selects(given))


def _chosen(named: str, given: list[str], *, everything: bool) -> tuple[list[str], dict[str, str]]:
    """The options of pytest for the tests that are wanted, and the clients that could not be fetched."""
    if named:
        return _on(named, given)
    if everything:
        return _all(given)
    if selects(given):
        return given, fetching.install_all(_clients_of(given), _say)
    return _short(given)


def _named(arguments: list[str]) -> tuple[str, list[str]]:
    """The client that the arguments name, and the other arguments."""
    if CLIENT not in arguments[:-1]:
        return "", arguments
    place = arguments.index(CLIENT)
    return arguments[place + 1], [*arguments[:place], *arguments[place + 2 :]]


def _complete(missing: dict[str, str], *, required: bool) -> bool:
    """Whether everything that is required is there; print what is missing."""
    tmux = bool(shutil.which("tmux"))
    if not tmux:
        _say("tmux is not installed: what only a terminal shows is not tested")
    if required and (missing or not tmux):
        _say(f"required and missing: {', '.join([*missing, *([] if tmux else ['tmux'])])}")
        return False
    return True


def selects(given: list[str]) -> bool:
    """Whether these arguments name tests; other options leave the choice as it is."""
    names = ("-k", "-m", "--lf", "--last-failed", "--pyargs")
    return any(argument.startswith(names[:2]) or argument in names or _is_path(argument) for argument in given)


def _is_path(argument: str) -> bool:
    return not argument.startswith("-") and (ROOT / argument.partition("::")[0]).exists()


def _all(given: list[str]) -> tuple[list[str], dict[str, str]]:
    """The options for everything on every client, with the loop on drawn versions; and the clients that are missing."""
    missing, drawn = {}, []
    try:
        drawn = draw.drawn(ROOT)
    except clients.ClientError as error:
        missing["the versions to be drawn"] = str(error)
        _say(str(error))
    os.environ[clients.DRAWN] = " ".join(drawn)
    _say(f"drawn by what speaks to the client, for the loop: {', '.join(drawn) or 'none'}")
    missing.update(fetching.install_all([*clients.VERSIONS, *drawn], _say))
    return [*_workers(given, more=2), "-rs", *given], missing


def _on(named: str, given: list[str]) -> tuple[list[str], dict[str, str]]:
    """The options for the loop, or the selected tests, on the named client; and that client if it is missing."""
    try:
        version = clients.give(named)
        fetching.install(version, _say)
    except clients.ClientError as error:
        _say(str(error))
        return [], {named: str(error)}
    os.environ[REQUIRED] = "1"  # a client that does not run is no reason to pass
    return given if selects(given) else [*_workers(given), "-rs", "-m", "loop", *given], {}


def _short(given: list[str]) -> tuple[list[str], dict[str, str]]:
    """The options for all tests without a client, and the loop on one client; and that client if it is missing."""
    missing: dict[str, str] = {}
    found = clients.on_path()
    if found:
        clients.use_in_place(found)
        version = found.counts_as
        as_such = "" if found.version == version else f", which has at least the abilities of {version}"
        _say(f"the loop runs on {found.path}, Claude Code {found.version}{as_such}")
    else:
        version = clients.newest()
        missing = fetching.install_all([version], _say)
    os.environ[ONE_CLIENT] = version
    if missing:
        os.environ[NO_CLIENT] = missing[version]
    _say("without the long tests and the other clients; scripts/test --all runs everything")
    return [*_workers(given), "-rs", "-m", SHORT, *given], missing


def _workers(given: list[str], more: int = 0) -> list[str]:
    """The options for a worker on each core, and `more` if clients mostly wait; none if the arguments say otherwise.

    A worker that is done takes tests over from the others: else a single one would be left with the tests on clients.
    """
    said = any(re.match(r"-n|--numprocesses|--pdb|--trace|-s$|(-p)?no:xdist", argument) for argument in given)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    possible = bool(importlib.util.find_spec("xdist"))  # may be missing if the packages are not as pinned
    return [] if said or cores < 2 or not possible else ["-n", str(min(cores + more, 8)), "--dist", "worksteal"]


def _run(options: list[str], *, alone: bool) -> int:
    """Start pytest; tests that must run alone go first."""
    failed = 0
    if alone:
        _say("first, alone: the tests that start many processes at once")
        code = _pytest([*options, "-n0", "-m", ALONE])
        failed = 0 if code in (0, 5) else code
        if failed:
            before = os.environ.get("BG_CHECKS_FAILED", "")
            os.environ["BG_CHECKS_FAILED"] = f"{before}{', ' if before else ''}many at once"
        options = [*options, "-m", f"not {ALONE}"]
    import pytest  # noqa: PLC0415 (installed by now)

    count = Count()
    code = int(pytest.main(options, plugins=[count]))
    if os.environ.get("CI") == "true" and not count.ran:
        _say("no test ran")
        return code or 1
    return failed or code


def _pytest(options: list[str]) -> int:
    """Run pytest in a process of its own, which is ended in order if this one is stopped."""
    process = subprocess.Popen([sys.executable, "-m", "pytest", *options])
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def _stop(_number: int, _frame: object) -> NoReturn:
    """Let pytest end in order, and with it the clients of its tests."""
    raise KeyboardInterrupt


def _clients_of(given: list[str]) -> list[str]:
    """The versions that the selected tests run on; none if they cannot be collected, as the run will tell then."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), CLIENTS_OF, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    needed = json.loads(done.stdout or "[]")
    return [version for version in clients.VERSIONS if version in needed]


def _tell_clients(given: list[str]) -> int:
    import pytest  # noqa: PLC0415 (installed by now)

    needs = Needs()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*given, "--collect-only", "-q"], plugins=[needs])
    json.dump(sorted(needs.versions), sys.stdout)
    return 0


def _try_mutants(given: list[str]) -> int:
    from rig import mutants  # noqa: PLC0415 (late: no other lane needs it)

    return mutants.main(given) if _packages([MUTANTS, *given]) else 2


def _packages(arguments: list[str]) -> bool:  # noqa: RET503 (`_go_on_with` never returns)
    """Provide the packages; if they cannot be had as pinned, continue with others that will do, or return False."""
    if AS_IS in os.environ:
        return True
    trouble = pins.provide(_say)
    if not trouble:
        return True
    _say(trouble)
    if os.environ.get("CI") == "true":
        return False
    if pins.usable():
        _say("going on with the packages that are installed")
        return True
    another = pins.another()
    if not another:
        _say(f"and no Python here has {', '.join(pins.IMPORTED)}")
        return False
    _say(f"going on with {another}, which has packages that will do")
    _go_on_with(another, arguments)


def _go_on_with(python: str, arguments: list[str]) -> NoReturn:
    os.execve(python, [python, str(Path(__file__).resolve()), *arguments], {**os.environ, AS_IS: "1"})  # noqa: S606


def _say(words: str) -> None:
    sys.stdout.write(f"test: {words}\n")
    sys.stdout.flush()


class Count:
    """A pytest plugin that counts the tests that ran on each client."""

    def __init__(self) -> None:
        self.ran = 0
        self.hosts: Counter[tuple[str, str]] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test, once for its phases."""
        if report.when != "call" and not report.skipped:
            return
        self.ran += report.when == "call" and not report.skipped
        version = re.match(r"tests/clients/.*\[(?:.*-)?(\d+\.\d+\.\d+)(?:-.*)?\]", report.nodeid)
        if version and version[1] in _running():
            self.hosts[version[1], report.outcome] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the counts above pytest's own last line."""
        failed = os.environ.get("BG_CHECKS_FAILED", "")
        if failed:
            terminalreporter.write_line(f"CHECKS FAILED BEFORE THE TESTS: {failed}")
        total = sum(number for (_, outcome), number in self.hosts.items() if outcome != "skipped")
        tried = {version for version, outcome in self.hosts if outcome != "skipped"}
        terminalreporter.write_line(f"{total} tests on real clients, on {len(tried)} versions")
        for version in _running():
            parts = [
                f"{self.hosts[version, outcome]} {outcome}"
                for outcome in ("passed", "failed", "skipped")
                if self.hosts[version, outcome]
            ]
            if parts:
                terminalreporter.write_line(f"  {version}: {', '.join(parts)}")


def _running() -> list[str]:
    return [clients.running(version) for version in [*clients.VERSIONS, *clients.drawn(), *clients.given()]]


class Needs:
    """A pytest plugin that notes which clients the collected tests are for."""

    def __init__(self) -> None:
        self.versions: set[str] = set()

    def pytest_collection_finish(self, session: Any) -> None:
        """Note the clients of the selected tests."""
        calls = [item.callspec.params for item in session.items if hasattr(item, "callspec")]
        self.versions = {str(params["host"]) for params in calls if "host" in params}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
