"""The signals listed for agents and for people: when to send each, and which fields it asks for."""

from __future__ import annotations

from bg.protocol.problems import offered
from bg.protocol.signals import schemas


def table(*, follows: bool = False) -> str:
    """The signals as a markdown table: when to send each and when not; for people also what follows."""
    columns = ["Signal", "Send it when", "Not when", *(["What follows"] if follows else [])]
    rows = [columns, ["---"] * len(columns)]
    for marker, spec in schemas().items():
        cells = [f"`{marker}`", spec["description"], spec["x-not-when"], spec["x-follows"]]
        rows.append(cells[: len(columns)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def fields() -> str:
    """The fields that each signal asks for, as a markdown list."""
    lines = []
    for marker, spec in schemas().items():
        names = [
            f"{name} ({'|'.join(offered(each))})" if "enum" in each else name
            for name, each in spec["properties"].items()
            if name != "agent_id" and not each.get("x-extra")
        ]
        lines.append(f"- `{marker}`: {', '.join(names)}")
    return "\n".join(lines)
