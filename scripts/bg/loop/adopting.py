"""Adoption: which of the parent's launches are ours, and the identity that their agents are given."""

from __future__ import annotations

import contextlib
import re

from bg.host import tools
from bg.host.event import Event
from bg.host.versions import NO_WAY, Host
from bg.ledger import children, delegations, launches, naming, notes, tasks, windows
from bg.ledger.file import Ledger, Writing, first_of
from bg.ledger.values import Opened, State
from bg.ledger.windows import Window
from bg.pattern import pattern
from bg.protocol import signals
from bg.record import Record
from bg.signals import delegation
from bg.words import phrases
from bg.words.quoting import inline
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

OURS = "bg:"


class Adoption(Record):
    """A launch that is ours: its label, its token, and the input that the host is handed in place of the parent's."""

    label: str
    token: str
    given: dict[str, Any]
    again: bool
    identity: str

    def give(self, task: str) -> None:
        """Set the prompt: the identity, the task, and the contract behind it."""
        contract = fill("contract", agent_id=self.token)
        tools.set_prompt(self.given, f"{self.identity}\n\n{task}\n\n{contract}")


class Identified(Record):
    """An agent's identity, as read from the text that our hook puts before its task."""

    label: str
    description: str
    token: str


_IDENTITY = pattern(r"\s*(bg-\d{1,6}): ([^\n]*)\n.{0,400}?\bYou are (\1-[a-z2-7]{10}), ", re.DOTALL)


class _Place(Record):
    """Where a launch belongs: its label, that of its group, and whether it continues the task of that label."""

    label: str
    group: str
    again: bool


def identified(prompt: str) -> Optional[Identified]:
    """The identity at the beginning of a prompt, None if it begins with none of ours."""
    found = _IDENTITY.match(prompt)
    return Identified(*found.groups()) if found else None


def window_line(label: str, kind: str = Opened.COMMAND) -> str:
    """The line with the label, which the text of our launch command tells the parent to look for."""
    purposes = {Opened.DELEGATION: phrases.PURPOSE_OF_DELEGATION, Opened.RELAUNCH: phrases.PURPOSE_OF_RELAUNCH}
    return phrases.LABEL.format(label=label, purpose=purposes.get(kind, phrases.PURPOSE))


def refusal(book: Optional[Ledger], event: Event, why: str) -> str:
    """The refusal of a launch of ours that the hook could not handle; empty for any other event."""
    if not tools.is_launch(event):
        return ""
    try:
        shown = naming.LABEL.search(tools.launch_of(event).description)
        ours = _is_our_type(event) or bool(shown if book is None else _window_for(book, event))
    except Exception:  # noqa: BLE001 - the ledger may fail again: then the event alone decides
        return refusal(None, event, why)
    if not ours:
        return ""
    if book is not None:
        with contextlib.suppress(Exception), book.transaction() as writing:
            _forget(writing, event, why)
    return unidentified(why, phrases.LAUNCH_AGAIN)


def unidentified(why: str, then: str) -> str:
    """The words for the parent: nothing was launched, why, and what to do next."""
    return phrases.NO_IDENTITY.format(why=why.rstrip("."), then=then)


def lost_label(book: Ledger, event: Event) -> str:
    """The label in this launch if only a damaged ledger, since moved aside, can have known it; else empty."""
    found = naming.LABEL.match(tools.launch_of(event).description.strip())
    if found is None or not notes.kept_aside(book):
        return ""
    return "" if windows.is_known(book, found[0]) else found[0]


def full(book: Ledger, project: str, most: Optional[int], label: str = "") -> str:
    """The words for the parent if no further agent may be launched in this project now; empty if one may."""
    why = room(book, project, most, label)
    return phrases.FULL.format(why=why) if why else ""


def room(book: Ledger, project: str, most: Optional[int], label: str = "") -> str:
    """The reason why there is no room for another agent, with the agents at work; empty if there is room."""
    working = [task.label for task in tasks.running_in(book, project) if task.label != label]
    if most is not None:
        working += [phrases.ITS_OWN_AGENT.format(label=child.label) for child in children.working(book, project)]
    if most is None or len(working) < most:
        return ""
    return phrases.AS_MANY_AS_ALLOWED.format(labels=", ".join(working), most=most)


def is_ours(book: Ledger, event: Event) -> bool:
    """Whether a launch fills a window of this session, or names an agent type of ours."""
    return _window_for(book, event) is not None or _is_our_type(event)


