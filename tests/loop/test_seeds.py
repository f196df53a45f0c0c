"""What every play of the description's examples promises, whatever is replied and on whichever host; see seeds.py."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

import pytest
import seeds
from bg.words import recoveries
from seeds import BY_PARENT, DIALOG, DIALOGS, HOST, HOSTS, PARENT, REPLIES, USER, WRITES, Example, Play

EXAMPLES = {each.name: each for each in seeds.examples()}
#: Two hosts that differ in everything; with BG_EVERY_HOST=1 all ten, which takes ten minutes.
PLAYED = HOSTS if os.environ.get("BG_EVERY_HOST") else HOSTS[1::7]
PLAYS = [(name, reply) for name, each in EXAMPLES.items() for reply in REPLIES[each.marker]]
IDS = {"CLARIFICATION_NEEDED": ["Q1", "Q2"], "STOP_WORK": ["B1"], "DELEGATE_WORK": ["D1"], "COMPLETION_REPORT": []}
#: Replies after which the agent still waits for the user.
WAIT = {
    "CLARIFICATION_NEEDED": ("Q1: Analyze both",),
    "STOP_WORK": ("reduce",),
    "DELEGATE_WORK": ("go",),
    "COMPLETION_REPORT": (),
}
TOLD = re.compile(
    r"bg-1 \(“the work”\) (?:has stopped|needs answers|asks to hand work|reports|was cut|ended)"
    r"|(?:^|\] )bg-1 (?:blocked|asks|done|disputed)\b(?! and)",
    re.MULTILINE,
)
HEADINGS = {
    recoveries.RESOLVED: ("## BLOCKER RESOLVED", "## ERROR FIXED"),
    recoveries.RETRY: ("## RETRY",),
    recoveries.SKIP: ("## SKIP", "## ERROR RECOVERY: SKIP"),
    recoveries.HAND_OVER: ("## PARTIAL RESUME",),
    recoveries.REDUCE: ("## SCOPE REDUCED",),
    recoveries.RESTART: ("## RESTART",),
    recoveries.AS_IT_IS: ("## CONTINUE AS IT IS", "## GO ON"),
    "go": ("## GO ON",),
    "": ("## THE USER'S DECISION", "## ERROR RECOVERY", "## MESSAGE FROM YOUR PARENT AGENT"),
}
#: Sentences that cannot both be meant, in one message or in two of the same play.
OPPOSITES = (
    (r"Start nothing new", r"then continue"),
    (r"Begin the task again", r"restore the state|from your checkpoint"),
    (r"It does no more of it", r"go on with the rest|go on with whatever|goes on with the rest"),
    (r"hands what is left of", r"go on with the rest|goes on with the rest|what these words hand over"),
    (r"does what is left", r"go on with the rest|goes on with the rest"),
    (r"Nobody has said that the cause is gone", r"RESOLVED|FIXED"),
    (r"You are woken when", r"Do not wait"),
    (r"have been answered by the user", r"A1: \(the user leaves this to you.*\n.*\n.*\nA2: \(the user leaves this"),
    (r"the user hands it to you", r"which it asked for|it asked others for|asked for this agent"),
    (r"restart from the checkpoint", r"restart"),
)


def replied(play: Play, reply: str) -> str:
    """The words that the agent is woken for; of an option, its title."""
    if not reply.startswith(DIALOG):
        return reply.removeprefix(BY_PARENT)
    picked = [text[len("(picks ") : -1] for who, text in play.heard if who == USER and text.startswith("(picks ")]
    return picked[0] if picked else ""


def waits(example: Example, play: Play, reply: str) -> bool:
    """The reply decides nothing."""
    words = replied(play, reply)
    return words.casefold() in [each.casefold() for each in WAIT[example.marker]] or (
        reply.startswith(DIALOG) and not words
    )


def nothing_made_up_and_nothing_lost(example: Example, play: Play, reply: str) -> Iterator[str]:
    asked = [(row["label"], row["qid"]) for row in play.ledger_has["questions"]]
    expected = [("bg-1", qid) for qid in IDS[example.marker]]
    if [each for each in asked if not each[1].startswith("W")] != expected:
        yield f"asked: {asked}"
    states = {row["state"] for row in play.ledger_has["questions"]}
    if ("open" in states) != (waits(example, play, reply) and bool(expected)):
        yield f"states: {states}"
    if play.ledger_has["errors"]:
        yield f"errors: {play.ledger_has['errors']}"


def told_once(example: Example, play: Play, reply: str) -> Iterator[str]:
    parent = play.told(PARENT)
    runs = 2 if play.sent else 1
    if len(TOLD.findall(parent)) != runs:
        yield f"bg-1 is told {len(TOLD.findall(parent))} times, of {runs} runs"
    for agent in play.tokens:
        ends = Counter(text for who, text in play.heard if who == PARENT)[f"({agent} ends)"]
        found = parent.count(f"Summary:\n> Did {agent}.") + parent.count(
            f"{agent.replace('a', 'bg-')} done: “Did {agent}.”"
        )
        if found != ends:
            yield f"the end of {agent} is told {found} times, and was {ends}"
    heard = [text for who, text in play.heard]
    if any("bg-" in text for text in heard[heard.index(seeds.AFTERWARDS) + 1 :]) and not waits(example, play, reply):
        yield f"afterwards: {heard[-1]}"


#: What the hook knows better, or what is a word of the form.
UNTOLD = ("agent_id", "timestamp", "question_id", "stop_reason", "total_duration", "signal_type")


def whole(example: Example, play: Play, reply: str) -> Iterator[str]:
    """Each line of each value reaches the parent, and of a blocker also the ways to go on."""
    # At the end of a turn it is told in short, as the user reads that too; the host hands it the report itself.
    parent = _plain(play.told(PARENT) + play.told(HOST) * (play.host.parent == WRITES))
    if example.marker == "STOP_WORK" and not re.search(r"retry, skip|reduce, hand over", parent):
        yield "the ways to go on are not told"
    for line in example.text.splitlines()[1:-1]:
        found = re.match(r'[\s{-]*"?([a-z_]+)"?: (.*)', line)
        key, value = (found[1], found[2]) if found else ("", line.lstrip("- "))
        for said in (
            re.findall(r'(?:"text": )?"([^"]+)"[,}]?', value) if line.lstrip().startswith(('"', "{")) else [value]
        ):
            if (
                key not in UNTOLD
                and not re.fullmatch(r"\w+:", said)
                and said.strip("[]{}|, ")
                and _plain(said) not in parent
            ):
                yield f"not told: {said}"


def _plain(text: str) -> str:
    return " ".join(text.replace("\n> ", "\n").replace("_", " ").split())


def named_alike(example: Example, play: Play, reply: str) -> Iterator[str]:
    if example.marker != "STOP_WORK" or waits(example, play, reply):
        return
    words = replied(play, reply)
    how = "go" if words == "go" else recoveries.read(words)[0]
    message = play.sent[0] if play.sent else ""
    if not message.startswith(HEADINGS[how]):
        yield f"{words!r} is told as {message[:40]!r}"
    if re.search("FIXED|RESOLVED", message.partition("\n")[0]) and how != recoveries.RESOLVED:
        yield "nobody has said that it is resolved"
    if reply.startswith(BY_PARENT):
        return
    if f"{words}" not in message and how != "go":
        yield "the agent does not get the words"
    follows = re.search(r"So (.*?)\. Write nothing", play.told(PARENT), re.DOTALL)
    if not follows:
        yield "the parent is not told what follows"
    elif how not in ("", "go") and follows[1].casefold() not in f"{play.told(USER)}{play.told(DIALOGS)}".casefold():
        yield f"the user is not told: {follows[1]}"


def begins_with_what_stays(example: Example, play: Play, reply: str) -> Iterator[str]:
    for message in play.sent:
        first = re.search(r"^First step: (.*)$", message, re.MULTILINE)
        aside = re.search(r"^(?:Leave this out|This (?:part )?now belongs to [^:]*): (.*)\.$", message, re.MULTILINE)
        step = re.sub(r"^log .*?, then ", "", first[1]) if first else ""
        if step and aside and step in aside[1]:
            yield f"begins with what is set aside: {step}"
        if first and first.start() < message.index("Acknowledge"):
            yield "the first step stands before what comes first"


def nothing_contradicts(example: Example, play: Play, reply: str) -> Iterator[str]:
    together = "\n\n".join(text for who, text in play.heard if who not in (DIALOGS, HOST))
    for one, other in OPPOSITES:
        if re.search(one, together) and re.search(other, together):
            yield f"{one!r} and {other!r}"
    for text in (text for who, text in play.heard if who != HOST):
        lines = [line for line in text.splitlines() if len(line) > 40 and not line.startswith(">")]
        yield from (f"said twice: {line}" for line, count in Counter(lines).items() if count > 1)
        if re.search(r"[:,] \n| {2}\S", text):
            yield f"a gap in: {text}"


def everything_ends(example: Example, play: Play, reply: str) -> Iterator[str]:
    states = {row["label"]: row["state"] for row in play.ledger_has["tasks"]}
    ends = {"done", "disputed"} if example.marker == "COMPLETION_REPORT" else {"done"}
    if not waits(example, play, reply) and not set(states.values()) <= ends:
        yield f"states: {states}"


PROMISES = (
    nothing_made_up_and_nothing_lost,
    told_once,
    whole,
    named_alike,
    begins_with_what_stays,
    nothing_contradicts,
    everything_ends,
)


def broken(name: str, reply: str, host: seeds.Host) -> list[str]:
    example, play = EXAMPLES[name], seeds.cast(EXAMPLES[name], reply, host)
    return [
        f"{name}, {reply!r}, {tuple(host)}: {promise.__name__}: {fault}"
        for promise in PROMISES
        for fault in promise(example, play, reply)
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_reply_to_an_example_keeps_every_promise(name):
    """Each on one host; which one turns with the reply, so that each host has its share."""
    replies = REPLIES[EXAMPLES[name].marker]
    turn = list(EXAMPLES).index(name)
    assert [] == [
        fault
        for number, reply in enumerate(replies)
        for fault in broken(name, reply, HOSTS[(turn + number) % len(HOSTS)])
    ]


@pytest.mark.long
@pytest.mark.parametrize("host", PLAYED, ids=lambda host: f"{host.version}-{host.parent}{'-handed' * host.hands_back}")
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_reply_keeps_every_promise_on_a_whole_host(name, host):
    assert [] == [fault for reply in REPLIES[EXAMPLES[name].marker] for fault in broken(name, reply, host)]
