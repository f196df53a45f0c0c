"""Reconciling: making up for events that the host or a killed hook has lost; one table names all recoveries."""

from __future__ import annotations

from bg import durations
from bg.host import agents, arrivals, drift, receipts, transcripts
from bg.host.event import Notification, live_ids, notifications
from bg.ledger import cases, delegations, deliveries, launches, notes, resumes, runs, tasks, windows
from bg.ledger.cases import Agent, Case
from bg.ledger.file import first_of
from bg.ledger.values import Standing
from bg.loop import (
    binding,
    closing,
    continuing,
    hearing,
    inheriting,
    judging,
    launching,
    moving,
    parking,
    queued,
    rebuilding,
    reminding,
    resuming,
    sighting,
    waking,
)
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

INHERIT, BEGIN, PROMPT, STOP = "before a session has anything", "a session begins", "a prompt", "a turn's end"
LOST = "before anything else of an event, where the ledger is gone that knew its session"
ALWAYS = (BEGIN, PROMPT, STOP)


class Recovery(Record):
    """A loss, the moments at which to look for it, and the function that makes up for it."""

    lost: str
    when: tuple[str, ...]
    recover: Callable[[Scene], None]


def catch_up(scene: Scene, moment: str) -> None:
    """Carry out the recoveries of this moment; if one fails, that is noted, and the others go on."""
    for row in RECOVERIES:
        if moment in row.when:
            scene.apart(row.lost, row.recover, scene)


def _each(recover: Callable[[Scene, Case], None], states: tuple[str, ...] = ()) -> Callable[[Scene], None]:
    """A recovery for each task of the session in these states, each apart; without states, for the unfinished tasks."""

    def each(scene: Scene) -> None:
        for case in scene.docket.cases_in(states) if states else scene.docket.unfinished:
            scene.apart(f"catching up with {case.label}", recover, scene, case)

    return each


def _look_for_identity(scene: Scene) -> None:
    """Find out, from the agent's own transcript, whether an identity that another plugin's hook removed has arrived."""
    for launch in launches.in_doubt(scene.book, scene.session):
        path = agents.of_agent(scene.event.transcript, launch.agent)
        given = launch.identity == launches.GIVEN and not arrivals.keeps_words(scene.host.version)
        told = transcripts.first_prompt(path)[:20000] + receipts.Stretch(path, 0).added()
        if given or launch.token in told:
            found = launches.CONTEXT
            sighting.note_use_of_answer(scene, "SubagentStart", "", drift.CONTEXT, taken=True)
        elif abs(scene.book.now() - (launch.bound or 0.0)) > durations.GRACE:
            found = launches.NOWHERE
            sighting.note_use_of_answer(scene, "SubagentStart", "", drift.CONTEXT, taken=False)
            scene.answer.notice.append(phrases.WITHOUT_IDENTITY.format(label=launch.label))
        else:
            continue
        with scene.book.transaction() as writing:
            launches.set_identity(writing, launch.token, found)


def _take_queued(scene: Scene) -> None:
    closing.take(scene, _queued(scene))


def _queued(scene: Scene) -> list[Notification]:
    """Notifications that came in mid-turn, where 2.1.197 and 2.1.258 fire no event: the transcript has them."""
    running = [case.task.agent for case in scene.docket.running]
    # A fast agent ends before PostToolUse of its launch: the run counts from the call, not from its binding. Which came
    # first is told by their places in the transcript: the host's clock and ours may differ from one line to the next.
    calls = {agent: resumes.last_call(scene.book, agent) for agent in filter(None, running)}
    records = transcripts.tail(scene.event.transcript) if calls else []
    places = transcripts.calls(records)
    return [
        found
        for place, words in transcripts.queued(records)
        for found in notifications(words)
        if found.agent in calls and place > places.get(calls[found.agent], -1)
    ]


def _close_silent(scene: Scene, case: Case) -> None:
    """Close the run of an agent that has fallen silent, on hosts that do not list the running agents."""
    if live_ids(scene.event) is None and not scene.host.lists_agents and _has_fallen_silent(scene, case.task.agent):
        closing.close(scene, case, case.task.agent, "", "", "transcript")


def _has_fallen_silent(scene: Scene, agent: str) -> bool:
    """Whether the agent said its last words long ago, or never answered a correction."""
    path = agents.of_agent(scene.event.transcript, agent)
    run = cases.agent(scene.book, agent).run
    if run is None or run.ended is not None:
        return False
    silent = abs(scene.book.now() - max(transcripts.last_sign(path), run.asked or 0.0, run.began))
    if silent < durations.SILENCE:
        return False
    final = transcripts.final(path)
    # A call that is still being streamed is not in the transcript yet: the last text there is the one before it.
    is_last = final.reason == "end_turn" or (not final.reason and silent > durations.LONG_SILENCE)
    fresh = final.settled and is_last and closing.is_of_this_run(scene, run, final)
    return fresh or bool(cases.agent(scene.book, agent).texts)


def _judge(scene: Scene, case: Case) -> None:
    if _left_unjudged(scene, case.agent):
        judging.conclude(scene, case, case.agent)


