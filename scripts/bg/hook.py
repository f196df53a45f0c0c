"""The entry point of the hooks: one event in, one answer out; no error gets past it.

Whatever `main` returns, `hooks/run` exits 0. An event that cannot be written into the ledger goes to the spool, from
which the next hook takes it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

from bg import durations, settings
from bg.desk import shortcuts, views
from bg.host import transcripts, versions
from bg.host.answer import Answer, render, show
from bg.host.event import MODULE, Event, mapping, read, typed_command
from bg.ledger import cases, deliveries, idle, notes, place, spool
from bg.ledger.attempts import Attempt
from bg.ledger.file import Corrupt, Ledger, Unavailable, left
from bg.loop import postponing, routes, sighting
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional, TextIO

    from bg.ledger.file import Writing
    from bg.loop.routes import Handler

    Note = Callable[[Writing], object]
    Given = tuple[Callable[[], float], Callable[[int], bytes]]

MOST = 32 * 1024 * 1024
# If nothing was ever launched, these events have nothing to do, and must not create a ledger.
WITHOUT_LEDGER = ("SessionStart", "SessionEnd", "Stop", "SubagentStart")


class Unread(Exception):  # noqa: N818 - what happened, not an error
    """The host closed its end of the pipe before it read the answer; everything due stays due."""


def main(
    stdin: TextIO = sys.stdin,
    stdout: TextIO = sys.stdout,
    *,
    ends: bool = False,
    clock: Callable[[], float] = time.time,
    chance: Callable[[int], bytes] = os.urandom,
) -> int:
    """Read one event, answer it, return 0; 1 tells `hooks/run` to refuse the call if it looks like a launch of ours.

    `ends` says that the process exits right afterwards: then the ledger is left open. `clock` and `chance` are the only
    sources of time and of random bytes for the rooms below, which get them from the ledger.
    """
    event, text = None, ""
    try:
        text = _given(stdin)
        event = read(text)
        handler = routes.handler_for(event) if event else None
        if event and handler:
            _answer(event, handler, text, stdout, (clock, chance), ends=ends and event.name != "SessionEnd")
        else:
            _notice(event, text, clock)
    except Unread:
        return 0
    except Exception as error:  # noqa: BLE001 - a hook that fails may not disturb the session
        postponing.note_outside("main", postponing.happened(), clock)
        try:
            if not event:
                return 1
            refused = _print(Answer(deny=postponing.refusal(event, None, _in_short(error))), event, stdout)
            if not refused and postponing.worth_keeping(event):
                spool.keep(place.directory(), text, clock())
        except Exception:  # noqa: BLE001 - as above
            postponing.note_aside("main", postponing.happened(), clock())
            return 1
    return 0


def _notice(event: Optional[Event], text: str, clock: Callable[[], float]) -> None:
    """Count an event of unknown shape, or one that no step handles; do nothing else."""
    try:
        if event:
            sighting.unhandled(event, clock)
        else:
            sighting.unread(text, clock)
    except Exception:  # noqa: BLE001 - there is nothing to answer here, and nothing to refuse
        postponing.note_outside("an unknown shape", postponing.happened(), clock)


def _given(stdin: TextIO) -> str:
    """The input from the host; input larger than any event is refused before it is copied in memory."""
    if not hasattr(stdin, "buffer"):
        return stdin.read()
    data = stdin.buffer.read(MOST + 1)
    if len(data) > MOST:
        while stdin.buffer.read(1024 * 1024):  # else the host would be stuck writing to a pipe that nobody reads
            pass
        message = f"an event of more than {MOST // 1024 // 1024} MB was not read"
        raise ValueError(message)
    return data.decode("utf-8", "replace")


def _answer(event: Event, handler: Handler, text: str, stdout: TextIO, given: Given, *, ends: bool) -> None:
    clock = given[0]
    if event.name == MODULE and mapping(event.raw).get("did") == "begin":
        from bg.loop import module  # noqa: PLC0415 - late: needed once in each terminal session

        answer = Answer()
        answer.reply = module.begin(event)
        _print(answer, event, stdout)
        return
    folder = place.directory()
    place.clear_idle(folder, event.session)
    first = _first_words(event, folder)
    if event.name in WITHOUT_LEDGER and not _has_ledger(folder, event, clock()):
        _print(Answer(notice=first), event, stdout)
        return
    with contextlib.closing(Attempt(folder, clock(), event.transcript, _is_interrupted)) as attempt:
        try:
            book = _opened(folder, attempt, given)
        except Unavailable as error:
            _print_or_examine(postponing.put_off(folder, event, text, error, clock()), event, stdout)
            return
        with left(book) if ends else contextlib.closing(book):
            scene = Scene(event, book, Answer(notice=first), desk=views, attempt=attempt)
            _answer_from(scene, handler, text, stdout)


def _has_ledger(folder: str, event: Event, now: float) -> bool:
    """Whether a ledger exists or must be made: the session's own was lost (it has a marker), or events wait."""
    return bool(place.existing() or place.is_marked(event.session) or spool.waiting(folder, now))


