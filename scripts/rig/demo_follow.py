"""The conversation as the demo shows it: what the client does, who speaks, and what the ledger holds meanwhile.

It comes from the client's events, and from its requests if the events show too little.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, Callable, Optional, Protocol, TextIO, Union

from bg.desk.page import STYLES
from bg.host.terminal import MARGIN as HOST_MARGIN
from bg.ledger.file import Ledger, Unavailable
from bg.words.cells import fit
from bg.words.quoting import visible

from rig import clients
from rig.demo_cast import news
from rig.model import Model
from rig.request import Request

MARGIN = 14
LEAST_ROWS = 14  # enough for the questions, but not for the reasons why they are asked
SEEN = ("You", "you see", "Claude")  # the speakers that are shown even without --full
COLOURS = {"You": "1", "Claude": "36", "agent": "35", "hook": "33", "you": "32"}
COLOURS.update({name: STYLES[name] for name in ("good", "bad", "quiet")})
HOOK_EVENTS_SINCE = (2, 1, 100)  # --include-hook-events
AGENT_EVENTS_SINCE = (2, 1, 197)  # from here on the stream holds the words of background agents
QUIET_TOOLS = ("ToolSearch",)
ENDS = {
    "CLARIFICATION_NEEDED": "ends its run with two questions, instead of guessing",
    "COMPLETION_REPORT": "ends its run and says that it is done",
}
CONTEXT = re.compile(
    r"(?:hook (?:additional context|feedback): ?\n?|^(?=\[from the bg plugin))(.*?)(?=</system-reminder>|\Z)",
    re.DOTALL | re.MULTILINE,
)


class Process(Protocol):
    """Something that runs and ends."""

    def poll(self) -> Optional[int]:
        """Its exit status, None while it runs."""


class Client(Protocol):
    """A running client: its events so far, and a way to speak to it."""

    events: list[dict[str, Any]]
    stderr: str

    @property
    def process(self) -> Process:
        """The process of the client."""

    @property
    def results(self) -> list[dict[str, Any]]:
        """The events at the ends of the parent's turns."""

    def send(self, words: str) -> None:
        """Say something as the user."""


