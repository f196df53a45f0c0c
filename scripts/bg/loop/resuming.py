"""Resumes: SendMessage, Task with `resume`, or a new agent where the old one cannot be woken."""

from __future__ import annotations

import time

from bg.host import event as host
from bg.host import transcripts
from bg.ledger import inbox, runs, tasks
from bg.ledger.tasks import Row
from bg.loop import adopting as launch
from bg.loop import judging, reports
from bg.loop import sessions as session
from bg.loop.scene import Scene, resumable
from bg.words import replies, resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

DERIVED_KEYS = ("type", "recipient", "recipient_kind", "content")
CONTINUABLE = ("needs_answer", "blocked", "interrupted", "failed", "stopped", "unreported", "partial")


def before_message(scene: Scene) -> None:
    """PreToolUse(SendMessage): by an agent of ours a signal, by the parent the answer to one."""
    event = scene.event
    if event.in_subagent:
        _from_agent(scene)
        return
    scene.see()
    task = tasks.addressed(scene.book, scene.session, str(event.tool_input.get("to") or ""))
    if task is None or not task["agent"]:
        return
    scene.answer.deny = _refused(scene, task)
    if scene.answer.deny:
        return
    given = {key: value for key, value in event.tool_input.items() if key not in DERIVED_KEYS}
    typed = str(event.tool_input.get("message") or event.tool_input.get("content") or "")
    given["to"] = task["agent"]
    if resumable(task) or inbox.unsent(scene.book, task["agent"]):
        given["message"] = _record(scene, task, typed)
    scene.answer.updated_input = given


def _refused(scene: Scene, task: Row) -> str:
    """Why an ended agent is not woken from here; the host would wake it without its task, or not at all."""
    if not resumable(task) or scene.can_wake(task["agent"]):
        return ""
    with scene.book.transaction():
        if not session.claim(scene, task):
            return f"{task['label']} belongs to another open session, which goes on with it."
    return (
        f"From this session {task['label']} would wake without its task and its memory. Nothing is lost: "
        f"{replies.launch_anew(task['label'])}"
    )


def _from_agent(scene: Scene) -> None:
    """A message that a running agent of ours sends to `main` may carry a signal."""
    event = scene.event
    task = scene.own_task(event.agent)
    text = str(event.tool_input.get("message") or "")
    if event.tool_input.get("to") != host.MAIN:
        return
    if task is None:
        scene.note_stranger(event.agent, text)
        return
    run = reports.keep(scene.book, task["label"], event.agent, reports.MESSAGE, text, final=False)
    if run is None:
        return
    with scene.book.transaction():
        for signal in reports.read(text, tasks.token_of(scene.book, event.agent)).own:
            reports.note(scene.book, task["label"], event.agent, run["run"], signal)


def _record(scene: Scene, task: Row, typed: str) -> str:
    """Write the resume message down before it is sent; what it carries is marked when it is proven."""
    agent = task["agent"]
    message = resume.compose(scene.book, agent, tasks.token_of(scene.book, agent), typed)
    with scene.book.transaction():
        _open(scene, task, agent, message, typed)
    return message.text


def _open(scene: Scene, task: Row, agent: str, message: resume.Message, typed: str) -> None:
    kind = message.kind if message.answers else f"{message.kind} (relayed)"
    identifier = scene.book.insert(
        "INSERT OR REPLACE INTO resumes (label, agent, tool_use, kind, typed, message, at) VALUES (?,?,?,?,?,?,?)",
        task["label"],
        agent,
        scene.event.tool_use,
        kind,
        typed,
        message.text,
        time.time(),
    )
    for answer in message.answers:
        scene.book.write("UPDATE answers SET resume = ? WHERE id = ?", identifier, answer)


def after_message(scene: Scene) -> None:
    """PostToolUse(SendMessage): the host's word that the agent has the message."""
    if scene.event.in_subagent:
        return
    scene.see()
    row = resume.proof(scene.book, scene.event.tool_use)
    if row is not None:
        if host.resumed_agent(scene.event) or host.delivered_message(scene.event):
            with scene.book.transaction():
                prove(scene, scene.event.tool_use, row["agent"])
            scene.answer.notice.append(f"{row['label']} goes on")
        else:
            unproven(scene)
    else:
        _woken_without_us(scene, host.resumed_agent(scene.event))
    scene.remind()


def _woken_without_us(scene: Scene, agent: str) -> None:
    """The hook before this call was killed: the agent runs again, and what was answered has not gone with it."""
    task = tasks.of_agent(scene.book, agent) if agent else None
    if task is None:
        return
    with scene.book.transaction():
        runs.running(scene.book, agent, task["label"])
        tasks.set_state(scene.book, task["label"], "working")
        if inbox.unsent(scene.book, agent):
            scene.owe_next_step(task["label"])


