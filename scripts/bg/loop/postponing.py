"""Postponing: while the ledger cannot be used, events wait in the spool, and users are told; later they are taken in.

A hook's own errors are kept too: in the ledger if it can be written, else on standard error and in the spool's log.
"""

from __future__ import annotations

import contextlib
import errno
import sys

from bg.host import tools, versions
from bg.host.answer import Answer
from bg.host.event import MODULE, Event, is_machine_prompt, read, typed_command
from bg.ledger import notes, place, spool
from bg.ledger.file import Ledger, Unavailable
from bg.loop import adopting, routes
from bg.loop.scene import Late, Scene
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Optional

FULL = (errno.ENOSPC, errno.EDQUOT)
SHOWN = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")


def take_in(now: Scene) -> bool:
    """Take in the waiting events before this one, so that each run's texts keep their order; False if more are left."""
    book = now.book
    try:
        began = book.now()
        return spool.take_in(book.place, began, lambda old, at: _replay(now, old, Late(at, began)))
    except Unavailable:
        return True
    except Exception:  # noqa: BLE001 - an earlier event must not cost this one
        note(book, f"{now.event.name} (the spool)", happened())
        return True


def can_wait(event: Event) -> bool:
    """Whether the event still counts later; a launch does not, as its agent would have started without an identity."""
    return worth_keeping(event) and not tools.is_call(event, tools.LAUNCH)


def worth_keeping(event: Event) -> bool:
    """Whether the event brings something that no later event brings again."""
    if event.name == "UserPromptSubmit":
        return is_machine_prompt(event.prompt) or typed_command(event.prompt)[0] == "bg-answer"
    return event.name not in {"Stop", "SessionStart", MODULE} and not tools.is_call(event, tools.ASK)


def speaks_to_the_user(event: Event) -> bool:
    """Whether the host shows the user a line from this event, and no module shows it instead."""
    return event.name in SHOWN and not event.in_subagent and not tools.is_by_module(event)


def put_off(
    folder: str, event: Event, text: str, error: Unavailable, now: float, book: Optional[Ledger] = None
) -> Optional[Answer]:
    """Keep an event in the spool while the ledger cannot be used, and tell the user.

    None if the user asks for the status, which the doctor is to answer.
    """
    note_aside(event.name, error.reason, now)
    why = refusal(event, book, _explained(folder, error))
    if why:
        return Answer(deny=why)
    kept = worth_keeping(event) and spool.keep(folder, text, now)
    command = _command(event)
    if command == "bg-status" and not error.passing:
        return None
    again = "in a moment" if error.passing else "after that"
    advice = {
        "bg": phrases.NOTHING_HANDED_OVER.format(when=again),
        "bg-answer": phrases.ANSWER_KEPT if kept else phrases.ANSWER_NOT_RECORDED.format(when=again),
        "bg-status": phrases.TRY_AGAIN,
    }.get(command, "")
    if not advice and not error.passing:
        advice = _once(folder, event)
    return Answer(notice=[phrases.PUT_OFF.format(why=_explained(folder, error), advice=advice)] if advice else [])


def pass_over(book: Ledger, event: Event, text: str, *, told: bool) -> Optional[Answer]:
    """Keep an event during whose step two hooks have died, and tell the user; None as for `put_off`."""
    why = refusal(event, book, phrases.EVENT_ENDS_HOOKS)
    if why:
        return Answer(deny=why)
    kept = worth_keeping(event) and spool.keep(book.place, text, book.now())
    command = _command(event)
    if command == "bg-status":
        return None
    again = "in a moment"
    advice = {
        "bg": phrases.NOTHING_HANDED_OVER.format(when=again),
        "bg-answer": phrases.ANSWER_WAITS if kept else phrases.ANSWER_NOT_RECORDED.format(when=again),
    }.get(command, "")
    if not advice and (told or not speaks_to_the_user(event)):
        return Answer()
    return Answer(notice=[phrases.PUT_OFF.format(why=f"{phrases.EVENT_ENDS_HOOKS}.", advice=advice).replace("  ", " ")])


