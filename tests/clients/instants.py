"""Answers at random instants of a running agent's life: each reaches its agent once, or is owed and sent with a resume.

`python tests/clients/instants.py --count 100` plays them in sessions of a few agents, over every version in turn; it
prints a line a session and exits 1 if an answer was lost or heard twice. `--seed` draws other instants.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
for folder in (HERE.parents[1] / "scripts", HERE.parent, HERE):
    sys.path.insert(0, str(folder))

from bg.protocol import signals  # noqa: E402 - the paths come first
from campaign import VERSIONS, campaign, options  # noqa: E402
from directed import both, delivered, spawn, until  # noqa: E402
from loop import ROOT, block, has_ledger, news, one, rows, token  # noqa: E402
from rig.home import Home  # noqa: E402
from rig.model import Model  # noqa: E402
from rig.request import Request  # noqa: E402
from rig.script import GATE_LIMIT, Reply, Script, asked, call, parent, text  # noqa: E402
from rig.session import Headless, arguments  # noqa: E402

AGENTS = 3
ROUNDS = 4  # at most so many calls between an agent's question and its last words
LONGEST = 2.0  # seconds that a reply or a call takes at most
TELLS = re.compile(
    r"(?:Pass it on now|Resume it now|If they still matter, resume it)[^\n]*?(?:to|resume): \"([^\"]+)\""
)


class Life(NamedTuple):
    """One agent's: how long each of its replies and calls takes after its question, and when the user answers.

    `during` counts its replies from the question on; the user answers `after` seconds from when that one was asked for.
    """

    replies: tuple[float, ...]
    calls: tuple[float, ...]
    streams: bool
    during: int
    after: float


class Session(NamedTuple):
    """What is played in one session."""

    version: str
    lives: tuple[Life, ...]


class Tally(NamedTuple):
    """What came of it: the answers that arrived, those that the user was told came too late, and what is wrong.

    That is: those that did not arrive, those heard more than once, the tasks whose answer is still owed, and errors.
    Hosts before 2.1.327 may show a prompt that comes in the midst of a turn to no hook: what was typed again for that.
    """

    arrived: list[str]
    late: list[str]
    again: list[str]
    lost: list[str]
    twice: list[str]
    owed: list[str]
    errors: list[str]

    @property
    def wrong(self) -> bool:
        """Something is not as it should be."""
        return any(self[3:])


def drawn(dice: random.Random) -> Life:
    """A life, and an instant in it."""
    rounds = dice.randint(0, ROUNDS)
    replies = tuple(round(dice.uniform(0, LONGEST), 2) for _ in range(rounds + 1))
    calls = tuple(round(dice.uniform(0, LONGEST), 2) for _ in range(rounds))
    during = dice.randint(0, rounds)
    lasts = replies[during] + (calls[during] if during < rounds else 0.0)
    return Life(replies, calls, dice.random() < 0.5, during, round(dice.uniform(0, lasts), 2))


class Agent:
    """Asks `main`, works on by itself, and ends when its life is over, whatever it has heard by then."""

    def __init__(self, name: str, life: Life) -> None:
        self.name, self.life = name, life
        self.asked = False
        self.said = 0
        self.begun = [threading.Event() for _ in life.replies]
        self.heard: list[int] = []

    def __call__(self, request: Request) -> Reply:
        self.heard.append(request.all_text().count(f"ANSWER-{self.name}"))
        if not self.asked:
            if "SendMessage" not in request.tools():
                return call("ToolSearch", query="select:SendMessage", max_results=3)
            self.asked = True
            fields = {"questions": f"Q1: which way for {self.name}?", "agent_id": token(request)}
            given = {**signals.schema("CLARIFICATION_NEEDED")["examples"][0], **fields}
            words = f"I have to know.\n\n{signals.render('CLARIFICATION_NEEDED', given)}"
            return call("SendMessage", to="main", message=words, summary="a question")
        turn, self.said = self.said, self.said + 1
        if turn < len(self.begun):
            self.begun[turn].set()
        if turn < len(self.life.calls):
            look = call("Bash", command=f"sleep {self.life.calls[turn]}", description="a look")
            return look.later(self.life.replies[turn])
        last: Reply = block("COMPLETION_REPORT", status="success")(request)
        if turn < len(self.begun):
            pause = self.life.replies[turn]
            return last.paused(_after(pause)) if self.life.streams else last.later(pause)
        return last


def _after(seconds: float) -> threading.Event:
    gate = threading.Event()
    threading.Timer(seconds, gate.set).start()
    return gate


class Parent:
    """Launches them all, and passes on what it is told to pass on."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.due: list[str] = []

    def __call__(self, request: Request) -> Reply:
        told = news(request)
        if "LAUNCH" in told:
            return both(*[spawn(f"{name}: look.") for name in self.names])(request)
        self.due += [agent for agent in TELLS.findall(told) if agent not in self.due]
        if not self.due:
            return text("Noted.")
        if "SendMessage" not in request.tools():
            return call("ToolSearch", query="select:SendMessage", max_results=3)
        sends = [call("SendMessage", to=agent, message="Here is what I know.", summary="answers") for agent in self.due]
        self.due = []
        return both(*sends)(request)


