"""Agents' files: where the host keeps the transcript of an agent, which is looked for in its project's folder only."""

from __future__ import annotations

from pathlib import Path

from bg import foreign
from bg.host.transcripts import last_sign


def of_agent(session_transcript: str, agent: str) -> str:
    """Where the host keeps an agent's own transcript, empty where it is not to be found."""
    if not session_transcript or not agent or "/" in agent:
        return ""
    for place in _beside(session_transcript, agent):
        if foreign.about(place):
            return str(place)
    elsewhere = _with_another_session(session_transcript, agent)
    return max(elsewhere, key=last_sign) if elsewhere else ""


def _beside(session_transcript: str, agent: str) -> tuple[Path, Path]:
    """Where the agents of a session are kept, by the newer and by the older hosts."""
    path, name = Path(session_transcript), f"agent-{agent}.jsonl"
    return path.with_suffix("") / "subagents" / name, path.parent / name


def _with_another_session(session_transcript: str, agent: str) -> list[str]:
    """The agent's transcripts that lie with other sessions of the same project: after /clear, and in a fork."""
    path, name = Path(session_transcript), f"agent-{agent}.jsonl"
    sessions = [each for each in foreign.names(path.parent) if each != path.stem and not each.endswith(".jsonl")]
    places = [path.parent / each / "subagents" / name for each in sessions]
    return [str(place) for place in places if foreign.about(place)]


def wakes_whole(session_transcript: str, agent: str) -> bool:
    """False where the agent's transcript, or a part of it, lies with another session.

    After /clear the host wakes an agent with nothing but its last message, and from a fork not at all.
    """
    return not (session_transcript and agent and "/" not in agent) or not _with_another_session(
        session_transcript, agent
    )


def agents_of(session_transcript: str) -> list[str]:
    """The transcripts of a session's agents, wherever this host keeps them."""
    if not session_transcript:
        return []
    return [
        str(place.parent / name)
        for place in _beside(session_transcript, "")
        for name in foreign.names(place.parent)
        if name.startswith("agent-") and name.endswith(".jsonl")
    ]


def agent_in(path: str) -> str:
    """The agent's id in the name of its transcript."""
    return Path(path).stem[len("agent-") :]
