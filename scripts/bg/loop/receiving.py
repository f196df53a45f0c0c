"""Receiving: what was printed counts as heard once the transcript shows it; what was dropped on the way is due anew."""

from __future__ import annotations

from bg.host.receipts import Receipt, Stretch
from bg.ledger import deliveries, sessions
from bg.ledger.deliveries import Delivery
from bg.loop import moving
from bg.loop.scene import Scene

LAG = 3.0  # the host writes its transcript a moment after it has taken what hooks say; 0.14 s was the longest seen
MOST_MISSED = 3
TURNS = ("UserPromptSubmit", "Stop", "SessionStart")
ARRIVED, WAITS, LOST, MISSED = "arrived", "waits", "lost", "missed"


def settle(scene: Scene) -> None:
    """Each thing that was printed: it has arrived, or is due again, or it is too early to know."""
    stretches: dict[tuple[str, int], Stretch] = {}
    found = []
    for row in deliveries.printed(scene.book, scene.session):
        if not deliveries.is_claimed(scene.book, row):
            fate = scene.apart(f"the receipt of delivery {row.id}", _fate, scene, row, stretches)
            found += [(row, fate)] if fate else []
    with scene.book.transaction():
        for row, fate in found:
            # A host that no longer writes down what hooks add would be told the same for ever.
            if fate == ARRIVED or (fate == MISSED and (row.missed or 0) + 1 >= MOST_MISSED):
                deliveries.settle(scene.book, row)
            elif fate != WAITS:
                deliveries.unsay(scene.book, row, counted=fate == MISSED)


def _fate(scene: Scene, row: Delivery, stretches: dict[tuple[str, int], Stretch]) -> str:
    here = row.session == scene.session and scene.event.name != "SessionStart"
    path = scene.event.transcript
    if row.session != scene.session:
        path = sessions.transcript(scene.book, row.session or "")
    key = (path, row.place or 0)
    stretch = stretches[key] = stretches.get(key) or Stretch(*key)
    if not row.words or not stretch.exists:
        # An older plugin has said it, or the host writes nothing down: then its going on is all there is to know.
        return ARRIVED if here and row.said is not None else LOST
    receipt = stretch.receipt(row.words, row.carrier)
    if receipt.shown:
        return ARRIVED if here or receipt.answered or _remembers(scene, row) else LOST
    if row.said is None:
        return LOST
    return _unshown(scene, row, receipt, here=here)


def _remembers(scene: Scene, row: Delivery) -> bool:
    """The conversation goes on with what stands in that transcript."""
    if row.session != scene.session and moving.heir(scene.book, row.session or "") == scene.session:
        return True
    return row.session == scene.session and scene.event.source in ("resume", "compact") and _writes(scene)


def _writes(scene: Scene) -> bool:
    return scene.host.writes_added_context


def _unshown(scene: Scene, row: Delivery, receipt: Receipt, *, here: bool) -> str:
    """Our words stand nowhere: where the host does not write them, what carried them says whether they arrived."""
    is_young = abs(scene.book.now() - (row.said or 0.0)) < LAG
    is_over = not here or not (is_young or not row.carrier or scene.event.name not in TURNS)
    if _writes(scene):
        # What a hook added may be written behind what the model made of it.
        if receipt.carried and (is_over or (receipt.answered and not is_young)):
            return MISSED
    elif receipt.carried and (here or receipt.answered):
        return ARRIVED
    elif here and row.event == "SessionStart":
        return ARRIVED  # its process goes on, and with it what it was told at its beginning
    return LOST if is_over else WAITS
