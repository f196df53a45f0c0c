"""The scripted model: an HTTP server on loopback that plays Claude's part and keeps every request for the tests."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Callable, Optional, final

from rig.home import PATIENCE
from rig.request import Request
from rig.script import Reply, Script, json_body, sse_events


@final
class Model:
    """`with Model(script) as model:` serves on `model.url`; `model.requests` holds the client's requests, in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._requests: list[Request] = []
        self._arrived = threading.Condition()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL to give to the client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """All requests to /v1/messages so far."""
        with self._arrived:
            return list(self._requests)

    def by(self, actor: str) -> list[Request]:
        """The requests that one actor answered."""
        return [request for request in self.requests if request.actor == actor]

    @property
    def surplus(self) -> list[Request]:
        """The requests that came after their actor had taken all its steps, or that no actor knew."""
        return [request for request in self.requests if request.surplus]

    def wait_for(self, wanted: Callable[[Request], bool], timeout: float = PATIENCE) -> Request:
        """The first request for which `wanted` holds, waiting for it to arrive."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            while True:
                for request in self._requests:
                    if wanted(request):
                        return request
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no such request among {len(self._requests)} in {timeout} s")
                self._arrived.wait(left)

    def wait_said(self, actor: str, count: int = 1, timeout: float = PATIENCE) -> list[Request]:
        """Wait until this actor has given `count` answers, surplus ones included; return their requests."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            while True:
                found = [r for r in self._requests if r.actor == actor and r.answered is not None]
                if len(found) >= count:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{actor} gave {len(found)} answers of {count} in {timeout} s")
                self._arrived.wait(left)

    def __enter__(self) -> Model:
        """Start serving."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Open every gate and stop the server."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        """Record the request, let the script decide, and hold the reply back until its gates open."""
        with self._arrived:
            request = Request(body=body, headers=headers, number=len(self._requests), time=time.time())
            self._requests.append(request)
        reply = self.script.decide(request)
        with self._arrived:
            self._arrived.notify_all()
        reply.hold(self.closing)
        with self._arrived:
            request.reply = reply
            request.answered = time.time()
            self._arrived.notify_all()
        return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    block_on_close = False
    model: Model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: tests often kill a client while it waits for its answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self._send(200, b"", "text/plain")

    def do_GET(self) -> None:
        self._send(404, b"{}", "application/json")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._send(200, b'{"input_tokens": 1000}', "application/json")
        elif path.endswith("/v1/messages"):
            self._messages(json.loads(raw))
        else:
            self._send(404, b"{}", "application/json")

    def _messages(self, body: dict[str, Any]) -> None:
        reply = self.server.model.answer(body, {name.lower(): value for name, value in self.headers.items()})
        if reply.error:
            self._send(reply.error[0], json.dumps(reply.error_body()).encode(), "application/json", reply.headers)
        elif body.get("stream"):
            self._stream(reply, str(body.get("model")))
        elif reply.lost:
            self._reset()
        else:
            self._send(200, json.dumps(json_body(reply, str(body.get("model")))).encode(), "application/json")

    def _reset(self) -> None:
        """Lose the connection: the client gets a reset, not an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _stream(self, reply: Reply, model: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in sse_events(reply, model):
            reply.pause(event, self.server.model.closing)
            if reply.lost and event["type"] == "content_block_stop" and event["index"] == len(reply.blocks) - 1:
                self._reset()
                return
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def _send(self, status: int, body: bytes, kind: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class names it)
        """Print nothing: the requests are kept in `Model.requests`."""
