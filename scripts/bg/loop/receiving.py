"""Receiving: a printed reminder counts as heard once the transcript shows it; one lost on the way is due again."""

from __future__ import annotations

from bg.host import arrivals, drift
from bg.host.receipts import Receipt, Stretch
from bg.ledger import cases, deliveries, notes
from bg.ledger.deliveries import Delivery
from bg.ledger.file import Writing
from bg.loop import moving, sighting
from bg.loop.scene import Scene
from bg.words import phrases

ARRIVED, WAITS, LOST, MISSED = "arrived", "waits", "lost", "missed"


def settle(scene: Scene) -> None:
    """Settle each printed delivery that has arrived, and make each lost one due again; the others wait."""
    stretches: dict[tuple[str, int], Stretch] = {}
    found = []
    for row in scene.docket.printed:
        if not deliveries.is_claimed(row):
            fate = scene.apart(f"the receipt of delivery {row.id}", _fate, scene, row, stretches)
            found += [(row, fate)] if fate else []
    with scene.book.transaction() as writing:
        for row, fate in found:
            _note(scene, writing, row, fate)


def _note(scene: Scene, writing: Writing, row: Delivery, fate: str) -> None:
    # Without a limit, a host that no longer writes down what hooks add would be told the same thing for ever.
    is_given_up = fate == MISSED and (row.missed or 0) + 1 >= deliveries.MOST_TIMES
    if fate == MISSED:
        _note_form(scene, row, taken=False)
    if is_given_up:
        notes.add_late_words(writing, scene.session, [phrases.NOT_RECEIVED.format(label=row.label)])
    if fate == ARRIVED or is_given_up:
        deliveries.settle(writing, row)
    elif fate != WAITS:
        deliveries.unsay(writing, row, counted=fate == MISSED)


def _note_form(scene: Scene, row: Delivery, *, taken: bool) -> None:
    """Note whether the host has written down the text that a hook had it add."""
    sighting.note_use_of_answer(scene, row.event or "", "", drift.CONTEXT, taken=taken)


def _fate(scene: Scene, row: Delivery, stretches: dict[tuple[str, int], Stretch]) -> str:
    here = row.session == scene.session and scene.event.name != "SessionStart"
    stretch = _stretch(scene, row, stretches)
    if not row.words or not stretch.exists:
        # An older plugin has said it, or the host writes nothing down: then the only sign is that the session goes on.
        return ARRIVED if here and row.said is not None else LOST
    receipt = stretch.receipt(row.words, row.carrier, row.turn)
    if receipt.shown:
        _note_form(scene, row, taken=True)
        return ARRIVED if here or receipt.answered or _remembers(scene, row) else LOST
    if row.said is None:
        return LOST
    return _unshown(scene, row, receipt, here=here)


def _stretch(scene: Scene, row: Delivery, known: dict[tuple[str, int], Stretch]) -> Stretch:
    """The part of a transcript that would show this delivery, read once for all deliveries that it would show."""
    path = scene.event.transcript
    if row.session != scene.session:
        path = cases.docket(scene.book, row.session or "").transcript
    key = (path, row.place or 0)
    if key not in known:
        known[key] = Stretch(*key)
    return known[key]


def _remembers(scene: Scene, row: Delivery) -> bool:
    """Whether the conversation that goes on here includes the transcript in which the delivery was said."""
    if row.session != scene.session and moving.heir(scene.book, row.session or "") == scene.session:
        return True
    return row.session == scene.session and scene.event.source in ("resume", "compact") and _writes(scene)


def _writes(scene: Scene) -> bool:
    return arrivals.keeps_words(scene.host.version)


def _unshown(scene: Scene, row: Delivery, receipt: Receipt, *, here: bool) -> str:
    """The fate of words that the transcript does not show, told by the record that would carry them.

    While the session goes on, only a record behind their place shows that the words are lost: 2.1.300 to 2.1.328 call
    the hooks for each of several notifications, and write all of these down after the last.
    """
    if not here:
        return _left_behind(scene, receipt)
    if _writes(scene) and receipt.carried:
        return MISSED if receipt.passed else WAITS
    if receipt.carried or (row.event == "SessionStart" and not _writes(scene)):
        return ARRIVED  # even if no record shows it: the process goes on, and with it the words that it was told
    # The host may write down a prompt of the same turn before the words that were said at the end of that turn.
    is_over = receipt.overtaken and scene.event.name == "UserPromptSubmit"
    return LOST if receipt.blocked or is_over else WAITS


def _left_behind(scene: Scene, receipt: Receipt) -> str:
    """The fate of words whose process has ended, or whose task another session has now."""
    if not receipt.carried:
        return LOST
    if _writes(scene):
        return MISSED
    return ARRIVED if receipt.answered else LOST
