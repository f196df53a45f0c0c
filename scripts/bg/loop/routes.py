"""The table of handlers, and the one place where an event comes in and an answer goes out.

A hook exits 0 whatever happens. What it could not write down it leaves in the spool, and the next
hook takes it in.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys

from bg.host import tools, transcripts, versions
from bg.host.answer import Answer, render, show
from bg.host.event import Event, is_machine_prompt, read, typed_command
from bg.ledger import deliveries, idle, notes, place, spool
from bg.ledger.file import Corrupt, Ledger, Unavailable
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional, TextIO

    Handler = Callable[[Scene], None]

# An event, with its tool where it has one, and its step, by name, so that an event reads only the module that knows it.
# hooks/hooks.json is generated from this table, in its order.
HANDLERS: dict[tuple[str, Optional[tools.Tool]], str] = {
    ("SessionStart", None): "turns.start",
    ("UserPromptSubmit", None): "turns.prompt",
    ("PreToolUse", tools.LAUNCH): "launching.before",
    ("PreToolUse", tools.MESSAGE): "resuming.before_message",
    ("PreToolUse", tools.HANDBACK): "ending.handed_back",
    ("PreToolUse", tools.ASK): "asking.before_question",
    ("PostToolUse", tools.LAUNCH): "launching.after",
    ("PostToolUse", tools.OUTPUT): "closing.polled",
    ("PostToolUse", tools.MESSAGE): "resuming.after_message",
    ("PostToolUse", tools.ASK): "asking.after_question",
    ("PostToolUse", tools.SKILL): "launching.skill",
    ("PostToolUseFailure", tools.LAUNCH): "launching.failed",
    ("PostToolUseFailure", tools.MESSAGE): "resuming.failed_message",
    ("SubagentStop", None): "ending.stopped",
    ("Stop", None): "turns.stop",
    ("SessionEnd", None): "turns.end",
}


# These have nothing to do where nothing was ever launched, and must not make a ledger of their own.
WITHOUT_LEDGER = ("SessionStart", "SessionEnd", "Stop")
FULL = (errno.ENOSPC, errno.EDQUOT)
SHOWN = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")


def handler_for(event: Event) -> Optional[Handler]:
    """The handler of this event, None where it is none of ours."""
    known = HANDLERS.get((event.name, tools.known(event.tool)))
    if known is None:
        return None
    module, _, name = known.partition(".")
    handler: Handler = getattr(importlib.import_module(f"bg.loop.{module}"), name)
    return handler


def main(stdin: TextIO = sys.stdin, stdout: TextIO = sys.stdout) -> int:
    """Read one event, answer it, exit 0; 1 where `hooks/run` shall refuse what shows itself to be a launch of ours."""
    event, text = None, ""
    try:
        text = stdin.buffer.read().decode("utf-8", "replace") if hasattr(stdin, "buffer") else stdin.read()
        event = read(text)
        handler = handler_for(event) if event else None
        if event and handler:
            _answer(event, handler, text, stdout)
    except Exception as error:  # noqa: BLE001 - a hook that fails may not disturb the session
        _trace_aside("main", _traceback())
        try:
            if event and not _refused(event, None, _in_short(error), stdout) and _worth_keeping(event):
                spool.keep(place.directory(), text)
        except Exception:  # noqa: BLE001 - as above
            _trace_aside("main", _traceback())
            return 1
    return 0


def _answer(event: Event, handler: Handler, text: str, stdout: TextIO) -> None:
    folder = place.directory()
    place.wake(folder, event.session)
    first = _first_words(event, folder)
    if event.name in WITHOUT_LEDGER and not place.existing() and not spool.waiting(folder):
        stdout.write(render(event, Answer(notice=first)))
        return
    try:
        book = Ledger(folder)
    except Unavailable as error:
        _put_off(folder, event, text, error, stdout)
        return
    with contextlib.closing(book):
        try:
            book.gather()
            if not _take_in(book, folder, event) and _can_wait(event) and spool.keep(folder, text):
                return
            scene = Scene(event, book, Answer(notice=first))
            _handle(handler, scene)
            _say(scene, stdout)
            _rest(scene)
        except Unavailable as error:
            corrupt = isinstance(error, Corrupt)
            _put_off(folder, event, text, error, stdout, None if corrupt else book)
            if corrupt:
                book.retire()
        except Exception as error:  # noqa: BLE001 - see main
            _trace(book, event.name, _traceback())
            _refused(event, book, _in_short(error), stdout)


def _handle(handler: Handler, scene: Scene) -> None:
    """Whatever comes of it, what its steps have written stays written."""
    try:
        handler(scene)
    finally:
        scene.book.settle()


def _refused(event: Event, book: Optional[Ledger], why: str, stdout: TextIO) -> bool:
    """Whether this was a launch of ours, which has been refused: its agent would have had no identity."""
    # Late: nearly no event fails.
    from bg.loop import adopting  # noqa: PLC0415

    reason = adopting.refusal(book, event, why)
    if reason:
        if book is not None:
            with contextlib.suppress(Unavailable):
                book.settle()
        stdout.write(render(event, Answer(deny=reason)))
        stdout.flush()
    return bool(reason)


def _in_short(error: Exception) -> str:
    return phrases.HOOK_FAILED.format(kind=type(error).__name__, words=inline(str(error), 160))


def _take_in(book: Ledger, folder: str, event: Event) -> bool:
    """What waited comes before this event, so that each run's texts stand in their order; False where more is left."""
    try:
        return spool.take_in(folder, lambda old, at: _replay(book, old, at, event))
    except Unavailable:
        return True
    except Exception:  # noqa: BLE001 - what came before may not cost this event
        _trace(book, f"{event.name} (the spool)", _traceback())
        return True