def _is_interrupted(transcript: str, since: float) -> bool:
    return transcripts.is_interrupted(transcript, since)  # named only here: it loads a module that few events need


def _opened(folder: str, attempt: Attempt, given: Given) -> Ledger:
    with attempt.step("opening the ledger", alone=True) as goes_on:
        if not goes_on:
            raise Unavailable(phrases.LEDGER_ENDS_HOOKS.format(place=folder), passing=True, remedy=phrases.MOVE_IT_AWAY)
        return Ledger(folder, clock=given[0], chance=given[1])


def _answer_from(scene: Scene, handler: Handler, text: str, stdout: TextIO) -> None:
    event, book, attempt = scene.event, scene.book, scene.attempt
    try:
        book.gather()
        routes.make_up_for_lost_ledger(scene)  # first: a waiting event may be from an agent that this makes known again
        taken = postponing.take_in(scene)
        if not taken and postponing.can_wait(event) and spool.keep(book.place, text, book.now()):
            return
        name = " ".join(filter(None, [event.name, event.tool, event.session]))
        with attempt.step(name, alone=True) as goes_on:
            if goes_on:
                routes.handle(handler, scene)
                _say(scene, stdout)
                _mark_idle(scene)
                _erase(scene)
            else:
                said = postponing.pass_over(book, event, text, told=not attempt.ended)
                _print_or_examine(said, event, stdout)
        for what in attempt.ended:
            postponing.note(book, what, phrases.HAS_ENDED_HOOKS)
    except Unread:
        raise
    except Corrupt as error:
        said = postponing.put_off(book.place, event, text, error, book.now())
        _print_or_examine(said, event, stdout)
        book.retire()
    except Unavailable as error:
        said = postponing.put_off(book.place, event, text, error, book.now(), book)
        _print_or_examine(said, event, stdout)
    except Exception as error:  # noqa: BLE001 - see main
        postponing.note(book, event.name, postponing.happened())
        _print(Answer(deny=postponing.refusal(event, book, _in_short(error))), event, stdout)


def _print_or_examine(answer: Optional[Answer], event: Event, stdout: TextIO) -> None:
    """Print the answer; for None, which a `/bg-status` without a ledger gives, print the doctor's findings."""
    if answer is None:
        host, answer = postponing.host_of(event), Answer()
        show(answer, views.doctor(host), host, phrases.SHOW_EXACTLY, phrases.CUT_HERE)
    _print(answer, event, stdout)


def _print(answer: Answer, event: Event, stdout: TextIO) -> bool:
    """Print an answer; return whether it had anything to say."""
    said = render(event, answer)
    if said:
        try:
            stdout.write(said)
            stdout.flush()
        except BrokenPipeError as error:
            raise Unread from error
    return bool(said)


def _in_short(error: Exception) -> str:
    return phrases.HOOK_FAILED.format(kind=type(error).__name__, words=inline(str(error), 160))


def _first_words(event: Event, folder: str) -> list[str]:
    """The line that an attended session is shown once: how our commands are spelled on this version."""
    if event.name != "SessionStart" or not versions.attended():
        return []
    return shortcuts.first_words(folder, postponing.host_of(event)) if settings.load(event.cwd).notices else []