def _command(event: Event) -> str:
    """The command of ours that the user has typed, if any."""
    return typed_command(event.prompt)[0] if event.name == "UserPromptSubmit" else ""


def _once(folder: str, event: Event) -> str:
    """The line that a session is told once: whether its reports are kept until the ledger can be used."""
    if not speaks_to_the_user(event) or not spool.first_in(folder, event.session):
        return ""
    return phrases.REPORTS_KEPT if spool.can_keep(folder) else phrases.REPORTS_NOT_KEPT


def refusal(event: Event, book: Optional[Ledger], why: str) -> str:
    """The refusal of a launch of ours, whose agent would have no identity; empty for any other event."""
    reason = adopting.refusal(book, event, why)
    if reason and book is not None:
        with contextlib.suppress(Unavailable):
            book.settle()
    return reason


def _explained(folder: str, error: Unavailable) -> str:
    """The trouble and its remedy: the disk itself tells them better than the database does."""
    found = None if error.passing or error.remedy else spool.trouble(folder)
    if found is None:
        return f"{error.reason}. {error.remedy}".strip()
    if found.errno in FULL:
        return phrases.DISK_FULL.format(place=folder)
    return phrases.NOT_WRITABLE.format(place=folder, why=found.strerror)


def _replay(now: Scene, text: str, late: Late) -> bool:
    with now.attempt.step(f"what waited since {late.at:.6f}", alone=True) as goes_on:
        if goes_on:
            _handle(now, text, late)
        return goes_on


def _handle(now: Scene, text: str, late: Late) -> None:
    """Take in an event that an earlier hook could not write down; its lines for the user are said later."""
    book = now.book
    event = read(text)
    handler = routes.handler_for(event) if event else None
    if not event or not handler:
        return
    if not worth_keeping(event):
        note(book, f"{event.name} (from the spool)", phrases.NOT_OF_A_HOOK)
        return
    if event.name == "SessionEnd" and event.session == now.session:
        return  # it has been resumed
    place.clear_idle(book.place, event.session)
    scene = Scene(event, book, desk=now.desk, late=late, attempt=now.attempt)
    try:
        routes.handle(handler, scene)
        said = _said(scene)
        if any(said):
            with book.transaction() as writing:
                notes.add_late_words(writing, event.session, said)
            book.settle()
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - a spooled event that cannot be used must not stay for ever
        note(book, f"{event.name} (from the spool)", happened())


def _said(scene: Scene) -> list[str]:
    """The lines that an event that waited has for the user."""
    typed = typed_command(scene.event.prompt)[0]
    said = scene.answer.notice if typed or scene.settings.notices else []
    return [*said, scene.answer.block] if typed else said


def host_of(event: Event) -> versions.Host:
    """The abilities of the host, as far as its version shows them without a ledger."""
    return versions.host_of(versions.version_of(versions.running(event.transcript)))


def happened() -> str:
    """The error that is being handled, as Python tells it."""
    # Late: nearly no event fails.
    import traceback  # noqa: PLC0415

    return traceback.format_exc()


def note(book: Ledger, event: str, text: str) -> None:
    """Keep an error where `/bg-status` and the doctor show it."""
    try:
        notes.trace(book, event, text)
        book.settle()
    except Unavailable:
        note_aside(event, text, book.now())


def note_outside(event: str, text: str, clock: Callable[[], float]) -> None:
    """The same for an error that happened while the ledger was not open."""
    try:
        with contextlib.closing(Ledger(place.directory(), create=False, clock=clock)) as book:
            note(book, event, text)
    except Exception:  # noqa: BLE001 - perhaps the ledger is what failed
        note_aside(event, text, clock())


def note_aside(event: str, text: str, now: float) -> None:
    """The last resort for a trace: a line on stderr and in the spool's log."""
    with contextlib.suppress(Exception):
        sys.stderr.write(f"bg: {event}: {text.strip().splitlines()[-1]}\n")
        spool.log(place.directory(), event, text, now)
