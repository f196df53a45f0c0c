"""The scripted model without a client: the wire's shape, the order of the steps, gates, concurrency, housekeeping."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Optional

import pytest
from rig import clients
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, failure, parent, text

TOOLS = [{"name": "Agent"}, {"name": "Bash"}]


def body(words: str, tools: Optional[list[dict[str, Any]]] = None, **more: Any) -> dict[str, Any]:
    """A request as a client would send it."""
    user = {"role": "user", "content": [{"type": "text", "text": words}]}
    return {"model": "claude-test", "messages": [user], "tools": TOOLS if tools is None else tools, **more}


def post(model: Model, value: dict[str, Any], path: str = "/v1/messages?beta=true") -> str:
    """What the server answers."""
    request = urllib.request.Request(  # noqa: S310 (loopback)
        model.url + path, json.dumps(value).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 (loopback)
        return str(answer.read().decode())


def said(model: Model, words: str, **more: Any) -> str:
    """The text of the answer to these words."""
    return str(json.loads(post(model, body(words, **more)))["content"][0]["text"])


def test_a_stream_is_the_message_in_events() -> None:
    with Model(Script(("parent", parent, [text("Hello.") + call("Agent", prompt="x" * 900)]))) as model:
        lines = post(model, body("hi", stream=True)).strip().split("\n\n")
    names = [line.split("\n")[0] for line in lines]
    events = [json.loads(line.split("\ndata: ")[1]) for line in lines]
    assert names == [f"event: {event['type']}" for event in events]
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["content"] == []
    assert events[4]["content_block"]["input"] == {}
    pieces = [e["delta"]["partial_json"] for e in events if e.get("delta", {}).get("type") == "input_json_delta"]
    assert json.loads("".join(pieces)) == {"prompt": "x" * 900}
    assert events[-2]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}


def test_a_plain_request_gets_one_message() -> None:
    with Model(Script(("parent", parent, [text("Cut here").cut()]))) as model:
        message = json.loads(post(model, body("hi")))
    assert message["content"] == [{"type": "text", "text": "Cut here"}]
    assert message["stop_reason"] == "max_tokens"
    assert message["model"] == "claude-test"


def test_steps_come_in_order_and_then_a_surplus_is_marked() -> None:
    with Model(Script(("one", asked("first"), [text("a"), text("b")]), ("two", asked("other"), [text("c")]))) as model:
        answers = [said(model, words) for words in ("first", "other", "first", "first", "nobody")]
        assert answers == ["a", "c", "b", "ok.", "ok."]
        assert [(r.actor, r.surplus) for r in model.requests] == [
            ("one", False),
            ("two", False),
            ("one", False),
            ("one", True),
            ("", True),
        ]
        assert len(model.by("one")) == 3
        assert len(model.surplus) == 2


def test_a_step_may_use_what_it_was_told() -> None:
    step = lambda request: text("told: " + request.last_user_text())  # noqa: E731
    with Model(Script(("parent", parent, [step]))) as model:
        assert said(model, "agent a1") == "told: agent a1"


def test_a_gate_holds_one_answer_while_others_go_on() -> None:
    gate = threading.Event()
    script = Script(("slow", asked("slow"), [text("late").after(gate)]), ("fast", asked("fast"), [text("now")]))
    with Model(script) as model, ThreadPoolExecutor() as pool:
        slow = pool.submit(said, model, "slow")
        model.wait_for(lambda request: request.actor == "slow", 5)
        assert said(model, "fast") == "now"
        assert not slow.done()
        gate.set()
        assert slow.result(5) == "late"
        slow_request = model.wait_said("slow", 1, 5)[0]
        assert slow_request.answered is not None
        assert slow_request.answered >= slow_request.time


def test_a_stream_stands_still_in_the_midst_of_its_last_block() -> None:
    gate = threading.Event()
    reply = (text("before") + call("Bash", command="true")).paused(gate)
    with Model(Script(("one", parent, [reply]))) as model:
        request = urllib.request.Request(  # noqa: S310 (loopback)
            model.url + "/v1/messages", json.dumps(body("go", stream=True)).encode()
        )
        with urllib.request.urlopen(request, timeout=10) as stream:  # noqa: S310 (loopback)
            seen = iter(lambda: stream.readline().decode(), "")
            ends = (line for line in seen if line.startswith("event: content_block_stop"))
            next(ends)
            delta = next(line for line in seen if "input_json_delta" in line)
            assert "command" in delta
            with ThreadPoolExecutor() as pool:
                rest = pool.submit(lambda: list(seen))
                assert wait([rest], 0.3).not_done
                gate.set()
                assert "event: message_stop\n" in rest.result(5)


def test_closing_opens_every_gate() -> None:
    with ThreadPoolExecutor() as pool:
        with Model(Script(("slow", parent, [text("late").after(lambda: False)]))) as model:
            slow = pool.submit(said, model, "slow")
            model.wait_for(lambda request: request.actor == "slow", 5)
        assert slow.result(5) == "late"


def test_each_step_is_given_once_however_many_ask_at_once() -> None:
    steps = [call("Bash", command=f"echo {n}") for n in range(40)]
    with Model(Script(("parent", parent, list(steps)))) as model, ThreadPoolExecutor(20) as pool:
        answers = [json.loads(raw) for raw in pool.map(lambda _: post(model, body("go")), range(40))]
    blocks = [answer["content"][0] for answer in answers]
    assert sorted(block["input"]["command"] for block in blocks) == sorted(f"echo {n}" for n in range(40))
    assert len({block["id"] for block in blocks}) == 40
    assert len({answer["id"] for answer in answers}) == 40
    assert [request.number for request in model.requests] == list(range(40))


def test_an_error_has_the_api_s_form() -> None:
    with Model(Script(("parent", parent, [failure(529, "overloaded_error", "busy")]))) as model:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(model, body("hi"))
        with caught.value as error:
            assert error.code == 529
            assert json.loads(error.read())["error"] == {"type": "overloaded_error", "message": "busy"}


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (body("classify", tools=[], system="You are a security monitor for agents"), "<severity>0</severity>"),
        (body("make a title", tools=[]), '{"isNewTopic": false, "title": "Scripted work"}'),
        (body("[SUGGESTION MODE: suggest"), ""),
    ],
)
def test_housekeeping_uses_up_no_step(value: dict[str, Any], answer: str) -> None:
    with Model(Script(("parent", lambda _: True, [text("the step")]))) as model:
        assert json.loads(post(model, value))["content"][0]["text"] == answer
        assert model.requests[0].actor == "housekeeping"
        assert said(model, "hi") == "the step"


def test_the_other_paths_are_harmless() -> None:
    with Model(Script()) as model:
        assert json.loads(post(model, {}, "/v1/messages/count_tokens")) == {"input_tokens": 1000}
        head = urllib.request.Request(model.url + "/", method="HEAD")  # noqa: S310 (loopback)
        with urllib.request.urlopen(head, timeout=5) as answer:  # noqa: S310 (loopback)
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(model, {}, "/api/event")
        with caught.value as error:
            assert error.code == 404
        assert model.requests == []


def test_a_request_shows_what_the_model_was_told() -> None:
    request = Request(
        {
            "system": [{"type": "text", "text": "You are an agent."}],
            "tools": [{"name": "Bash", "description": "runs"}],
            "messages": [
                {"role": "user", "content": "task"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"a": 1}}]},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "out"}]},
                        {"type": "text", "text": "and more"},
                    ],
                },
                {"role": "system", "content": "note"},
            ],
        }
    )
    assert request.first_user_text() == "task"
    assert request.user_texts() == ["task", "and more"]
    assert request.last_user_text() == "and more"
    assert request.system_turns() == ["note"]
    assert request.tools() == ["Bash"]
    assert request.tool("Bash")["description"] == "runs"
    assert request.tool_results() == [("Bash", "out", False, "t1")]
    assert request.is_subagent
    for part in ("You are an agent.", "task", "'a': 1", "out", "and more", "note"):
        assert part in request.all_text()


def test_a_client_s_entry_is_found_where_it_is_installed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BG_HOSTS", str(tmp_path))
    assert not clients.installed("2.1.7")
    script = tmp_path / "2.1.7/node_modules/@anthropic-ai/claude-code/cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("")
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert clients.entry("2.1.7") == ["/bin/node", str(script)]
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    binary = tmp_path / "2.1.327/node_modules/@anthropic-ai/claude-code-darwin-arm64/claude"
    binary.parent.mkdir(parents=True)
    binary.write_text("")
    assert clients.entry("2.1.327") == [str(binary)]
