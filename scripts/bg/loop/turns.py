"""Turns: a prompt begins one, Stop ends it, SessionStart begins the first."""

from __future__ import annotations

from bg import durations
from bg.host import agents, tools, transcripts, versions
from bg.host.event import is_machine_prompt, joined_answer, typed_command
from bg.ledger import forgetting, inbox, notes, projects, proofs, sessions, tasks, verifications, windows
from bg.ledger.cases import Case
from bg.ledger.deliveries import Delivery
from bg.ledger.inbox import Question
from bg.ledger.values import Due, Item, Opened, State
from bg.loop import (
    adopting,
    answer_command,
    closing,
    commands,
    continuing,
    inheriting,
    proof,
    queued,
    reconciling,
    reminding,
    sighting,
    waking,
)
from bg.loop.scene import Scene
from bg.words import briefs, pace, phrases, replies
from bg.words.quoting import CONTEXT_LIMIT, cited, fit, inline
from bg.words.texts import fill
from bg.words.times import age

MOST_HELD = 8
HELD_ROOM = CONTEXT_LIMIT - 500


def prompt(scene: Scene) -> None:
    """UserPromptSubmit: the host's own message about an agent, one of our commands, or the user's words."""
    event = scene.event
    scene.apart("what was said before", scene.see)
    scene.apart("who said what", proof.look_around, scene)
    if is_machine_prompt(event.prompt):
        scene.apart("an announced end", closing.announced, scene)
        scene.apart("what was queued", queued.settle_all, scene)
        reminding.remind(scene)
        return
    _take_apart(scene)
    command, arguments = typed_command(scene.event.prompt)
    if command:
        scene.enter()
    reconciling.catch_up(scene, reconciling.PROMPT)
    _look_for_unasked(scene)
    for step in (_close_windows, _mention_quiet):
        scene.apart(f"the prompt's {step.__name__.strip('_')}", step, scene)
    handler = {"bg": _launch, "bg-status": _status, "bg-answer": _answer}.get(command)
    if handler is not None:
        answer = scene.answer
        before = len(answer.context), len(answer.notice)
        scene.apart(f"/{command}", handler, scene, arguments)
        if not answer.block and (len(answer.context), len(answer.notice)) == before:
            _say_what_failed(scene, command)
    if scene.docket.cases_in((State.PAUSED,)):
        from bg.loop import pausing  # noqa: PLC0415 - late: few sessions have come to a limit

        scene.apart("the limits", lambda: pausing.mention(scene, is_command=bool(command)))
    if not scene.answer.block:
        scene.apart("the reminders", reminding.remind, scene)


def stop(scene: Scene) -> None:
    """Stop: make up for lost events; the turn goes on only for news that nobody has heard yet."""
    if scene.event.in_subagent:
        return
    scene.apart("what was said before", scene.see)
    scene.apart("who said what", proof.look_around, scene)
    reconciling.catch_up(scene, reconciling.STOP)
    _look_for_unasked(scene)
    _close_windows(scene)
    if not (versions.attended() and _is_announced_next(scene)):
        _tell_the_rest(scene)
    if scene.answer.context and not scene.host.takes_context_at_stop:
        scene.answer.block = "\n\n".join(scene.answer.context)
        scene.answer.context = []


def start(scene: Scene) -> None:
    """SessionStart: tell the parent of tasks in flight, waiting items and reminders that were never said."""
    reconciling.catch_up(scene, reconciling.INHERIT)
    others = inheriting.elsewhere(scene)
    if others:
        scene.answer.context.append("\n".join(others))
    if inheriting.is_lent(scene) or not inheriting.concerns(scene):
        if scene.event.source == "fork" and others:
            continuing.wait_for_origin(scene)
        return
    scene.enter()
    continuing.note_return(scene)
    _forget_the_old(scene)
    reconciling.catch_up(scene, reconciling.BEGIN)
    lines = inheriting.flight_list(scene, inheriting.MOST_LINES - len(others))
    if lines:
        scene.answer.context.append("\n".join(lines))
    reminding.remind(scene)
    if projects.is_any_since(scene.book, scene.project, scene.book.now() - durations.RECENT):
        scene.answer.notice.append(inheriting.summary_line(scene))


def end(scene: Scene) -> None:
    """SessionEnd: note that the session has ended; its tasks stay."""
    if scene.late is not None and inheriting.lives(scene):
        return  # it has been resumed since
    scene.see()
    if not scene.event.is_cleared and verifications.unended(scene.book, scene.session):
        from bg.loop import verifying  # noqa: PLC0415 - late: nearly no session ends with one

        scene.apart("the checks of a session", verifying.end_all, scene)
    with scene.book.transaction() as writing:
        sessions.end(writing, scene.session)
        notes.forget_origin(writing, scene.session)


