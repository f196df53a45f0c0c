"""Questions on the real clients: the same ids from three agents, and a turn that must not end before the user is shown them."""

from __future__ import annotations

import pytest
from directed import both, delivered, spawn, until
from generations import NEWEST
from loop import block, launch, news, reacting, rows, token, wake
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, parent, text
from sessions import session
from test_loop import UNWOKEN, ended, later

PARTS = ("OURS-ONE", "OURS-TWO", "OURS-THREE")
GATE = "the user has not seen these questions of background agents yet"


def asker(name: str, *steps) -> tuple:
    return (name, asked(name), [later(step, 0.3) for step in steps])


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_the_same_questions_from_three_agents_are_answered_apart(host: str) -> None:
    """Answers typed out of order, one in two parts, one too late: each agent is woken once, with its own."""
    launches = both(*[spawn(f"{part} look", f"{{label}}: {part}") for part in PARTS])
    script = Script(
        *[asker(part, block("CLARIFICATION_NEEDED"), block("COMPLETION_REPORT")) for part in PARTS],
        ("parent", parent, reacting((r"not from the user\] label", launches), *[("Resume it now", wake)] * 3)),
    )
    with Model(script) as model, Home(model.url) as home, session(home, host) as run:
        run.send("/bg:bg Audit three things")
        ended(home, 3)
        delivered(run, home, wakes=host not in UNWOKEN)
        label = {row["prompt"].split()[0]: row["label"] for row in rows(home, "SELECT prompt, label FROM tasks")}
        one, two, three = (label[part] for part in PARTS)
        for number, typed in enumerate(
            (
                f"{three} Q2: three-2",
                f"{two} Q2: two-2  Q1: two-1",
                f"{three} Q1: three-1",
                f"{one} Q1: one-1  Q2: one-2",
            )
        ):
            run.turn(f"/bg-answer {typed}")
            until(lambda n=number: proven(home) == (0, 1, 2, 3)[n], lambda: rows(home, "SELECT * FROM resumes"))
            until(lambda n=number: answered(home) == (1, 3, 4, 6)[n], lambda: rows(home, "SELECT * FROM answers"))
            ended(home, 3 + proven(home))
            delivered(run, home, wakes=host not in UNWOKEN)
        run.turn(f"/bg-answer {one} Q1: too late")
        run.finish()
        for part, word in zip(PARTS, ("one", "two", "three")):
            first, resumed = model.by(part)
            assert token(first) == token(resumed)
            assert f"A1: {word}-1" in news(resumed)
            assert f"A2: {word}-2" in news(resumed)
            assert sum(other in resumed.all_text() for other in ("one-1", "two-1", "three-1", "too late")) == 1
        assert answered(home) == 6
        assert {row["state"] for row in rows(home, "SELECT state FROM questions")} == {"sent"}
        assert {row["state"] for row in rows(home, "SELECT state FROM tasks")} == {"partial"}
        assert rows(home, "SELECT * FROM errors") == []


def proven(home: Home) -> int:
    return len(rows(home, "SELECT 1 FROM resumes WHERE proven IS NOT NULL"))


def answered(home: Home) -> int:
    return len(rows(home, "SELECT 1 FROM answers"))


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_turn_ends_once_questions_were_shown_and_is_held_once_a_set(host: str) -> None:
    """Held for what the parent keeps to itself, not again for the same or a part of it, not for what it has shown."""
    script = Script(
        *[asker(part, block("CLARIFICATION_NEEDED")) for part in PARTS],
        (
            "parent",
            parent,
            reacting(
                *[
                    (rf"not from the user\] label: bg-{n}", launch(f"{part} look", part))
                    for n, part in enumerate(PARTS, 1)
                ],
                (r"bg-3 \([^\n]* needs answers", text("bg-3 Q1: which format? bg-3 Q2: archived ones too?")),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, session(home, host) as run:

        def hears(number: int) -> None:
            run.send(f"/bg:bg Audit part {number}")
            ended(home, number)
            delivered(run, home, wakes=host not in UNWOKEN)
            heard(model, run, f"That was {number}.")

        def held() -> int:
            last = model.by("parent")[-1]
            return sum(GATE in Request({"messages": [message]}).all_text() for message in last.messages)

        hears(1)
        assert held() == 1
        run.send("/bg-answer bg-1 Q1: Both")
        until(lambda: answered(home) == 1, "the answer is recorded")
        heard(model, run, "And now?")
        heard(model, run, "And then?")
        assert held() == 1, "held again for a part of what it was held for"
        hears(2)
        assert held() == 2
        hears(3)
        assert held() == 2, "held for questions that the parent has shown"
        run.finish()
        assert rows(home, "SELECT * FROM errors") == []


def heard(model: Model, run, words: str) -> None:
    """The user says something, and the parent's turn comes to its end."""
    run.turn(words)
    model.wait_for(lambda request: request.actor == "parent" and words in request.all_text())
