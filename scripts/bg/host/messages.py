"""Messages to a running agent: what the host's records show of one that it has put into the agent's queue."""

from __future__ import annotations

from bg.host import transcripts
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    Says = Callable[[dict[str, Any]], bool]

MOST = 8 * 1024 * 1024
ARRIVED, DROPPED, PROMISED, UNKNOWN = "arrived", "dropped", "promised", "unknown"
#: What 2.1.327 and 2.1.328 answer to such a message; 2.1.197 and 2.1.258 drop it where the agent makes no further call.
_PROMISE = "resumed with the message"


class Queued(Record):
    """A message that the host has put into the queue of an agent: the call that sent it, and its text."""

    call: str
    text: str


def fate(session: str, agent: str, message: Queued, says_last: Optional[Says], *, woken: bool = False) -> str:
    """What became of a message to an agent whose run has ended, by the session's transcript and the agent's own.

    `says_last` knows the last words of that run: until the agent's transcript has them, it may lack the message too.
    None where the run was cut, of which nothing more is written. The message that has `woken` the agent is always
    written down.
    """
    found = _fate(session, agent, message, says_last, transcripts.TAIL, woken=woken)
    return _fate(session, agent, message, says_last, MOST, woken=woken) if found == DROPPED else found


def _fate(session: str, agent: str, message: Queued, says_last: Optional[Says], most: int, *, woken: bool) -> str:
    """The same, by the last part of both."""
    records = transcripts.tail(agent, most)
    if _place(records, message.text) < len(records):
        return ARRIVED
    found = transcripts.tail(session, most)
    result = _result(found, message.call)
    if not woken and result is not None and _had_a_round(records, str(result.get("timestamp") or "")):
        return ARRIVED
    if says_last is not None and not any(map(says_last, records)):
        return UNKNOWN
    if result is None:
        return UNKNOWN if message.call in transcripts.calls(found) else DROPPED
    return PROMISED if says_last is not None and _PROMISE in str(transcripts.parts(result)) else DROPPED


def follows(agent: str, message: str, says_last: Says) -> bool:
    """An agent was told this after it had said its last words, and has not said them since."""
    records = transcripts.tail(agent)
    said = [at for at, record in enumerate(records) if says_last(record)]
    return bool(said) and max(said) < _place(records, message)


def _place(records: list[dict[str, Any]], message: str) -> int:
    """Where an agent was told this; behind all of them where it was not."""
    plain = " ".join(message.split())
    return next((at for at, each in enumerate(records) if any(plain in text for text in _told(each))), len(records))


def _told(record: dict[str, Any]) -> list[str]:
    """What an agent was told with this record: as a prompt, or during its run."""
    found = [transcripts.text(record)] if record.get("type") == "user" else []
    found += [words for _, words in transcripts.queued([record])]
    return [" ".join(words.split()) for words in found]


def _result(records: list[dict[str, Any]], call: str) -> Optional[dict[str, Any]]:
    """The record with the result of this call."""
    return next((record for record in records if call in _results(record)), None)


def _results(record: dict[str, Any]) -> list[str]:
    """The calls whose results this record holds."""
    if record.get("type") != "user":
        return []
    return [str(part.get("tool_use_id")) for part in transcripts.parts(record) if part.get("type") == "tool_result"]


def _had_a_round(records: list[dict[str, Any]], moment: str) -> bool:
    """After this moment a call of the agent has ended, and the model went on: with that the queue is handed over.

    2.1.197 and 2.1.258 do not write down what they hand over then. Both times are the host's own.
    """
    ended = [at for at, each in enumerate(records) if moment and _results(each) and str(each.get("timestamp")) > moment]
    return bool(ended) and any(record.get("type") == "assistant" for record in records[ended[0] :])