def play(session: Session, _: Path) -> Tally:
    """One session: its agents ask and work on, the user answers each at its instant, and all come to their end."""
    agents = [Agent(f"OURS-{chr(ord('A') + number)}", life) for number, life in enumerate(session.lives)]
    head = Parent([agent.name for agent in agents])
    script = Script(
        *[(agent.name, asked(f"{agent.name}:"), [agent] * 40) for agent in agents], ("parent", parent, [head] * 200)
    )
    with Model(script) as model, Home(model.url) as home:
        given = arguments([ROOT], tools="Agent SendMessage ToolSearch Bash")
        with Headless(home, session.version, given) as run:
            run.send("/bg:bg LAUNCH all")
            people = User(run, home, model)
            users = [threading.Thread(target=people.answers, args=[agent], daemon=True) for agent in agents]
            for user in users:
                user.start()
            for user in users:
                user.join()
            until(lambda: _is_over(home, len(agents)), lambda: rows(home, "SELECT * FROM tasks"))
            delivered(run, home, wakes=True)
            run.turn("What is the time?")
            until(lambda: _is_over(home, len(agents)), lambda: rows(home, "SELECT * FROM tasks"))
            run.finish()
        owed = [row["label"] for row in rows(home, "SELECT label FROM answers WHERE sent IS NULL")]
        errors = [row["text"] for row in rows(home, "SELECT text FROM errors")]
    late = [agent.name for agent in agents if people.was_told(agent)]
    heard = {agent.name: agent.heard[-1] for agent in agents if agent.name not in late or agent.heard[-1]}
    arrived, lost = [name for name in heard if heard[name]], [name for name in heard if not heard[name]]
    return Tally(arrived, late, people.again, lost, [name for name in heard if heard[name] > 1], owed, errors)


class User:
    """Answers each question at its instant, or as soon as another answer of theirs is typed and taken."""

    def __init__(self, run: Headless, home: Home, model: Model) -> None:
        self.run, self.home, self.model = run, home, model
        self.again: list[str] = []
        self._typing = threading.Lock()

    def answers(self, agent: Agent) -> None:
        """The answer to this agent, typed until a hook has been shown it."""
        begun = agent.begun[agent.life.during]
        assert begun.wait(GATE_LIMIT), f"{agent.name} never came to its reply {agent.life.during}"
        time.sleep(agent.life.after)
        words, times = f"/bg-answer {_label(self.home, agent)} Q1: ANSWER-{agent.name}", 0
        with self._typing:
            while not times or self._unshown(words) == times:
                self.again += [agent.name] * bool(times)
                times += 1
                self.run.send(words)
                until(partial(self._is_settled, agent, words, times), f"{words} came to nothing")

    def was_told(self, agent: Agent) -> bool:
        """That the answer is not recorded."""
        return any(f"not recorded: ANSWER-{agent.name}" in str(result.get("result")) for result in self.run.results)

    def _unshown(self, words: str) -> int:
        """How often the model has read the command itself, as it stands."""
        return max((request.all_text().count(words) for request in self.model.by("parent")), default=0)

    def _is_settled(self, agent: Agent, words: str, times: int) -> bool:
        recorded = rows(self.home, "SELECT 1 FROM answers WHERE text LIKE ?", f"%ANSWER-{agent.name}%")
        return bool(recorded) or self.was_told(agent) or self._unshown(words) == times


def _label(home: Home, agent: Agent) -> str:
    until(lambda: has_ledger(home), "there is a ledger")
    sql = "SELECT label FROM questions WHERE text LIKE ?"
    until(lambda: bool(rows(home, sql, f"%{agent.name}?%")), f"{agent.name} has asked")
    found = one(home, sql, f"%{agent.name}?%")
    assert found
    return str(found["label"])


def _is_over(home: Home, agents: int) -> bool:
    """All have ended, and no answer is on its way."""
    ended = rows(home, "SELECT 1 FROM tasks WHERE state NOT IN ('launched', 'working')")
    return len(ended) == agents and not rows(home, "SELECT 1 FROM runs WHERE ended IS NULL")


def sessions(count: int, seed: int) -> Iterator[Session]:
    """So many answers, a few a session, over the versions in turn."""
    dice = random.Random(seed)
    for number, first in enumerate(range(0, count, AGENTS)):
        lives = tuple(drawn(dice) for _ in range(min(AGENTS, count - first)))
        yield Session(VERSIONS[number % len(VERSIONS)], lives)


def main() -> int:
    """Play them all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="how many answers (100)")
    parser.add_argument("--seed", type=int, default=1, help="which instants are drawn (1)")
    options(parser)
    chosen = parser.parse_args()
    tallies, bad = campaign(play, sessions(chosen.count, chosen.seed), chosen)
    arrived, late, again = (sum(len(tally[part]) for tally in tallies) for part in range(3))
    print(f"{arrived} answers arrived, {late} came after the agent's end and were said to be not recorded")
    print(f"{again} were typed again, as the host had shown them to no hook")
    print(f"{len(tallies)} sessions, {bad} not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
