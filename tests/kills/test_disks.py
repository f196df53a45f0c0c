"""Disks that are full, read-only or another user's: nothing said is lost, nothing is claimed that is not so."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from disks import Sick, fill, mounted, writable
from drive import plain
from hook import ROOT
from play import block, heard_of, notification, questions
from rig import conversation

NOBODY = 65534
SYSTEM = "/usr/bin/python3"  # what another user can start, wherever these tests' own interpreter stands


class Full(Sick):
    """Its data directory is a small disk, filled up to the last byte."""

    cause = "there is no space left on the disk of {data}. Free some."

    def breaks(self) -> None:
        self.folds()  # else there may be room in it
        fill(self.data)

    def heals(self) -> None:
        (self.data / "big").unlink()


class ReadOnly(Sick):
    """Its data directory is a disk that the system has made read-only, as it does after an error."""

    cause = "{data} cannot be written: Read-only file system. Make it writable, or set BG_DATA to a directory that is."

    def breaks(self) -> None:
        self.folds()
        writable(self.data, "ro")

    def heals(self) -> None:
        writable(self.data, "rw")


class Forbidden(Sick):
    """Its data directory has lost the right to be written by the user that the hooks run as."""

    cause = "{data} cannot be written: Permission denied. Make it writable, or set BG_DATA to a directory that is."
    user = NOBODY

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (self.data / "python").write_text(f"{SYSTEM}\n")
        for path in (root, *root.rglob("*")):
            os.chown(path, NOBODY, -1, follow_symlinks=False)

    def breaks(self) -> None:
        self.folds()
        for path in (self.data, *filter(Path.is_dir, self.data.rglob("*"))):
            path.chmod(0o500)

    def heals(self) -> None:
        for path in (self.data, *filter(Path.is_dir, self.data.rglob("*"))):
            path.chmod(0o700)


@contextlib.contextmanager
def forbidden() -> Iterator[Forbidden]:
    """Outside the folder of these tests, which no other user may enter."""
    if os.geteuid() or not Path(SYSTEM).exists():
        pytest.skip("only root can run hooks as another user")
    if not (ROOT / "hooks" / "run").stat().st_mode & 0o004 or not ROOT.stat().st_mode & 0o001:
        pytest.skip("another user may not read this copy of the plugin")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Forbidden(Path(folder))


@pytest.fixture(params=["full", "read-only", "forbidden"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sick]:
    if request.param == "forbidden":
        with forbidden() as made:
            yield made
    else:
        with mounted(tmp_path / "data"):
            yield {"full": Full, "read-only": ReadOnly}[request.param](tmp_path)


def waiting_question(host: Sick, agent: str, token: str) -> None:
    """The agent asks two questions, and the user has been shown them."""
    asked = questions("Which format?", "Which limit?")
    host.hook(host.ends(agent, block("CLARIFICATION_NEEDED", token, questions=asked)))
    assert "Which limit?" in host.hook(host.prompt(notification(agent, "asks"))).context
    host.hook(host.stop(last="bg-3 Q1 and bg-3 Q2 are for you"))


def recorded(host, event):
    """The host's own record of what was typed, without which what has waited counts for nobody's."""
    line = conversation.prompt(host.version, event["prompt"], event["prompt_id"], attended=True)
    path = Path(event["transcript_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**line, "uuid": "typed"}) + "\n")


def test_a_disk_that_fails_in_the_middle_of_the_flow(host):
    """What comes meanwhile is kept, asked of nobody again, told once, and delivered once when the disk is back."""
    tokens = host.launches("a1", "a2", "a3", "a4")
    waiting_question(host, "a3", tokens["a3"])
    host.breaks()
    ended = [host.bear(host.reports("a1", tokens["a1"])), host.bear(host.ends("a2", "Only prose, on word-a2-x."))]
    assert [one.whole for one in ended] == [{}, {}], "a correction that cannot be counted is not asked"
    first = host.bear(host.prompt(notification("a1", "word-a1-x")))
    cause = host.cause.format(data=host.data)
    kept = "What agents report is kept, and read as soon as the ledger can be used."
    assert first.whole == {"systemMessage": f"bg: {cause} {kept} /bg-status doctor says more."}
    later = [host.bear(event) for event in (host.stop(), host.prompt("What now?"), host.stop(), host.begin("resume"))]
    assert [one.whole for one in later] == [{}] * 4, "told once"
    assert all(one.trace.startswith("bg: ") for one in [*ended, first, *later])
    launch = host.bear(host.prompt("/bg One more thing"))
    assert "Nothing was handed over; type it again after that." in launch.notice and launch.context == ""
    typed = host.prompt("/bg-answer bg-3 Q1: CSV Q2: ten")
    answer = host.bear(typed)
    recorded(host, typed)
    assert "Your answer is kept, and counts as soon as the ledger can be used." in answer.notice
    shown = plain(host.bear(host.prompt("/bg-status")).shown)
    assert f"wrong data {host.data} cannot be written" in shown
    assert "4 events wait to be taken in" in shown
    assert "cannot be opened" in shown, "the trace is where the user looks"
    assert {"data", "spool", "hook error"} <= {item["subject"] for item in host.doctor()}
    assert len(host.kept()) == 4

    host.heals()
    before = len(host.said)
    assert host.told("a1", "a2") == {"a1": 1, "a2": 1}
    assert [path for path in host.waiting() if not path.endswith("errors.log")] == []
    notices = "\n".join(said.notice for said in host.said)
    assert notices.count("bg-3 Q1 answered: CSV") == 1, "what came of an answer that waited is told"
    assert host.said[before].context.count("The user's answers for bg-3 are recorded. Resume it now") == 1
    assert [row["text"] for row in host.rows("SELECT text FROM answers ORDER BY id")] == ["CSV", "ten"]
    assert host.rows("SELECT max(corrections) AS most FROM runs") == [{"most": 0}]
    assert host.rows("SELECT * FROM errors") == []
    assert "COMPLETION_REPORT" in str(host.hook(host.ends("a4", "Prose, now that it can be counted.")).whole)
    host.breaks()
    assert cause in host.bear(host.prompt("And again?")).notice, "another time is told anew"
    host.heals()


def test_a_labelled_launch_meanwhile(tmp_path):
    """It is refused, and nothing of it waits; as soon as there is room, the next try has its identity."""
    with mounted(tmp_path / "data"):
        host = Full(tmp_path)
        host.hook(host.prompt("/bg Write notes"))
        host.breaks()
        refused = host.bear(host.launch("toolu_a1", "bg-1: notes", "Write notes.md")).whole["hookSpecificOutput"]
        assert refused["permissionDecision"] == "deny"
        assert "there is no space left on the disk" in refused["permissionDecisionReason"]
        assert host.kept() == []
        host.heals()
        given = host.hook(host.launch("toolu_a2", "bg-1: notes", "Write notes.md")).whole["hookSpecificOutput"]
        assert given["updatedInput"]["description"] == "bg-1: notes"


def an_hour_passes(host: Sick) -> None:
    """What waits, and what agents have written, came an hour ago."""
    for path in map(Path, host.waiting()):
        if path.suffix == ".json":
            came, _, rest = path.name.partition("-")
            path.rename(path.with_name(f"{int(came) - 3600 * 10**9}-{rest}"))
    for path in host.project.iterdir():
        os.utime(path, (path.stat().st_mtime - 3600,) * 2)


def test_an_agent_that_was_launched_meanwhile(tmp_path):
    """Nothing in the event showed that it was ours; it is the task's agent all the same, dated from its launch."""
    with mounted(tmp_path / "data"):
        host = Full(tmp_path)
        host.hook(host.prompt("/bg Write notes"))
        host.breaks()
        launch = host.launch("toolu_a1", "notes", "Write notes.md")
        assert host.bear(launch).whole == {}
        host.bear(host.launched("toolu_a1", "a1", launch["tool_input"]))
        (host.project / "notes.md").write_text("a note\n" * 30)
        host.bear(host.ends("a1", "I created `notes.md`, see word-a1-x."))
        an_hour_passes(host)
        host.heals()
        said = host.hook(host.prompt("Go on"))
        assert "bg-1 started: notes" in said.notice + host.hook(host.stop()).notice
        assert heard_of("a1", said.context) == 1
        assert "- changed, by whom is not known: “notes.md”" in said.context


