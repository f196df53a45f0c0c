"""Commands: /bg-status, and how a command answers the user without a request to the model."""

from __future__ import annotations

from bg.desk import detail, doctor, findings, page, table, waiting
from bg.host import answer
from bg.ledger import naming
from bg.ledger.tasks import Task
from bg.loop.scene import Scene
from bg.words import feedback, phrases
from bg.words.quoting import inline


def say(scene: Scene, text: str) -> None:
    """Answer the user without a model request, or through the model where the host would show nothing."""
    answer.show(scene.answer, text, scene.host, phrases.SHOW_EXACTLY, phrases.CUT_HERE)


def waiting_list(scene: Scene) -> str:
    """What waits for the user in this project."""
    return waiting.waiting_list(scene.book, page.of_hook(), scene.project)


def doctor_told(scene: Scene) -> str:
    """What is wrong with this installation."""
    return findings.told(list(doctor.examine(scene.host)), page.of_hook())


def task_told(scene: Scene, task: Task) -> str:
    """What one task waits for, and what it was answered."""
    return waiting.of_task(scene.book, page.of_hook(), task, scene.answer_command)


def status_command(scene: Scene, arguments: str) -> None:
    """`/bg-status [label]`, `/bg-status all`, `/bg-status doctor`: answered by the hook itself."""
    sheet = page.of_hook()
    words = arguments.strip()
    label = naming.label_of(words)
    if words.lower() == "doctor":
        text = doctor_told(scene)
    elif label:
        text = detail.detail(scene.book, sheet, label)
    else:
        everything = words.lower() == "all"
        launch = scene.launch_command
        text = table.table(scene.book, sheet, scene.project, everything=everything, launch=launch)
        if words and not everything:
            text = f"{feedback.UNKNOWN_WORD.format(words=inline(words, 60))}\n\n{text}"
    say(scene, text)
