"""The agent's tool calls in order, from its own transcript: when and where each ran, and its result."""

from __future__ import annotations

import re

from bg.evidence import programs, shell
from bg.host import tools, transcripts
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

MOST = 16 * 1024 * 1024
RESULT = 40_000
TOLD = 4000
_REPORTING = (*tools.SEARCH.names, *tools.HANDBACK.names, *tools.MESSAGE.names)
SHELL_TOOLS = {"Bash", "PowerShell", "Shell"}
WRITING = {"Write", "Edit", "MultiEdit", "NotebookEdit"}
ABOUT_CALLS = {
    "TodoWrite", "TodoRead", "StructuredOutput", "TaskList", "TaskGet", "TaskCreate", "TaskUpdate", *_REPORTING,
}  # fmt: skip
PASSIVE = {
    *WRITING, *ABOUT_CALLS, "Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch",
    "ExitPlanMode", "EnterPlanMode", "ListMcpResourcesTool", "ReadMcpResourceTool", "BashOutput", "KillShell",
    "KillBash", "TaskStop", "LSP", *tools.ASK.names, *tools.OUTPUT.names,
}  # fmt: skip
# The host's own line on a command in the background, unlike any line of a log: alone, or after the output so far.
BACKGROUND = pattern(
    r"^Command (?:running in (?:the )?background|was (?:manually )?backgrounded|.{0,60}moved to the background)\b",
    re.MULTILINE,
)
MOVES = ("rm", "mv")
GIT_MOVES = (("git", "rm"), ("git", "mv"))
NOWHERE = {"/dev/null", "/dev/stderr", "/dev/stdout"}
STATUS = pattern(r"(?:Error: )?Exit code (\d+)")


class Call:
    """One tool call with its result; `begun` and `ended` are 0 if the transcript has no time."""

    def __init__(
        self, name: str, given: dict[str, Any], message: str = "", begun: float = 0.0, folder: str = ""
    ) -> None:
        self.name, self.given, self.message = name, given, message
        self.begun, self.ended, self.folder = begun, 0.0, folder
        self.result = ""
        self.answered = self.failed = False
        self.passed_over = False  # its agent wrote on before a result came
        self._commands: Optional[list[shell.Command]] = None

    @property
    def command(self) -> str:
        """The command line of a shell call."""
        command = self.given.get("command")
        return command if self.name in SHELL_TOOLS and isinstance(command, str) else ""

    @property
    def commands(self) -> list[shell.Command]:
        """The commands in its command line."""
        if self._commands is None:
            self._commands = shell.commands(self.command) if self.command else []
        return self._commands

    @property
    def path(self) -> str:
        """The file that a call names."""
        for key in ("file_path", "notebook_path", "path"):
            if isinstance(self.given.get(key), str):
                return str(self.given[key])
        return ""

    @property
    def background(self) -> bool:
        """Whether it ran in the background, so that its result does not tell its end."""
        return bool(self.given.get("run_in_background")) or bool(BACKGROUND.search(self.result))

    @property
    def status(self) -> int:
        """The exit status that the host gives; 1 for a failure without one."""
        found = STATUS.match(self.result)
        return int(found[1]) if found else int(self.failed)

    def holds(self, moment: float) -> bool:
        """Whether a moment is within the call; False for a call in the background, whose end is not known."""
        return 0 < self.begun <= moment <= self.ended and not self.background


