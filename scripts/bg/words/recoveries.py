"""Recoveries: what can be done about a blocker, by name: the choices for each type, and what its agent is told."""

from __future__ import annotations

from bg.record import Record
from bg.words.quoting import beside, cited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RETRY, SKIP, HAND_OVER, REDUCE, RESTART, AS_IT_IS = "retry", "skip", "hand over", "reduce", "restart", "continue"


class Recovery(Record):
    """One way to go on: as an option of a dialog, and as the agent hears it."""

    title: str
    says: str
    heading: str
    told: str


RECOVERIES = {
    RETRY: Recovery(
        "Retry",
        "What was in the way is put right: try again from the checkpoint",
        "## BLOCKER RESOLVED",
        "Restore the state below and retry: {step}",
    ),
    SKIP: Recovery(
        "Skip",
        "Leave out what is in the way, log it in SKIPPED_ITEMS.md, go on with the rest",
        "## ERROR RECOVERY: SKIP",
        "Skip what is in the way. Log each thing that you skip, with its reason, in SKIPPED_ITEMS.md in your working "
        "directory, name that file in your report, and go on with what comes after: {step}",
    ),
    HAND_OVER: Recovery(
        "Hand over",
        "Another agent does the blocked part; this one goes on with the rest",
        "## PARTIAL RESUME",
        "{who} does the blocked part. Skip it, leave its files alone, and go on with the rest; where nothing is left, "
        "report what is done. Handed over: {step}",
    ),
    REDUCE: Recovery(
        "Reduce",
        "Do less: what to leave out stands behind it",
        "## SCOPE REDUCED",
        "Do that much and no more, beginning with: {step} Your report names what was left out.",
    ),
    RESTART: Recovery(
        "Restart",
        "Begin the task again, with what is known now",
        "## RESTART",
        "Begin the task again from its start, with what you know now. Look at what the first try left on disk: keep "
        "what is right, replace what is not.",
    ),
    AS_IT_IS: Recovery(
        "Continue",
        "Go on as it is, and accept what that costs",
        "## CONTINUE AS IT IS",
        "The user accepts what you warned of. Go on with: {step}",
    ),
}
# What is offered, the likeliest first; a dialog takes four.
BY_BLOCKER = {
    "missing_info": (RETRY, SKIP, REDUCE),
    "external_dependency": (RETRY, SKIP, HAND_OVER),
    "error": (RETRY, SKIP, HAND_OVER, RESTART),
    "resource_limit": (REDUCE, HAND_OVER, AS_IT_IS),
}
ANY = (RETRY, SKIP, HAND_OVER, RESTART)
_FIXED = "## ERROR FIXED"
_RESOLVED = "## BLOCKER RESOLVED"
_RECOVERY = "## ERROR RECOVERY"


def choices(blocker: str) -> tuple[str, ...]:
    """What is offered for a blocker of this type."""
    return BY_BLOCKER.get(blocker, ANY)


def options(blocker: str) -> list[tuple[str, str]]:
    """The same as the options of a dialog: a title, and what it does."""
    return [(RECOVERIES[name].title, RECOVERIES[name].says) for name in choices(blocker)]


def first_step(payload: dict[str, Any]) -> str:
    """The first thing that was not done, in the agent's words."""
    said = payload.get("blocked_work")
    for line in said.splitlines() if isinstance(said, str) else []:
        words = line.strip().lstrip("-*✗x•0123456789.) ").strip()
        if words:
            return words
    return ""


def section(how: str, issue: str, said: str, source: str, payload: dict[str, Any], who: str = "") -> str:
    """The response to a blocker: the issue, the resolution in somebody's words, and what follows from it."""
    error = payload.get("blocker_type") == "error"
    known = RECOVERIES.get(how)
    heading = known.heading if known else _RECOVERY if error else _RESOLVED
    heading = _FIXED if error and how == RETRY else heading
    lines = [heading, "", f"Issue: {beside(issue)}", f"Resolution ({source}): {said.strip() or how}"]
    step = cited(first_step(payload), 300) if first_step(payload) else "what you could not do before"
    if known:
        lines.append(known.told.format(step=f"{step}." if step[-1] != "." else step, who=who or "Another agent"))
    return "\n".join(lines)
