"""Commands: what the user types after /bg-answer and /bg-status."""

from __future__ import annotations

from bg.host import answer
from bg.ledger import inbox, tasks
from bg.ledger.inbox import Question
from bg.loop import answering, answers
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import neutral


def answer_command(scene: Scene, arguments: str) -> None:
    """`/bg-answer`: list, answer, unblock, approve or deny; a partial answer costs no model request."""
    waiting = inbox.waiting(scene.book, project=scene.project)
    open_now = {item.qid.upper() for item in waiting}
    typed = answers.take_apart(
        arguments, lambda label, qid: bool(inbox.ever(scene.book, label, qid)) if label else qid in open_now
    )
    if not arguments.strip():
        say(scene, _waiting(scene))
        return
    label, problem = _addressed(scene, typed, waiting)
    if problem:
        listed = f"\n\n{_waiting(scene)}" if waiting else ""
        say(scene, f"{problem}\nYou typed: {neutral(arguments)}{listed}")
        return
    with scene.book.transaction():
        lines = _take(scene, typed, label, [item for item in waiting if item.label == label])
        approved = bool(scene.answer.context)
        goes_on = _go_on(scene, label, lines, go=typed.go) or approved
    if goes_on:
        scene.answer.notice += lines
    else:
        say(scene, "\n".join(lines))


def _go_on(scene: Scene, label: str, lines: list[str], *, go: bool) -> bool:
    """Inside a transaction: what follows from a task's answers; whether this session's parent has something to do."""
    task = tasks.get(scene.book, label)
    left = inbox.waiting(scene.book, label=label)
    unsent = inbox.unsent(scene.book, task.agent) if task else []
    if task and unsent and (go or not left):
        elsewhere = answering.owe(scene, task)
        lines += elsewhere
        return not elsewhere
    # `go` skips questions and sends answers; a decision that nobody has made it leaves open.
    if unsent or any(inbox.kind(item) != inbox.DELEGATION for item in left):
        lines.append(phrases.STILL_OPEN.format(qids=", ".join(item.qid for item in left), label=label))
    return False


def _addressed(scene: Scene, typed: answers.Typed, waiting: list[Question]) -> tuple[str, str]:
    """Which task the user means; a sentence where that cannot be told."""
    labels = list(dict.fromkeys(item.label for item in waiting))
    if typed.other:
        return "", phrases.ONE_AT_A_TIME.format(label=typed.label, other=typed.other)
    if typed.label:
        task = tasks.get(scene.book, typed.label)
        if task is None:
            return "", phrases.NO_SUCH_TASK.format(label=typed.label)
        unsent = inbox.unsent(scene.book, task.agent)
        if typed.label not in labels and not unsent and not typed.by_id:
            state = task.state.replace("_", " ")
            return "", phrases.WAITS_FOR_NOTHING.format(label=typed.label, state=state)
        return typed.label, ""
    if typed.go and not labels:
        ended = tasks.in_session(scene.book, scene.session, ("needs_answer", "blocked"))
        labels = [row.label for row in ended if inbox.unsent(scene.book, row.agent or "")]
    if len(labels) == 1:
        return labels[0], ""
    if not labels:
        return "", phrases.NOTHING_WAITS
    return "", phrases.SEVERAL_WAIT.format(labels=", ".join(labels), label=labels[0])


def _take(scene: Scene, typed: answers.Typed, label: str, mine: list[Question]) -> list[str]:
    """Record what was typed; one line for each thing it did, or why it did not."""
    if typed.go:
        for item in mine:
            if inbox.kind(item) != inbox.DELEGATION:
                inbox.answer(scene.book, item, inbox.SKIP, "go")
        return [phrases.GOES_ON_WITH_WHAT_THERE_IS.format(label=label)]
    if not typed.by_id:
        return _take_plain(scene, typed.plain, label, mine)
    lines = [_take_one(scene, label, qid, text) for qid, text in typed.by_id.items()]
    if typed.lead:
        lines.append(phrases.PART_OF_NO_ANSWER.format(words=answering.given_back(typed.lead)))
    return lines


def _take_one(scene: Scene, label: str, qid: str, text: str) -> str:
    known = inbox.ever(scene.book, label, qid)
    found = next((item for item in known if item.state in ("open", "answered")), None)
    if found is None:
        return answering.too_late(known[0] if known else None, text, label, qid)
    if not text:
        return phrases.EMPTY_ANSWER.format(label=label, qid=qid)
    return answering.take(scene, found, text, "command").line


def _take_plain(scene: Scene, text: str, label: str, mine: list[Question]) -> list[str]:
    if not text:
        return [phrases.NO_ANSWER_TYPED.format(label=label)]
    if len(mine) == 1:
        return [_take_one(scene, label, mine[0].qid, text)]
    if not mine:
        return [phrases.NO_OPEN_QUESTION.format(label=label, words=answering.given_back(text))]
    asked = [item for item in mine if inbox.kind(item) != inbox.DELEGATION]
    if text.strip().lower() == inbox.SKIP and asked:
        for item in asked:
            inbox.answer(scene.book, item, inbox.SKIP, "command")
        return [phrases.LEFT_TO_DEFAULTS.format(label=label, count=len(asked))]
    example = " ".join(f"{item.qid}: …" for item in mine)
    words = answering.given_back(text)
    return [phrases.SAY_WHICH.format(label=label, count=len(mine), example=example, words=words)]


def say(scene: Scene, text: str) -> None:
    """Answer the user without a model request, or through the model where the host would show nothing."""
    answer.show(scene.answer, text, scene.host, phrases.SHOW_EXACTLY)


def _waiting(scene: Scene) -> str:
    # Late, here and below: what lays out a page is needed only where one is asked for.
    from bg.desk import page, waiting  # noqa: PLC0415

    return waiting.waiting_list(scene.book, page.of_hook(), scene.project)


def status_command(scene: Scene, arguments: str) -> None:
    """`/bg-status [label]`, `/bg-status all`, `/bg-status doctor`: answered by the hook itself."""
    from bg.desk import detail, doctor, page, table  # noqa: PLC0415

    sheet = page.of_hook()
    words = arguments.strip()
    label = tasks.label_of(words)
    if words.lower() == "doctor":
        text = doctor.told(list(doctor.examine(scene.host)), sheet)
    elif label:
        text = detail.detail(scene.book, sheet, label)
    else:
        everything = words.lower() == "all"
        launch = scene.launch_command
        text = table.table(scene.book, sheet, scene.project, everything=everything, launch=launch)
    say(scene, text)
