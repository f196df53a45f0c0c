"""Sessions: which tasks a new session inherits, and what it is told about them in a few lines."""

from __future__ import annotations

import time

from bg import deliveries, inbox, processes, tasks, transcripts
from bg.quoting import inline
from bg.scene import Scene
from bg.status import age
from bg.tasks import Row

MOST_LINES = 15


def concerns(scene: Scene) -> bool:
    """There is something in this session, or left in this project by a session that is gone."""
    return bool(
        scene.book.value("SELECT 1 FROM tasks WHERE session = ? LIMIT 1", scene.session)
        or scene.book.value("SELECT 1 FROM sessions WHERE id = ?", scene.session)
    )


def is_alive(scene: Scene, session: str) -> bool:
    """The session goes on in a process of its own; one that was left by `/clear` in this process does not."""
    row = scene.book.one("SELECT * FROM sessions WHERE id = ?", session)
    if row is None or row["ended"] is not None:
        return False
    if not row["pid"]:
        return True
    process = processes.Process(row["pid"], row["pid_started"] or "")
    return processes.alive(process) and process != processes.host()


def take_over(scene: Scene) -> None:
    """Tasks of sessions that are gone belong to this one now; their agents went with them."""
    project = scene.project
    same_process = scene.event.source in ("clear", "compact")
    owners = scene.book.all("SELECT DISTINCT session FROM tasks WHERE project = ?", project)
    gone = [row["session"] for row in owners if row["session"] != scene.session and not is_alive(scene, row["session"])]
    resumed = scene.event.source == "resume" and not same_process
    left = [scene.session] if resumed else []
    for session in [*gone, *left]:
        running = tasks.in_session(scene.book, session, tasks.RUNNING_STATES)
        with scene.book.transaction():
            if session in gone:
                scene.book.write(
                    "UPDATE tasks SET session = ? WHERE session = ? AND project = ?", scene.session, session, project
                )
            if not same_process:
                for task in running:
                    interrupt(scene, task)


def interrupt(scene: Scene, task: Row) -> None:
    """The session ended under this agent; a report it left on disk still counts. Inside a transaction."""
    if task["agent"] and _left_report(scene, task):
        return
    tasks.set_state(scene.book, task["label"], "interrupted", "its session ended")


def _left_report(scene: Scene, task: Row) -> bool:
    run = tasks.last_run(scene.book, task["agent"])
    return bool(run and tasks.reports(scene.book, task["agent"], run["run"]))


def flight_list(scene: Scene) -> list[str]:
    """At most fifteen lines: what is in flight, what waits, what must not be launched again."""
    rows = tasks.in_session(scene.book, scene.session, (*tasks.OPEN_STATES, "interrupted"))
    waiting_now = inbox.waiting(scene.book, session=scene.session)
    undelivered = deliveries.due(scene.book, scene.session)
    if not rows and not waiting_now and not undelivered:
        return []
    lines = [
        "[from the bg plugin, not from the user] Background tasks of this project; do not launch any of them again:"
    ]
    for task in rows:
        state = task["state"].replace("_", " ")
        lines.append(
            f"- {task['label']} ({inline(task['description'] or task['text'] or '', 60)}): {state}{_advice(scene, task)}"
        )
    for item in waiting_now:
        lines.append(
            f"- {item['label']} {item['qid']} waits for the user, {age(time.time() - item['asked'])}: {inline(item['text'], 120)}"
        )
    if undelivered:
        lines.append(
            f"- {len(undelivered)} report{'s' if len(undelivered) > 1 else ''} not yet said; said below or at the next event."
        )
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"- and {len(lines) - MOST_LINES + 1} more: {scene.bgctl('status')}"]
    return lines


def _advice(scene: Scene, task: Row) -> str:
    if task["state"] == "interrupted":
        path = transcripts.of_agent(scene.event.transcript, task["agent"] or "")
        where = (
            "its transcript is there, so it can be resumed" if path else "relaunch it with its label if the user wants"
        )
        return f"; {where}"
    return ", you are told when it ends" if task["state"] in tasks.RUNNING_STATES else ""


def glance(scene: Scene) -> str:
    """One calm line for the user."""
    rows = tasks.in_session(scene.book, scene.session, (*tasks.OPEN_STATES, "interrupted"))
    working = sum(task["state"] in tasks.RUNNING_STATES for task in rows)
    asking = len({item["label"] for item in inbox.waiting(scene.book, session=scene.session)})
    parts = [
        f"{working} working" if working else "",
        f"{asking} asks" if asking == 1 else f"{asking} ask" if asking else "",
    ]
    broken = sum(task["state"] == "interrupted" for task in rows)
    parts.append(f"{broken} interrupted" if broken else "")
    return f"bg: {' · '.join(part for part in parts if part) or 'nothing in flight'} · /bg-status"
