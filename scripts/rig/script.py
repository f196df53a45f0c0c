"""The lines of the scripted model: replies, the actors that give them in order, and the form of replies on the wire."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Optional, Union

from rig.request import Request

Gate = Union[threading.Event, Callable[[], bool]]
Predicate = Callable[[Request], bool]

_ids = itertools.count(1)
_TEXT_CHUNK = 400
GATE_LIMIT = 120.0


@dataclass(frozen=True)
class Reply:
    """One answer of the model; `+` joins two, so that one message can hold text and several calls."""

    blocks: tuple[dict[str, Any], ...] = ()
    stop: Optional[str] = None
    gates: tuple[Gate, ...] = ()
    midway: tuple[Gate, ...] = ()
    delay: float = 0.0
    error: Optional[tuple[int, str, str]] = None
    headers: tuple[tuple[str, str], ...] = ()
    lost: bool = False

    def __add__(self, other: Reply) -> Reply:
        """One message that holds both."""
        return replace(
            self,
            blocks=self.blocks + other.blocks,
            stop=other.stop or self.stop,
            gates=self.gates + other.gates,
            midway=self.midway + other.midway,
            delay=max(self.delay, other.delay),
        )

    def after(self, gate: Gate) -> Reply:
        """The same reply, held back until the event is set or the function answers true."""
        return replace(self, gates=(*self.gates, gate))

    def paused(self, gate: Gate) -> Reply:
        """The same reply, whose stream pauses in the midst of its last block until the gate opens."""
        return replace(self, midway=(*self.midway, gate))

    def later(self, seconds: float) -> Reply:
        """The same reply, given this much later."""
        return replace(self, delay=self.delay + seconds)

    def cut(self) -> Reply:
        """The same reply, ended by the output limit."""
        return replace(self, stop="max_tokens")

    def dropped(self) -> Reply:
        """The same reply, but the connection is lost in the midst of its last block."""
        return replace(self, lost=True)

    @property
    def stop_reason(self) -> str:
        """The API's reason for the end of the message."""
        return self.stop or ("tool_use" if any(block["type"] == "tool_use" for block in self.blocks) else "end_turn")

    def hold(self, closing: threading.Event) -> None:
        """Wait for the gates and the delay, or until the server closes."""
        _wait(self.gates, closing)
        closing.wait(self.delay)

    def pause(self, event: dict[str, Any], closing: threading.Event) -> None:
        """Wait for the gates in the midst of the last block, if this event of the stream is the end of that block."""
        if event["type"] == "content_block_stop" and event["index"] == len(self.blocks) - 1:
            _wait(self.midway, closing)

    def error_body(self) -> dict[str, Any]:
        """The API's form of an error."""
        _, kind, message = self.error or (500, "api_error", "")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_rig{next(_ids):08d}"}


def _wait(gates: tuple[Gate, ...], closing: threading.Event) -> None:
    deadline = time.monotonic() + GATE_LIMIT
    for gate in gates:
        is_open = gate.is_set if isinstance(gate, threading.Event) else gate
        while not is_open() and not closing.is_set() and time.monotonic() < deadline:
            time.sleep(0.02)


def text(words: str) -> Reply:
    """A reply in which the model says something."""
    return Reply(({"type": "text", "text": words},))


def call(tool: str, **tool_input: Any) -> Reply:
    """A reply in which the model calls a tool."""
    return Reply(({"type": "tool_use", "name": tool, "input": tool_input},))


def failure(
    status: int = 400, kind: str = "invalid_request_error", message: str = "scripted failure", **headers: str
) -> Reply:
    """A reply in which the API refuses; in the names of headers, `_` stands for `-`."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(error=(status, kind, message), headers=named)


def usage_limit(resets: int) -> Reply:
    """A refusal because the user's limit for five hours is used up; `resets` is the second in which that ends."""
    return failure(
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit. Please try again later.",
        anthropic_ratelimit_unified_status="rejected",
        anthropic_ratelimit_unified_representative_claim="five_hour",
        anthropic_ratelimit_unified_reset=str(resets),
    )


