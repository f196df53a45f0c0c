"""Receipts: whether the words that a hook printed have reached the session's transcript, after its end at that time.

Also the fate of a message that the host has put into a running agent's queue.
"""

from __future__ import annotations

from bg import foreign
from bg.host import transcripts
from bg.host.event import is_machine_prompt, notifications
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    Says = Callable[[dict[str, Any]], bool]

MOST = 8 * 1024 * 1024
BEFORE = 512 * 1024
HEAD = 200
_FEEDBACK = "Stop hook feedback:"
_BLOCKED = "UserPromptSubmit operation blocked by hook:"
_ORIGINAL = "Original prompt: "
_UNREADABLE = "[object Object]"  # up to 2.1.38 for a prompt that came as parts, as it does by stream-json
ARRIVED, DROPPED, PROMISED, UNKNOWN = "arrived", "dropped", "promised", "unknown"

#: In the answer of 2.1.327 and 2.1.328 to such a message; 2.1.197 and 2.1.258 drop it if the agent makes no more calls.
_PROMISE = "resumed with the message"


class Receipt(Record):
    """What the transcript shows of words that a hook printed.

    `shown`: the words themselves. `carried`: the prompt or call that carried them. `answered`: a reply of the model.
    `passed`: the conversation has continued after the carrier without our words. `blocked`: the host says that a hook
    has kept the carrier out. `overtaken`: a later prompt was answered, and the carrier is nowhere.
    """

    shown: bool
    carried: bool
    answered: bool
    passed: bool
    blocked: bool
    overtaken: bool


class _Line(Record):
    """One record after the place: its id, the record that it follows, and the parts of it that count here."""

    uuid: str
    follows: str
    turn: str = ""
    spoken: bool = False
    prompt: bool = False
    added: str = ""
    said: tuple[str, ...] = ()
    blocked: str = ""


class _Way(Record):
    """The records after the place that lead to one of them: the turns of their prompts, and what the first follows."""

    former: str
    turns: frozenset[str]


def plain(text: str) -> str:
    """The beginning of a text in the form for searches, with single spaces, as white space may change on the way."""
    return " ".join(text[: 2 * HEAD].split())[:HEAD]


class Stretch:
    """The part of a transcript after a place in it."""

    def __init__(self, path: str, place: int) -> None:
        self._path = path
        self.exists = transcripts.size(path) > 0
        # A file that has become shorter is a new one.
        self._place = place if place <= transcripts.size(path) else 0
        self._lines = [_line(record) for record in _records(path, self._place, MOST)] if self.exists else []
        self._ways = _ways(self._lines)
        self._known: dict[str, bool] = {}

    def added(self) -> str:
        """The words that hooks have added to the conversation, on the hosts that write them down."""
        return "\n".join(line.added for line in self._lines if line.added)

    def receipt(self, words: str, carrier: str, turn: str = "") -> Receipt:
        """The fate of these words, printed in this turn, and of the prompt or call that carried them."""
        shown = self._first(lambda line: bool(words) and words in line.added)
        carried = self._first(lambda line: _carries(line, carrier))
        since = shown if shown >= 0 else carried
        behind = self._replies(since) if since >= 0 else []
        if since >= 0:
            passed = shown < 0 and any(map(self._is_whole, behind))
            return Receipt(shown >= 0, carried >= 0, bool(behind), passed, blocked=False, overtaken=False)
        blocked = self._is_blocked(carrier)
        later = any(self._is_of_later(number, turn) for number in self._replies())
        return Receipt(shown=False, carried=False, answered=False, passed=False, blocked=blocked, overtaken=later)

    def _first(self, counts: Callable[[_Line], bool]) -> int:
        """The number of the first record that counts, -1 if none does."""
        return next((number for number, line in enumerate(self._lines) if counts(line)), -1)

    def _replies(self, behind: int = -1) -> list[int]:
        return [number for number, line in enumerate(self._lines) if line.spoken and number > behind]

    def _is_blocked(self, carrier: str) -> bool:
        """Whether the host says that a hook has blocked the carrier.

        For the host's own messages, none of which comes twice, it may have said so before our hook noted the place.
        """
        if any(_keeps_out(line, carrier) for line in self._lines):
            return True
        start = max(0, self._place - BEFORE)
        before = _records(self._path, start, self._place - start) if is_machine_prompt(carrier) else []
        return any(carrier in _line(record).blocked for record in before)

    def _is_of_later(self, number: int, turn: str) -> bool:
        """Whether this record answers another prompt after the place, of another turn."""
        turns = self._ways[number].turns
        return bool(turns if not turn else turns - {turn, ""}) and self._is_whole(number)

    def _is_whole(self, number: int) -> bool:
        """Whether all records that lead to this one are in the file, so that missing ones can only come later."""
        former = self._ways[number].former
        return bool(self._lines[number].uuid) and (not former or self._is_before(former))

    def _is_before(self, uuid: str) -> bool:
        if uuid not in self._known:
            self._known[uuid] = any(self._has_before(uuid.encode(), most) for most in (BEFORE, MOST))
        return self._known[uuid]

    def _has_before(self, sign: bytes, most: int) -> bool:
        start = max(0, self._place - most)
        return sign in _read(self._path, start, self._place - start)


