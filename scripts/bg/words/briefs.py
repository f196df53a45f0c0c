"""Brief reminders, for when the host shows them to the user too: at most six short lines.

At Stop every host prints the text that a hook gives the model. There the model gets only the facts for its next step;
`/bg-status` shows the whole report and the reasons of each question, and a dialog shows the questions in full.
"""

from __future__ import annotations

from bg.host import tools, versions
from bg.ledger.inbox import Question
from bg.record import Record
from bg.words import phrases
from bg.words.quoting import cited

MOST_LINES = 6
MOST_QUESTIONS = 3
LINE = 150


class Short(Record):
    """The parts of a short reminder that the signal does not hold; `heading` is its first line."""

    label: str
    items: list[Question]
    then: str
    full: str = ""
    left: str = ""
    heading: str = ""


def way(host: versions.Host, agent: str, label: str, *, wakes: bool) -> str:
    """How the parent continues an agent on this host, in a few words."""
    if wakes and host.resume_way in (versions.BY_MESSAGE, versions.UNKNOWN):
        return phrases.BRIEFLY_BY_MESSAGE.format(tool=tools.MESSAGE.called(host.version), agent=agent)
    if wakes and host.resume_way == versions.BY_LAUNCH:
        return phrases.BRIEFLY_BY_LAUNCH.format(tool=tools.resuming(host.version), agent=agent)
    return phrases.BRIEFLY_ANEW.format(label=label)


def questions(items: list[Question]) -> list[str]:
    """A line for each of the first questions, and one with the number of those left."""
    lines = [f"{item.label} {item.qid}: {cited(item.text, LINE)}" for item in items[:MOST_QUESTIONS]]
    left = len(items) - MOST_QUESTIONS
    return lines + ([phrases.BRIEFLY_MORE.format(count=left)] if left > 0 else [])


def fitting(texts: list[str]) -> int:
    """How many of the texts fit into one reminder; at least one."""
    used = -1
    for count, text in enumerate(texts):
        used += text.count("\n") + 2  # with the empty line between two
        if used > MOST_LINES and count:
            return count
    return len(texts)
