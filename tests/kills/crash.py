"""A session under a rain of kills: the user launches tasks, agents end, the parent reacts, and hooks are killed."""

from __future__ import annotations

import random
import re
import sqlite3
import statistics
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

from play import CLEAN, MIDDLE, Host, Said, block, label_in, notification, questions, token_in

IN_THE_MIDDLE = 40
MOST_EVENTS = 4000
WEIGHT = 0.75
ENDINGS = ("clarification", "stop", "delegation", "completion", "prose", "clarification")


@dataclass
class Agent:
    """One background agent, as the host knows it."""

    name: str
    number: int
    tool_use: str
    prompt: str
    run: int = 1
    called: str = ""
    received: list[str] = field(default_factory=list)
    disturbed: bool = False  # a hook around a message to it was killed

    @property
    def token(self) -> str:
        return token_in(self.prompt) or next((token_in(text) for text in self.received if token_in(text)), "")


class Campaign(Host):
    """The harness as host, user, parent model and agents at once; what is durable is noted after every hook."""

    most_killed = 500

    def __init__(self, root: Path, seed: int) -> None:
        super().__init__(root)
        self.rng = random.Random(seed)
        self.agents: dict[str, Agent] = {}
        self.turns: list[Callable[[], None]] = []
        self.ending: list[tuple[str, str]] = []
        self.killing = True
        self.tool_uses = 0
        self.task_number = 0
        self.answers = 0
        self.durable: set[str] = set()
        self.heard = 0

    # One event

    def do(self, event: dict[str, Any], kind: str = "") -> Said:
        """An event of the session; agents end in between."""
        if self.ending and self.rng.random() < 0.4:
            self.end(*self.ending.pop(self.rng.randrange(len(self.ending))))
        return self.one(event, kind)

    def one(self, event: dict[str, Any], kind: str = "") -> Said:
        kind = kind or f"{event['hook_event_name']} {event.get('tool_name', '')}".strip()
        lengths = self.lengths.get(kind, [])
        kill_at = None
        if self.killing and len(lengths) >= 2 and self.rng.random() < WEIGHT:
            kill_at = self.rng.uniform(0, statistics.median(lengths[-9:]))
        said = self.hook(event, kind, kill_at)
        self.durable |= set(re.findall(r"\b(?:REPORT\d+r\d+|ANSWER\d+r\d+q\dn\d+)\b", "\n".join(self.stored())))
        return said

    def stored(self) -> list[str]:
        """The rows that must not be lost: raw texts, signals, answers."""
        return [line for line in self.dump() if line.startswith(("('reports'", "('signals'", "('answers'"))]

    def next_use(self) -> str:
        self.tool_uses += 1
        return f"toolu_01campaign{self.tool_uses:06d}"

    # Turns

    def turn(self, words: str, kind: str) -> None:
        """A prompt, what the parent does about what it is told, and Stop until the turn may end."""
        said = self.do(self.prompt(words), kind)
        if said.whole.get("decision") == "block":
            return
        self.react(said)
        # A turn in which much has ended takes several: each must say something that the one before did not.
        before = ""
        for again in range(16):
            stopped = self.do(self.stop(running=self.running(), again=again > 0), "Stop")
            if stopped.whole.get("decision") != "block" and not stopped.context:
                return
            assert stopped.killed or stopped.context != before, f"Stop says the same again: {before}"
            before = "" if stopped.killed else stopped.context
            self.react(stopped)
        raise AssertionError("Stop never lets the turn end: " + "\n---\n".join(one.context for one in self.said[-8:]))

    def running(self) -> tuple[str, ...]:
        return tuple(agent for agent, _ in self.ending)

    def react(self, said: Said) -> None:
        """What the parent model does about what it is told."""
        label = label_in(said.context)
        if label:
            self.launch_agent(label)
        for agent in list(self.agents.values()):
            if f'to: "{agent.name}"' in said.context and agent.name not in self.running():
                if re.search(r"(Resume it now|If they still matter)[^\n]*" + agent.name, said.context):
                    self.resume(agent)
                elif re.search(r"needs answers before", said.context):
                    self.answer_questions(agent)
                elif "is blocked" in said.context or "stopped" in said.context:
                    self.later(agent, said)

    def launch_agent(self, label: str) -> None:
        self.task_number += 1
        number = self.task_number
        use = self.next_use()
        prompt = f"TASK{number}: look around"
        event = self.launch(use, f"{label}: look around {number}", prompt)
        said = self.do(event)
        given = (said.whole.get("hookSpecificOutput") or {}).get("updatedInput") or event["tool_input"]
        agent = Agent(f"a{number:016x}", number, use, given["prompt"])
        self.agents[agent.name] = agent
        self.agent_says(agent.name, ("user", given["prompt"]))
        self.react(self.do(self.launched(use, agent.name, given)))
        self.ending.append((agent.name, ENDINGS[number % len(ENDINGS)]))

    def later(self, agent: Agent, said: Said) -> None:
        labels = re.findall(r"\b(bg-\d+)\b(?!-)", said.context)
        if labels:
            label = self.label(agent)
            if label:
                words = self.answer(agent, "Q9")
                self.turns.append(lambda: self.turn(f"/bg-answer {label} {words}", "answer"))

    def label(self, agent: Agent) -> str:
        return "-".join(agent.token.split("-")[:2]) if agent.token else ""

    def answer_questions(self, agent: Agent) -> None:
        """In a dialog now, or typed by the user later."""
        label = self.label(agent)
        if not label:
            return
        answers = {qid: self.answer(agent, qid) for qid in ("Q1", "Q2")}
        if self.rng.random() < 0.5:
            typed = "  ".join(f"{qid}: {text}" for qid, text in answers.items())
            self.turns.append(lambda: self.turn(f"/bg-answer {label} {typed}", "answer"))
            return
        event = self.asks(self.next_use(), [f"{label} {qid}: {self.question(agent, qid)}" for qid in answers])
        asked = self.do(event)
        given = (asked.whole.get("hookSpecificOutput") or {}).get("updatedInput") or event["tool_input"]
        chosen = {item["question"]: text for item, text in zip(given["questions"], answers.values())}
        self.react(self.do(self.asked(event, given, chosen)))

    def answer(self, agent: Agent, qid: str) -> str:
        """Said once: the next question of the agent may have the same id, and gets other words."""
        self.answers += 1
        return f"ANSWER{agent.number}r{agent.run}q{qid[1]}n{self.answers}"

    def question(self, agent: Agent, qid: str) -> str:
        return f"Which way shall part {qid[1]} of task {agent.number} in run {agent.run} be done?"

    def resume(self, agent: Agent) -> None:
        event = self.sends(self.next_use(), agent.name, "My own note.")
        said = self.do(event)
        given = (said.whole.get("hookSpecificOutput") or {}).get("updatedInput") or event["tool_input"]
        agent.received.append(given["message"])
        self.agent_says(agent.name, ("user", given["message"]))
        if agent.name not in self.running():
            agent.run += 1
            agent.called = event["tool_use_id"]
            again = agent.run == 2 and agent.number % 3 == 0
            self.ending.append((agent.name, "clarification" if again else "completion"))
            after = self.do(self.sent(event, given))
        else:
            queued = self.sent(event, given)
            queued["tool_response"] = {"success": True, "message": "Message queued for delivery"}
            after = self.do(queued)
        agent.disturbed = agent.disturbed or said.killed or after.killed
        self.react(after)

    # Agents

    def words(self, agent: Agent, ending: str) -> str:
        unique = f"REPORT{agent.number}r{agent.run}"
        token = agent.token
        if ending == "prose" or not token:
            return f"{unique} in prose. I looked at everything and found nothing."
        if ending == "clarification":
            asks = questions(self.question(agent, "Q1"), self.question(agent, "Q2"))
            return block("CLARIFICATION_NEEDED", token, reason=unique, questions=asks)
        if ending == "stop":
            return block("STOP_WORK", token, completed_work=unique, details=f"No database for {agent.number}")
        if ending == "delegation":
            return block("DELEGATE_WORK", token, delegation_reason=unique, independence="blocks_current_work")
        return block("COMPLETION_REPORT", token, summary=unique, deliverables="none")

    def end(self, name: str, ending: str) -> None:
        """The agent ends; a correction makes it end once more; most ends are announced."""
        agent = self.agents[name]
        words = self.words(agent, ending)
        said = self.one(self.ends(name, words), "SubagentStop")
        for _ in range(3):
            reason = said.whole.get("reason")
            if not reason:
                break
            agent.received.append(reason)
            self.agent_says(name, ("assistant", words), ("user", reason))
            words = self.words(agent, ending)
            said = self.one(self.ends(name, words, again=True), "SubagentStop")
        self.agent_says(name, ("assistant", words))
        if self.rng.random() < 0.84:
            told = notification(name, words, tool_use=agent.called or agent.tool_use)
            self.turns.append(lambda: self.turn(told, "notification"))

    # The whole

    def play(self) -> None:
        """Until enough hooks were killed in every place; then everything that is owed is heard, with no more kills."""
        self.one(self.begin(), "SessionStart")
        self.one(self.begin(), "SessionStart")
        while len(self.said) < MOST_EVENTS:
            fell = Counter(one.fell for one in self.said)
            if sum(one.fell != CLEAN for one in self.said) >= self.most_killed and fell[MIDDLE] >= IN_THE_MIDDLE:
                break
            self.step()
        self.killing = False
        for _ in range(60 + 2 * len(self.waiting())):  # an answer a round, and what comes of it
            while self.ending or self.turns:
                self.step(launch=False)
            before = self.state()
            self.turn("Anything new?", "plain")
            if self.state() == before and not self.turns and not self.ending:
                waiting = self.waiting()
                if not waiting:
                    return
                self.turn(f"/bg-answer {waiting[0][0]} {waiting[0][1]}", "answer")
        raise AssertionError(f"it never comes to rest: {self.waiting()}")

    def waiting(self) -> list[tuple[str, str]]:
        """What the user would still find in /bg-status, with what it says to type."""
        with closing(sqlite3.connect(str(self.data / "ledger.db"))) as book:
            rows = book.execute(
                "SELECT q.label, q.qid, q.state, q.agent FROM questions q JOIN tasks t ON t.label = q.label"
                " WHERE q.state = 'answered' OR (q.state = 'open' AND t.state IN ('needs_answer', 'blocked', 'working'))"
                " ORDER BY q.state = 'answered'"  # go waits for every decision
            ).fetchall()
        return [
            (label, "go" if state == "answered" else self.typed(qid, self.agents[agent]))
            for label, qid, state, agent in rows
        ]

    def typed(self, qid: str, agent: Agent) -> str:
        """What the user types for one item."""
        return "D1: deny" if qid[0] == "D" else f"{qid}: {self.answer(agent, qid)}"

    def step(self, *, launch: bool = True) -> None:
        roll = self.rng.random()
        if roll < 0.04:
            self.react(self.do(self.begin("compact"), "SessionStart"))
        elif launch and (roll < 0.25 or not (self.turns or self.ending)):
            self.turn("/bg Look around", "bg")
        elif self.turns and (roll < 0.8 or not self.ending):
            self.turns.pop(self.rng.randrange(len(self.turns)))()
        elif self.ending:
            self.end(*self.ending.pop(self.rng.randrange(len(self.ending))))
