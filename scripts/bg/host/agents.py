"""Agents' files: where the host keeps the transcript of an agent; only the folder of its project is searched."""

from __future__ import annotations

import os

from bg import foreign
from bg.host.event import identifier, mapping
from bg.host.transcripts import last_sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

LARGEST = 64 * 1024


def of_agent(session_transcript: str, agent: str) -> str:
    """The path of an agent's own transcript; empty if it is not found."""
    if not session_transcript or not identifier(agent):
        return ""
    for place in _beside(session_transcript, agent):
        if foreign.stat_of(place):
            return place
    elsewhere = _with_another_session(session_transcript, agent)
    return max(elsewhere, key=last_sign) if elsewhere else ""


def wakes_whole(session_transcript: str, agent: str) -> bool:
    """Whether the agent would be woken with its memory: False if any of its transcript is in another session's folder.

    After /clear the host wakes such an agent with nothing but its last message, and from a fork not at all.
    """
    return not (session_transcript and agent and "/" not in agent) or not _with_another_session(
        session_transcript, agent
    )


def kept(transcript: str) -> dict[str, Any]:
    """The record that hosts from 2.1.197 on keep beside an agent's transcript."""
    path = f"{os.path.splitext(transcript)[0]}.meta.json"
    try:
        return mapping(foreign.loads(foreign.whole(path, LARGEST)))
    except (OSError, ValueError):
        return {}


def agents_of(session_transcript: str) -> list[str]:
    """The paths of the transcripts of a session's agents, in the places of newer and older hosts."""
    if not session_transcript:
        return []
    return [
        os.path.join(folder, name)
        for folder in map(os.path.dirname, _beside(session_transcript, ""))
        for name in foreign.names(folder or ".")
        if name.startswith("agent-") and name.endswith(".jsonl") and identifier(agent_in(name))
    ]


def agent_in(path: str) -> str:
    """The agent's id in the name of its transcript."""
    return os.path.splitext(os.path.basename(path))[0][len("agent-") :]


def _beside(session_transcript: str, agent: str) -> tuple[str, str]:
    """Where newer and older hosts keep the transcript of a session's agent."""
    own, name = os.path.splitext(session_transcript)[0], f"agent-{agent}.jsonl"
    return os.path.join(own, "subagents", name), os.path.join(os.path.dirname(session_transcript), name)


def _with_another_session(session_transcript: str, agent: str) -> list[str]:
    """The agent's transcripts in the folders of other sessions of the project: after /clear, and in a fork.

    An agent that ran while its session moved into the background has its transcript there too, but the new session
    links to that, so it does not count.
    """
    own, name = os.path.splitext(session_transcript)[0], f"agent-{agent}.jsonl"
    project, stem = os.path.split(own)
    sessions = [each for each in foreign.names(project or ".") if each != stem and not each.endswith(".jsonl")]
    places = [os.path.join(project, each, "subagents", name) for each in sessions]
    linked = foreign.stat_of(os.path.join(own, "subagents", name))
    return [place for place in places if _is_other(foreign.stat_of(place), linked)]


def _is_other(found: Optional[os.stat_result], linked: Optional[os.stat_result]) -> bool:
    return found is not None and not (linked and os.path.samestat(found, linked))
