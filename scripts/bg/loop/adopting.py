"""Launches: which of the parent's agents are ours, and what they are told about themselves."""

from __future__ import annotations

import contextlib
import re

from bg.host import event as host
from bg.host import versions
from bg.host.event import Event
from bg.ledger import tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Row
from bg.protocol import signals
from bg.record import Record
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

OURS = "bg:"
BRIEF_LINES = ("Goal", "Deliverables", "Done when")


class Adoption(Record):
    """A launch that is ours: under which label, with which token, what the host is handed instead."""

    label: str
    token: str
    tool_input: dict[str, Any]
    again: bool


def window_line(label: str, kind: str = "bg") -> str:
    """The one line that the command's text looks for."""
    words = {
        "delegation": "for the delegated task that the user approved",
        "relaunch": "for the new agent that continues this task",
    }
    return (
        f"[bg] label: {label} {words.get(kind, 'for this task')}. The plugin's hooks are running. "
        f"Begin the description of the launch with `{label}:`; the hook adds identity and protocol to the prompt."
    )


def window_for(book: Ledger, event: Event) -> Optional[Row]:
    """The window that this launch belongs to, None where the launch is not ours."""
    words = f"{event.tool_input.get('description', '')}\n{event.tool_input.get('prompt', '')}"
    for label in dict.fromkeys(tasks.LABEL.findall(words)):
        window = tasks.window_of(book, event.session, label)
        if window:
            return window
    opened = tasks.open_windows(book, event.session)
    if _is_our_type(event):
        if opened:
            return opened[0]
        tasks.open_window(book, event.session, "agent", str(event.tool_input.get("description") or ""))
        return tasks.open_windows(book, event.session)[0]
    return opened[0] if opened and _fills_a_window(event) else None


def _is_our_type(event: Event) -> bool:
    return str(event.tool_input.get("subagent_type") or "").startswith(OURS)


def _fills_a_window(event: Event) -> bool:
    """Without a label of its own it is what an open window waits for."""
    one_shot = event.tool_input.get("subagent_type") in host.ONE_SHOT_TYPES
    return not one_shot and event.tool_input.get("run_in_background") is not False


def refusal(book: Optional[Ledger], event: Event, why: str) -> str:
    """Why a launch of ours that the hook could not take is refused; empty for what is none, or not ours."""
    if not host.is_launch(event):
        return ""
    try:
        shown = tasks.LABEL.search(str(event.tool_input.get("description") or ""))
        ours = _is_our_type(event) or bool(shown if book is None else window_for(book, event))
    except Exception:  # noqa: BLE001 - what has failed may fail again: then the event itself must do
        return refusal(None, event, why)
    if not ours:
        return ""
    if book is not None:
        with contextlib.suppress(Exception), book.transaction():
            _forget(book, event, why)
    return unidentified(why, "Try the launch again; if that fails too, tell the user to type /bg-status doctor.")


def unidentified(why: str, then: str) -> str:
    """The parent hears that nothing was launched, why, and what to do."""
    return f"[bg] This agent could not be given its identity: {why.rstrip('.')}. Nothing was launched. {then}"


def _forget(book: Ledger, event: Event, why: str) -> None:
    """The call is refused: what was noted of it is no launch."""
    label = tasks.fail_launch(book, event.tool_use, why)
    if label:
        tasks.set_state(book, label, "not_launched", why[:200])


def lost_label(book: Ledger, event: Event) -> str:
    """The label of a task that stood in a damaged ledger, which was moved aside: this one knows nothing of it."""
    found = tasks.LABEL.match(str(event.tool_input.get("description") or "").strip())
    if found is None or not book.meta("kept_aside"):
        return ""
    known = book.value(
        "SELECT 1 FROM windows WHERE label = ? UNION ALL SELECT 1 FROM tasks WHERE label = ?", found[0], found[0]
    )
    return "" if known else found[0]


def full(book: Ledger, project: str, most: Optional[int], label: str = "") -> str:
    """Why no further agent may be launched in this project now; empty where one may."""
    working = [
        row["label"]
        for row in book.all("SELECT label FROM tasks WHERE project = ? AND state IN ('launched', 'working')", project)
        if row["label"] != label
    ]
    if most is None or len(working) < most:
        return ""
    names = ", ".join(working)
    return f"{names} work already, and bg.json allows {most} at once (max_tasks). Nothing was launched."


def adopt(
    book: Ledger, event: Event, project: str, version: Optional[versions.Version], head: str
) -> Optional[Adoption]:
    """Take a launch as ours, inside a transaction; None where it is not."""
    window = window_for(book, event)
    if not window:
        return None
    again = window["kind"] == "relaunch" and not tasks.is_taken(book, window)
    label = window["label"]
    if tasks.is_taken(book, window):
        label = tasks.next_label(book)
    tasks.create(book, label, window["label"], event.session, project, window["text"], "launched")
    given = dict(event.tool_input)
    description = _plain_description(str(given.get("description") or ""))
    prompt = str(given.get("prompt") or "")
    token = tasks.note_launch(
        book,
        event.tool_use,
        label,
        str(given.get("subagent_type") or ""),
        str(given.get("name") or ""),
        event.cwd,
        head,
    )
    if again:
        book.write("UPDATE tasks SET session = ? WHERE label = ?", event.session, label)
    else:
        book.write(
            "UPDATE tasks SET description = ?, prompt = ?, text = coalesce(nullif(text, ''), ?) WHERE label = ?",
            description,
            prompt,
            description,
            label,
        )
    tasks.set_state(book, label, "launched")
    if given.get("subagent_type") in host.ONE_SHOT_TYPES:
        given["subagent_type"] = host.DEFAULT_TYPE
    kind = str(given.get("subagent_type") or "")
    hands_back = versions.hands_back(version, event.mode, kind)
    who = identity(token, event.transcript, handback=hands_back, message=versions.has_message_to_main(version))
    given.update(
        description=f"{label}: {description}".rstrip(": "),
        prompt=f"{who}\n\n{prompt}",
        run_in_background=True,
    )
    return Adoption(label, token, given, again)


def _plain_description(description: str) -> str:
    return re.sub(r"^\s*bg-\d+\s*[:\-–—]*\s*", "", description).strip() or "background task"


def identity(token: str, transcript: str, *, handback: bool, message: bool = False) -> str:
    """What a background agent is told before its task."""
    return fill(
        "identity",
        agent_id=token,
        transcript=transcript or "the parent's transcript",
        handback=fill("handback") if handback else "",
        message=fill("message") if message else "",
        table=signals.table(),
        templates="\n\n".join(signals.template(marker, agent_id=token) for marker in signals.schemas()),
    )


def brief(prompt: str) -> dict[str, str]:
    """The three lines that the parent wrote into the prompt, as far as it wrote them."""
    found: dict[str, str] = {}
    name = ""
    for line in prompt.splitlines():
        head = re.match(r"[\s*#>-]*(Goal|Deliverables?|Done[ -]when)\s*\**\s*:\s*\**\s*(.*)", line, re.IGNORECASE)
        if head:
            name = next(key for key in BRIEF_LINES if key[:4].lower() == head[1][:4].lower())
            found[name] = head[2].strip()
        elif name and line.strip() and re.match(r"\s*([-*]|\d+[.)])\s", line):
            found[name] = f"{found[name]}\n{line.rstrip()}".strip()
        else:
            name = ""
    return found