def _can_wait(event: Event) -> bool:
    """It brings something that counts later as well; a launch without its identity would not be made good."""
    return _worth_keeping(event) and not tools.is_call(event, tools.LAUNCH)


def _first_words(event: Event, folder: str) -> list[str]:
    """What a session that a person looks at is told once: which command is ours on this version."""
    if event.name != "SessionStart" or not versions.attended():
        return []
    # Late: only this event needs them.
    from bg import settings  # noqa: PLC0415
    from bg.desk import shortcuts  # noqa: PLC0415

    return shortcuts.first_words(folder, _host(event)) if settings.load(event.cwd).notices else []


def _host(event: Event) -> versions.Host:
    """What the host can do, as far as its version shows without a ledger."""
    found = transcripts.field(event.transcript, "version") or versions.announced_version()
    return versions.host_of(versions.version_of(found))


def _say(scene: Scene, stdout: TextIO) -> None:
    """Print the answer whole, then note that it was said."""
    if scene.answer.notice and not typed_command(scene.event.prompt)[0] and not scene.settings.notices:
        scene.answer.notice = []
    told = _tell_where_the_old_one_is(scene)
    late = _tell_what_came_of_it(scene)
    said = render(scene.event, scene.answer)
    if said:
        stdout.write(said)
        stdout.flush()
    if not (scene.surfaced or told or late):
        return
    try:
        with scene.book.transaction():
            deliveries.say(scene.book, scene.surfaced)
            if told:
                notes.set_kept_aside_told(scene.book, told)
            if late:
                notes.forget_late_words(scene.book, scene.session)
        scene.book.settle()
    except Unavailable:
        pass
    except Exception:  # noqa: BLE001 - the answer is out: nothing may be printed behind it
        _trace(scene.book, scene.event.name, _traceback())


def _rest(scene: Scene) -> None:
    """Where nothing is left to do for this session, its next events need not start Python."""
    if not os.path.exists(place.marker(scene.book.place, scene.session)):
        return
    try:
        idle.note(scene.book, scene.session)
    except Unavailable:
        pass
    except Exception:  # noqa: BLE001 - the answer is out, and what is not marked only costs time
        _trace(scene.book, scene.event.name, _traceback())


def _speaks_to_the_user(event: Event) -> bool:
    """The host shows the user a line from this event."""
    return event.name in SHOWN and not event.in_subagent


def _tell_where_the_old_one_is(scene: Scene) -> str:
    """Once after a ledger was moved aside, the user is told where it is; its path where that was said now."""
    kept = notes.kept_aside(scene.book)
    if not kept or scene.answer.block or not _speaks_to_the_user(scene.event):
        return ""
    if kept == notes.kept_aside_told(scene.book):
        return ""
    scene.answer.notice.append(phrases.KEPT_ASIDE.format(place=kept))
    return kept