def before_task(scene: Scene) -> None:
    """PreToolUse(Task) with `resume`: the prompt becomes the response."""
    event = scene.event
    scene.see()
    task = tasks.addressed(scene.book, scene.session, str(event.tool_input.get("resume") or ""))
    if task is None or not task["agent"]:
        return
    scene.answer.deny = _refused(scene, task)
    if scene.answer.deny:
        return
    text = _record(scene, task, str(event.tool_input.get("prompt") or ""))
    scene.answer.updated_input = {
        **event.tool_input,
        "resume": task["agent"],
        "prompt": text,
        "run_in_background": True,
    }


def after_task(scene: Scene) -> None:
    """PostToolUse(Task) with `resume`: the agent runs again, or has already ended in the foreground."""
    event = scene.event
    row = resume.proof(scene.book, event.tool_use)
    if row is None:
        _woken_without_us(scene, host.started_agent(event))
        scene.remind()
        return
    with scene.book.transaction():
        prove(scene, event.tool_use, row["agent"])
    text = host.foreground_text(event)
    task = tasks.of_agent(scene.book, row["agent"])
    if task and text is not None and reports.keep(scene.book, row["label"], row["agent"], "foreground", text):
        judging.conclude(scene, task, row["agent"])
    else:
        scene.answer.notice.append(f"{row['label']} goes on")
    scene.remind()


def prove(scene: Scene, tool_use: str, agent: str) -> None:
    """The resume has happened: its answers are sent, the next run goes on. Inside a transaction."""
    book = scene.book
    row = resume.proof(book, tool_use)
    if row is None or row["proven"] is not None:
        return
    book.write("UPDATE resumes SET proven = ? WHERE id = ?", time.time(), row["id"])
    if _carried(scene, row["message"]):
        inbox.mark_sent(book, row["agent"], row["id"])
    elif book.write("UPDATE answers SET resume = NULL WHERE resume = ? AND sent IS NULL", row["id"]):
        scene.owe_next_step(row["label"])
    last = runs.last_run(book, agent)
    overtaken = last is not None and last["began"] > row["at"] and last["ended"] is not None
    if not overtaken:
        runs.running(book, agent, row["label"])
        tasks.set_state(book, row["label"], "working")


def _carried(scene: Scene, message: str) -> bool:
    """The call went out with our message; without it, the hook that wrote it down was killed before it was heard."""
    given = scene.event.tool_input
    sent = [given[key] for key in ("message", "content", "prompt") if isinstance(given.get(key), str)]
    plain = " ".join(message.split())
    return not sent or any(plain in " ".join(text.split()) for text in sent)


def prove_by_run(scene: Scene, agent: str, transcript: str) -> None:
    """The agent's next run has begun, and the word that it was woken never came: its transcript has the message."""
    book = scene.book
    row = book.one(
        "SELECT * FROM resumes WHERE agent = ? AND proven IS NULL AND failed IS NULL ORDER BY id DESC LIMIT 1", agent
    )
    if row is None or not transcripts.heard(transcript, row["message"]):
        return
    with book.transaction():
        book.write("UPDATE resumes SET proven = ? WHERE id = ?", time.time(), row["id"])
        inbox.mark_sent(book, agent, row["id"])
        runs.running(book, agent, row["label"])
        tasks.set_state(book, row["label"], "working")


def unproven(scene: Scene) -> None:
    """The host did not wake the agent: the answers stay, and there is another way."""
    row = resume.proof(scene.book, scene.event.tool_use)
    if row is None or row["proven"] is not None:
        return
    with scene.book.transaction():
        scene.book.write("UPDATE resumes SET failed = ? WHERE id = ?", scene.event.error or "refused", row["id"])
    scene.answer.context.append(
        f"[bg] {row['label']} was not woken. Nothing is lost: {replies.launch_anew(row['label'])}"
    )


def relaunch_window(scene: Scene) -> Optional[Row]:
    """A launch whose description begins with a task that has ended unfinished continues that task."""
    found = tasks.LABEL.match(str(scene.event.tool_input.get("description") or "").strip())
    task = tasks.get(scene.book, found[0]) if found else None
    if task is None or task["state"] not in CONTINUABLE or not task["agent"] or task["project"] != scene.project:
        return None
    with scene.book.transaction():
        if not session.claim(scene, task):
            return None
        tasks.open_window(scene.book, scene.session, "relaunch", task["text"] or "", task["label"])
    return task


def fill_relaunch(scene: Scene, task: Row, adopted: launch.Adoption) -> None:
    """The new agent gets the old one's task, state, questions and answers. Inside a transaction."""
    typed = str(scene.event.tool_input.get("prompt") or "")
    path = transcripts.of_agent(scene.event.transcript, task["agent"])
    message = resume.relaunch(scene.book, task, adopted.token, typed, path)
    _open(scene, task, task["agent"], message, typed)
    prompt: Any = adopted.tool_input["prompt"]
    adopted.tool_input["prompt"] = prompt[: len(prompt) - len(typed)] + message.text


def failed_message(scene: Scene) -> None:
    """PostToolUseFailure(SendMessage): nobody was woken."""
    if not scene.event.in_subagent:
        unproven(scene)
        scene.remind()
