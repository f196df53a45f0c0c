"""Commands: /bg-status, and how a command answers the user without a request to the model."""

from __future__ import annotations

from bg.host import answer
from bg.ledger import naming
from bg.loop.scene import Scene
from bg.words import feedback, phrases
from bg.words.quoting import inline


def say(scene: Scene, text: str) -> None:
    """Answer the user without a model request, or through the model if the host would show nothing."""
    answer.show(scene.answer, text, scene.host, phrases.SHOW_EXACTLY, phrases.CUT_HERE)


def status_command(scene: Scene, arguments: str) -> None:
    """Answer `/bg-status`, alone or followed by a label, by `all`, or by a view such as `report bg-3`."""
    words = arguments.strip()
    label, named = naming.label_of(words), scene.desk.named(scene.book, scene.host, words)
    if named:
        text = named
    elif label:
        text = scene.desk.task(scene.book, label)
    else:
        everything = words.lower() == "all"
        text = scene.desk.table(scene.book, scene.project, everything=everything, launch=scene.launch_command)
        if words.lower() not in ("", "all", "status"):
            text = f"{feedback.UNKNOWN_WORD.format(words=inline(words, 60))}\n\n{text}"
    say(scene, text)