class Follower:
    """Prints the conversation while it happens."""

    def __init__(self, view: View, run: Client, book: Book, version: str, model: Optional[Model] = None) -> None:
        self.view, self.run, self.book, self.model = view, run, book, model
        numbers = clients.numbers(version)
        self.hooks_shown = numbers >= HOOK_EVENTS_SINCE
        self.agents_shown = numbers >= AGENT_EVENTS_SINCE
        self.notices: list[tuple[float, str]] = []
        self.screens: list[str] = []
        self.sent_back = False
        self.hook_problems: list[str] = []
        self._events = 0
        self._requests = 0
        self._calls: dict[str, dict[str, Any]] = {}

    def drain(self) -> None:
        """Show everything that has come since the last call."""
        moments: list[tuple[float, Union[dict[str, Any], Request]]] = []
        events = list(self.run.events[self._events :])
        self._events += len(events)
        moments += [(event["at"], event) for event in events]
        for request in self.model.requests[self._requests :] if self.model else []:
            if request.answered is None:
                break
            self._requests += 1
            moments.append((request.answered, request))
        for _, moment in sorted(moments, key=lambda pair: pair[0]):
            if isinstance(moment, Request):
                self._request(moment)
            else:
                self._event(moment)

    def say(self, words: str) -> None:
        """Say something as the user, and show it."""
        self.view.gap()
        self.view.say("You", words)
        self.run.send(words)

    def until(self, reached: Callable[[], object], timeout: float = 60) -> bool:
        """Show everything that comes until `reached` holds; return False if it never does, or the client has ended."""
        deadline = time.monotonic() + timeout
        while True:
            ended = self.run.process.poll() is not None
            self.drain()
            if reached():
                return True
            if ended or time.monotonic() > deadline:
                return False
            time.sleep(0.1)

    def _event(self, event: dict[str, Any]) -> None:
        kind, sub = event.get("type"), event.get("subtype")
        if kind == "assistant":
            self._said(event)
        elif kind == "system" and sub == "hook_response" and self.hooks_shown:
            self._hook(event)
        elif kind == "system" and sub == "task_notification":
            self.view.say("client", f"The agent's run has ended ({event.get('status')}); the client wakes Claude.")
        elif kind == "result" and event.get("is_error"):
            self.view.say("client", f"An error: {str(event.get('result'))[:300]}")

    def _said(self, event: dict[str, Any]) -> None:
        """Show the words and calls of the parent, or of one of its agents."""
        inside = event.get("parent_tool_use_id")
        if not inside and not self.hooks_shown:
            return  # of an old client, they are taken from its requests, in order with the hooks' words
        speaker = self._agent(str(inside)) if inside else "Claude"
        if not inside or self.agents_shown:
            self._spoken(speaker, event.get("message", {}).get("content") or [])

    def _agent(self, tool_use: str) -> str:
        row = self.book.one("SELECT label FROM launches WHERE tool_use = ?", tool_use)
        return f"agent {row['label']}" if row else "agent"

    def _spoken(self, speaker: str, blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            if block.get("type") == "text" and str(block.get("text")).strip():
                before, marker, after = str(block["text"]).partition("\n[")
                if marker and speaker != "Claude":
                    ends = after.partition("]")[0]
                    short = "ends its run once more" if self.sent_back else ENDS.get(ends, f"ends with {ends}")
                    self.view.say(speaker, f"{before.strip()} Its run ends with:", f"[{after}", short)
                else:
                    self.view.say(speaker, str(block["text"]).strip())
            elif block.get("type") == "tool_use" and block.get("name") not in QUIET_TOOLS:
                given = dict(block.get("input") or {})
                self._calls[str(block.get("name"))] = given
                self.view.say(speaker, f"calls {block.get('name')}: {_told(given)}", _long(given))

    def _hook(self, event: dict[str, Any]) -> None:
        name, said = str(event.get("hook_name")), str(event.get("stdout") or event.get("output") or "").strip()
        if event.get("exit_code") not in (0, None) or str(event.get("stderr") or "").strip():
            self.hook_problems.append(f"{name}: exit {event.get('exit_code')}, {str(event.get('stderr'))[:200]}")
            self.view.say("hook", f"{name} failed", str(event.get("stderr") or ""))
        try:
            answer = json.loads(said) if said else {}
        except ValueError:
            return  # a hook that is not ours, and may print anything
        if name == "SubagentStop" and not answer:
            self.sent_back = False
            self._recorded()
        if isinstance(answer, dict):
            self._answered(name, answer, float(event["at"]))

    def _answered(self, name: str, answer: dict[str, Any], at: float) -> None:
        special = answer.get("hookSpecificOutput") or {}
        changed = special.get("updatedInput")
        if isinstance(changed, dict):
            self._rewritten(name, changed)
        if special.get("permissionDecision") == "deny":
            self.view.say("hook", f"{name} refuses once:", str(special.get("permissionDecisionReason") or ""))
        if special.get("additionalContext"):
            self.view.say("hook", f"{name} tells Claude:", str(special["additionalContext"]))
        if answer.get("decision") == "block" and name == "UserPromptSubmit":
            self.screens.append(str(answer.get("reason")))
            self.view.say("hook", f"{name} answers by itself; the model is not asked:")
            self.view.say("you see", str(answer.get("reason")))
        elif answer.get("decision") == "block":
            reason = str(answer.get("reason"))
            self.sent_back = True
            first = next((line[2:] for line in reason.splitlines() if line.startswith("- ")), "")
            self.view.say("hook", f"{name} asks for more:", reason, f"sends it back: {first}" if first else "")
        for line in str(answer.get("systemMessage") or "").splitlines():
            self.notices.append((at, line))
            self.view.say("you see", line)

    def _rewritten(self, name: str, changed: dict[str, Any]) -> None:
        """Show the fields of a tool call that a hook has changed."""
        given = self._calls.get(name.rpartition(":")[2], {})
        for key in ("prompt", "message"):
            new, old = str(changed.get(key) or ""), str(given.get(key) or "")
            if new and new != old and old and old in new and "## Your task" in new:
                self.view.say(
                    "hook", f"{name} puts {len(new) - len(old)} characters of identity around the prompt:", new
                )
            elif new and new != old:
                self.view.say("hook", f"{name} writes the {key}; what Claude typed stands in it as a note:", new)

    def _recorded(self) -> None:
        report = self.book.one("SELECT * FROM reports ORDER BY id DESC LIMIT 1")
        signal = self.book.one("SELECT * FROM signals ORDER BY id DESC LIMIT 1")
        if report:
            found = json.loads(signal["body"]) if signal else {}
            faults = len(found.get("problems") or [])
            read = f"reads {signal['marker']}, {faults} problems" if signal else "finds no signal"
            asks = len((found.get("payload") or {}).get("questions") or [])
            read += f", {asks} questions" if asks else ""
            self.view.say("hook", f"SubagentStop keeps the report ({len(report['text'])} characters) and {read}.")

    def _request(self, request: Request) -> None:
        """Show from a request what an old client's stream leaves out."""
        if request.actor not in ("parent", "agent"):
            return
        inside = request.actor == "agent"
        if not self.hooks_shown:
            told = [found[1].strip() for found in CONTEXT.finditer(news(request))]
            first = request.first_user_text() if inside and len(request.assistant_texts()) == 0 else ""
            if inside and "You are bg-" in first:
                self.view.say(
                    "hook", "The agent's prompt begins with its identity:", first[first.find("## Execution") :]
                )
            elif inside and "RESPONSE" in news(request):
                self.view.say("hook", "The agent is woken with:", news(request))
            for words in told if not inside else []:
                self.view.say("hook", "Claude is told:", words)
        if request.reply and (not self.agents_shown if inside else not self.hooks_shown):
            row = self.book.one("SELECT label FROM tasks ORDER BY number LIMIT 1") if inside else {}
            self._spoken(f"agent {row.get('label', '')}".strip() if inside else "Claude", list(request.reply.blocks))


def _told(given: dict[str, Any]) -> str:
    """A tool call in one line."""
    for key in ("description", "file_path", "to", "command", "resume"):
        if given.get(key):
            value = str(given[key])
            return Path(value).name if key == "file_path" else value
    return ""


def _long(given: dict[str, Any]) -> str:
    """The long part of a tool call."""
    return next((str(given[key]) for key in ("prompt", "message", "content") if given.get(key)), "")


class View:
    """Prints a conversation in any width: the speaker at the left, the words beside it.

    It uses colours only on a terminal that wants them.
    """

    def __init__(self, out: TextIO = sys.stdout, *, full: bool = False) -> None:
        self.out = out
        self.full = full
        self.width = max(60, min(shutil.get_terminal_size((80, 24)).columns, 110))
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not out.isatty()
        self._colours = {} if plain else COLOURS

    @property
    def terminal(self) -> dict[str, str]:
        """The size of terminal that hooks are told, so that their texts fit beside the speaker, and on a page."""
        size = {"COLUMNS": str(self.width - MARGIN + HOST_MARGIN)}
        return size if self.full else {**size, "LINES": str(LEAST_ROWS)}

    def say(self, speaker: str, words: str, quoted: str = "", short: str = "") -> None:
        """Print one turn: the speaker, the words, and below them a quotation.

        Without --full, only what a user would see or say is printed, in one line each, except for the plugin's texts;
        anything else is replaced by `short`, if that is given.
        """
        if not self.full and (speaker not in SEEN or words.startswith("calls ")):
            if short:
                self._turn(speaker, [fit(short, self.width - MARGIN)])
            return
        lines = self._wrapped(words)
        if not self.full and speaker in ("You", "Claude"):
            lines = [fit(" ".join(words.split()), self.width - MARGIN)]
        self._turn(speaker, lines)
        if self.full:
            self.quote(quoted)

    def _turn(self, speaker: str, lines: list[str]) -> None:
        inset = "  " if speaker.partition(" ")[0] in ("hook", "you") else ""
        head = f"{inset}{speaker}".ljust(MARGIN)
        self._line(f"{self._paint(speaker, head)}{lines[0]}".rstrip())
        for line in lines[1:]:
            self._line(" " * MARGIN + line)

    def quote(self, text: str) -> None:
        """Print the lines of a longer text, marked as a quotation."""
        for line in visible(text).strip("\n").split("\n") if text else []:
            for piece in self._wrapped(line, 2):
                self._line(f"{' ' * MARGIN}| {piece}".rstrip())

    def plain(self, words: str, inset: int = 0, mark: tuple[str, str] = ("", "")) -> None:
        """Print words of the demo's own, from the left edge; further lines are indented. The mark gets its colour."""
        for number, line in enumerate(textwrap.wrap(words, self.width, subsequent_indent=" " * inset)):
            self._line(line if number else line.replace(mark[0], self._paint(mark[1], mark[0]), 1))

    def gap(self) -> None:
        """Print an empty line."""
        self._line("")

    def _wrapped(self, words: str, less: int = 0) -> list[str]:
        room = self.width - MARGIN - less
        found: list[str] = []
        for line in visible(words).split("\n"):
            found += textwrap.wrap(
                line, room, replace_whitespace=False, drop_whitespace=True, subsequent_indent="  "
            ) or [""]
        return found

    def _paint(self, speaker: str, head: str) -> str:
        code = self._colours.get(speaker.partition(" ")[0])
        return f"\033[{code}m{head}\033[0m" if code else head

    def _line(self, line: str) -> None:
        self.out.write(line + "\n")
        self.out.flush()


class Book:
    """A read-only view of the ledger that the hooks write; empty while there is none."""

    def __init__(self, *patterns: tuple[Path, str]) -> None:
        self._patterns = patterns

    @property
    def place(self) -> Optional[Path]:
        """The data directory; None until a hook has made the ledger."""
        found = [path.parent for root, pattern in self._patterns for path in root.glob(pattern)]
        return found[0] if found else None

    def all(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """The rows of one query to the ledger."""
        place = self.place
        if place is None:
            return []
        try:
            book = Ledger(place, create=False)
        except Unavailable:
            return []
        try:
            return [dict(row) for row in book.all(sql, *values)]
        finally:
            book.close()

    def one(self, sql: str, *values: Any) -> dict[str, Any]:
        """The first row of a query; empty if there is none."""
        rows = self.all(sql, *values)
        return rows[0] if rows else {}