def results(path: str, calls: list[str]) -> dict[str, str]:
    """The calls among these that have a result in the session, each with why it was refused; empty if it was not."""
    found: dict[str, str] = {}
    for record in transcripts.tail(path) if calls else ():
        for part in transcripts.parts(record) if record.get("type") == "user" else ():
            if part.get("type") == "tool_result" and part.get("tool_use_id") in calls:
                said = transcripts.text({"message": part}).strip() or "refused"
                found[str(part["tool_use_id"])] = said if part.get("is_error") else ""
    return found


def messages(path: str) -> dict[str, str]:
    """The id of the model's message that holds each of a session's last calls."""
    found: dict[str, str] = {}
    for record in transcripts.tail(path):
        for part in transcripts.parts(record) if record.get("type") == "assistant" else ():
            if part.get("type") == "tool_use":
                found[str(part.get("id"))] = str(record["message"].get("id"))
    return found


def announced(transcript: str, prompt: str) -> dict[str, str]:
    """By agent, the report in the host's announcement of its end to the parent, in this prompt or before it."""
    records = transcripts.tail(transcript)
    told = [words for _, words in transcripts.queued(records)]
    told += [transcripts.text(record) for record in records if record.get("type") == "user"]
    return {found.agent: found.result for words in [*told, prompt] for found in notifications(words)}


class Queued(Record):
    """A message that the host has put into an agent's queue: the call that sent it, and its text."""

    call: str
    text: str


def fate(session: str, agent: str, message: Queued, says_last: Optional[Says], *, woken: bool = False) -> str:
    """The fate of a message to an agent whose run has ended, by the session's transcript and the agent's own.

    `says_last` recognizes the last words of that run: until the agent's transcript has them, it may lack the message
    too. It is None if the run was cut, after which nothing more is written. The message that has `woken` the agent is
    always written down.
    """
    found = _fate(session, agent, message, says_last, transcripts.TAIL, woken=woken)
    return _fate(session, agent, message, says_last, MOST, woken=woken) if found == DROPPED else found


def follows(agent: str, message: str, says_last: Says) -> bool:
    """Whether an agent was told this after its last words, and has not said those again since."""
    records = transcripts.tail(agent)
    said = [at for at, record in enumerate(records) if says_last(record)]
    return bool(said) and max(said) < _place(records, message)


def _line(record: dict[str, Any]) -> _Line:
    """The parts of a record that count here."""
    uuid, follows = str(record.get("uuid") or ""), str(record.get("parentUuid") or "")
    attachment, kind = record.get("attachment"), record.get("type")
    if isinstance(attachment, dict):
        return _attached(uuid, follows, attachment)
    if kind == "system" and str(record.get("content")).startswith(_BLOCKED):
        return _Line(uuid, follows, blocked=" ".join(str(record.get("content")).split()))
    if kind == "user":
        return _told(uuid, follows, record)
    return _Line(uuid, follows, spoken=kind == "assistant")


