"""Dialogs and commands: the user is asked, and what the user says is recorded."""

from __future__ import annotations

from typing import Optional

from bg import answers, deliveries, host, inbox, launch, resume, status, tasks
from bg.on import session
from bg.quoting import inline, neutral
from bg.scene import Scene
from bg.tasks import Row


def before_question(scene: Scene) -> None:
    """PreToolUse(AskUserQuestion): waiting questions get the agents' own words, which ties the answers to them."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    items = inbox.waiting(scene.book, project=scene.project)
    asked = host.dialog_questions(event)
    rewritten = answers.rewrite(asked, items)
    if rewritten is None:
        return
    shown = [
        item["id"]
        for item in items
        if any(question["question"].startswith(answers.prefix(item)) for question in rewritten)
    ]
    with scene.book.transaction():
        inbox.mark_shown(scene.book, shown)
    scene.answer.updated_input = {**event.tool_input, "questions": rewritten}


def after_question(scene: Scene) -> None:
    """PostToolUse(AskUserQuestion): the user's answers, each to its own question."""
    if scene.event.in_subagent:
        return
    scene.see()
    answered: dict[str, Row] = {}
    for question, text in host.dialog_answers(scene.event).items():
        named = answers.prefixed(question)
        item = _open_item(scene, named[0], named[1]) if named else None
        if item is None or not text.strip():
            continue
        _record(scene, item, text, "dialog")
        answered[item["label"]] = item
    for label in answered:
        _go_on(scene, label)
    scene.remind()


def _open_item(scene: Scene, label: str, qid: str) -> Optional[Row]:
    return scene.book.one(
        "SELECT * FROM questions WHERE label = ? AND upper(qid) = ? AND state IN ('open', 'answered')"
        " ORDER BY id DESC LIMIT 1",
        label,
        qid.upper(),
    )


def _record(scene: Scene, item: Row, text: str, source: str) -> str:
    """Write one answer down; an approval opens the window in which the new agent is launched."""
    with scene.book.transaction():
        replaced = inbox.answer(scene.book, item, text, source)
        if inbox.kind(item) == inbox.DELEGATION:
            _decide(scene, item, text)
    return replaced


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
    scene.book.write(
        "UPDATE delegations SET state = ?, words = ?, child = ?, decided = strftime('%s','now')"
        " WHERE id = (SELECT id FROM delegations WHERE label = ? AND state = 'waiting' ORDER BY id LIMIT 1)",
        state,
        text,
        child,
        item["label"],
    )


def _go_on(scene: Scene, label: str) -> str:
    """Tell the parent what comes next; a line for the user where that is another session's parent."""
    task = tasks.get(scene.book, label)
    if task is None:
        return ""
    if session.claim(scene, task):
        scene.answer.context.append(scene.next_step(task))
        return ""
    sent = ",".join(str(row["answer"]) for row in inbox.unsent(scene.book, task["agent"] or ""))
    with scene.book.transaction():
        deliveries.make(scene.book, label, deliveries.ANSWERED, f"{task['agent']}:0:answers {sent}")
    return f"{label} belongs to another open session, which sends the answers at its next event."


def answer_command(scene: Scene, arguments: str) -> None:
    """`/bg-answer`: list, answer, unblock, approve or deny; a partial answer costs no model request."""
    typed = answers.take_apart(arguments)
    waiting = inbox.waiting(scene.book, project=scene.project)
    if not arguments.strip():
        say(scene, status.waiting_list(scene.book, scene.project))
        return
    label, problem = _addressed(scene, typed, waiting)
    if problem:
        listed = f"\n\n{status.waiting_list(scene.book, scene.project)}" if waiting else ""
        say(scene, f"{problem}\nYou typed: {neutral(arguments)}{listed}")
        return
    task = tasks.get(scene.book, label)
    assert task is not None
    mine = [item for item in waiting if item["label"] == label]
    lines = _take(scene, typed, task, mine)
    left = inbox.waiting(scene.book, label=label)
    ready = inbox.unsent(scene.book, task["agent"] or "") and (typed.go or not left)
    if ready or scene.answer.context:
        elsewhere = _go_on(scene, label)
        if not elsewhere:
            scene.answer.notice += lines
            return
        lines.append(elsewhere)
    if left:
        names = ", ".join(item["qid"] for item in left)
        lines.append(f"Still open: {names}. `/bg-answer {label} go` sends what there is.")
    say(scene, "\n".join(lines))


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
        if typed.label not in labels and not unsent:
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


def _take(scene: Scene, typed: answers.Typed, task: Row, mine: list[Row]) -> list[str]:
    """Record what was typed; one line for each thing it did, or why it did not."""
    label = task["label"]
    if typed.go:
        for item in mine:
            if inbox.kind(item) != inbox.DELEGATION:
                _record(scene, item, inbox.SKIP, "go")
        return [f"{label} goes on with what there is."]
    if not typed.by_id:
        return _take_plain(scene, typed.plain, label, mine)
    lines = []
    for qid, text in typed.by_id.items():
        found = _open_item(scene, label, qid)
        if found is None:
            lines.append(f"{label} has no open {qid}; not recorded: {inline(text, 300)}")
        elif not text:
            lines.append(f"{label} {qid}: no answer stands behind it; nothing was recorded.")
        else:
            replaced = _record(scene, found, text, "command")
            lines.append(f"{label} {qid} answered: {inline(text, 120)}" + (f" ({replaced})" if replaced else ""))
    return lines


def _take_plain(scene: Scene, text: str, label: str, mine: list[Row]) -> list[str]:
    if not text:
        return [f"{label}: no answer was typed; nothing was recorded."]
    if len(mine) == 1:
        replaced = _record(scene, mine[0], text, "command")
        return [f"{label} {mine[0]['qid']} answered: {inline(text, 120)}" + (f" ({replaced})" if replaced else "")]
    if not mine:
        return [f"{label} has no open question; nothing was recorded of: {inline(text, 300)}"]
    if text.strip().lower() == inbox.SKIP:
        for item in mine:
            _record(scene, item, inbox.SKIP, "command")
        return [f"{label}: {len(mine)} questions left to the agent's defaults."]
    example = " ".join(f"{item['qid']}: …" for item in mine)
    line = f"{label} asks {len(mine)} things; say which each answer is for: `/bg-answer {label} {example}`."
    return [f"{line} Nothing was recorded of: {inline(text, 500)}"]


def say(scene: Scene, text: str) -> None:
    """Answer the user without a model request, or through the model where the host would show nothing."""
    if host.shows_blocked_prompts(scene.version):
        scene.answer.block = text
    else:
        scene.answer.context.append(
            "[bg] Show the user exactly this, in a code block, and do nothing else:\n" + text[:3500]
        )


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
