"""What the agent did, from its own transcript: its tool calls in order, what came back, what they can have touched."""

from __future__ import annotations

import re

from bg.evidence import purposes, shell
from bg.evidence.clock import Clock
from bg.host import tools, transcripts
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

MOST = 16 * 1024 * 1024
RESULT = 40_000
TOLD = 4000
_REPORTING = (*tools.SEARCH.names, *tools.HANDBACK.names, *tools.MESSAGE.names)
SHELL_TOOLS = {"Bash", "PowerShell", "Shell"}
WRITING = {"Write", "Edit", "MultiEdit", "NotebookEdit"}
PASSIVE = WRITING | {
    "Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoWrite", "TodoRead",
    "ExitPlanMode", "EnterPlanMode", "ListMcpResourcesTool", "ReadMcpResourceTool",
    "TaskList", "TaskGet", "TaskCreate", "TaskUpdate", "BashOutput", "KillShell", "KillBash",
    "TaskStop", "LSP", "StructuredOutput", *tools.ASK.names, *tools.OUTPUT.names, *_REPORTING,
}  # fmt: skip
ABOUT_CALLS = {
    "TodoWrite", "TodoRead", "StructuredOutput", "TaskList", "TaskGet", "TaskCreate", "TaskUpdate", *_REPORTING,
}  # fmt: skip
# The host's own line, which no line of a log is; it stands alone, or behind what was printed until then.
BACKGROUND = pattern(
    r"^Command (?:running in (?:the )?background|was (?:manually )?backgrounded|.{0,60}moved to the background)\b",
    re.MULTILINE,
)


class Call:
    """One tool call with its result."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        self.name = name
        self.given = given
        self.result = ""
        self.answered = False
        self.passed_over = False  # its agent spoke on without a result
        self.message = ""
        self.failed = False
        self.parts: list[shell.Part] = []

    @property
    def command(self) -> str:
        """The command line of a shell call."""
        command = self.given.get("command")
        return command if self.name in SHELL_TOOLS and isinstance(command, str) else ""

    @property
    def path(self) -> str:
        """The file that a call names."""
        for key in ("file_path", "notebook_path", "path"):
            if isinstance(self.given.get(key), str):
                return str(self.given[key])
        return ""

    @property
    def background(self) -> bool:
        """Whether its result says nothing of its end."""
        return bool(self.given.get("run_in_background")) or bool(BACKGROUND.search(self.result))


class Calls:
    """All calls of a transcript; `known` is False where there is none or only its end was read."""

    def __init__(self, calls: Optional[list[Call]] = None, *, known: bool = False, told: tuple[str, ...] = ()) -> None:
        self.calls = calls or []
        self.known = known
        self.told = told
        self.roots: tuple[str, ...] = ()
        self.as_at_launch: Callable[[str], bool] = lambda _: False
        self.text: Callable[[str], str] = lambda _: ""

    def elsewhere(self, path: str) -> bool:
        """Whether a path leads out of the project, as far as its spelling says."""
        return path.startswith(("/", "~")) and not any(path.startswith(root + "/") for root in self.roots)

    def after(self, call: Call) -> list[Call]:
        """What was called later."""
        return self.calls[next(place for place, each in enumerate(self.calls) if each is call) + 1 :]

    @property
    def shells(self) -> list[Call]:
        """The shell calls."""
        return [call for call in self.calls if call.command]

    @property
    def hidden(self) -> bool:
        """Whether a tool was used whose doings are not in this transcript, such as another agent."""
        return any(call.name not in PASSIVE and call.name not in SHELL_TOOLS for call in self.calls)

    @property
    def idle(self) -> bool:
        """Whether it is certain that no tool was used for the work."""
        return self.known and not any(call.name not in ABOUT_CALLS for call in self.calls)

    def wrote(self, name: str) -> bool:
        """Whether a call that succeeded wrote to a path with this name."""
        return any(call.name in WRITING and not call.failed and same(call.path, name) for call in self.calls)

    def wrote_near(self, name: str) -> bool:
        """Whether a call can have changed the lines of a file with this name."""
        last = name.rstrip("/").rpartition("/")[2]
        written = any(call.name in WRITING and call.path.endswith(last) for call in self.calls)
        lines = [call.command for call in self.shells if last in call.command]
        return written or not all(map(purposes.only_reads, lines))

    def may_have_touched(self, name: str) -> bool:
        """Whether a call can have changed this file."""
        if not self.known or self.hidden or self.wrote(name):
            return True
        return any(call.command and not purposes.only_reads(call.command) for call in self.calls)

    def said(self, text: str) -> bool:
        """Whether a result that is not the reading of a file holds this text: it is no invention then."""
        return any(
            text in call.result
            for call in self.calls
            if (call.name not in {"Read", *WRITING} and not call.failed) or call.command
        )

    def undone(self) -> bool:
        """Whether a command may have thrown changes away."""
        return any(
            re.search(r"\bgit\s+(?:\S+\s+){0,3}?(?:checkout|restore|stash|reset|clean|revert)\b", call.command)
            for call in self.shells
        )


def same(path: str, name: str) -> bool:
    """Whether the path of a call means the file of this name."""
    path = path.replace("\\", "/")
    return bool(name) and (path == name or path.endswith("/" + name))


def read(transcript: str, clock: Clock) -> Calls:
    """The calls of a transcript and what its agent was told, nothing known where it is missing."""
    size = transcripts.size(transcript)
    if not size:
        return Calls()
    records = transcripts.tail(transcript, MOST)
    found: dict[str, Call] = {}
    seen = False
    told: list[str] = []
    for record in records:
        if clock.spent:
            return Calls(list(found.values()), known=False)
        seen = seen or record.get("type") in ("assistant", "user")
        message = _message(record)
        for part in transcripts.parts(record):
            _take(part, found, message)
            if record.get("type") == "assistant" and str(part.get("text") or "").strip():
                _pass_over(found, message)
            if record.get("type") == "user" and isinstance(part.get("text"), str):
                told.append(part["text"][:TOLD])
        told += [words[:TOLD] for _, words in transcripts.queued([record])]
    return Calls(list(found.values()), known=seen and size <= MOST, told=tuple(told[-100:]))


def _message(record: dict[str, Any]) -> str:
    message = record.get("message")
    return str(message.get("id") or "") if isinstance(message, dict) else ""


def _pass_over(found: dict[str, Call], message: str) -> None:
    """The agent says something: what it called in an earlier message and had no result has none."""
    for call in found.values():
        call.passed_over = call.passed_over or (not call.answered and bool(message) and call.message != message)


def _take(part: dict[str, Any], found: dict[str, Call], message: str) -> None:
    if part.get("type") == "tool_use" and isinstance(part.get("name"), str):
        given = part.get("input")
        call = Call(part["name"], given if isinstance(given, dict) else {})
        call.parts = shell.parts(call.command) if call.command else []
        call.message = message
        found[str(part.get("id"))] = call
    elif part.get("type") == "tool_result":
        answered: Optional[Call] = found.get(str(part.get("tool_use_id")))
        if answered:
            text = transcripts.printed(_text(part.get("content")))
            answered.result = text if len(text) <= RESULT else text[: RESULT // 2] + "\n" + text[-RESULT // 2 :]
            answered.failed = bool(part.get("is_error")) or bool(re.match(r"(?:Error: )?Exit code [1-9]", text))
            answered.answered = True


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content[:50] if isinstance(part, dict))
    return ""
