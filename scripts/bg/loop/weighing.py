"""Weighing: facts from the ledger on a request for another agent, before it is put to the user."""

from __future__ import annotations

import re

from bg import durations
from bg.ledger import delegations, inbox, tasks
from bg.ledger.cases import Case
from bg.ledger.delegations import Delegation
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.words import phrases
from bg.words.quoting import inline

ALIKE = 0.7
LEAST_WORDS = 6
MOST = 20  # ended tasks, and as many earlier requests, to compare with
DEEP = 2
_PATH = pattern(r"(?<![\w/.])(?:[\w.-]+/)+[\w.-]*\w")
_FILE = pattern(r"(?<![\w/.])[\w-]+[.][a-z]{1,4}\b")


def weigh(scene: Scene, case: Case, one: Delegation, context: str) -> list[str]:
    """A line for each known fact: answers to the protocol's five questions, as far as code can give them."""
    item = inbox.get(scene.book, one.question)
    work = item.text if item else ""
    lines = [_resources(scene)]
    chain = case.above
    if len(chain) + 1 >= DEEP:
        above = phrases.ASKED_FOR_BY.join(chain)
        lines.append(phrases.DEPTH.format(label=case.label, above=above, depth=len(chain) + 1))
    lines += _same(scene, case, one, work)
    lines += _overlaps(scene, case, one, f"{work}\n{context}")
    if len(re.findall(r"\w+", work)) < LEAST_WORDS:
        lines.append(phrases.SCARCELY_DEFINED)
    return lines


def _resources(scene: Scene) -> str:
    working = [row.label for row in tasks.running_in(scene.book, scene.project)]
    most = scene.settings.max_tasks
    return phrases.RESOURCES.format(
        working=phrases.WORK_NOW.format(labels=", ".join(working)) if working else phrases.NOBODY_WORKS,
        limit=phrases.NO_LIMIT if most is None else phrases.LIMIT.format(most=most),
    )


def _same(scene: Scene, case: Case, one: Delegation, work: str) -> list[str]:
    """Nearly the same work: asked for before, under way, or done within a day."""
    wanted = _words(work)
    found = []
    over = tasks.newest(scene.book, scene.project, scene.book.now() - durations.RECENT, MOST)
    for row in [*tasks.open_in(scene.book, scene.project), *over]:
        if row.label != case.label and _alike(wanted, _words(row.text)):
            found.append(phrases.SAME_TASK.format(label=row.label, state=row.state.replace("_", " ")))
    for other in delegations.before(scene.book, one, scene.project, MOST):
        asked = inbox.get(scene.book, other.question)
        if asked is not None and _alike(wanted, _words(asked.text)):
            how = delegations.standing(scene.book, other)
            found.append(phrases.SAME_REQUEST.format(name=f"{other.label} {other.qid}", state=how))
    return list(dict.fromkeys(found))[:3]


def _overlaps(scene: Scene, case: Case, one: Delegation, text: str) -> list[str]:
    """Paths that a running agent's task names too; if the asking agent will go on meanwhile, also those of its own."""
    paths = _paths(text)
    others = [row for row in tasks.running_in(scene.book, scene.project) if row.label != case.label]
    others += [] if one.blocking else [case.task]
    found = []
    for row in others:
        theirs = _paths(row.prompt or row.text)
        both = sorted(path for path in paths if any(_within(path, each) or _within(each, path) for each in theirs))
        if both:
            found.append(phrases.SAME_PATHS.format(label=row.label, paths=inline(", ".join(both[:5]), 160)))
    return found


def _paths(text: str) -> set[str]:
    return {path.rstrip("/") for path in (*_PATH.findall(text), *_FILE.findall(text))}


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 2}


def _alike(one: set[str], other: set[str]) -> bool:
    return len(one) > LEAST_WORDS // 2 and bool(other) and len(one & other) >= ALIKE * len(one | other)
