"""What the parent hears of a signal or a report: one reminder and one calm line for the user."""

from __future__ import annotations

from bg.host.event import STOPPED_BY_USER
from bg.ledger import inbox
from bg.ledger.values import Item, ItemState
from bg.words import phrases, recoveries, verdict
from bg.words.quoting import Said, inline, quote
from bg.words.reply_parts import Payload, Reminder, Told, marks, question_lines, quoted, sections, task_name
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


# The values of the schemas that stand in our own sentences; whatever else an agent writes there is its words.
STATUSES = ("success", "partial_success", "failed")
STOP_REASONS = ("blocker", "error", "completion")
BLOCKER_ADVICE = {
    "missing_info": "If you know the missing information from this conversation, pass it on; otherwise ask the user.",
    "external_dependency": (
        "If you can provide it here without a risk the user has not agreed to, do so; "
        "otherwise tell the user what is needed."
    ),
    "error": (
        "Look at the error: repair its cause, or decide with the user whether to skip, retry or restart "
        "from the checkpoint."
    ),
    "resource_limit": "Put the options to the user: reduce the scope, hand parts to other agents, or go on as it is.",
}


def remind(signal: dict[str, Any], told: Told) -> Reminder:
    """The reminder for one signal, as `signals.to_json` gives it."""
    say = _WORDS[signal["signal_type"]]
    return say(Payload(signal["payload"]), signal, told)


