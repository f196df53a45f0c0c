"""The ways to continue a task on this host: sentences for the parent model."""

from __future__ import annotations

from bg.host import tools, versions
from bg.words import phrases


def launch_anew(label: str) -> str:
    """How to continue a task without its agent, in a sentence for the parent model."""
    return (
        f"launch a new agent with a description that begins `{label}:`; the hook gives it the task, the state, "
        "the questions and the answers. Tell the user that it is a new agent."
    )


def how_to_message(host: versions.Host, agent: str) -> str:
    """How the parent sends an agent a message."""
    name = tools.MESSAGE.called(host.version)
    return f'call {name} with to: "{agent}" (not listed? {tools.SEARCH} `select:{name}` loads it)'


def along(host: versions.Host, agent: str) -> str:
    """Tell the parent to send the answers in a call right after the one that asks; the host runs calls in order."""
    return phrases.ALONG.format(message=tools.MESSAGE.called(host.version), agent=agent)


def limits(host: versions.Host) -> str:
    """The note for the user, as an agent starts, that this host cannot wake it later; empty on most hosts."""
    if host.resume_way != versions.NO_WAY or host.version is None:
        return ""
    where = "in this session" if host.lacks_its_way else f"on {'.'.join(map(str, host.version))}"
    return phrases.NEW_AGENT_GOES_ON.format(where=where)


def passed_on(host: versions.Host) -> str:
    """How the parent hands an agent the user's words from plain chat, in a part of a sentence."""
    send = f"send it to the agent with {tools.MESSAGE.called(host.version)}"
    again = f"{tools.resuming(host.version)} with resume"
    found = {
        versions.BY_MESSAGE: send,
        versions.BY_LAUNCH: f"send it to the agent by {again}",
        versions.NO_WAY: "put it into the prompt of the new agent that goes on with the task",
        versions.UNKNOWN: f"{send} (or {again})",
    }
    return found[host.resume_way]


def resume_how(host: versions.Host, agent: str, label: str) -> str:
    """How this host wakes the agent, in a sentence for the parent model."""
    adds = "the hook writes the user's answers and the saved state into it, and keeps your text as your note"
    task = tools.resuming(host.version)
    send = f"{how_to_message(host, agent)}; {adds}."
    again = f'call {task} with resume: "{agent}", the same subagent_type, a description and a short prompt; {adds}.'
    anew = launch_anew(label)
    ways = {
        versions.BY_MESSAGE: f"{send} If that fails, {anew}",
        versions.BY_LAUNCH: f"{again} If that fails, {anew}",
        versions.NO_WAY: f"this host cannot wake an ended agent, so {anew}",
        versions.UNKNOWN: f"{send} On a host where {task} has a `resume` parameter, use that instead. "
        f"If neither works, {anew}",
    }
    return ways[host.resume_way]