class Calls:
    """All calls of a transcript; `known` is False if it is missing or only its end was read."""

    def __init__(self, calls: Optional[list[Call]] = None, *, known: bool = False, told: tuple[str, ...] = ()) -> None:
        self.calls = calls or []
        self.known = known
        self.told = told

    def after(self, call: Call) -> list[Call]:
        """The calls after this one."""
        return self.calls[next(place for place, each in enumerate(self.calls) if each is call) + 1 :]

    @property
    def shells(self) -> list[Call]:
        """The shell calls."""
        return [call for call in self.calls if call.command]

    @property
    def hidden(self) -> bool:
        """Whether a tool was used whose actions this transcript does not show, like those of another agent."""
        return any(call.name not in PASSIVE and call.name not in SHELL_TOOLS for call in self.calls)

    @property
    def complete(self) -> bool:
        """Whether everything that the run did is in these calls."""
        return self.known and not self.hidden

    @property
    def idle(self) -> bool:
        """Whether it is certain that no tool was used for the work."""
        return self.known and not any(call.name not in ABOUT_CALLS for call in self.calls)

    def wrote(self, name: str) -> bool:
        """Whether a call that succeeded wrote to a path with this name."""
        return any(call.name in WRITING and not call.failed and same(call.path, name) for call in self.calls)

    def touched(self) -> Iterator[str]:
        """The paths that successful calls wrote, printed into, removed or moved."""
        for call in self.calls:
            if call.failed:
                continue
            if call.name in WRITING:
                yield call.path
            for command in call.commands:
                yield from command.into
                if command.program in MOVES or command.words[:2] in GIT_MOVES:
                    yield from command.words[1:]

    def may_have_touched(self, name: str) -> bool:
        """Whether a call may have changed this file."""
        return not self.complete or self.wrote(name) or not all(only_looks(call) for call in self.shells)


def same(path: str, name: str) -> bool:
    """Whether the path of a call means the file of this name."""
    path = path.replace("\\", "/")
    return bool(name) and (path == name or path.endswith("/" + name.removeprefix("./")))


def only_looks(call: Call) -> bool:
    """Whether a command line certainly changes nothing."""
    written = {name for each in call.commands for name in each.into} - NOWHERE
    return not written and "<<" not in call.command and all(programs.is_look(each.words) for each in call.commands)


def read(transcript: str) -> Calls:
    """The calls of a transcript and the texts told to its agent; without a transcript, nothing is known."""
    size = transcripts.size(transcript)
    if not size:
        return Calls()
    found: dict[str, Call] = {}
    told: list[str] = []
    seen = False
    for record in transcripts.tail(transcript, MOST):
        seen = seen or record.get("type") in ("assistant", "user")
        _take(record, found, told)
    return Calls(list(found.values()), known=seen and size <= MOST, told=tuple(told[-100:]))


def _take(record: dict[str, Any], found: dict[str, Call], told: list[str]) -> None:
    message = _message(record)
    for part in transcripts.parts(record):
        text = str(part.get("text") or "")
        called = found.get(str(part.get("tool_use_id")))
        if part.get("type") == "tool_use":
            found[str(part.get("id"))] = _call(part, record, message)
        elif part.get("type") == "tool_result" and called:
            _answer(called, part, record)
        elif text.strip() and record.get("type") == "assistant":
            _pass_over(found, message)
        elif text and record.get("type") == "user":
            told.append(text[:TOLD])
    told += [words[:TOLD] for _, words in transcripts.queued([record])]


def _call(part: dict[str, Any], record: dict[str, Any], message: str) -> Call:
    given = part.get("input")
    folder = str(record.get("cwd") or "")
    given = given if isinstance(given, dict) else {}
    return Call(str(part.get("name")), given, message, transcripts.moment(record), folder)


def _message(record: dict[str, Any]) -> str:
    message = record.get("message")
    return str(message.get("id") or "") if isinstance(message, dict) else ""


def _pass_over(found: dict[str, Call], message: str) -> None:
    """Mark the calls of earlier messages that have no result: their agent has written on, so none will come."""
    for call in found.values():
        call.passed_over = call.passed_over or (not call.answered and bool(message) and call.message != message)


def _answer(call: Call, part: dict[str, Any], record: dict[str, Any]) -> None:
    text = transcripts.printed(_text(part.get("content")))
    status = STATUS.match(text)
    call.result = text if len(text) <= RESULT else text[: RESULT // 2] + "\n" + text[-RESULT // 2 :]
    call.failed = bool(part.get("is_error")) or bool(status and status[1] != "0")
    call.answered, call.ended = True, transcripts.moment(record)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content[:50] if isinstance(part, dict))
    return ""
