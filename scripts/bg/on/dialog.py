"""Dialogs and commands: the user is asked, and what the user says is recorded."""

from __future__ import annotations

import time
from typing import Optional

from bg import answers, host, inbox, launch, resume, status, tasks
from bg.on import session
from bg.quoting import inline, neutral
from bg.scene import Scene
from bg.tasks import Row

APPROVE_AGAIN = "the ledger could not be used when you approved it; approve it again, so that its agent is launched."


def before_question(scene: Scene) -> None:
    """PreToolUse(AskUserQuestion): waiting questions get the agents' own words, which ties the answers to them."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    items = inbox.waiting(scene.book, project=scene.project)
    asked = host.dialog_questions(event)
    rewritten = answers.rewrite(asked, items)
    shown = [
        item["id"]
        for item in items
        if any(question["question"].startswith(answers.prefix(item)) for question in rewritten or [])
    ]
    with scene.book.transaction():
        inbox.mark_shown(scene.book, shown)
        scene.book.set_meta(f"dialog:{event.tool_use}", " ".join(map(str, shown)) or "none")
    if rewritten is not None:
        scene.answer.updated_input = {**event.tool_input, "questions": rewritten}


def after_question(scene: Scene) -> None:
    """PostToolUse(AskUserQuestion): the user's answers, each to its own question, all of them or none."""
    if scene.event.in_subagent:
        return
    scene.see()
    given = {question: text for question, text in host.dialog_answers(scene.event).items() if text.strip()}
    with scene.book.transaction():
        lines: list[str] = []
        answered: list[str] = []
        for question, item in _asked_by(scene, list(given)):
            if _comes_too_late_to_approve(scene, item, given[question]):
                lines.append(f"{item['label']} {item['qid']}: {APPROVE_AGAIN}")
            elif item["state"] in ("open", "answered"):
                _record(scene, item, given[question], "dialog")
                answered.append(item["label"])
            else:
                lines.append(_too_late(item, given[question]))
        for label in dict.fromkeys(answered):
            task = tasks.get(scene.book, label)
            lines += _owe(scene, task) if task else []
    if lines:
        scene.answer.notice += lines
        scene.answer.context.append("[bg] " + "\n".join(lines))
    scene.remind()


def _asked_by(scene: Scene, shown: list[str]) -> list[tuple[str, Row]]:
    """The items that a dialog's questions stood for, told by their words: an id alone may mean another one by now."""
    pairs: list[tuple[str, Row]] = []
    left = _unnamed(scene, shown)
    for question in shown:
        named = answers.prefixed(question)
        known = _ever(scene, *named) if named else left
        # Where no hook could put the agent's words into the dialog, the parent's words must do.
        item = next((one for one in known if named and answers.is_put(question, one)), None)
        item = item or answers.match(question, [one for one in known if one["state"] in ("open", "answered")])
        item = item or (known[0] if named and known else None)
        if item is not None:
            pairs.append((question, item))
            left = [one for one in left if one["id"] != item["id"]]
    return pairs


def _unnamed(scene: Scene, shown: list[str]) -> list[Row]:
    """What a dialog without our words may stand for: the hook that would have put them there was killed."""
    key = f"dialog:{scene.event.tool_use}"
    meant = scene.book.meta(key)
    scene.book.write("DELETE FROM meta WHERE key = ?", key)
    if meant == "none" or any(answers.prefixed(question) for question in shown):
        return []
    items = inbox.waiting(scene.book, project=scene.project)
    return [item for item in items if not meant or str(item["id"]) in meant.split()]


def _ever(scene: Scene, label: str, qid: str) -> list[Row]:
    """Everything that this task has asked by this id, the newest first."""
    return scene.book.all(
        "SELECT * FROM questions WHERE label = ? AND upper(qid) = ? ORDER BY id DESC", label, qid.upper()
    )


