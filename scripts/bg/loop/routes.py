"""Routes: an event, with its tool where it has one, and the step of the loop that it goes to."""

from __future__ import annotations

from bg.host import tools
from bg.host.event import MODULE, Event
from bg.ledger import notes, place, verifications
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

    Handler = Callable[[Scene], None]

# By name, so that an event reads only the module that knows it.
# hooks/hooks.json is generated from this table, in its order.
HANDLERS: dict[tuple[str, Optional[tools.Tool]], str] = {
    ("SessionStart", None): "turns.start",
    ("UserPromptSubmit", None): "turns.prompt",
    ("PreToolUse", tools.LAUNCH): "launching.before",
    ("PreToolUse", tools.MESSAGE): "resuming.before_message",
    ("PreToolUse", tools.HANDBACK): "ending.handed_back",
    ("PreToolUse", tools.ASK): "asking.before_question",
    ("PostToolUse", tools.LAUNCH): "launching.after",
    ("PostToolUse", tools.OUTPUT): "closing.polled",
    ("PostToolUse", tools.MESSAGE): "resuming.after_message",
    ("PostToolUse", tools.ASK): "asking.after_question",
    ("PostToolUse", tools.SKILL): "launching.skill",
    ("PostToolUseFailure", tools.LAUNCH): "launching.failed",
    ("PostToolUseFailure", tools.MESSAGE): "resuming.failed_message",
    ("PermissionRequest", None): "beginning.asked_leave",
    ("SubagentStart", None): "beginning.started",
    ("SubagentStop", None): "ending.stopped",
    ("Stop", None): "turns.stop",
    ("SessionEnd", None): "turns.end",
}


# What the client's module hands over comes by the same way in, and is no event of the host's.
MODULES = {MODULE: "module.step"}


def handler_for(event: Event) -> Optional[Handler]:
    """The handler of this event, None where it is none of ours."""
    # An event without a tool, or treated alike for every tool, has one step, whatever tool it names.
    known = HANDLERS.get((event.name, tools.known(event.tool))) or HANDLERS.get((event.name, None))
    known = known or MODULES.get(event.name)
    if known is None:
        return None
    module, _, name = known.partition(".")
    handler: Handler = getattr(__import__(f"bg.loop.{module}", fromlist=[name]), name)
    return handler


def handle(handler: Handler, scene: Scene) -> None:
    """Carry out the event's step; whatever comes of it, what has been written stays written."""
    try:
        make_up_for_lost_ledger(scene)
        _look_for_origin(scene)
        _catch_up_with_checks(scene)
        handler(scene)
        if scene.book.is_gathering:  # one commit for both; else it is counted after the answer
            scene.apart("counting the event", _count, scene)
    finally:
        scene.book.settle()
        scene.book.secure()


def _count(scene: Scene) -> None:
    with scene.book.transaction() as writing:
        scene.count(writing)


def make_up_for_lost_ledger(scene: Scene) -> None:
    """Before each event of a session with tasks that the ledger does not know: rebuild them."""
    if scene.docket.row is None and place.ledgers_that_knew(scene.book.place, scene.session):
        from bg.loop import rebuilding, reconciling  # noqa: PLC0415 - late: nearly no ledger is lost

        if rebuilding.is_due(scene):
            reconciling.catch_up(scene, reconciling.LOST)


def _look_for_origin(scene: Scene) -> None:
    """Before each event of a session that may have come from another one: look for the record of that."""
    if notes.awaits_origin(scene.book, scene.session):
        from bg.loop import continuing  # noqa: PLC0415 - late: nearly no session does

        scene.apart("a move", continuing.arrive, scene)


def _catch_up_with_checks(scene: Scene) -> None:
    """Before each event of a session with a check that waits or runs: start it, or take its end in."""
    if scene.late is None and scene.event.name != "SessionEnd" and verifications.unended(scene.book, scene.session):
        from bg.loop import verifying  # noqa: PLC0415 - late: it brings the largest part of the package

        scene.apart("a check", verifying.catch_up, scene)
