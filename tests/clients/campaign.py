"""Many agents that end together, beside a slow hook of another plugin, whatever their parent does: each told once.

`python tests/clients/campaign.py --agents 1000` plays them in sessions of a dozen, over every version, delay and state
of the parent in turn, several sessions at once; it prints a line a session and exits 1 if one was lost or told twice.
`--seed` draws the order of the sessions, and the moments at which the agents of each end.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple

HERE = Path(__file__).resolve().parent
for folder in (HERE.parents[1] / "scripts", HERE.parent, HERE):
    sys.path.insert(0, str(folder))

from directed import both, delivered, directed, spawn, until  # noqa: E402
from loop import ROOT, block, rows  # noqa: E402
from peers import peer  # noqa: E402
from rig import clients  # noqa: E402
from rig.home import Home  # noqa: E402
from rig.model import Model  # noqa: E402
from rig.request import Request  # noqa: E402
from rig.script import Reply, Script, asked, call, parent, text  # noqa: E402
from rig.session import Headless, arguments  # noqa: E402

VERSIONS = ("2.1.197", "2.1.258", "2.1.327", clients.newest())
DELAYS = (0, 1, 5)
IDLE, STREAMING, IN_A_TOOL, INTERRUPTED = STATES = ("idle", "streaming", "in a tool", "interrupted")
SLOW = "if machine:\n    time.sleep({seconds})\n"
DOZEN = 12
APART = 2.0  # seconds that lie at most between two ends that are drawn


class Session(NamedTuple):
    """What is played in one session."""

    version: str
    delay: int
    state: str
    agents: int
    gaps: tuple[float, ...] = ()  # seconds before each agent's end; without, they all end at once


class Tally(NamedTuple):
    """What came of it: the labels that the parent never heard of, those it heard of more than once, and errors."""

    lost: list[str]
    twice: list[str]
    errors: list[str]

    @property
    def wrong(self) -> bool:
        """Something is not as it should be."""
        return any(self)


def play(session: Session, folder: Path) -> Tally:
    """One session: its agents work, the parent is brought into its state, all end, and it hears of each."""
    end = threading.Event()
    names = [f"OURS-{chr(ord('A') + number)}" for number in range(session.agents)]
    go = {name: threading.Event() for name in names}
    other = peer(folder, "slow", {"UserPromptSubmit": SLOW.format(seconds=session.delay)})
    script = Script(
        *[(name, asked(f"{name}:"), [partial(_report, gate=gate)]) for name, gate in go.items()],
        (
            "parent",
            parent,
            directed({"LAUNCH": [both(*[spawn(f"{name}: look.") for name in names]), *_busy(session, end)]}),
        ),
    )
    with Model(script) as model, Home(model.url) as home:
        options = arguments([ROOT, other], tools="Agent SendMessage ToolSearch Bash")
        with Headless(home, session.version, options) as run:
            run.send("/bg:bg LAUNCH all")
            until(lambda: all(model.by(name) for name in names), "the agents work")
            if session.state == IDLE:
                run.await_turn()
            else:
                model.wait_for(lambda request: request.actor == "parent" and len(request.tool_results()) >= len(names))
            for gate, gap in itertools.zip_longest(go.values(), session.gaps, fillvalue=0.0):
                time.sleep(gap)
                gate.set()
            until(lambda: _ended(home) == len(names), "the agents have ended")
            if session.state == INTERRUPTED:
                _interrupt(run)
            (home.project / "done").touch()
            end.set()
            run.await_turn()
            delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        told = model.by("parent")[-1].all_text()
        labels = [row["label"] for row in rows(home, "SELECT label FROM tasks ORDER BY number")]
        heard = {label: _times(told, label) for label in labels}
        errors = [row["text"] for row in rows(home, "SELECT text FROM errors")]
    lost = [label for label, count in heard.items() if not count] + names[len(labels) :]
    return Tally(lost, [label for label, count in heard.items() if count > 1], errors)


def _report(request: Request, gate: threading.Event) -> Reply:
    return block("COMPLETION_REPORT")(request).after(gate)


def _times(told: str, label: str) -> int:
    return told.count(f"{label} (“do it”) reports partial success") + told.count(f"- {label} done in part")


def _busy(session: Session, end: threading.Event) -> list[Any]:
    """What the parent does while its agents end."""
    if session.state == IDLE:
        return []
    if session.state == STREAMING:
        return [text("I say a few words while they work. " * 30).paused(end)]
    return [call("Bash", command="while [ ! -e done ]; do sleep 0.1; done", description="wait", timeout=120000)]


def _ended(home: Home) -> int:
    return len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL"))


def _interrupt(run: Headless) -> None:
    """As Esc does in a terminal."""
    request = {"type": "control_request", "request_id": "esc", "request": {"subtype": "interrupt"}}
    assert run.process.stdin
    run.process.stdin.write(json.dumps(request) + "\n")
    run.process.stdin.flush()
    run.wait_for(lambda event: event.get("type") == "control_response")


def sessions(agents: int, dice: random.Random | None = None) -> Iterator[Session]:
    """So many agents, a dozen a session, over all that can differ; the quick ones first, or in the order of the dice."""
    left = agents
    while True:
        cells = list(itertools.product(DELAYS, VERSIONS, STATES))
        if dice:
            dice.shuffle(cells)
        for delay, version, state in cells:
            if left <= 0:
                return
            count = min(DOZEN, left)
            gaps = tuple(round(dice.choice((0.0, dice.uniform(0, APART))), 2) for _ in range(count)) if dice else ()
            yield Session(version, delay, state, count, gaps)
            left -= count


def main() -> int:
    """Play them all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agents", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--seed", type=int, help="draw the order and the moments (none: in order, all at once)")
    options(parser)
    chosen = parser.parse_args()
    dice = None if chosen.seed is None else random.Random(chosen.seed)
    tallies, bad = campaign(play, sessions(chosen.agents, dice), chosen)
    print(f"{len(tallies)} sessions, {bad} not as they should be")
    return 1 if bad else 0


def options(parser: argparse.ArgumentParser) -> None:
    """What every campaign can be told."""
    parser.add_argument("--at-once", type=int, default=3, help="how many sessions play at the same time (3)")
    parser.add_argument("--until", type=float, default=float("inf"), help="begin no session after so many seconds")


def campaign(
    play: Callable[[Any, Path], Any], sessions: Iterable[Any], chosen: argparse.Namespace
) -> tuple[list[Any], int]:
    """Play these sessions, several at once, with a line for each: what came of them, and how many are not as they should be."""
    began, tallies, failed = time.monotonic(), list[Any](), 0

    def one(session: Any) -> str:
        nonlocal failed
        if time.monotonic() - began > chosen.until:
            return ""
        with tempfile.TemporaryDirectory() as folder:
            try:
                tally = play(session, Path(folder))
            except Exception as error:  # noqa: BLE001 - one session that fails does not end the campaign
                failed += 1
                return f"FAILED {session}: {type(error).__name__}: {str(error)[:300]}"
        tallies.append(tally)
        return f"BAD {session}: {tally}" if tally.wrong else f"ok {tuple(session)}"

    with ThreadPoolExecutor(chosen.at_once) as pool:
        for line in filter(None, pool.map(one, sessions)):
            print(line, flush=True)
    return tallies, failed + sum(tally.wrong for tally in tallies)


if __name__ == "__main__":
    raise SystemExit(main())
