"""Routes: for each event, with its tool if it has one, the step of the loop that handles it."""

from __future__ import annotations

from bg.host import tools
from bg.host.event import MODULE, Event
from bg.ledger import notes, place, verifications
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

    Handler = Callable[[Scene], None]

# The steps are given by name, so that an event imports only the module that it needs.
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


# Input from the client's module arrives like an event, but is none of the host's.
MODULES = {MODULE: "module.step"}


def handler_for(event: Event) -> Optional[Handler]:
    """The handler of this event, None if no step is for it."""
    # An event without a tool, or with the same step for every tool, stands in the table with None as its tool.
    known = HANDLERS.get((event.name, tools.known(event.tool))) or HANDLERS.get((event.name, None))
    known = known or MODULES.get(event.name)
    if known is None:
        return None
    module, _, name = known.partition(".")
    handler: Handler = getattr(__import__(f"bg.loop.{module}", fromlist=[name]), name)
    return handler


def handle(handler: Handler, scene: Scene) -> None:
    """Carry out the event's step; even if it fails, the ledger keeps all that was written before."""
    try:
        make_up_for_lost_ledger(scene)
        _look_for_origin(scene)
        _catch_up_with_checks(scene)
        handler(scene)
        if scene.book.is_gathering:  # one commit for both; otherwise the event is counted after the answer
            scene.apart("counting the event", _count, scene)
    finally:
        scene.book.settle()
        scene.book.secure()


def _count(scene: Scene) -> None:
    with scene.book.transaction() as writing:
        scene.count(writing)


def make_up_for_lost_ledger(scene: Scene) -> None:
    """Rebuild the tasks of a session that only a lost ledger knew; called before each event."""
    if scene.docket.row is None and place.ledgers_that_knew(scene.book.place, scene.session):
        from bg.loop import rebuilding, reconciling  # noqa: PLC0415 - late: nearly no ledger is lost

        if rebuilding.is_due(scene):
            reconciling.catch_up(scene, reconciling.LOST)


def _look_for_origin(scene: Scene) -> None:
    """Look for the record of the session that this one may continue; called before each event."""
    if notes.awaits_origin(scene.book, scene.session):
        from bg.loop import continuing  # noqa: PLC0415 - late: nearly no session does

        scene.apart("a move", continuing.arrive, scene)


def _catch_up_with_checks(scene: Scene) -> None:
    """Start the session's waiting checks and take in those that have ended; called before each event."""
    if scene.late is None and scene.event.name != "SessionEnd" and verifications.unended(scene.book, scene.session):
        from bg.loop import verifying  # noqa: PLC0415 - late: it brings the largest part of the package

        scene.apart("a check", verifying.catch_up, scene)
