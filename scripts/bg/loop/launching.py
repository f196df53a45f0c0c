"""Launches: Agent or Task called by the parent, and our own command run through Skill."""

from __future__ import annotations

import contextlib

from bg import machine
from bg.host import event as host
from bg.ledger import runs, tasks
from bg.ledger.tasks import Row
from bg.loop import adopting as launch
from bg.loop import judging, reports, resuming
from bg.loop.scene import Scene
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class _FullError(Exception):
    """As many agents work as the user allows: the adoption is taken back."""


def before(scene: Scene) -> None:
    """PreToolUse(Agent|Task): a launch of ours gets its identity, its label and the background."""
    event = scene.event
    if event.in_subagent:
        return
    if event.tool_input.get("resume"):
        resuming.before_task(scene)
        return
    scene.see()
    again = resuming.relaunch_window(scene)
    head = git_head(event.cwd) if scene.late is None else ""  # by now the agent may have committed
    with contextlib.suppress(_FullError), scene.book.transaction():
        adopted = launch.adopt(scene.book, event, scene.project, scene.version, head)
        if adopted is None:
            lost = launch.lost_label(scene.book, event)
            if lost:
                why = f"the ledger that knew {lost} was damaged and is kept aside"
                scene.answer.deny = launch.unidentified(why, "Ask the user to type the /bg again.")
            return
        scene.answer.deny = launch.full(scene.book, scene.project, scene.settings.max_tasks, adopted.label)
        if scene.answer.deny:
            raise _FullError
        if adopted.again and again is not None:
            resuming.fill_relaunch(scene, again, adopted)
        _note_child(scene, adopted.label)
        if scene.late is not None:
            scene.book.write("UPDATE launches SET made = ? WHERE tool_use = ?", scene.late, event.tool_use)
    if adopted is not None and not scene.answer.deny:
        scene.answer.updated_input = adopted.tool_input


def _note_child(scene: Scene, label: str) -> None:
    """A launch from an approved delegation's window is that delegation's agent."""
    task = tasks.get(scene.book, label)
    scene.book.write(
        "UPDATE delegations SET child = ?, state = 'launched' WHERE state = 'approved' AND child = ?",
        label,
        f"window:{task['grp'] if task else label}",
    )


def git_head(cwd: str) -> str:
    """The commit that a launch starts from, empty outside a repository."""
    if not cwd:
        return ""
    shown = machine.ask([machine.find("git") or "git", "-C", cwd, "rev-parse", "HEAD"], 2)
    return shown.out.strip() if shown.code == 0 else ""


def after(scene: Scene) -> None:
    """PostToolUse(Agent|Task): bind the host's agent, tell the user, take a foreground run's text."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    if event.tool_input.get("resume"):
        resuming.after_task(scene)
        return
    task = _bound(scene)
    if task is None:
        scene.remind()
        return
    agent = host.started_agent(event)
    text = host.foreground_text(event)
    if text is None:
        words = "continues as a new agent" if _relaunched(scene, task) else "started"
        scene.answer.notice.append(f"{task['label']} {words}: {inline(task['description'] or '', 80)} · /bg-status")
    elif reports.keep(scene.book, task["label"], agent, "foreground", text):
        judging.conclude(scene, task, agent)
    scene.remind()


def _bound(scene: Scene) -> Optional[Row]:
    """The task of the agent that this call started, if the call was one of ours."""
    agent = host.started_agent(scene.event)
    launched = scene.book.one("SELECT token FROM launches WHERE tool_use = ?", scene.event.tool_use)
    token = launched["token"] if launched else ""
    if not token:
        found = tasks.TOKEN.findall(str(scene.event.tool_input.get("prompt") or "")[:20000])
        known = tasks.of_token(scene.book, found[0]) if found else None
        token = known["token"] if known and not known["agent"] else ""
    if not token:
        return None
    with scene.book.transaction():
        runs.bind(scene.book, token, agent)
        if scene.book.value("SELECT 1 FROM resumes WHERE tool_use = ?", scene.event.tool_use):
            resuming.prove(scene, scene.event.tool_use, agent)
    return tasks.of_agent(scene.book, agent)


def _relaunched(scene: Scene, task: Row) -> bool:
    return bool(scene.book.value("SELECT count(*) > 1 FROM launches WHERE label = ? AND agent <> ''", task["label"]))


def failed(scene: Scene) -> None:
    """PostToolUseFailure(Agent|Task): the label is free for another try in the same window."""
    if scene.event.in_subagent:
        return
    with scene.book.transaction():
        label = tasks.fail_launch(scene.book, scene.event.tool_use, scene.event.error)
        if label:
            tasks.set_state(scene.book, label, "not_launched", inline(scene.event.error, 200))
    resuming.unproven(scene)


def skill(scene: Scene) -> None:
    """PostToolUse(Skill): Claude has run one of our commands by itself."""
    command, arguments = host.invoked_command(scene.event)
    if not command or scene.event.in_subagent:
        return
    scene.enter()
    if command == "bg":
        with scene.book.transaction():
            label = tasks.open_window(scene.book, scene.session, "skill", arguments)
        scene.answer.context.append(launch.window_line(label))
    elif command == "bg-answer":
        scene.answer.context.append(
            "[bg] Only the user answers: through AskUserQuestion, or by typing /bg-answer. To pass on what the user "
            "said in plain chat, send it to the agent with SendMessage (or Task with resume); it is marked as relayed."
        )
    scene.remind()
