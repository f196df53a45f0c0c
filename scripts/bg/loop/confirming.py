"""Confirming: words whose record did not show who had said them are carried out once the user types their code."""

from __future__ import annotations

from bg.host.event import typed_command
from bg.ledger import codes, notes, proofs, user_answers
from bg.loop import commands
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.words import feedback, phrases
from bg.words.quoting import neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from bg.ledger.proofs import Proof

_CODE = pattern(r"[Cc]ode\s+([A-Za-z2-7]{5}-[A-Za-z2-7]{5})\Z")
_NEARLY = pattern(r"[Cc]ode\W+((?:\w\W*){8,12})\Z")


def code_in(scene: Scene, arguments: str) -> str:
    """The code that stands alone behind `/bg-answer`, with a slip only while there is one to type; else empty."""
    words = arguments.strip()
    found = _CODE.match(words) or (_NEARLY.match(words) if notes.codes(scene.book) else None)
    return found[1] if found else ""


def confirmed(scene: Scene, typed: str) -> Optional[tuple[str, str]]:
    """The command whose words this code confirms, to be carried out now, with its arguments."""
    # A code that waited in the spool has been read by whoever can read files, and the turn to launch in is over.
    with scene.book.transaction() as writing:
        row: Optional[Proof] = codes.take(writing, typed) if scene.late is None else None
        if row is not None:
            scene.confirmed = user_answers.items_of(writing, proofs.confirm(writing, row))
    if row is None:
        commands.say(scene, feedback.NO_SUCH_CODE.format(code=scene.bgctl("code")))
        return None
    command, arguments = typed_command(row.text)
    if command == "bg":
        words = "\n".join(f"> {line}" for line in neutral(arguments).splitlines())
        scene.answer.context.append(phrases.CONFIRMED_LAUNCH.format(command=scene.launch_command, words=words))
    return command, arguments
