"""Resuming: waking an ended agent by SendMessage or by Task with `resume`, written down before and proven after."""

from __future__ import annotations

from bg.host import agents, arrivals, drift, tools, transcripts
from bg.ledger import (
    cases,
    delegations,
    deliveries,
    inbox,
    notes,
    reported,
    resumes,
    runs,
    tasks,
    user_answers,
)
from bg.ledger.cases import Case
from bg.ledger.file import Writing, first_of
from bg.ledger.resumes import Resume
from bg.ledger.values import Item, State
from bg.loop import (
    binding,
    checkpoints,
    hearing,
    inheriting,
    judging,
    noting,
    proof,
    queued,
    reminding,
    reports,
    sighting,
    waking,
)
from bg.loop.scene import Scene
from bg.signals import resume
from bg.words import pace, phrases, ways
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

UNSEEN = "unseen"  # the kind of a message that no hook saw: the one before its call was killed


def before_message(scene: Scene) -> None:
    """PreToolUse(SendMessage): an agent of ours sends a signal, or the parent the answer to one."""
    event = scene.event
    if event.in_subagent:
        _from_agent(scene)
        return
    scene.see()
    called = tools.message_of(event)
    case = _addressed(scene, called.to)
    if case is None:
        return
    said = called.text or called.copy
    queued.settle(scene, case)
    answers = case.is_resumable or bool(case.agent.answers)
    scene.answer.deny = _refuse_to_wake(scene, case) or _not_answered(scene, case)
    if answers and not scene.answer.deny:
        scene.answer.deny = proof.message_refused(scene, case, said)
    if scene.answer.deny:
        return
    is_response = answers or delegations.ended_and_untold(scene.book, case.label)
    text = _record(scene, case, said) if is_response else None
    scene.answer.updated_input = tools.message_input(event, case.task.agent, text)


def _addressed(scene: Scene, to: str) -> Optional[Case]:
    """The task whose agent the parent means."""
    task = tasks.addressed(scene.book, scene.session, to)
    return cases.of(scene.book, task.label) if task and task.agent else None


def _refuse_to_wake(scene: Scene, case: Case) -> str:
    """The refusal to wake an ended agent from here, which the host would wake without its task, or not at all."""
    if case.is_held:
        return phrases.STAYS_PAUSED.format(label=case.label, command=scene.answer_command)
    if not case.is_resumable or waking.keeps_memory(scene, case.task.agent):
        return ""
    with scene.book.transaction() as writing:
        if not inheriting.claim(scene, writing, case):
            return phrases.OTHER_SESSION_GOES_ON.format(label=case.label)
        waking.open_relaunch(scene, writing, case)
    why = phrases.STAYS_STOPPED if waking.stays_stopped(scene, case.task.agent) else phrases.WAKES_WITHOUT_MEMORY
    return why.format(label=case.label, way=ways.launch_anew(case.label))


def _not_answered(scene: Scene, case: Case) -> str:
    """The refusal of a call that was to bring the answers of a dialog beside it, if the user has left an item open."""
    open_ones = [each.qid for each in case.awaited if each.kind == cases.ANSWER]
    if not open_ones:
        return ""
    former, _ = transcripts.beside(transcripts.tail(scene.event.transcript), scene.event.tool_use)
    if not tools.asks(former):
        return ""
    return phrases.NOT_ANSWERED.format(label=case.label, qids=", ".join(open_ones))


def _from_agent(scene: Scene) -> None:
    """Note the signals and the progress in a message that a running agent of ours sends to `main`."""
    event = scene.event
    case = binding.bound_task(scene, event.agent)
    sent = tools.message_of(event)
    if not sent.to_parent:
        return
    if case is None:
        binding.note_stranger(scene, event.agent, sent.text)
        return
    agent = cases.agent(scene.book, event.agent)
    run = reports.keep(case, agent, reported.MESSAGE, sent.text, final=False)
    if run is None:
        return
    progress = pace.said(sent.text)
    with scene.book.transaction() as writing:
        if progress is not None:
            notes.set_progress(writing, case.label, progress.percent, progress.words)
        for signal in reports.read(sent.text, agent.token).own:
            noting.note(writing, case, agent.id, run.run, signal)


def _record(scene: Scene, case: Case, typed: str) -> str:
    """Write the resume message down before it is sent; its answers are marked as sent once the resume is proven."""
    typed = "" if proof.is_kept_apart(scene) or tools.is_by_module(scene.event) else typed
    message = resume.compose(case.agent, case.agent.token, typed, checkpoints.left_by(scene, case))
    with scene.book.transaction() as writing:
        write_down(scene, writing, case, message, typed)
    return message.text