def _too_late(item: Optional[Row], text: str, label: str = "", qid: str = "") -> str:
    """Why an answer is not recorded: nothing waits for it any more, or never did."""
    if item is None:
        return f"{label} has no open {qid}; not recorded: {inline(text, 300)}"
    name = f"{item['label']} {item['qid']}"
    why = {
        "sent": "was answered already, and the agent has the answer",
        "withdrawn": "was taken back by the agent",
        "answered": "waits no longer for an answer",
        "open": "has been asked anew in other words",
    }[item["state"]]
    return f"{name} ({inline(item['text'], 80)}) {why}; not recorded: {inline(text, 300)}"


def _record(scene: Scene, item: Row, text: str, source: str) -> str:
    """Inside a transaction: write one answer down; an approval opens the window in which its agent is launched."""
    replaced = inbox.answer(scene.book, item, text, source)
    if inbox.kind(item) == inbox.DELEGATION:
        _decide(scene, item, text)
    return replaced


def _comes_too_late_to_approve(scene: Scene, item: Row, text: str) -> bool:
    """Its agent is launched in the turn in which it is approved, and that turn is over."""
    return scene.late is not None and inbox.kind(item) == inbox.DELEGATION and resume.approves(text)


def _decide(scene: Scene, item: Row, text: str) -> None:
    state, child = ("denied", "")
    if resume.approves(text):
        label = tasks.open_window(scene.book, scene.session, "delegation", item["text"])
        state, child = "approved", f"window:{label}"
        scene.answer.context.append(
            launch.window_line(label, "delegation")
            + f"\nThe user approved {item['label']} {item['qid']}. Launch this now, with lines for goal, deliverables "
            f"and done-when, and with the context it needs:\n{neutral(item['text'])[:1500]}"
        )
    number = int(item["qid"][1:]) - 1 if item["qid"][1:].isdigit() else 0
    scene.book.write(
        "UPDATE delegations SET state = ?, words = ?, child = ?, decided = ? WHERE state <> 'launched' AND id ="
        " (SELECT d.id FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
        " ORDER BY s.id LIMIT 1 OFFSET ?)",
        state,
        text,
        child,
        time.time(),
        item["agent"],
        item["run"],
        number,
    )


def answer_command(scene: Scene, arguments: str) -> None:
    """`/bg-answer`: list, answer, unblock, approve or deny; a partial answer costs no model request."""
    waiting = inbox.waiting(scene.book, project=scene.project)
    open_now = {item["qid"].upper() for item in waiting}
    typed = answers.take_apart(
        arguments, lambda label, qid: bool(_ever(scene, label, qid)) if label else qid in open_now
    )
    if not arguments.strip():
        say(scene, status.waiting_list(scene.book, scene.project))
        return
    label, problem = _addressed(scene, typed, waiting)
    if problem:
        listed = f"\n\n{status.waiting_list(scene.book, scene.project)}" if waiting else ""
        say(scene, f"{problem}\nYou typed: {neutral(arguments)}{listed}")
        return
    with scene.book.transaction():
        lines = _take(scene, typed, label, [item for item in waiting if item["label"] == label])
        approved = bool(scene.answer.context)
        goes_on = _go_on(scene, label, lines, go=typed.go) or approved
    if goes_on:
        scene.answer.notice += lines
    else:
        say(scene, "\n".join(lines))


def _owe(scene: Scene, task: Row) -> list[str]:
    """Inside a transaction: the parent is owed the next step; a line for the user where that is another session's."""
    session.claim(scene, task)
    if not scene.owe_next_step(task["label"]):
        return []
    return [f"{task['label']} belongs to another open session, which sends the answers at its next event."]


def _go_on(scene: Scene, label: str, lines: list[str], *, go: bool) -> bool:
    """Inside a transaction: what follows from a task's answers; whether this session's parent has something to do."""
    task = tasks.get(scene.book, label)
    left = inbox.waiting(scene.book, label=label)
    if task and inbox.unsent(scene.book, task["agent"] or "") and (go or not left):
        elsewhere = _owe(scene, task)
        lines += elsewhere
        return not elsewhere
    if left:
        names = ", ".join(item["qid"] for item in left)
        lines.append(f"Still open: {names}. `/bg-answer {label} go` sends what there is.")
    return False


