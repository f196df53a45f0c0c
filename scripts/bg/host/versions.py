"""Versions of the host: what each can do, as far as was tried."""

from __future__ import annotations

import os
import re

from bg.host import transcripts
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

Version = tuple[int, int, int]

OLDEST: Version = (2, 1, 7)
BY_MESSAGE, BY_LAUNCH, NO_WAY, UNKNOWN = "message", "launch", "none", "unknown"

#: From this version on each process tells its hooks its exact version; tried on 2.1.119, which does not, and 2.1.120.
TELLS_ITS_VERSION: Version = (2, 1, 120)

RESUME_LIMIT = 5_242_880
NEAR_LIMIT = 0.8

# The abilities of hosts, each from one version on and before another. They are a first guess: what a session shows
# counts more. Each bound was tried on the two versions in its comment, by `tests/clients/test_abilities.py` or in a
# terminal.
_ABLE: dict[str, list[tuple[Version, Optional[Version]]]] = {
    # 2.1.76, 2.1.77: the parameter `resume` of a launch.
    "resumes_by_launch": [(OLDEST, (2, 1, 77))],
    # 2.1.185, 2.1.186: offered without agent teams. From 2.1.77 until then an ended agent cannot be woken.
    "resumes_by_message": [((2, 1, 186), None)],
    # 2.1.144, 2.1.145: each Stop names the agents that run, so silence need not be read as an end.
    "lists_agents": [((2, 1, 145), None)],
    # 2.1.162, 2.1.163: a Stop hook's words can reach the model as context, so that a turn kept going by them is not
    # shown as an error.
    "takes_context_at_stop": [((2, 1, 163), None)],
    # 2.1.185, 2.1.186: a running subagent can send the parent a message.
    "passes_messages_up": [((2, 1, 186), None)],
    # 2.1.270, 2.1.271.
    "has_handback": [((2, 1, 271), None)],
    # 2.1.68, 2.1.70; 2.1.100, 2.1.101; 2.1.259, 2.1.260: an agent's end always reaches a hook of its own, so that Stop
    # need not report it before that hook does. In between, the host appends an end that comes in the middle of a turn
    # to the next tool result, and no hook runs. 2.1.50 announces every end too, 2.1.63 does not. 2.1.69 could not be
    # tried: it sends the model no request.
    "announces_every_end": [((2, 1, 70), (2, 1, 101)), ((2, 1, 260), None)],
    # 2.1.224, 2.1.225: an agent that waits for its own background command is woken when that ends.
    "wakes_parked": [((2, 1, 225), None)],
    # 2.1.114, 2.1.116; 2.1.252, 2.1.257: an agent whose transcript has more than `RESUME_LIMIT` bytes is woken
    # without its memory. In a session that has been resumed, it is not woken at all.
    "forgets_long": [((2, 1, 116), (2, 1, 257))],
    # 2.1.77, 2.1.78: the host's records of prompts say whether a terminal or a program started the session.
    "names_starters": [((2, 1, 78), None)],
    # 2.1.235, 2.1.236: they name a person as the origin of commands too.
    "names_who_typed": [((2, 1, 236), None)],
    # 2.1.177, 2.1.178.
    "prints_blocked_prompts": [((2, 1, 178), None)],
    # 2.1.215, 2.1.216: typed in a terminal, `/bg` is no longer the plugin's.
    "has_its_own_bg": [((2, 1, 216), None)],
    # 2.1.140, 2.1.141: the host writes a hook's sequence to the terminal.
    "passes_terminal_sequences": [((2, 1, 141), None)],
    # 2.1.77, 2.1.78: the host gives a plugin a directory for its data, and deletes that with the plugin or with its
    # marketplace; a marketplace that is added again is read from its new place.
    "deletes_data": [((2, 1, 78), None)],
}


