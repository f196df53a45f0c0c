"""The four ways in (blocks, transcripts, events, typed answers) take any text; readers of what others write take time in proportion."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bg import foreign, hook, masking, settings
from bg.host import event, transcripts
from bg.host.event import Event
from bg.ledger.inbox import Question
from bg.loop import answers, decisions
from bg.protocol import signals
from bg.results import intake
from bg.results.records import Source
from bg.words import quoting
from recordings import everything

CASES = 20_000
pytestmark = pytest.mark.long

PIECES = [
    "\n", "\n\n", " ", "\t", "\r", "\x00", "\x1b[31m", "\u2028", "\ud83d", "\U000e0041", "\ufeff", "\u202e", "é", "日本", "[", "]", "{",
    "}", '"', "'", "\\", ":", "-", ">", "<", "#", "```", "~~~", "|", "[COMPLETION_REPORT]", "[/COMPLETION_REPORT]", "[STOP_WORK]",
    "[/STOP_WORK]", "[CLARIFICATION_NEEDED]", "[/CLARIFICATION_NEEDED]", "[DELEGATE_WORK]", "[/DELEGATE_WORK]", "agent_id: bg-1-abcdefghij",
    "status: success", "summary: |\n  done", "questions:", "- question_id: Q1", "  text: why?", '{"signal_type": "STOP_WORK"}', "Q1:", "q2 =",
    "D1:", "B1)", "bg-1", "bg-2 Q1:", "go", "skip", "yes", "no, but", "approve", "deny", "<task-notification>", "</task-notification>",
    "<task-id>a1</task-id>", "<result>", "</result>", '<agent-message from="a1">', "/bg", "/bg-answer", "/bg-status", '{"type": "user"}',
    '{"type": "assistant", "message": {"content": [{"type": "text", "text": "x"}]}}', "null", "1e999", "9" * 40, "x" * 60, "* ", "1. ",
]  # fmt: skip


def texts(seed: int) -> Iterator[str]:
    dice = random.Random(seed)
    for _ in range(CASES):
        yield "".join(dice.choice(PIECES) for _ in range(dice.randrange(1, 30)))


def timed(name: str, call: Callable[[Any], None], cases: Iterator[Any], tell: Any) -> None:
    count, worst = 0, 0.0
    for case in cases:
        begun = time.thread_time()
        try:
            call(case)
        except Exception as error:  # noqa: BLE001 - named with its case
            pytest.fail(f"{type(error).__name__}: {error} for {case!r}")
        worst, count = max(worst, time.thread_time() - begun), count + 1
    tell(f"{name}: {count} cases, the worst took {worst * 1000:.1f} ms")
    assert count >= CASES
    assert worst < 1.0


def test_any_report_is_decoded_in_bounded_time(tell: Any) -> None:
    def call(text: str) -> None:
        for signal in signals.read(text).signals:
            body = json.loads(json.dumps(signals.as_json_object(signal)))
            assert body["signal_type"] in signals.schemas()
            assert signal.closed in (True, False)

    timed("finding and decoding", call, texts(1), tell)


def test_any_transcript_is_read_in_bounded_time(tmp_path: Path, tell: Any) -> None:
    path = tmp_path / "agent-a1.jsonl"

    count = 0

    def call(text: str) -> None:
        nonlocal count
        count += 1
        data = text.encode("utf-8", "surrogatepass")
        records = [*transcripts._records(data)]
        assert all(isinstance(record, dict) for record in records)
        final = transcripts.last_assistant(records)
        found = [final.text, final.uuid, *map(transcripts.text, records)]
        if count % 20 == 0:  # through a file
            path.write_bytes(data)
            assert transcripts.tail(str(path)) == records
            found += [
                transcripts.first_prompt(str(path)),
                transcripts.field(str(path), "cwd"),
                transcripts.digest(str(path)),
            ]
        for each in found:
            each.encode("utf-8")
        transcripts.raw_output(text.encode("utf-8", "replace").decode("utf-8"))

    timed("transcripts", call, texts(2), tell)


def _spoilt(seed: int) -> Iterator[str]:
    """What the hosts gave their hooks, with something else in one or two places."""
    dice = random.Random(seed)
    known = [payload for _, payload in everything()]
    odd = [None, [], {}, 7, -1.5, True, "", [[]], {"a": {}}, ["a1"]]
    for number in range(CASES):
        payload = json.loads(json.dumps(dice.choice(known)))
        for _ in range(dice.randrange(1, 3)):
            place = payload
            while True:
                key = dice.choice(list(place))
                if not isinstance(place[key], dict) or not place[key] or dice.random() < 0.4:
                    break
                place = place[key]
            place[key] = (
                json.loads(json.dumps(dice.choice(odd)))
                if dice.random() < 0.5
                else "".join(dice.choice(PIECES) for _ in range(8))
            )
        text = json.dumps(payload, ensure_ascii=dice.random() < 0.5)
        yield text[: dice.randrange(len(text))] if number % 10 == 0 else text


def test_any_event_is_read_in_bounded_time(tell: Any) -> None:
    def call(text: str) -> None:
        found = event.read(text)
        if found is None:
            return
        assert isinstance(found, Event)
        assert event.identifier(found.session)
        assert not found.agent or event.identifier(found.agent)
        assert all(event.identifier(each.agent) for each in event.notifications(found.prompt))
        event.typed_command(found.prompt)

    timed("events on standard input", call, _spoilt(3), tell)


def test_events_through_the_handlers(tell: Any) -> None:
    """Fewer of them, as each opens the ledger."""
    count = 0
    for text, _ in zip(_spoilt(4), range(600)):
        out = io.StringIO()
        assert hook.main(io.StringIO(text.encode("utf-8", "replace").decode("utf-8")), out) in (0, 1)
        json.loads(out.getvalue() or "{}")
        count += 1
    tell(f"{count} spoilt events through the handlers")


def question(qid: str) -> Question:
    columns = {"id": 1, "label": "bg-1", "qid": qid, "text": "why?", "state": "open", "extra": "{}"}
    return Question(columns)


KNOWN = answers.Known([question("Q1"), question("Q2")], lambda _label, _qid: True, lambda _label: True)


def test_any_typed_answer_is_read_in_bounded_time(tell: Any) -> None:
    def call(text: str) -> None:
        answers.read(text, KNOWN)
        decisions.read(text)

    timed("typed answers", call, texts(5), tell)


UNITS = ["[", "\n", "```\n", "[STOP_WORK]\ndetails: x\n[/STOP_WORK]\n", "a_b: c\n", "- question_id: Q1\n  text: x\n", "Q1: a ", " ", "<system-",
         "\x1b]", '"', "<task-notification>", "yes, ", '{"a":1}\n', "\u2028", "://a:b"]  # fmt: skip
READERS: dict[str, Callable[[str], Any]] = {
    "blocks": signals.read,
    "notifications": lambda text: event.notifications(f"<task-notification>{text}"),
    "transcripts": lambda text: list(transcripts._records(text.encode("utf-8"))),
    "JSON": lambda text: _refused(lambda: foreign.loads(text)),
    "settings": lambda text: settings.judge(text, "bg.json"),
    "neutral": quoting.neutral,
    "quotations": lambda text: (quoting.quote(text), quoting.inline(text), quoting.spelled(text)),
    "secrets": masking.masked,
    "results": lambda text: intake.take([Source("x", text.encode("utf-8"))]),
    "typed answers": lambda text: answers.read(text, KNOWN),
    "typed decisions": lambda text: (decisions.read(text), decisions.names_it(text), decisions.is_either(text)),
    "typed words": lambda text: (
        event.typed_command(text),
        event.is_machine_prompt(text),
        answers.is_question(text),
    ),
}
MORE = {
    "typed answers": ["Q1: a", "Q1, ", "Q1\n", "Q1 and ", "D1 ", "Q9: x ", "Q1 (", "> Q1: why?\n", "bg-1 Q1: x\n", "bg-2: x\n", "my answers ",
                      "- question_id: Q1\n", "1) a ", "1. x 2 "],
    "typed decisions": ["- yes\n", "- use it\n", "yes but ", "or ", "or a?"],
    "typed words": ["what? "],
}  # fmt: skip
FIRST = {"typed decisions": "yes\n", "typed words": "what "}


def _refused(call: Callable[[], Any]) -> None:
    with contextlib.suppress(ValueError):
        call()


@pytest.fixture
def own_heap() -> Iterator[None]:
    """What other tests have left in memory is not looked through again for each text."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("name", READERS)
@pytest.mark.usefixtures("own_heap")
def test_time_grows_with_the_text_and_no_faster(name: str, tell: Any) -> None:
    """At 10 kB, 100 kB and 1 MB: ten times the text takes no more than some twenty times the time."""
    shown = []
    for unit in [*UNITS, *MORE.get(name, [])]:
        taken = []
        for size in (10_000, 100_000, 1_000_000):
            text = FIRST.get(name, "") + (unit * (size // len(unit) + 1))[:size] + "x"
            begun = time.thread_time()
            READERS[name](text)
            taken.append(time.thread_time() - begun)
            assert taken[-1] < 4.0, (unit, size, taken)
        assert taken[2] < 25 * max(taken[1], 0.02), (unit, taken)
        shown.append(max(taken))
    tell(f"{name}: the worst of {len(UNITS) + len(MORE.get(name, []))} texts of 1 MB took {max(shown):.2f} s")