def write_down(scene: Scene, writing: Writing, case: Case, message: resume.Message, typed: str) -> None:
    """Write down a message that is about to be sent, with the answers and the ends that it carries."""
    kind = message.kind if message.answers or message.ends else f"{message.kind} (relayed)"
    identifier = resumes.note(writing, case.label, case.task.agent, scene.event.tool_use, kind, typed, message.text)
    user_answers.attach(writing, message.answers, identifier)
    delegations.attach(writing, message.ends, identifier)
    if not message.answers and not message.ends and typed.strip():
        proof.pass_on(scene, writing, case.label, typed)


def after_message(scene: Scene) -> None:
    """PostToolUse(SendMessage): the host's word that the agent has the message."""
    if scene.event.in_subagent:
        return
    scene.see()
    row = first_of(resumes.find(scene.book, tool_use=scene.event.tool_use))
    if row is not None:
        scene.form.append(drift.OURS)
        if tools.resumed_agent(scene.event):
            _go_on(scene, row)
        elif tools.delivered_message(scene.event):
            if _was_announced(scene, row.agent):
                scene.form.append(drift.ENDED)
            with scene.book.transaction() as writing:
                _queue(scene, writing, row)
        else:
            unproven(scene)
    else:
        _woken_without_us(scene, tools.resumed_agent(scene.event))
    if not tools.is_by_module(scene.event):
        hearing.everybody(scene)
        reminding.remind(scene)


def _go_on(scene: Scene, row: Resume) -> None:
    """Take the host's word that the agent runs again; only the agent's transcript shows that it has our message."""
    path = agents.of_agent(scene.event.transcript, row.agent)
    scene.book.settle()  # as before every wait
    told = bool(path) and arrivals.is_told(path, row.message)
    sent = _sent(scene, row.message)
    if sent is not None or told:
        sighting.note_use_of_answer(scene, "PreToolUse", scene.event.tool, drift.INPUT, taken=told or bool(sent))
    with scene.book.transaction() as writing:
        if told or not path or sent is False:
            prove(scene, writing, scene.event.tool_use, row.agent, told=told)
        elif row.proven is None:
            _settle_open(writing, row)
            _let_run(scene, writing, row, row.agent)
            user_answers.mark_sent(writing, row.agent, row.id)
            delegations.mark_told(writing, row.id)


def _was_announced(scene: Scene, agent: str) -> bool:
    """Whether the host itself has said that the last run of this agent is over, so that a message wakes it."""
    run = cases.agent(scene.book, agent).run
    return run is not None and run.ended is not None and deliveries.is_end_heard(scene.book, agent, run.run)


def _woken_without_us(scene: Scene, agent: str) -> None:
    """Note that the agent runs again without the answers, because the hook before this call was killed."""
    case = cases.agent(scene.book, agent).case if agent else None
    if case is None:
        return
    scene.form.append(drift.OURS)
    sent = next(iter(tools.sent_texts(scene.event)), "")
    with scene.book.transaction() as writing:
        # Noted, so that the host's words on the former run can be told from those on this one.
        noted = resumes.note(writing, case.label, agent, scene.event.tool_use, UNSEEN, sent, sent)
        resumes.prove(writing, noted)
        if not _has_ended_since(scene, agent, sent):
            runs.running(writing, agent, case.label)
            tasks.set_state(writing, case.label, State.WORKING)
        if cases.agent(scene.book, agent).answers:
            reminding.owe_next_step(scene, writing, case.label)


def _has_ended_since(scene: Scene, agent: str, sent: str) -> bool:
    """Whether the run that this message began is over: its end may come before the word that the message arrived."""
    last = cases.agent(scene.book, agent).run
    path = agents.of_agent(scene.event.transcript, agent)
    if last is None or last.ended is None or not arrivals.heard(path, sent):
        return False
    final = transcripts.final(path)  # settled: nothing was sent behind it
    is_known = bool(final.uuid) and final.uuid == last.last_uuid
    return final.settled and (is_known or reported.is_reported(scene.book, agent, final.text, last.run))


def before_task(scene: Scene) -> None:
    """PreToolUse(Task) with `resume`: replace the prompt by the response."""
    event = scene.event
    scene.see()
    called = tools.launch_of(event)
    case = _addressed(scene, called.resume)
    if case is None:
        return
    scene.answer.deny = _refuse_to_wake(scene, case) or proof.message_refused(scene, case, called.prompt)
    if scene.answer.deny:
        return
    text = _record(scene, case, called.prompt)
    # The host's own views show the description of the last call, so the task's first description is put there again.
    described = f"{case.label}: {inline(case.task.description or called.description, 80)}"
    scene.answer.updated_input = tools.resuming_input(event, case.task.agent, described, text)


