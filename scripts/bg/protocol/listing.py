"""The signals listed for agents and for people: when to send each, what follows, and what its fields mean."""

from __future__ import annotations

from bg.protocol.signals import schemas, template


def table() -> str:
    """The signals as a markdown table, for people: when each is sent and when not, and what follows."""
    rows = [["Signal", "Send it when", "Not when", "What follows"], ["---"] * 4]
    for marker, spec in schemas().items():
        rows.append([f"`{marker}`", spec["description"], spec["x-not-when"], spec["x-follows"]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markers() -> str:
    """The names of all signals, in a sentence."""
    *others, last = schemas()
    return f"{', '.join(others)} or {last}"


def blocks(agent_id: str) -> str:
    """For agents: when to send each signal and when not, and its block with the meaning of each field."""
    found = []
    for marker, spec in schemas().items():
        otherwise = spec["x-not-when"]
        when = f"{spec['description']} Not when {otherwise[0].lower()}{otherwise[1:]}"
        found.append(f"{when}\n\n{template(marker, agent_id)}")
    return "\n\n".join(found)