def _take_apart(scene: Scene) -> None:
    """If the host joined an answer with other messages, read only the answer; a prompt like that is never blocked."""
    words = "" if versions.attended() or typed_command(scene.event.prompt)[0] else joined_answer(scene.event.prompt)
    if words:
        scene.event = scene.event._replace(prompt=words)
        scene.host = scene.host._replace(prints_blocked_prompts=False)


def _look_for_unasked(scene: Scene) -> None:
    """Look for actions that the host may have taken without calling a hook."""
    if "<" in scene.event.prompt[:40]:
        scene.apart("an unknown prompt", sighting.look_at_prompt, scene)
    if scene.docket.windows and scene.event.prompt:
        scene.apart("the former turn", sighting.look_for_stop, scene)
    if scene.docket.windows or scene.docket.cases_in(tasks.WAITING_STATES):
        scene.apart("unasked calls", sighting.look_for_calls, scene)


def _close_windows(scene: Scene) -> None:
    """Close the turn's windows; one in which nothing was launched becomes a task that was not launched."""
    opened = scene.docket.windows
    if not opened:
        return
    with scene.book.transaction() as writing:
        for window in opened:
            windows.close_window(writing, window)
            if window.kind not in (Opened.RELAUNCH, Opened.PART) and not windows.has_agent(scene.book, window):
                tasks.create(
                    writing,
                    window.label,
                    window.label,
                    scene.session,
                    scene.project,
                    window.text,
                    State.NOT_LAUNCHED,
                )
                why = windows.refusal(scene.book, window)
                tasks.set_state(writing, window.label, State.NOT_LAUNCHED, inline(why, 200))
                said = phrases.NOT_LAUNCHED.format(label=window.label, text=inline(window.text, 80))
                said += phrases.LAUNCH_REFUSED.format(why=cited(why, 300)) if why else ""
                scene.answer.notice.append(said)


def _mention_quiet(scene: Scene) -> None:
    """Tell the user of each agent that is silent or works for longer than expected."""
    for case in scene.docket.running:
        scene.apart(f"the silence of {case.label}", _mention_silence, scene, case)
        scene.apart(f"the pace of {case.label}", _mention_pace, scene, case)


def _mention_silence(scene: Scene, case: Case) -> None:
    transcript = case.docket.transcript
    seconds = pace.silent_seconds(scene.book, case.task, agents.of_agent(transcript, case.task.agent))
    since = int(scene.book.now() - seconds)
    if seconds and abs(notes.quiet_since(scene.book, case.label) - since) > 1:
        with scene.book.transaction() as writing:
            notes.set_quiet_since(writing, case.label, since)
        scene.answer.notice.append(phrases.QUIET.format(label=case.label, age=age(seconds)))


def _mention_pace(scene: Scene, case: Case) -> None:
    """Mention an agent, once, that works for longer than expected; it is never ended for that."""
    worked = 0.0 if notes.is_told_late(scene.book, case.label) else pace.beyond(case)
    if not worked:
        return
    with scene.book.transaction() as writing:
        notes.set_told_of_lateness(writing, case.label)
    far = pace.so_far(notes.progress(scene.book, case.label))
    reached = scene.host.resume_way == versions.BY_MESSAGE
    line = phrases.BEYOND if reached else phrases.BEYOND_UNREACHED
    times = {"worked": age(worked), "expected": age(pace.expected(case)), "progress": f" ({far})" if far else ""}
    scene.answer.notice.append(line.format(label=case.label, **times))
    if reached:
        way = waking.how_to_message(scene, case.task.agent)
        scene.answer.context.append(phrases.WHERE_THE_USER_PICKS.format(label=case.label, way=way))


def _launch(scene: Scene, arguments: str) -> None:
    if not arguments:
        commands.say(scene, phrases.NOTHING_TO_HAND_OVER.format(command=scene.launch_command))
        return
    full = adopting.full(scene.book, scene.project, scene.settings.max_tasks)
    if full:
        commands.say(scene, full)
        return
    with proof.claimed(scene, proofs.PROMPTED, scene.event.prompt) as (writing, _):
        label = windows.open_window(writing, scene.session, Opened.COMMAND, arguments)
    scene.answer.context.append(adopting.window_line(label))


def _status(scene: Scene, arguments: str) -> None:
    commands.status_command(scene, arguments)


def _answer(scene: Scene, arguments: str) -> None:
    code = answer_command.code_in(scene, arguments)
    if not code:
        answer_command.answer_command(scene, arguments)
        return
    command, words = answer_command.confirmed(scene, code) or ("", "")
    if command == "bg":
        _launch(scene, words)
    elif command == "bg-answer":
        answer_command.answer_command(scene, words)