def after_task(scene: Scene) -> None:
    """PostToolUse(Task) with `resume`: the agent runs again, or has already ended in the foreground."""
    event = scene.event
    row = first_of(resumes.find(scene.book, tool_use=event.tool_use))
    if row is None:
        _woken_without_us(scene, tools.started_agent(event))
        hearing.everybody(scene)
        reminding.remind(scene)
        return
    with scene.book.transaction() as writing:
        prove(scene, writing, event.tool_use, row.agent)
    text = tools.foreground_text(event)
    case = cases.agent(scene.book, row.agent).case
    if case and text is not None and reports.keep(case, cases.agent(scene.book, row.agent), "foreground", text):
        judging.conclude(scene, case, cases.agent(scene.book, row.agent))
    hearing.everybody(scene)
    reminding.remind(scene)


def prove(scene: Scene, writing: Writing, tool_use: str, agent: str, *, told: bool = False) -> None:
    """Note a resume as done: its answers are sent, the next run begins. `told`: the agent's record shows it."""
    row = first_of(resumes.find(scene.book, tool_use=tool_use))
    if row is None or row.proven is not None:
        return
    resumes.prove(writing, row.id)
    _settle_open(writing, row)
    _hand_on(scene, writing, row, told=told)
    _let_run(scene, writing, row, agent)


def _let_run(scene: Scene, writing: Writing, row: Resume, agent: str) -> None:
    """Start the next run, unless it has already ended."""
    last = cases.agent(scene.book, agent).run
    overtaken = last is not None and last.began > row.at and last.ended is not None
    if not overtaken:
        runs.running(writing, agent, row.label)
        tasks.set_state(writing, row.label, State.WORKING)


def _queue(scene: Scene, writing: Writing, row: Resume) -> None:
    """Note a message to a running agent, which finds it with its next call, if it makes one."""
    if row.proven is not None or row.failed is not None:
        return
    _hand_on(scene, writing, row)
    if row.id not in [each.id for each in resumes.queued(scene.book, row.agent)]:
        resumes.prove(writing, row.id)  # it has no words of the user that could be owed


def _hand_on(scene: Scene, writing: Writing, row: Resume, *, told: bool = False) -> None:
    """Note the answers in the message as sent, or, if the call went without our text, as still to be sent."""
    if told or _sent(scene, row.message):
        user_answers.mark_sent(writing, row.agent, row.id)
        delegations.mark_told(writing, row.id)
    elif user_answers.detach(writing, row.id):
        reminding.owe_next_step(scene, writing, row.label)


def _settle_open(book: Writing, row: Resume) -> None:
    """Close the blockers that the parent has solved itself, and the questions whose answers it has passed on."""
    relayed = bool(row.typed.strip()) and not user_answers.find(book, resume=row.id)
    for item in cases.case(book, row.label).items:
        if item.agent != row.agent:
            continue
        if inbox.kind(item) == Item.BLOCKER:
            inbox.withdraw(book, item)
        elif relayed and inbox.kind(item) == Item.QUESTION and not inbox.asks_leave(item):
            inbox.pass_on(book, item)


def _sent(scene: Scene, message: str) -> Optional[bool]:
    """Whether the call went out with our message; it does not if the hook before it was killed.

    None if the call does not show the text that it has sent.
    """
    sent = tools.sent_texts(scene.event)
    plain = " ".join(message.split())
    return any(plain in " ".join(text.split()) for text in sent) if sent else None


def prove_by_run(scene: Scene, agent: str, transcript: str) -> None:
    """Prove a resume by the agent's transcript, which has the message, if the word that the agent woke never came."""
    book = scene.book
    row = cases.agent(book, agent).pending
    if row is None or not arrivals.heard(transcript, row.message) or queued.began_no_later_run(scene, row, transcript):
        return
    if row.id not in [each.id for each in resumes.queued(book, agent)]:
        sighting.missed(scene, "PostToolUse", tools.MESSAGE.called(scene.host.version))
    with book.transaction() as writing:
        resumes.prove(writing, row.id)
        user_answers.mark_sent(writing, agent, row.id)
        delegations.mark_told(writing, row.id)
        runs.running(writing, agent, row.label)
        tasks.set_state(writing, row.label, State.WORKING)


def unproven(scene: Scene) -> None:
    """The host did not wake the agent: keep the answers, and say how else it can go on."""
    row = first_of(resumes.find(scene.book, tool_use=scene.event.tool_use))
    if row is None or row.proven is not None:
        return
    case = cases.of(scene.book, row.label)
    with scene.book.transaction() as writing:
        resumes.fail(writing, row.id, scene.event.error or "refused")
        if case is not None and case.is_resumable:
            waking.open_relaunch(scene, writing, case)
    way = ways.launch_anew(row.label)
    scene.answer.context.append(phrases.NOT_WOKEN.format(label=row.label, way=way))


def failed_message(scene: Scene) -> None:
    """PostToolUseFailure(SendMessage): nobody was woken."""
    if not scene.event.in_subagent:
        unproven(scene)
        if not tools.is_by_module(scene.event):
            reminding.remind(scene)