def _addressed(scene: Scene, typed: answers.Typed, waiting: list[Row]) -> tuple[str, str]:
    """Which task the user means; a sentence where that cannot be told."""
    labels = list(dict.fromkeys(item["label"] for item in waiting))
    if typed.other:
        return "", f"Answer one task at a time: {typed.label} and {typed.other} are named. Nothing was recorded."
    if typed.label:
        task = tasks.get(scene.book, typed.label)
        if task is None:
            return "", f"There is no task {typed.label}; nothing was recorded."
        unsent = inbox.unsent(scene.book, task["agent"] or "")
        if typed.label not in labels and not unsent and not typed.by_id:
            state = task["state"].replace("_", " ")
            return "", f"{typed.label} ({state}) waits for nothing; nothing was recorded."
        return typed.label, ""
    if typed.go and not labels:
        ended = tasks.in_session(scene.book, scene.session, ("needs_answer", "blocked"))
        labels = [row["label"] for row in ended if inbox.unsent(scene.book, row["agent"] or "")]
    if len(labels) == 1:
        return labels[0], ""
    if not labels:
        return "", "Nothing waits for an answer; nothing was recorded."
    several = ", ".join(labels)
    return "", f"Several tasks wait ({several}): say which, as in `/bg-answer {labels[0]} …`. Nothing was recorded."


def _take(scene: Scene, typed: answers.Typed, label: str, mine: list[Row]) -> list[str]:
    """Record what was typed; one line for each thing it did, or why it did not."""
    if typed.go:
        for item in mine:
            if inbox.kind(item) != inbox.DELEGATION:
                _record(scene, item, inbox.SKIP, "go")
        return [f"{label} goes on with what there is."]
    if not typed.by_id:
        return _take_plain(scene, typed.plain, label, mine)
    return [_take_one(scene, label, qid, text) for qid, text in typed.by_id.items()]


def _take_one(scene: Scene, label: str, qid: str, text: str) -> str:
    known = _ever(scene, label, qid)
    found = next((item for item in known if item["state"] in ("open", "answered")), None)
    if found is None:
        return _too_late(known[0] if known else None, text, label, qid)
    if not text:
        return f"{label} {qid}: no answer stands behind it; nothing was recorded."
    if _comes_too_late_to_approve(scene, found, text):
        return f"{label} {qid}: {APPROVE_AGAIN}"
    replaced = _record(scene, found, text, "command")
    return f"{label} {qid} answered: {inline(text, 120)}" + (f" ({replaced})" if replaced else "")


def _take_plain(scene: Scene, text: str, label: str, mine: list[Row]) -> list[str]:
    if not text:
        return [f"{label}: no answer was typed; nothing was recorded."]
    if len(mine) == 1:
        return [_take_one(scene, label, mine[0]["qid"], text)]
    if not mine:
        return [f"{label} has no open question; nothing was recorded of: {inline(text, 300)}"]
    asked = [item for item in mine if inbox.kind(item) != inbox.DELEGATION]
    if text.strip().lower() == inbox.SKIP and asked:
        for item in asked:
            _record(scene, item, inbox.SKIP, "command")
        return [f"{label}: {len(asked)} questions left to the agent's defaults."]
    example = " ".join(f"{item['qid']}: …" for item in mine)
    line = f"{label} asks {len(mine)} things; say which each answer is for: `/bg-answer {label} {example}`."
    return [f"{line} Nothing was recorded of: {inline(text, 500)}"]


def say(scene: Scene, text: str) -> None:
    """Answer the user without a model request, or through the model where the host would show nothing."""
    host.show(scene.answer, text, scene.version)


def _doctor(scene: Scene) -> str:
    # Late: only this one command needs it.
    from bg import doctor  # noqa: PLC0415

    return doctor.told(list(doctor.examine(scene.version)))


def status_command(scene: Scene, arguments: str) -> None:
    """`/bg-status [label]`, `/bg-status doctor`: answered by the hook itself."""
    if arguments.strip() == "doctor":
        say(scene, _doctor(scene))
        return
    found = tasks.LABEL.search(arguments)
    if found:
        say(scene, status.detail(scene.book, found[0]))
    else:
        say(scene, status.table(scene.book, scene.project, launch=scene.launch_command))