def _tell_what_came_of_it(scene: Scene) -> bool:
    """What events of this session that waited in the spool had to say to the user; whether that is said now."""
    words = notes.late_words(scene.book, scene.session)
    if not words or scene.answer.block or not _speaks_to_the_user(scene.event):
        return False
    scene.answer.notice.append(words)
    return True


def _worth_keeping(event: Event) -> bool:
    """The event brings something that no later event brings again."""
    if event.name == "UserPromptSubmit":
        return is_machine_prompt(event.prompt) or typed_command(event.prompt)[0] == "bg-answer"
    return event.name not in {"Stop", "SessionStart"} and not tools.is_call(event, tools.ASK)


def _put_off(
    folder: str, event: Event, text: str, error: Unavailable, stdout: TextIO, book: Optional[Ledger] = None
) -> None:
    """The ledger cannot be used now: what this event brings waits in the spool, and the user knows."""
    _trace_aside(event.name, error.reason)
    if _refused(event, book, _explained(folder, error), stdout):
        return
    kept = _worth_keeping(event) and spool.keep(folder, text)
    command = typed_command(event.prompt)[0] if event.name == "UserPromptSubmit" else ""
    if command == "bg-status" and not error.passing:
        _show_doctor(event, stdout)
        return
    again = "in a moment" if error.passing else "after that"
    advice = {
        "bg": phrases.NOTHING_HANDED_OVER.format(when=again),
        "bg-answer": phrases.ANSWER_KEPT if kept else phrases.ANSWER_NOT_RECORDED.format(when=again),
        "bg-status": phrases.TRY_AGAIN,
    }.get(command, "")
    if not advice and _speaks_to_the_user(event) and not error.passing and spool.first_in(folder, event.session):
        advice = phrases.REPORTS_KEPT if spool.can_keep(folder) else phrases.REPORTS_NOT_KEPT
    if advice:
        words = phrases.PUT_OFF.format(why=_explained(folder, error), advice=advice)
        stdout.write(render(event, Answer(notice=[words])))
        stdout.flush()


def _explained(folder: str, error: Unavailable) -> str:
    """What is wrong and what helps: the disk itself tells it better than the database does."""
    found = None if error.passing or error.remedy else spool.trouble(folder)
    if found is None:
        return f"{error.reason}. {error.remedy}".strip()
    if found.errno in FULL:
        return phrases.DISK_FULL.format(place=folder)
    return phrases.NOT_WRITABLE.format(place=folder, why=found.strerror)


def _show_doctor(event: Event, stdout: TextIO) -> None:
    """There is no table to show, so `/bg-status` says what is wrong."""
    # Late: only this one command needs it.
    from bg.desk import doctor, page  # noqa: PLC0415

    host, answer = _host(event), Answer()
    show(answer, doctor.told(list(doctor.examine(host)), page.of_hook()), host, phrases.SHOW_EXACTLY)
    stdout.write(render(event, answer))
    stdout.flush()


def _replay(book: Ledger, text: str, at: float, now: Event) -> None:
    """Take in an event that an earlier hook could not write down; what it would have said is said later."""
    event = read(text)
    handler = handler_for(event) if event else None
    if not event or not handler:
        return
    if event.name == "SessionEnd" and event.session == now.session:
        return  # it has been resumed
    place.wake(book.place, event.session)
    scene = Scene(event, book, late=at)
    try:
        _handle(handler, scene)
        typed = typed_command(event.prompt)[0]
        said = scene.answer.notice if typed or scene.settings.notices else []
        said = [*said, scene.answer.block if typed else ""]
        if any(said):
            with book.transaction():
                notes.add_late_words(book, event.session, said)
            book.settle()
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - a spooled event that cannot be used must not stay for ever
        _trace(book, f"{event.name} (from the spool)", _traceback())


def _traceback() -> str:
    # Late: nearly no event fails.
    import traceback  # noqa: PLC0415

    return traceback.format_exc()


def _trace(book: Ledger, event: str, text: str) -> None:
    try:
        notes.trace(book, event, text)
        book.settle()
    except Unavailable:
        _trace_aside(event, text)


def _trace_aside(event: str, text: str) -> None:
    """The last resort for a trace: a line on stderr and in the spool's log."""
    with contextlib.suppress(Exception):
        sys.stderr.write(f"bg: {event}: {text.strip().splitlines()[-1]}\n")
        spool.log(place.directory(), event, text)
