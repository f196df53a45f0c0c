"""How long a running agent has been silent, once that is longer than the user expects."""

from __future__ import annotations

from bg import durations, settings
from bg.host import transcripts
from bg.ledger import tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task


def seconds(book: Ledger, task: Task, transcript: str) -> float:
    """The time since the last record in the agent's transcript; 0 while that says little."""
    last = transcripts.last_sign(transcript)
    silent = book.now() - last if last and task.state in tasks.RUNNING_STATES else 0.0
    return silent if silent > settings.load(task.project or "").quiet_minutes * durations.MINUTE else 0.0
