"""One request of the client to the model, with views of the conversation in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

if TYPE_CHECKING:
    from rig.script import Reply


class ToolResult(NamedTuple):
    """The result of a tool, as the model saw it."""

    tool: str
    text: str
    is_error: bool
    tool_use_id: str


@dataclass
class Request:
    """The parsed body, and when it came; `actor`, `surplus`, `reply` and `answered` are set while it is answered."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    number: int = 0
    time: float = 0.0
    actor: str = ""
    surplus: bool = False
    reply: Optional[Reply] = None
    answered: Optional[float] = None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation as sent."""
        return list(self.body.get("messages") or [])

    @property
    def is_subagent(self) -> bool:
        """Whether the request comes from a subagent, and not from the session itself."""
        system = self.system_text()
        if "cc_is_subagent=true" in system or "x-claude-code-agent-id" in self.headers:
            return True
        names = self.tools()
        return bool(names) and "AskUserQuestion" not in names and not {"Agent", "Task"} & set(names)

    def system_text(self) -> str:
        """The system prompt."""
        return _text(self.body.get("system"))

    def tools(self) -> list[str]:
        """The names of the offered tools."""
        return [str(tool.get("name")) for tool in self.body.get("tools") or []]

    def tool(self, name: str) -> dict[str, Any]:
        """The description and schema of an offered tool; empty if it is not offered."""
        for tool in self.body.get("tools") or []:
            if tool.get("name") == name:
                return dict(tool)
        return {}

    def first_user_text(self) -> str:
        """The first user message, which for a subagent is its task."""
        for message in self.messages:
            if message.get("role") == "user":
                return _text(message.get("content"))
        return ""

    def user_texts(self) -> list[str]:
        """Each text block of every user message, without tool results."""
        return self._texts("user")

    def last_user_text(self) -> str:
        """The newest text in a user message that is not a tool result; empty if there is none."""
        texts = self.user_texts()
        return texts[-1] if texts else ""

    def system_turns(self) -> list[str]:
        """Texts of system-role messages inside the conversation (newest hosts)."""
        return self._texts("system")

    def assistant_texts(self) -> list[str]:
        """The texts of the model itself so far."""
        return self._texts("assistant")

    def tool_results(self) -> list[ToolResult]:
        """Every tool result in the conversation, in order, with the name of the tool that was called."""
        names: dict[str, str] = {}
        found: list[ToolResult] = []
        for message in self.messages:
            for block in _blocks(message.get("content")):
                if block.get("type") == "tool_use":
                    names[str(block.get("id"))] = str(block.get("name"))
                elif block.get("type") == "tool_result":
                    key = str(block.get("tool_use_id"))
                    text = _text(block.get("content"))
                    found.append(ToolResult(names.get(key, ""), text, bool(block.get("is_error")), key))
        return found

    def all_text(self) -> str:
        """Everything that this request tells the model: system prompt and every text, tool call and tool result."""
        parts = [self.system_text()]
        for message in self.messages:
            for block in _blocks(message.get("content")):
                if block.get("type") == "tool_use":
                    parts.append(str(block.get("input")))
                else:
                    parts.append(_text([block]))
        return "\n".join(parts)

    def _texts(self, role: str) -> list[str]:
        return [
            str(block.get("text"))
            for message in self.messages
            if message.get("role") == role
            for block in _blocks(message.get("content"))
            if block.get("type") == "text"
        ]


def _blocks(content: object) -> list[dict[str, Any]]:
    """Content as a list of blocks, from either form that clients use."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: object) -> str:
    """The text in some content, tool results included."""
    parts = []
    for block in _blocks(content):
        if block.get("type") == "text":
            parts.append(str(block.get("text")))
        elif block.get("type") == "tool_result":
            parts.append(_text(block.get("content")))
    return "\n".join(parts)