class Nowhere(Full):
    """Nothing can be kept anywhere: the temporary directory is full as well, and the system's own are read-only."""

    read_only = (
        'mount --rbind /tmp /tmp && mount -o remount,bind,ro /tmp && mount -t tmpfs -o ro tmpfs /var/tmp && exec "$@"'
    )
    prefix = ("unshare", "-m", "sh", "-c", read_only, "sh")

    def breaks(self) -> None:
        self.folds()  # else there may be room in it
        fill(self.data)
        fill(self.temp)

    def heals(self) -> None:
        (self.data / "big").unlink()
        (self.temp / "big").unlink()


def test_nothing_is_claimed_to_be_kept_where_nothing_can_be(tmp_path):
    """Both disks full: the user knows, the host's own text goes through, and what the transcript has is told later."""
    with mounted(tmp_path / "data", tmp_path / "tmp"):
        host = Nowhere(tmp_path)
        tokens = host.launches("a1", "a2", "a3")
        began = time.time()
        waiting_question(host, "a3", tokens["a3"])
        report = host.reports("a1", tokens["a1"])
        host.agent_says("a1", ("user", f"You are {tokens['a1']}"), ("assistant", report["last_assistant_message"]))
        host.breaks()
        assert host.bear(report).whole == {}
        assert host.bear(host.ends("a2", "Only prose.")).whole == {}
        notices = [host.bear(event).notice for event in (host.prompt(notification("a1", "x")), host.stop(("a2",)))]
        assert "cannot be kept; it stands in their transcripts only" in notices[0]
        assert not any("is kept" in notice for notice in notices)
        answer = host.bear(host.prompt("/bg-answer bg-3 Q1: CSV Q2: ten")).notice
        assert "Your answer was not recorded; type it again after that." in answer
        assert host.waiting() == [path for path in host.waiting() if Path(path).stat().st_size == 0]
        assert host.kept() == []
        assert not [path for path in host.waiting() if path.endswith(".part")]
        host.heals()
        assert host.rows("SELECT 1 FROM answers") == []
        time.sleep(max(0.0, began + 5.5 - time.time()))
        assert host.told("a1") == {"a1": 1}
        assert "Resume it now" in host.hook(host.prompt("/bg-answer bg-3 Q1: CSV Q2: ten")).context