def adopt(book: Writing, event: Event, project: str, host: Host, head: str) -> Optional[Adoption]:
    """Take a launch as ours; None if it is not."""
    place = _place(book, event, project)
    if place is None:
        return None
    label, again = place.label, place.again
    called = tools.launch_of(event)
    description = _plain_description(called.description)
    token = launches.note(
        book,
        event.tool_use,
        label,
        called.kind,
        called.name,
        event.cwd,
        head,
    )
    prompt = called.prompt
    if again:
        tasks.hand_over_one(book, label, event.session)
    else:
        asked = first_of(delegations.find(book, worker=place.group))
        if asked is not None:
            prompt = f"{prompt}\n\n{delegation.child_section(book, asked)}"
        tasks.describe(book, label, description, prompt)
    tasks.set_state(book, label, State.LAUNCHED)
    task = tasks.get(book, label)
    who = identity(
        token,
        event.transcript,
        host,
        label=label,
        description=(task.description if task else None) or description,
        handback=host.hands_back(event.mode, called.kind),
    )
    given = tools.launch_with(event, f"{label}: {description}".rstrip(": "))
    adopted = Adoption(label, token, given, again, who)
    adopted.give(prompt)
    return adopted


def identity(token: str, transcript: str, host: Host, *, label: str, description: str, handback: bool) -> str:
    """The text before a background agent's task; its first line is all that the host's own views show."""
    return fill(
        "identity",
        label=label,
        # Another agent's token in the description would be taken for this one's.
        description=inline(naming.TOKEN.sub(lambda found: found[0].rpartition("-")[0], description), 80),
        agent_id=token,
        transcript=transcript or "the parent's transcript",
        handback=fill("handback") if handback else "",
        message=fill("message", message_tool=tools.MESSAGE.called(host.version))
        if host.passes_messages_up
        else fill("block_in_text"),
        markers=signals.markers(),
        follows=fill("after_asking_anew") if host.resume_way == NO_WAY else fill("after_asking"),
        blocks=signals.explained(token),
    )


def _is_our_type(event: Event) -> bool:
    return tools.launch_of(event).kind.startswith(OURS)


def _window_for(book: Ledger, event: Event) -> Optional[Window]:
    """The window that this launch belongs to, None if it belongs to none."""
    called = tools.launch_of(event)
    words = f"{called.description}\n{called.prompt}"
    for label in dict.fromkeys(naming.LABEL.findall(words)):
        window = windows.window_of(book, event.session, label) or _of_part(book, event.session, label)
        if window:
            return window
    # Only one agent continues a task: another launch of the same turn is the parent's own.
    opened = [
        window
        for window in windows.open_windows(book, event.session)
        if window.kind != Opened.RELAUNCH or not windows.own_label_is_used(book, window)
    ]
    if opened and (_is_our_type(event) or _fills_a_window(event)):
        return _likeliest(book, opened, words)
    return None


def _of_part(book: Ledger, session: str, label: str) -> Optional[Window]:
    """The open window for a part of this task's work: a launch for the part may carry the task's own label."""
    parts = [one.worker for one in delegations.find(book, label=label) if one.handed_over and one.worker]
    return next((window for window in windows.open_windows(book, session) if window.label in parts), None)


def _fills_a_window(event: Event) -> bool:
    """Whether a launch without a label fills an open window: one in the background, of a type that can be woken."""
    called = tools.launch_of(event)
    return not called.one_shot and not called.foreground


def _likeliest(book: Ledger, opened: list[Window], words: str) -> Window:
    """The window that a launch without a label fills: of those not taken yet, the one with the most words in common."""
    free = [window for window in reversed(opened) if not windows.own_label_is_used(book, window)]
    return max(free, key=lambda each: len(_words(words) & _words(each.text)), default=opened[0])


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def _forget(book: Writing, event: Event, why: str) -> None:
    """Mark the launch noted for a call as failed, because the call is now refused."""
    label = launches.fail(book, event.tool_use, why)
    if label:
        tasks.set_state(book, label, State.NOT_LAUNCHED, why[:200])


def _place(book: Writing, event: Event, project: str) -> Optional[_Place]:
    """The place of a launch, None if it is not ours. The hook of a later launch may have given it one already."""
    known = first_of(launches.find(book, tool_use=event.tool_use))
    placed = tasks.get(book, known.label) if known and not known.failed else None
    if placed is not None and placed.session == event.session:
        return _Place(placed.label, placed.grp, again=False)
    window = _window_for(book, event)
    if window is None and _is_our_type(event):
        windows.open_window(book, event.session, Opened.AGENT, tools.launch_of(event).description)
        window = windows.open_windows(book, event.session)[0]
    if window is None:
        return None
    taken = windows.own_label_is_used(book, window)
    label = windows.take_label(book) if taken else window.label
    tasks.create(book, label, window.label, event.session, project, window.text, State.LAUNCHED)
    return _Place(label, window.label, again=window.kind == Opened.RELAUNCH and not taken)


def _plain_description(description: str) -> str:
    return re.sub(r"^\s*bg-\d+\s*[:\-–—]*\s*", "", inline(description, 300)).strip() or "background task"
