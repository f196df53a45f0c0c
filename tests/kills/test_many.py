"""Endings that the host never announces, and the same question from three agents: each arrives exactly once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from play import Host, block, heard_of, notification, questions, token_in

pytestmark = [pytest.mark.long, pytest.mark.alone]

COMPLETIONS, DROPPED = 188, 31
AT_ONCE, ROUNDS = 50, 6
PLAIN = {
    "deliverables": "None",
    "metrics_achieved": "Answered",
    "issues_encountered": "None",
    "recommendations": "None",
}


def launched(host: Host, agents: list[str], at_once: int = 4) -> dict[str, str]:
    """One /bg with this many agents; each one's token."""
    host.hook(host.prompt("/bg Look at everything"))

    def launch(agent: str) -> str:
        said = host.hook(host.launch(f"toolu_{agent}", "look", f"Look at {agent}"))
        given = said.whole["hookSpecificOutput"]["updatedInput"]
        host.hook(host.launched(f"toolu_{agent}", agent, given))
        return token_in(given["prompt"])

    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip(agents, pool.map(launch, agents)))


def report(host: Host, agent: str, token: str) -> dict[str, Any]:
    """The end of an agent's run, with a word of its own in it."""
    return host.ends(agent, block("COMPLETION_REPORT", token, status="success", summary=f"word-{agent}-x", **PLAIN))


def tell_all(host: Host, agents: list[str]) -> Counter[str]:
    """Prompts and turn ends until nothing more is said; how often each agent's word was heard."""
    heard: Counter[str] = Counter()
    silent = 0
    while silent < 2:
        words = host.hook(host.prompt("Go on")).context + host.hook(host.stop()).context
        heard.update({agent: heard_of(agent, words) for agent in agents if heard_of(agent, words)})
        silent = 0 if "word-" in words else silent + 1
    return heard


def test_fifty_agents_that_end_at_once(tmp_path, tell):
    """Ten rounds of fifty SubagentStop hooks side by side: each of the 500 ends is recorded and told once."""
    host = Host(tmp_path)
    heard: Counter[str] = Counter()
    spooled = 0
    for number in range(ROUNDS):
        agents = [f"r{number}n{each}" for each in range(AT_ONCE)]
        tokens = launched(host, agents)

        def end(agent: str, tokens: dict[str, str] = tokens) -> tuple[int, bytes]:
            process = host.start(report(host, agent, tokens[agent]))
            out, _ = process.communicate(process.data, timeout=120)
            return process.returncode, out

        with ThreadPoolExecutor(AT_ONCE) as pool:
            assert set(pool.map(end, agents)) == {(0, b"")}
        spooled += len(host.spooled())
        heard += tell_all(host, agents)
        assert host.spooled() == []
    recorded = host.rows("SELECT DISTINCT agent FROM reports")
    tell(
        f"{ROUNDS} rounds of {AT_ONCE} at once: {len(recorded)} recorded, {spooled} of them by way of the spool; "
        f"{len(heard)} told, {sum(heard.values()) - len(heard)} twice"
    )
    assert len(recorded) == ROUNDS * AT_ONCE
    assert len(heard) == sum(heard.values()) == ROUNDS * AT_ONCE


def test_notifications_that_never_come(tmp_path, tell):
    """Of 188 completions 31 are never announced: 188 are told, none twice."""
    host = Host(tmp_path)
    agents = [f"n{number}" for number in range(COMPLETIONS)]
    dropped = set(agents[3 :: COMPLETIONS // DROPPED][:DROPPED])
    assert len(dropped) == DROPPED
    tokens = launched(host, agents)
    heard: Counter[str] = Counter()
    for agent in agents:
        host.hook(report(host, agent, tokens[agent]))
        if agent not in dropped:
            said = host.hook(host.prompt(notification(agent, "done")))
            heard.update(each for each in agents if heard_of(each, said.context))
            said = host.hook(host.stop(running=tuple(agents)))
            heard.update(each for each in agents if heard_of(each, said.context))
    heard += tell_all(host, agents)
    tell(
        f"{COMPLETIONS} completions, {DROPPED} never announced: {len(heard)} told, {sum(heard.values()) - len(heard)} twice"
    )
    assert heard == Counter(agents)


def test_three_agents_ask_the_same_question_id(tmp_path):
    """Answers shuffled, partial, duplicate, changed, late and foreign: each ends where it belongs, exactly once."""
    host = Host(tmp_path, CLAUDE_CODE_ENTRYPOINT="cli")
    agents = ["a1", "a2", "a3"]
    tokens = launched(host, agents, at_once=1)
    host.hook(host.stop(running=tuple(agents)))
    for agent in agents:
        asked = questions(f"What of {agent}, first?", f"What of {agent}, second?")
        host.hook(host.ends(agent, block("CLARIFICATION_NEEDED", tokens[agent], questions=asked)))
        host.hook(host.prompt(notification(agent, "asks")))
        host.hook(host.stop(last="bg-1 Q1 bg-1 Q2 bg-2 Q1 bg-2 Q2 bg-3 Q1 bg-3 Q2"))

    def typed(words: str) -> str:
        said = host.hook(host.prompt(words)).whole
        return str(said.get("reason") or said)

    assert "Several tasks wait" in typed("/bg-answer Q1: whose?")
    assert "bg-2 Q2 answered" in typed("/bg-answer bg-2 Q2: two-second")
    assert "bg-3 Q1 answered" in typed("/bg-answer bg-3 Q1: wrong")
    assert "it replaces" in typed("/bg-answer bg-3 Q1: three-first")
    assert "the same answer was there already" in typed("/bg-answer bg-3 Q1: three-first")
    assert "Resume it now" in typed("/bg-answer bg-1 Q2: one-second\nQ1: one-first")
    assert "Resume it now" in typed("/bg-answer bg-3 Q2: skip")
    assert "has no open Q7" in typed("/bg-answer bg-2 Q7: late")
    assert "There is no task bg-9" in typed("/bg-answer bg-9 Q1: foreign")
    assert "Resume it now" in typed("/bg-answer bg-2 Q1: two-first")
    for agent, words in (
        ("a1", ("one-first", "one-second")),
        ("a2", ("two-first", "two-second")),
        ("a3", ("three-first", "take your default")),
    ):
        sending = host.sends(f"send-{agent}", agent, "Go on.")
        given = host.hook(sending).whole["hookSpecificOutput"]["updatedInput"]
        host.hook(host.sent(sending, given))
        assert f"A1: {words[0]}" in given["message"]
        assert words[1] in given["message"]
        others = {"one-", "two-", "three-"} - {words[0][: words[0].index("-") + 1]}
        assert not any(other in given["message"] for other in others), given["message"]
    assert "not recorded: too late" in typed("/bg-answer bg-1 Q1: too late")