@pytest.mark.parametrize("module", ["json/__init__", "spool", "ending", "evidence/__init__"])
def test_half_a_compiled_module_costs_no_report(module, tmp_path):
    """As Python before 3.13.1 leaves it on a disk that fills up while it writes: it is compiled again."""
    host = Sick(tmp_path)
    tokens = host.launches("a1", "a2")
    host.hook(host.reports("a2", tokens["a2"]))
    [compiled] = [path for path in (host.data / "pycache").rglob("*.pyc") if f"/{module}." in str(path)]
    os.truncate(compiled, compiled.stat().st_size // 2)
    host.hook(host.reports("a1", tokens["a1"]))
    said = host.hook(host.prompt(notification("a1", "done"))).context
    assert heard_of("a1", said) == 1
    assert [path for path in host.waiting() if path.endswith(".json")] == []


def test_a_disk_that_fills_up_while_python_compiles(tmp_path):
    """However little room there was, the hooks work as soon as there is some."""
    with mounted(tmp_path / "data"):
        host = Sick(tmp_path)
        host.hook(host.prompt("/bg Look"))
        for room in (9_000, 200_000):
            shutil.rmtree(host.data / "pycache", ignore_errors=True)
            big = fill(host.data, room)
            host.bear(host.prompt("/bg Look again"))
            big.unlink()
            assert host.bear(host.prompt("/bg Look again")).context.startswith(
                "[from the bg plugin, not from the user] label: bg-"
            ), room
        host.hook(host.prompt("/bg And again"))


def test_two_ledgers_do_not_take_each_others_events(tmp_path):
    """Two configurations share a temporary directory: what waits for one ledger is not given to the other."""
    with mounted(tmp_path / "one" / "data"):
        (tmp_path / "two").mkdir()
        one, two = Full(tmp_path / "one"), Sick(tmp_path / "two")
        two.env["TMPDIR"] = one.env["TMPDIR"]
        token = one.launches("a1")["a1"]
        two.launches("b1")
        one.breaks()
        one.bear(one.reports("a1", token))
        assert two.told("a1") == {"a1": 0}
        one.heals()
        assert one.told("a1") == {"a1": 1}


def test_a_session_that_went_on_has_not_ended(tmp_path):
    """Its end came while the disk was full, and was read when it had been resumed."""
    with mounted(tmp_path / "data"):
        host = Full(tmp_path)
        host.launches("a1")
        host.breaks()
        host.bear(host.event("background", "SessionEnd", reason="other"))
        host.heals()
        host.hook(host.prompt("I am back"))
        assert host.rows("SELECT ended FROM sessions") == [{"ended": None}]
        assert host.waiting() == [path for path in host.waiting() if path.endswith("errors.log")]