def _say_what_failed(scene: Scene, command: str) -> None:
    """Tell the user that the typed command has failed, and the doctor's findings."""
    told = scene.apart("the doctor", lambda: scene.desk.doctor(scene.host))
    commands.say(scene, "\n\n".join(filter(None, [phrases.COMMAND_FAILED.format(command=command), told])))


def _is_announced_next(scene: Scene) -> bool:
    """Whether the next turn begins with a message of the host, at which all that is due can be told whole."""
    return bool(scene.docket.due) and any(map(is_machine_prompt, transcripts.waiting(scene.event.transcript)))


def _tell_the_rest(scene: Scene) -> None:
    fresh = [row for row in scene.docket.due if _is_fresh(scene, row)]
    if fresh:
        reminding.remind(scene, fresh, brief=versions.attended())
    if not scene.surfaced:
        _ask_first(scene)


def _is_fresh(scene: Scene, row: Delivery) -> bool:
    """Whether to say this at Stop: not twice in one turn, nor if the host is about to announce it anyway."""
    if scene.event.repeated_stop and (row.surfaced is not None or row.missed is not None):
        return False
    soon = row.kind in (Due.ENDED, Due.GROUP, Due.JOINT) and scene.host.announces_every_end
    return not soon or scene.book.now() - row.made > durations.ANNOUNCED_WITHIN


def _ask_first(scene: Scene) -> None:
    """Keep the turn going, once for each question that the user has not been shown."""
    words = _to_hold(scene)
    left = _not_mentioned(scene, words)
    known = notes.asked_first(scene.book, scene.session)
    # In an attended session, the host shows the user the text that the model is told here.
    brief = versions.attended()
    unasked = [item for item in left if item.id not in known]
    fresh = unasked[: briefs.MOST_QUESTIONS if brief else MOST_HELD]
    if not fresh or scene.event.repeated_stop or scene.settings.gate != "on":
        return
    with scene.book.transaction() as writing:
        notes.set_asked_first(writing, scene.session, [*known, *(item.id for item in fresh)])
    if brief:
        lines = [phrases.BRIEFLY_ASK_FIRST, *briefs.questions(unasked), phrases.BRIEFLY_PUT.format(ask=tools.ASK)]
        scene.answer.context.append("\n".join(lines))
    else:
        _hold(scene, [*fresh, *left], words)


def _to_hold(scene: Scene) -> dict[int, str]:
    """The text of each question that the user has not been shown, by the item's id."""
    items = scene.docket.items
    found = {item.id: scene.apart(f"{item.qid} of {item.label}", _unshown_question, item) for item in items}
    return {item: lines for item, lines in found.items() if lines}


def _unshown_question(item: Question) -> str:
    return replies.question_lines(item) if item.shown is None and inbox.kind(item) == Item.QUESTION else ""


def _not_mentioned(scene: Scene, words: dict[int, str]) -> list[Question]:
    """The items in `words` that the model has not named in its last text; those that it has named count as shown."""
    items = [item for item in scene.docket.items if item.id in words]
    spoken = scene.event.last_text
    if spoken is None:  # 2.1.7 and 2.1.38 do not hand it over
        spoken = transcripts.final(scene.event.transcript).text
    told = [item for item in items if _mentions(spoken, item)]
    if told:
        with scene.book.transaction() as writing:
            inbox.mark_shown(writing, [item.id for item in told])
    return [item for item in items if item not in told]


def _mentions(spoken: str, item: Question) -> bool:
    words = " ".join(spoken.split()).lower()
    return f"{item.label} {item.qid}".lower() in words or " ".join(item.text.split()).lower()[:60] in words


def _hold(scene: Scene, items: list[Question], words: dict[int, str]) -> None:
    """Have the parent put each of these questions to the user before its turn ends."""
    questions = [words[one] for one in dict.fromkeys(item.id for item in items)]
    texts, count = fit(questions[:MOST_HELD], HELD_ROOM, phrases.MORE_QUESTIONS)
    if count == MOST_HELD < len(questions):
        texts.append(phrases.MORE_QUESTIONS)
    scene.answer.context.append(fill("ask_first", questions="\n".join(texts)))


def _forget_the_old(scene: Scene) -> None:
    """Forget or erase old tasks, once a day, if the user has set for how long tasks are kept."""
    kept, erased = scene.settings.keep_days, scene.settings.erase_days
    if (kept is None and erased is None) or not forgetting.is_due(scene.book):
        return
    if erased is not None:
        from bg.ledger import erasing  # noqa: PLC0415 - late: few users set it

        scene.apart("erasing what is old", erasing.erase_old, scene.book, erased)
    if kept is not None:
        scene.apart("forgetting what is old", forgetting.forget_old, scene.book, kept, scene.desk.archive)
    forgetting.note_done(scene.book)
