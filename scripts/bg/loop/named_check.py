"""Naming a check for a task: found in the user's own words or settings, kept, and announced."""

from __future__ import annotations

import os

from bg import settings
from bg.host import origins
from bg.ledger import cases, place, proofs, verifications, windows
from bg.ledger.file import Writing, first_of
from bg.ledger.tasks import Task
from bg.ledger.values import Opened
from bg.ledger.windows import Window
from bg.loop import proof
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.record import Record
from bg.words import phrases
from bg.words.quoting import inline

_NAMED = pattern(r"(?:^|[ \t])Verify:[ \t]*(\S.*)")
_QUOTED = (">", "|", "▎", "⎿")  # how a pasted report begins, ours or one from the host's screen
_JOINTS = ("&", "|", ";")
_FENCE = ("```", "~~~")


class Named(Record):
    """The check that counts, and where the user named it; `unproven` is a check that an unknown author typed."""

    command: str
    source: str
    unproven: str


def named(scene: Scene, label: str) -> Named:
    """The check that the user wants to have run after this task's end."""
    case = cases.of(scene.book, label)
    opened = first_of(windows.find(scene.book, label=case.task.grp)) if case else None
    words = _in_words(opened.text) if opened and opened.kind in (Opened.COMMAND, Opened.SKILL) else ""
    own = (scene.settings.verify or "").strip()
    if words and opened and _is_typed(scene, opened):
        return Named(words, verifications.TYPED, "")
    return Named(own, verifications.IN_SETTINGS if own else "", words)


def note(scene: Scene, writing: Writing, label: str) -> None:
    """Keep the named check before the agent works, so that no change of the agent's can name one."""
    found = named(scene, label)
    if found.command:
        verifications.name(writing, label, found.command, found.source)


def announce(scene: Scene, task: Task) -> None:
    """Tell the user which check will be run, and which will not."""
    unproven = named(scene, task.label).unproven
    if unproven:
        words = phrases.VERIFY_UNPROVEN
        own = os.path.join(place.own_config(), settings.FILE)
        scene.answer.notice.append(words.format(label=task.label, command=inline(unproven, 80), file=own))
    if task.verify:
        command = inline(task.verify, 160)
        scene.answer.notice.append(phrases.VERIFIES.format(label=task.label, command=command))


def _in_words(text: str) -> str:
    """The commands behind each `Verify:`, to the end of the line or in backticks, joined so that each has to pass."""
    found, is_fenced = [], False
    for line in text.splitlines():
        is_fenced ^= line.lstrip().startswith(_FENCE)
        named = None if is_fenced or line.lstrip().startswith(_QUOTED) else _NAMED.search(line)
        words = _span(named[1].strip()) if named else ""
        found += [words] if words else []
    return found[0] if len(found) == 1 else " && ".join(f"({words}\n)" for words in found)


def _span(words: str) -> str:
    """The command in backticks, without the words behind it; the whole text if unquoted, or if more commands follow."""
    if not words.startswith("`"):
        return words
    span, _, rest = words[1:].partition("`")
    return (words.replace("`", "") if rest.lstrip().startswith(_JOINTS) else span).strip()


def _is_typed(scene: Scene, window: Window) -> bool:
    """Whether the record of the prompt says that a person typed it: a mere conclusion must not start a program."""
    said = proofs.of_id(scene.book, window.proof)
    if said is None or said.proof != proofs.KEYBOARD:
        return False
    return origins.is_signed(proof.transcript(scene, said.session), said.place, said.text, said.turn)