def _left_unjudged(scene: Scene, agent: Agent) -> bool:
    """Whether a hook was killed between keeping the run's text and judging it, and so asked no correction either."""
    run = agent.run
    if run is None or run.ended is not None or run.asked is not None:
        return False
    if scene.host.hands_back(scene.event.mode):
        return False
    return bool(agent.texts) and scene.book.now() - agent.texts[-1].at > durations.GRACE


def _close_unlisted(scene: Scene, case: Case) -> None:
    """Close the run of an agent that is not on the host's list of running agents."""
    live = live_ids(scene.event)
    if live is None or case.task.agent in live or _just_begun(scene, case.task.agent):
        return
    if parking.is_parked(scene, case.agent):
        return
    # A second process on this session lists its own agents, not those of the first.
    if not inheriting.is_shared(scene):
        closing.close(scene, case, case.task.agent, "", closing.cut_by_user(scene, case), "transcript")


def _just_begun(scene: Scene, agent: str) -> bool:
    """Whether the run is so new that the host may not list it yet, as after a resume in this very turn."""
    began = runs.began(scene.book, agent)
    return began is not None and scene.book.now() - began < durations.GRACE


def _have_parked_woken(scene: Scene, case: Case) -> None:
    """Have the parent wake a parked agent if the host does not; in the end, the agent's run counts as ended.

    A turn goes on for that once; after that, the parent is asked again with the next prompts.
    """
    times, seen = deliveries.next_steps(scene.book, case.label)
    is_too_soon = times > seen or (times and scene.event.name == "Stop")
    if is_too_soon or not parking.must_be_woken(scene, case):
        return
    if times >= deliveries.MOST_TIMES or not waking.can_wake(scene, case.task.agent):
        closing.close(scene, case, case.task.agent, "", "", "transcript")
        return
    with scene.book.transaction() as writing:
        reminding.owe_next_step(scene, writing, case.label, again=times > 0)


def _repeat_next_step(scene: Scene, case: Case) -> None:
    """Tell the parent again, with the next prompts, to send the user's answers, if it has been told and has not."""
    agent = case.task.agent
    if case.agent.pending:  # else nothing has to be looked for in the project's folder
        resuming.prove_by_run(scene, agent, agents.of_agent(scene.event.transcript, agent))
    if case.is_ready and not _user_must_choose(scene, case):
        _owe_again(scene, case.label)


def _user_must_choose(scene: Scene, case: Case) -> bool:
    """Whether an agent that the task has waited for broke, and the user has not said yet how the task goes on."""
    book = scene.book
    broken = [each for one in case.requests if one.blocking for each in cases.broken(book, one)]
    return bool(broken) and not deliveries.owed_since(book, case.label, max(each.ended or 0.0 for each in broken))


def _owe_launches_again(scene: Scene) -> None:
    """Owe the parent again the launch of each approved agent that it has not launched, or that the cap has refused."""
    for label in windows.never_filled(scene.book, scene.session):
        one = first_of(delegations.find(scene.book, worker=label))
        if one is not None and delegations.standing(scene.book, one) == Standing.APPROVED and not scene.full():
            scene.apart(f"the launch of {label}", _owe_again, scene, one.label)


def _owe_again(scene: Scene, label: str) -> None:
    times, seen = deliveries.next_steps(scene.book, label)
    if times == seen <= deliveries.MOST_TIMES:
        with scene.book.transaction() as writing:
            reminding.owe_next_step(scene, writing, label, again=True)
            if times == deliveries.MOST_TIMES:
                deliveries.settle_next_step(writing, label)
                notes.add_late_words(writing, scene.session, [phrases.NOT_DONE.format(label=label)])


# In this order: an agent is bound before it is looked for, and its words are read before its run is closed.
RECOVERIES = (
    Recovery("the ledger", (LOST,), rebuilding.rebuild),
    Recovery("the folder of a project", (INHERIT,), moving.follow),
    Recovery("a session that has moved", (INHERIT,), continuing.arrive),
    Recovery("a session that is gone", (INHERIT,), inheriting.take_over),
    Recovery("the launch of an agent", ALWAYS, binding.by_prompt),
    Recovery("the identity of an agent", ALWAYS, _look_for_identity),
    Recovery("the refusal of a launch", ALWAYS, launching.free_refused),
    Recovery("a notification in mid-turn", ALWAYS, _take_queued),
    Recovery("the end of an agent on a host without a list", ALWAYS, _each(_close_silent)),
    Recovery("a signal between two calls", ALWAYS, hearing.everybody),
    Recovery("the judgement of a report", ALWAYS, _each(_judge)),
    Recovery("the end of an agent that is not listed", ALWAYS, _each(_close_unlisted)),
    Recovery("the waking of a parked agent", (PROMPT, STOP), _each(_have_parked_woken)),
    Recovery("an answer that was queued for an agent", ALWAYS, queued.settle_all),
    Recovery("the sending of an answer", (PROMPT,), _each(_repeat_next_step, tasks.WAITING_STATES)),
    Recovery("the launch of an agent that was approved", (PROMPT,), _owe_launches_again),
    Recovery("a reminder that was dropped on its way", (BEGIN,), Scene.see),
)