class Host(Record):
    """The abilities of a session's host; all are False if its version is unknown."""

    version: Optional[Version]
    resumes_by_launch: bool
    resumes_by_message: bool
    lists_agents: bool
    takes_context_at_stop: bool
    passes_messages_up: bool
    has_handback: bool
    announces_every_end: bool
    wakes_parked: bool
    forgets_long: bool
    names_starters: bool
    names_who_typed: bool
    prints_blocked_prompts: bool
    has_its_own_bg: bool
    passes_terminal_sequences: bool
    deletes_data: bool

    @property
    def resume_way(self) -> str:
        """How an ended agent is woken on this host."""
        if self.version is None:
            return UNKNOWN
        if self.resumes_by_launch:
            return BY_LAUNCH
        teams = os.environ.get("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS") == "1"
        return BY_MESSAGE if self.resumes_by_message or teams else NO_WAY

    @property
    def lacks_its_way(self) -> bool:
        """Whether the session lacks the tool that wakes agents in other sessions of its version."""
        return self.resume_way == NO_WAY and host_of(self.version).resume_way != NO_WAY

    @property
    def shows_blocked_prompts(self) -> bool:
        """Whether the reason of a blocked prompt is shown, so that an answer need not cost a request to the model."""
        return attended() or self.prints_blocked_prompts

    def hands_back(self, mode: str, agent_type: str = "") -> bool:
        """Whether an agent's report comes by a tool of its own in this mode; an unknown host may have that tool."""
        if mode != "auto" or agent_type == "fork" or os.environ.get("CLAUDE_CODE_DISABLE_SUBAGENT_HANDBACK"):
            return False
        return self.version is None or self.has_handback

    def notification(self, words: str) -> str:
        """The sequence that makes a terminal show a notification; empty if the host would not pass it on."""
        if not attended() or not self.passes_terminal_sequences:
            return ""
        plain = " ".join(re.sub(r"[^\w .,:?!()+-]", " ", words).split())
        if os.environ.get("TERM_PROGRAM") in {"iTerm.app", "WezTerm", "ghostty", "kitty"}:
            return f"\x1b]9;{plain}\x07"
        return f"\x1b]777;notify;Claude Code;{plain}\x07"


def host_of(version: Optional[Version]) -> Host:
    """The abilities of the host of this version."""
    able = {name: any(is_within(version, since, until) for since, until in spans) for name, spans in _ABLE.items()}
    return Host(version, **able)


def is_within(version: Optional[Version], since: Version, until: Optional[Version]) -> bool:
    """Whether a version is `since` or later, and before `until` if that is given; False for an unknown one."""
    return version is not None and since <= version and (until is None or version < until)


def near_limit(path: str, host: Callable[[], Host]) -> str:
    """A line about an agent whose transcript nears the size limit of a host that forgets long ones; else empty."""
    has = transcripts.size(path)
    if has < NEAR_LIMIT * RESUME_LIMIT or not host().forgets_long:
        return ""
    named = ".".join(map(str, host().version or ()))
    limit = f"the {RESUME_LIMIT / 2**20:.1f} MiB beyond which Claude Code {named} wakes it without its memory"
    return f"its transcript has {has / 2**20:.1f} MiB, {'more than' if has > RESUME_LIMIT else 'near'} {limit}"


def version_of(text: str) -> Optional[Version]:
    """`2.1.327` as numbers, without anything after a hyphen; None if the text is no version."""
    # Without a regular expression: compiling one at every event would cost more than counting the event does.
    numbers = (text or "").replace("-", ".").split(".")[:3]
    if len(numbers) < 3 or not all(each.isdecimal() for each in numbers):
        return None
    return int(numbers[0]), int(numbers[1]), int(numbers[2])


def running(transcript: str, *, live: bool = True) -> str:
    """The version of the client that runs a session; empty if nothing tells it yet.

    Another version may have begun the session, so this process's own word counts first, then the last record.
    """
    return (announced_version() if live else "") or transcripts.field(transcript, "version")


def of_session(transcript: str) -> Host:
    """The abilities of the host that last wrote to this session's transcript."""
    return host_of(version_of(running(transcript, live=False)))


def announced_version() -> str:
    """The exact version that the calling process tells its hooks; empty before `TELLS_ITS_VERSION`."""
    name, version, *rest = [*os.environ.get("AI_AGENT", "").split("_"), ""]
    numbers = version_of(version) if rest and name == "claude-code" else None
    return ".".join(map(str, numbers)) if numbers else ""


def started_by_a_session() -> bool:
    """Whether a session of the host has started this process, as far as its environment tells."""
    return bool(os.environ.get("CLAUDECODE"))


def attended() -> bool:
    """Whether a person sits at the terminal, as far as the host's environment tells."""
    return os.environ.get("CLAUDE_CODE_ENTRYPOINT") == "cli"