def overloaded() -> Reply:
    """A refusal because the API is overloaded."""
    return failure(529, "overloaded_error", "Overloaded")


Step = Union[Reply, Callable[[Request], Reply]]


@dataclass
class Actor:
    """One speaker: answers each request that its predicate knows by its next step, after the last by a short text."""

    name: str
    knows: Predicate
    steps: list[Step]
    said: int = field(default=0, init=False)


class Script:
    """The actors in order of precedence; the first whose predicate knows a request answers it."""

    def __init__(self, *actors: tuple[str, Predicate, list[Step]]) -> None:
        self.actors = [Actor(name, knows, list(steps)) for name, knows, steps in actors]
        self._lock = threading.Lock()

    def decide(self, request: Request) -> Reply:
        """The reply to this request; also notes in the request which actor gave it."""
        chore = housekeeping(request)
        if chore:
            request.actor = "housekeeping"
            return chore
        with self._lock:
            step = self._next(request)
        reply = step if isinstance(step, Reply) else step(request)
        return reply if reply.error else replace(reply, blocks=tuple(_with_id(block) for block in reply.blocks))

    def done(self, name: str) -> bool:
        """Whether this actor has taken all its steps."""
        return all(actor.said >= len(actor.steps) for actor in self.actors if actor.name == name)

    def _next(self, request: Request) -> Step:
        for actor in self.actors:
            if actor.knows(request):
                request.actor = actor.name
                actor.said += 1
                if actor.said <= len(actor.steps):
                    return actor.steps[actor.said - 1]
                break
        request.surplus = True
        return text("ok.")


def asked(words: str) -> Predicate:
    """A predicate that knows an agent by words that only its first user message holds."""
    return lambda request: words in request.first_user_text()


def parent(request: Request) -> bool:
    """The predicate for the session itself."""
    return not request.is_subagent


def subagent(request: Request) -> bool:
    """The predicate for any subagent."""
    return request.is_subagent


def housekeeping(request: Request) -> Optional[Reply]:
    """The answer to a request for the client's own use: title, summary, suggestion, auto-mode classifier; else None."""
    if "You are a security monitor" in request.system_text():
        return text("<severity>0</severity>")
    last = request.last_user_text()
    if "[SUGGESTION MODE:" in last:
        return text("")
    if "Your task is to create a detailed summary of" in last:
        return text("<analysis>short</analysis>\n<summary>The conversation so far, in short.</summary>")
    if not request.tools():
        return text('{"isNewTopic": false, "title": "Scripted work"}')
    return None


def _with_id(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] != "tool_use" or "id" in block:
        return block
    return {**block, "id": f"toolu_01rig{next(_ids):018d}"}


def _usage(reply: Reply) -> dict[str, int]:
    words = sum(len(json.dumps(block)) for block in reply.blocks)
    return {
        "input_tokens": 1200,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": max(1, words // 4),
    }


def json_body(reply: Reply, model: str) -> dict[str, Any]:
    """The whole message, for a request that does not stream."""
    return {
        "id": f"msg_01rig{next(_ids):018d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(reply.blocks),
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": _usage(reply),
    }


def sse_events(reply: Reply, model: str) -> Iterator[dict[str, Any]]:
    """The same message as the events of a stream."""
    usage = _usage(reply)
    start = {**json_body(reply, model), "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(reply.blocks):
        if block["type"] == "tool_use":
            empty, deltas = {**block, "input": {}}, _input_deltas(block)
        else:
            empty, deltas = {"type": "text", "text": ""}, _text_deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reply.stop_reason, "stop_sequence": None},
        "usage": usage,
    }
    yield {"type": "message_stop"}


def _text_deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    words = block["text"]
    for start in range(0, len(words), _TEXT_CHUNK):
        yield {"type": "text_delta", "text": words[start : start + _TEXT_CHUNK]}


def _input_deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = json.dumps(block["input"], ensure_ascii=False)
    for start in range(0, len(whole), _TEXT_CHUNK):
        yield {"type": "input_json_delta", "partial_json": whole[start : start + _TEXT_CHUNK]}