def _clarification(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    open_items = [item for item in told.items if item.state == ItemState.OPEN and inbox.kind(item) == Item.QUESTION]
    body = [
        sections(
            [
                ("Stopped at", quoted(payload, "blocked_at", 300)),
                ("Reason", quoted(payload, "reason", 300)),
                ("Done so far", quoted(payload, "current_state", 500)),
            ]
        ),
        *[question_lines(item) for item in open_items],
        sections([("Would unblock it", quoted(payload, "can_resume_with", 300)), *marks(signal)]),
    ]
    count = len(open_items)
    many = "question" if count == 1 else "questions"
    return Reminder(
        fill(
            "clarification",
            label=label,
            description=task_name(told),
            body="\n".join(part for part in body if part),
            resume=told.resume,
        ),
        f"{label} asks {count} {many} · {told.answer_command} {label}",
    )


def _stop(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    if payload["stop_reason"].among(STOP_REASONS) == "completion":
        return _over(payload, signal, told)
    named = payload["blocker_type"] or payload["stop_reason"] or Said("blocker")
    kind = named.among((*BLOCKER_ADVICE, *STOP_REASONS))
    body = sections(
        [
            ("Blocker", quoted(payload, "details")),
            ("Completed", quoted(payload, "completed_work", 500)),
            ("Not done", quoted(payload, "blocked_work", 400)),
            ("State", quoted(payload, "state_snapshot", 500)),
            ("Needed to go on", quoted(payload, "resume_requirements", 500)),
            ("Recovery the agent sees", quoted(payload, "error_recovery", 400)),
            *marks(signal),
        ]
    )
    label = told.task.label
    advice = BLOCKER_ADVICE.get(kind, "Tell the user what is needed.")
    return Reminder(
        fill(
            "stop",
            label=label,
            description=task_name(told),
            kind=kind.replace("_", " "),
            body=body,
            advice=advice,
            resume=told.resume,
            choices=", ".join(recoveries.choices(kind)),
            first=recoveries.choices(kind)[0],
            answer=told.answer_command,
            qid=next((item.qid for item in told.items if inbox.kind(item) == Item.BLOCKER), "B1"),
        ),
        f"{label} is blocked ({kind.replace('_', ' ')}): {payload['details'].inline(80)} · "
        f"{told.answer_command} {label} <what to do>",
    )


def _over(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    """STOP_WORK with the reason completion, which nobody offers: the end that it is, without a blocker."""
    label = told.task.label
    body = sections(
        [
            ("Details", quoted(payload, "details", 900)),
            ("Completed", quoted(payload, "completed_work", 600)),
            ("Not done", quoted(payload, "blocked_work", 400)),
            *marks(signal),
        ]
    )
    slots = {"label": label, "description": task_name(told), "body": body, "first": "", "choice": ""}
    text = fill("completion", status="that its work is over", **slots)
    return Reminder(text, f"{label} reports that its work is over: {payload['details'].inline(100)}")


def _delegation(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    body = sections(
        [
            ("New task", quoted(payload, "new_task_description")),
            ("Why", quoted(payload, "delegation_reason", 400)),
            ("Independence", payload["independence"].cited()),
            ("Priority", payload["priority"].cited()),
            ("Context it needs", quoted(payload, "context_required", 400)),
            ("Coordination", quoted(payload, "coordination", 400)),
            ("Estimated duration", payload["estimated_duration"].cited()),
            *marks(signal),
        ]
    )
    asked = payload["new_task_description"].inline(80)
    slots = {
        "label": label,
        "description": task_name(told),
        "body": body,
        "qid": told.qid,
        "weighed": "\n".join(f"- {line}" for line in told.weighed),
    }
    if told.full:
        why = phrases.CANNOT_BE_APPROVED.format(why=told.full)
        return Reminder(fill("no_room", why=why, **slots), f"{label} asks to delegate: {asked} · {told.full}")
    text = fill("delegation", answer=told.answer_command, **slots)
    return Reminder(text, f"{label} asks to delegate: {asked} · {told.answer_command} {label} {told.qid}: approve")


def denied(signal: dict[str, Any], told: Told) -> Reminder:
    """A delegation that the user's settings have decided: the parent passes that on, or just knows it."""
    label = told.task.label
    work = Said(signal["payload"].get("new_task_description"))
    waits = any(item.state == ItemState.ANSWERED for item in told.items if inbox.kind(item) == Item.DELEGATION)
    then = f"It waits for that. Resume it now: {told.resume}" if waits else "It goes on by itself."
    text = fill("denied", label=label, description=task_name(told), work=work.quote(300), then=then)
    return Reminder(text, f"{label} wanted to delegate, which bg.json denies: {work.inline(80)}")


def _completion(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    status = (payload["status"] or Said("completion")).among((*STATUSES, "completion"))
    disputed = bool(verdict.mismatches(told.evidence))
    asked = [(f"Asked ({name.lower()})", quote(text, 300)) for name, text in told.brief.items()]
    body = sections(
        [
            ("Summary", quoted(payload, "summary", 700)),
            ("Deliverables", quoted(payload, "deliverables", 400)),
            *asked,
            ("Metrics, as it says", quoted(payload, "metrics_achieved", 300)),
            ("Issues met", quoted(payload, "issues_encountered", 300)),
            ("Recommendations", quoted(payload, "recommendations", 400)),
            ("Duration", payload["total_duration"].cited()),
            *marks(signal),
        ]
    )
    body = "\n".join(part for part in (verdict.lists(told.evidence), body) if part)
    return Reminder(
        fill(
            "completion",
            label=label,
            description=task_name(told),
            status=phrases.DISPUTED.format(status=status.replace("_", " ")) if disputed else status.replace("_", " "),
            body=body,
            first=phrases.DISPUTED_FIRST if disputed else "",
            choice=phrases.CHOICE.format(resume=told.resume) if disputed or status in STATUSES[1:] else "",
        ),
        verdict.headline(label, status, told.evidence, told.asked),
    )


_WORDS: dict[str, Callable[[Payload, dict[str, Any], Told], Reminder]] = {
    "CLARIFICATION_NEEDED": _clarification,
    "STOP_WORK": _stop,
    "DELEGATE_WORK": _delegation,
    "COMPLETION_REPORT": _completion,
}


def unreported(text: str, why: str, told: Told) -> Reminder:
    """Prose is a first-class outcome: what it says, and that it kept no protocol."""
    label = told.task.label
    reason = f" ({inline(why, 60)})" if why else ""
    by_user = why == STOPPED_BY_USER
    then = phrases.TO_GO_ON_WITH_IT.format(way=told.resume)
    go = f"{told.answer_command} {label} go" if why else ""
    if by_user:
        then = phrases.IF_THE_USER_ASKS.format(way=told.resume)
    if not text.strip():
        return Reminder(
            fill(
                "nothing",
                label=label,
                description=task_name(told),
                why=reason,
                body=told.left,
                then=then,
            ),
            " · ".join(
                filter(None, [f"{label} was {why}" if by_user else f"{label} ended without a report{reason}", go])
            ),
        )
    checked = "" if told.left else verdict.lists(told.evidence, prose=True)
    said = quote(text, 1200 if told.left else 2200)
    body = "\n".join(part for part in (checked, said) if part)
    if "[cut here" in said:
        body += f"\nThe whole text: {told.whole}"
    body += f"\n\n{told.left}" if told.left else ""
    slots = {"label": label, "description": task_name(told), "why": reason, "body": body}
    ended = f"{label} was stopped by the user" if by_user else f"{label} ended without a signal{reason}"
    return Reminder(
        fill("cut", then=then, **slots) if told.left or by_user else fill("prose", resume=told.resume, **slots),
        " · ".join(filter(None, [f"{ended}: {inline(text, 80)}", verdict.in_short(told.evidence), go])),
    )