def _attached(uuid: str, follows: str, attachment: dict[str, Any]) -> _Line:
    if attachment.get("type") == "hook_additional_context":
        content = attachment.get("content")
        parts = content if isinstance(content, list) else [content]
        return _Line(uuid, follows, added=" ".join("\n".join(map(str, parts)).split()))
    if attachment.get("type") == "queued_command":
        return _Line(uuid, follows, prompt=True, said=(" ".join(str(attachment.get("prompt")).split()),))
    return _Line(uuid, follows)


def _told(uuid: str, follows: str, record: dict[str, Any]) -> _Line:
    text = transcripts.text(record)
    words = " ".join(text.split())
    calls = _results(record)
    feedback = text.startswith(_FEEDBACK)
    turn = str(record.get("promptId") or "")
    prompt = not calls and not feedback and not record.get("isMeta")
    return _Line(uuid, follows, turn, prompt=prompt, added=words if feedback else "", said=(words, *calls))


def _records(path: str, place: int, most: int) -> list[dict[str, Any]]:
    found = []
    for line in _read(path, place, most).split(b"\n"):
        # Most lines hold nothing of this, and decoding them would cost more than everything else here.
        if any(sign in line for sign in (b'"user"', b'"assistant"', b'"attachment"', b'"parentUuid"')):
            try:
                record = foreign.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                found.append(record)
    return found


def _read(path: str, place: int, most: int) -> bytes:
    try:
        return foreign.read(path, most, place)
    except (OSError, ValueError):
        return b""


def _ways(lines: list[_Line]) -> list[_Way]:
    """For each record, the records that lead to it."""
    found: list[_Way] = []
    at: dict[str, int] = {}
    for number, line in enumerate(lines):
        before = found[at[line.follows]] if line.follows in at else _Way(line.follows, frozenset())
        found.append(before._replace(turns=before.turns | {line.turn}) if line.prompt else before)
        if line.uuid:
            at.setdefault(line.uuid, number)
    return found


def _carries(line: _Line, carrier: str) -> bool:
    return bool(carrier) and any(carrier in text for text in line.said)


def _keeps_out(line: _Line, carrier: str) -> bool:
    """Whether the host says here that a hook has blocked this prompt, or a prompt that it does not name."""
    _, named, prompt = line.blocked.partition(_ORIGINAL)
    return bool(line.blocked and carrier) and (carrier in line.blocked or not named or prompt == _UNREADABLE)


def _fate(session: str, agent: str, message: Queued, says_last: Optional[Says], most: int, *, woken: bool) -> str:
    """The fate of a message, by the last `most` bytes of both transcripts."""
    records = transcripts.tail(agent, most)
    if _place(records, message.text) < len(records):
        return ARRIVED
    found = transcripts.tail(session, most)
    result = _result(found, message.call)
    if not woken and result is not None and _had_a_round(records, result):
        return ARRIVED
    if says_last is not None and not any(map(says_last, records)):
        return UNKNOWN
    if result is None:
        return UNKNOWN if message.call in transcripts.calls(found) else DROPPED
    return PROMISED if says_last is not None and _PROMISE in str(transcripts.parts(result)) else DROPPED


def _place(records: list[dict[str, Any]], message: str) -> int:
    """The place of the record that told an agent this; after all of them if none did."""
    plain = " ".join(message.split())
    return next(
        (at for at, each in enumerate(records) if any(plain in text for text in _words_told(each))), len(records)
    )


def _words_told(record: dict[str, Any]) -> list[str]:
    """The words that an agent was told by this record, as a prompt or during its run."""
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


def _had_a_round(records: list[dict[str, Any]], result: dict[str, Any]) -> bool:
    """Whether, after this result, a call of the agent ended and the model continued, which hands over the queue.

    2.1.197 and 2.1.258 do not write down the messages that they hand over then. Both times are by the host's clock.
    """
    moment = str(result.get("timestamp") or "")
    ended = [at for at, each in enumerate(records) if moment and _results(each) and str(each.get("timestamp")) > moment]
    return bool(ended) and any(record.get("type") == "assistant" for record in records[ended[0] :])
