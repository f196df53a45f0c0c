"""What a hook says to the host, in the shape that each event expects."""

from __future__ import annotations

import json

from bg.foreign import encodable
from bg.host.event import MODULE, Event
from bg.host.versions import Host
from bg.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MOST = 3300  # characters of a page that a model has to show


class Answer:
    """What a step wants to say to the host; `render` gives it the event's own shape."""

    def __init__(
        self, *, notice: Optional[list[str]] = None, deny: str = "", updated_input: Optional[dict[str, Any]] = None
    ) -> None:
        self.context: list[str] = []
        self.notice: list[str] = notice or []
        self.block = ""
        self.ask = False
        self.deny = deny
        self.updated_input = updated_input
        self.sequence = ""
        self.reply: Optional[dict[str, Any]] = None  # to our module in the client

    @property
    def empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.context or self.notice or self.block or self.deny or self.updated_input)


def render(event: Event, answer: Answer) -> str:
    """The answer as one JSON object in the shape that this event expects; empty if there is nothing to say."""
    return _reply(answer) if event.name == MODULE else _answer(event, answer)


def _answer(event: Event, answer: Answer) -> str:
    if answer.empty:
        return ""
    out: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if answer.notice:
        out["systemMessage"] = masked("\n".join(answer.notice))
    if answer.context:
        specific["additionalContext"] = masked("\n\n".join(answer.context))
    if answer.updated_input is not None:
        specific["updatedInput"] = answer.updated_input
        if answer.ask:
            specific["permissionDecision"] = "ask"
    if answer.deny:
        specific.update(permissionDecision="deny", permissionDecisionReason=answer.deny)
    if answer.block:
        out.update(decision="block", reason=masked(answer.block))
    if answer.sequence:
        out["terminalSequence"] = answer.sequence
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    return encodable(json.dumps(out, ensure_ascii=False))


def _reply(answer: Answer) -> str:
    """The answer to our own module; if no step made a reply, just the notices, which tell of the hook's own trouble."""
    said = {"toast": "\n".join(answer.notice)} if answer.reply is None and answer.notice else answer.reply
    return encodable(json.dumps(said, ensure_ascii=False)) if said else ""


def show(answer: Answer, text: str, host: Host, ask: str, cut: str) -> None:
    """Show the user a text without asking the model, or through the model if the host would not show it.

    A model is given at most `MOST` characters; then `cut` is the last line.
    """
    if host.shows_blocked_prompts:
        answer.block = text
    else:
        # The text may quote others, so each line is marked as a quotation.
        lines = "\n".join(f"> {line}".rstrip() for line in text.splitlines())
        if len(lines) > MOST:
            lines = lines[:MOST].rpartition("\n")[0] + f"\n> {cut}"
        answer.context.append(f"{ask}\n{lines}")