def _say(scene: Scene, stdout: TextIO) -> None:
    """Print the whole answer, then note what was said."""
    if scene.answer.notice and not typed_command(scene.event.prompt)[0] and not scene.settings.notices:
        scene.answer.notice = []
    telling = (_tell_where_the_old_one_is, _tell_what_came_of_it, _tell_what_is_known_again)
    said = [note for tell in telling for note in tell(scene)]
    lost = _tell_which_python_runs(scene)
    _print(scene.answer, scene.event, stdout)
    if lost:
        place.forget_lost_interpreter()
    if not scene.is_counted or scene.surfaced or said:
        _note(scene, said)


def _note(scene: Scene, said: list[Note]) -> None:
    """Note what was said, so that it is not said again, and count the event."""
    try:
        with scene.book.transaction() as writing:
            if scene.surfaced:
                deliveries.say(writing, scene.surfaced)
            for note in said:
                note(writing)
            scene.count(writing)
        scene.book.settle()
    except Unavailable:
        pass
    except Exception:  # noqa: BLE001 - the answer is out: nothing may be printed after it
        postponing.note(scene.book, scene.event.name, postponing.happened())


def _mark_idle(scene: Scene) -> None:
    """Mark a session that has nothing left to do, so that its next events need not start Python."""
    if not os.path.exists(place.marker(scene.book.place, scene.session)):
        return
    try:
        idle.note(scene.book, scene.session)
    except Unavailable:
        pass
    except Exception:  # noqa: BLE001 - the answer is out, and a missing mark only costs time
        postponing.note(scene.book, scene.event.name, postponing.happened())


def _erase(scene: Scene) -> None:
    """Finish an erasure that could not be finished before, now that the answer is out."""
    if not os.path.exists(os.path.join(scene.book.place, place.ERASING)):
        return
    from bg.ledger import erasing  # noqa: PLC0415 - late: nearly no event erases

    with contextlib.suppress(Unavailable):
        scene.apart("erasing", erasing.finish, scene.book, durations.ERASING)


def _can_tell(scene: Scene) -> bool:
    """Whether the host shows the user a line at this event."""
    return not scene.answer.block and postponing.speaks_to_the_user(scene.event)


# Each of these says something to the user once, and returns the functions that note that it was said.
def _tell_where_the_old_one_is(scene: Scene) -> list[Note]:
    """Say where the old ledger is, once after it was moved aside."""
    kept = cases.whole(scene.book).kept_aside
    if not kept or not _can_tell(scene) or kept == notes.kept_aside_told(scene.book):
        return []
    scene.answer.notice.append(phrases.KEPT_ASIDE.format(place=kept))
    return [lambda writing: notes.set_kept_aside_told(writing, kept)]


def _tell_what_came_of_it(scene: Scene) -> list[Note]:
    """Pass on the words of events of this session that had waited in the spool."""
    words = notes.late_words(scene.book, scene.session)
    if not words or not _can_tell(scene):
        return []
    scene.answer.notice.append(words)
    return [lambda writing: notes.forget_late_words(writing, scene.session)]


def _tell_what_is_known_again(scene: Scene) -> list[Note]:
    """Say, once after a ledger was lost, which tasks are known again; to the parent too.

    Not at the end of a turn, which the words would keep going.
    """
    labels = notes.rebuilt(scene.book, scene.session)
    if not labels or scene.event.name == "Stop" or not _can_tell(scene):
        return []
    scene.answer.notice.append(phrases.LEDGER_KNOWN_AGAIN.format(labels=labels))
    scene.answer.context.append(phrases.KNOWN_AGAIN.format(labels=labels))
    return [lambda writing: notes.forget_rebuilt(writing, scene.session)]


def _tell_which_python_runs(scene: Scene) -> str:
    """Say that the noted interpreter did not start, once; return its path if it was said now."""
    lost = place.lost_interpreter() if _can_tell(scene) else ""
    if lost:
        scene.answer.notice.append(phrases.PYTHON_LOST.format(lost=lost, now=sys.executable))
    return lost
