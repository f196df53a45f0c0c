"""Receipts: whether the words that a hook has printed stand in the session's transcript, behind where it ended then."""

from __future__ import annotations

from bg import foreign
from bg.host import transcripts
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 8 * 1024 * 1024
HEAD = 200
_FEEDBACK = "Stop hook feedback:"


class Receipt(Record):
    """What the transcript shows: our words; what carried them; that the model has spoken behind the place."""

    shown: bool
    carried: bool
    answered: bool


def plain(text: str) -> str:
    """The head of a text as it is looked for, whatever white space a path added."""
    return " ".join(text[: 2 * HEAD].split())[:HEAD]


class Stretch:
    """What a transcript has taken in since a place in it."""

    def __init__(self, path: str, place: int) -> None:
        self.exists = transcripts.size(path) > 0
        # A file that has become shorter is another one.
        place = place if place <= transcripts.size(path) else 0
        self._added: list[tuple[int, str]] = []
        self._said: list[tuple[int, str]] = []
        self._spoken = -1
        for number, record in enumerate(_records(path, place) if self.exists else ()):
            self._take(number, record)

    def _take(self, number: int, record: dict[str, Any]) -> None:
        attachment = record.get("attachment")
        if isinstance(attachment, dict):
            if attachment.get("type") == "hook_additional_context":
                content = attachment.get("content")
                parts = content if isinstance(content, list) else [content]
                self._added.append((number, " ".join("\n".join(map(str, parts)).split())))
            elif attachment.get("type") == "queued_command":
                self._said.append((number, " ".join(str(attachment.get("prompt")).split())))
        elif record.get("type") == "assistant":
            self._spoken = number
        elif record.get("type") == "user":
            text = transcripts.text(record)
            words = " ".join(text.split())
            if text.startswith(_FEEDBACK):
                self._added.append((number, words))
            self._said.append((number, words))
            self._said += [
                (number, str(part.get("tool_use_id")))
                for part in transcripts.parts(record)
                if part.get("type") == "tool_result"
            ]

    def added(self) -> str:
        """What hooks have added to the conversation, on the hosts that write it down."""
        return "\n".join(words for _, words in self._added)

    def receipt(self, words: str, carrier: str) -> Receipt:
        """Of these words, which that prompt or call has carried; without one, the model's next words count for it."""
        shown = next((number for number, text in self._added if words and words in text), -1)
        carried = next((number for number, text in self._said if carrier and carrier in text), -1)
        since = shown if shown >= 0 else carried
        answered = self._spoken > since if since >= 0 or not carrier else False
        return Receipt(shown >= 0, carried >= 0 or (not carrier and answered), answered)


def refused(path: str, calls: list[str]) -> dict[str, str]:
    """Of these calls of a session those that the host or somebody's hook has refused, each with what was said to it."""
    found: dict[str, str] = {}
    for record in transcripts.tail(path) if calls else ():
        for part in transcripts.parts(record) if record.get("type") == "user" else ():
            if part.get("type") == "tool_result" and part.get("is_error") and part.get("tool_use_id") in calls:
                said = part.get("content")
                found[str(part["tool_use_id"])] = said if isinstance(said, str) else "refused"
    return found


def messages(path: str) -> dict[str, str]:
    """The message in which each of a session's last calls stands."""
    found: dict[str, str] = {}
    for record in transcripts.tail(path):
        for part in transcripts.parts(record) if record.get("type") == "assistant" else ():
            if part.get("type") == "tool_use":
                found[str(part.get("id"))] = str(record["message"].get("id"))
    return found


def _records(path: str, place: int) -> list[dict[str, Any]]:
    found = []
    for line in _read(path, place).split(b"\n"):
        # Most of a transcript says nothing of this, and reading it costs more than everything else here.
        if any(sign in line for sign in (b'"user"', b'"assistant"', b'"attachment"')):
            try:
                record = foreign.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                found.append(record)
    return found


def _read(path: str, place: int) -> bytes:
    try:
        return foreign.read(path, MOST, place)
    except (OSError, ValueError):
        return b""
