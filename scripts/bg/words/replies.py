"""What the parent hears of a signal or a report: one reminder and one calm line for the user."""

from __future__ import annotations

from bg.host import tools, versions
from bg.ledger import inbox
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.record import Record
from bg.words import phrases, recoveries, verdict
from bg.words.quoting import Said, as_text, cited, inline, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Reminder(Record):
    """The text for the parent model and the line for the user."""

    text: str
    notice: str


class Told(Record):
    """What a reminder needs to know besides the signal."""

    task: Task
    brief: dict[str, str]
    items: list[Question]
    resume: str
    answer_command: str
    whole: str
    evidence: dict[str, Any]
    asked: int = 0
    qid: str = ""
    weighed: tuple[str, ...] = ()
    full: str = ""


class Payload:
    """What a signal says: each field comes out as somebody's words only."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __getitem__(self, key: str) -> Said:
        """The words of a field, empty ones where it is missing."""
        return Said(self._given.get(key))


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


def _sections(pairs: list[tuple[str, str]]) -> str:
    return "\n".join(
        f"{heading}:\n{text}" if "\n" in text or text.startswith(">") else f"{heading}: {text}"
        for heading, text in pairs
        if text.strip()
    )


def _quoted(payload: Payload, key: str, most: int = 700) -> str:
    return payload[key].quote(most)


def _named(told: Told) -> str:
    return cited(told.task.description or "", 80)


def _marks(signal: dict[str, Any]) -> list[tuple[str, str]]:
    problems = "; ".join(cited(str(item["text"])) for item in signal.get("problems", [])[:4])
    return [("Wrong with the block", problems)] if problems else []


def question_lines(item: Question) -> str:
    """One question as the parent shall put it."""
    lines = [f"> {item.label} {item.qid}: {inline(item.text, 600)}"]
    if item.context:
        lines.append(quote(f"why it matters: {item.context}", 400))
    extra = inbox.extra(item)
    for key in ("irreversible", "options", "default", "priority"):
        if extra.get(key):
            lines.append(quote(f"{key}: {as_text(extra[key])}", 300))
    lines += [phrases.ASKS_LEAVE] if inbox.asks_leave(item) else []
    return "\n".join(lines)


def _clarification(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    open_items = [item for item in told.items if item.state == "open" and inbox.kind(item) == inbox.QUESTION]
    body = [
        _sections(
            [
                ("Stopped at", _quoted(payload, "blocked_at", 300)),
                ("Reason", _quoted(payload, "reason", 300)),
                ("Done so far", _quoted(payload, "current_state", 500)),
            ]
        ),
        *[question_lines(item) for item in open_items],
        _sections([("Would unblock it", _quoted(payload, "can_resume_with", 300)), *_marks(signal)]),
    ]
    count = len(open_items)
    many = "question" if count == 1 else "questions"
    return Reminder(
        fill(
            "clarification",
            label=label,
            description=_named(told),
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
    body = _sections(
        [
            ("Blocker", _quoted(payload, "details")),
            ("Completed", _quoted(payload, "completed_work", 500)),
            ("Not done", _quoted(payload, "blocked_work", 400)),
            ("State", _quoted(payload, "state_snapshot", 500)),
            ("Needed to go on", _quoted(payload, "resume_requirements", 500)),
            ("Recovery the agent sees", _quoted(payload, "error_recovery", 400)),
            *_marks(signal),
        ]
    )
    label = told.task.label
    advice = BLOCKER_ADVICE.get(kind, "Tell the user what is needed.")
    return Reminder(
        fill(
            "stop",
            label=label,
            description=_named(told),
            kind=kind.replace("_", " "),
            body=body,
            advice=advice,
            resume=told.resume,
            choices=", ".join(recoveries.choices(kind)),
            first=recoveries.choices(kind)[0],
            answer=told.answer_command,
            qid=next((item.qid for item in told.items if inbox.kind(item) == inbox.BLOCKER), "B1"),
        ),
        f"{label} is blocked ({kind.replace('_', ' ')}): {payload['details'].inline(80)} · "
        f"{told.answer_command} {label} <what to do>",
    )


def _over(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    """STOP_WORK with the reason completion, which nobody offers: the end that it is, without a blocker."""
    label = told.task.label
    body = _sections(
        [
            ("Details", _quoted(payload, "details", 900)),
            ("Completed", _quoted(payload, "completed_work", 600)),
            ("Not done", _quoted(payload, "blocked_work", 400)),
            *_marks(signal),
        ]
    )
    slots = {"label": label, "description": _named(told), "body": body, "first": "", "choice": ""}
    text = fill("completion", status="that its work is over", **slots)
    return Reminder(text, f"{label} reports that its work is over: {payload['details'].inline(100)}")


def _delegation(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    body = _sections(
        [
            ("New task", _quoted(payload, "new_task_description")),
            ("Why", _quoted(payload, "delegation_reason", 400)),
            ("Independence", payload["independence"].cited()),
            ("Priority", payload["priority"].cited()),
            ("Context it needs", _quoted(payload, "context_required", 400)),
            ("Coordination", _quoted(payload, "coordination", 400)),
            ("Estimated duration", payload["estimated_duration"].cited()),
            *_marks(signal),
        ]
    )
    asked = payload["new_task_description"].inline(80)
    slots = {
        "label": label,
        "description": _named(told),
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
    waits = any(item.state == "answered" for item in told.items if inbox.kind(item) == inbox.DELEGATION)
    then = f"It waits for that. Resume it now: {told.resume}" if waits else "It goes on by itself."
    text = fill("denied", label=label, description=_named(told), work=work.quote(300), then=then)
    return Reminder(text, f"{label} wanted to delegate, which bg.json denies: {work.inline(80)}")


def _completion(payload: Payload, signal: dict[str, Any], told: Told) -> Reminder:
    label = told.task.label
    status = (payload["status"] or Said("completion")).among((*STATUSES, "completion"))
    disputed = bool(verdict.mismatches(told.evidence))
    asked = [(f"Asked ({name.lower()})", quote(text, 300)) for name, text in told.brief.items()]
    body = _sections(
        [
            ("Summary", _quoted(payload, "summary", 700)),
            ("Deliverables", _quoted(payload, "deliverables", 400)),
            *asked,
            ("Metrics, as it says", _quoted(payload, "metrics_achieved", 300)),
            ("Issues met", _quoted(payload, "issues_encountered", 300)),
            ("Recommendations", _quoted(payload, "recommendations", 400)),
            ("Duration", payload["total_duration"].cited()),
            *_marks(signal),
        ]
    )
    body = "\n".join(part for part in (verdict.lists(told.evidence), body) if part)
    return Reminder(
        fill(
            "completion",
            label=label,
            description=_named(told),
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
    if not text.strip():
        return Reminder(
            fill(
                "nothing",
                label=label,
                description=_named(told),
                why=reason,
                body="",
                resume=told.resume,
            ),
            f"{label} ended without a report{reason}",
        )
    checked = verdict.lists(told.evidence, prose=True)
    body = "\n".join(part for part in (checked, quote(text, 2200)) if part)
    if "[cut here" in body:
        body += f"\nThe whole text: {told.whole}"
    return Reminder(
        fill(
            "prose",
            label=label,
            description=_named(told),
            why=reason,
            body=body,
            resume=told.resume,
        ),
        " · ".join(
            part
            for part in (f"{label} ended without a signal{reason}: {inline(text, 80)}", verdict.in_short(told.evidence))
            if part
        ),
    )


def launch_anew(label: str) -> str:
    """How a task goes on without its agent, in a sentence for the parent model."""
    return (
        f"launch a new agent with a description that begins `{label}:`; the hook gives it the task, the state, "
        "the questions and the answers. Tell the user that it is a new agent."
    )


def message_how(host: versions.Host, agent: str) -> str:
    """How the parent sends an agent a message."""
    name = tools.MESSAGE.called(host.version)
    return f'call {name} with to: "{agent}" (not listed? {tools.SEARCH} `select:{name}` loads it)'


def resume_how(host: versions.Host, agent: str, label: str) -> str:
    """How this host wakes the agent, in a sentence for the parent model."""
    adds = "the hook writes the user's answers and the saved state into it, and keeps your text as your note"
    task = tools.RESUMING
    send = f"{message_how(host, agent)}; {adds}."
    again = f'call {task} with resume: "{agent}", the same subagent_type, a description and a short prompt; {adds}.'
    anew = launch_anew(label)
    ways = {
        versions.BY_MESSAGE: f"{send} If that fails, {anew}",
        versions.BY_LAUNCH: f"{again} If that fails, {anew}",
        versions.NO_WAY: f"this host cannot wake an ended agent, so {anew}",
        versions.UNKNOWN: f"{send} On a host where {task} has a `resume` parameter, use that instead. "
        f"If neither works, {anew}",
    }
    return ways[host.resume_way]
