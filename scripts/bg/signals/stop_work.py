"""STOP_WORK: the work has met an obstacle that somebody else has to clear."""

from __future__ import annotations

from bg.host import tools
from bg.ledger import delegations, inbox
from bg.ledger.file import first_of
from bg.ledger.values import Item, State
from bg.signals import delegation
from bg.signals.kinds import STOP, Ask, Kind, Response, from_parent
from bg.words import briefs, outcome, phrases, recoveries, replies, texts
from bg.words.outcome import Outcome
from bg.words.quoting import Said, cited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.file import Ledger
    from bg.ledger.inbox import Question
    from bg.ledger.tasks import Task
    from bg.ledger.user_answers import Answered
    from bg.protocol.signals import Signal
    from bg.signals.kinds import Fields, Found
    from bg.words.briefs import Short
    from bg.words.replies import Payload, Reminder, Told

COMPLETION = "completion"
# The stop reasons that our own sentences use as they are; any other reason is quoted as the words of the agent.
REASONS = ("blocker", "error", COMPLETION)
ADVICE = {
    "missing_info": "If you know the missing information from this conversation, pass it on; otherwise ask the user.",
    "external_dependency": (
        "If you can provide it here without a risk the user has not agreed to, do so; "
        "otherwise tell the user what is needed."
    ),
    "error": (
        "Look at the error: repair its cause, if you can without a risk the user has not agreed to; otherwise the user "
        "decides."
    ),
    "resource_limit": "What that costs, in time or in work left out, is for the user to decide.",
}
# The fields of a blocker that a dialog shows besides its text.
_SHOWN = ("blocker_type", "blocked_work", "error_recovery")


class StopWork(Kind):
    """Its agent waits, unless the reason is `completion`: agents are not offered that one, but it ends the work."""

    said = "stopped"
    counted = ("blocker", "blockers")
    to_type = "<what to do>"
    stands = "blocked"

    def is_over(self, fields: Fields) -> bool:
        return str(fields.get("stop_reason", "")) == COMPLETION

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        """A stop for completion is partial, not a success: it declares nothing in a form that could be checked."""
        return State.PARTIAL if self.is_over(signal.fields) else State.BLOCKED

    def better(self, fields: Fields) -> str:
        return "STOP_WORK with stop_reason completion is said with COMPLETION_REPORT" if self.is_over(fields) else ""

    def asks(self, book: Ledger, label: str, fields: Fields) -> list[Ask]:
        if self.is_over(fields):
            return []
        given = {
            "text": str(fields.get("details") or fields.get("stop_reason") or "blocked"),
            "context": str(fields.get("resume_requirements") or ""),
            **{key: fields[key] for key in _SHOWN if fields.get(key)},
            # Not named `options`: the options of a question are answers of one word.
            **({"ways": fields["options"]} if fields.get("options") else {}),
        }
        return [Ask(Item.BLOCKER, "B1", given)]

    def remind(self, signal: Fields, told: Told) -> Reminder:
        payload, label = replies.Payload(signal["payload"]), told.task.label
        if payload["stop_reason"].among(REASONS) == COMPLETION:
            return _over(payload, signal, told)
        named = payload["blocker_type"] or payload["stop_reason"] or Said("blocker")
        kind = named.among((*ADVICE, *REASONS))
        body = replies.sections(
            [
                ("Blocker", replies.quoted(payload, "details")),
                ("Completed", replies.quoted(payload, "completed_work", 500)),
                ("Not done", replies.quoted(payload, "blocked_work", 400)),
                ("State", replies.quoted(payload, "state_snapshot", 500)),
                ("Needed to go on", replies.quoted(payload, "resume_requirements", 500)),
                ("Recovery the agent sees", replies.quoted(payload, "error_recovery", 400)),
                ("Ways to go on that the agent sees", replies.quoted(payload, "options", 400)),
                *replies.marks(signal),
            ]
        )
        text = texts.fill(
            "stop",
            label=label,
            description=replies.task_name(told),
            kind=kind.replace("_", " "),
            body=body,
            advice=ADVICE.get(kind, "Tell the user what is needed."),
            resume=told.resume,
            choices=", ".join(recoveries.choices(kind)),
            first=recoveries.choices(kind)[0],
            answer=told.answer_command,
            qid=_qid(told.items),
        )
        beside = f"{told.answer_command} {label} {self.to_type}"
        said = Outcome(label, self.stands, "needs", theirs=self.gist(signal["payload"]), beside=(beside,))
        return replies.Reminder(text, said.line(told.room))

    def outcome(self, task: Task, payload: Fields, evidence: Fields) -> Outcome:
        return Outcome(task.label, outcome.in_a_word(State.PARTIAL), "needs", theirs=self.gist(payload))

    def brief(self, payload: Fields, short: Short) -> list[str]:
        needed = str(payload.get("resume_requirements") or "")
        lines = [phrases.BRIEFLY_NEEDED.format(words=cited(needed, briefs.LINE))] if needed else []
        name, named = f"{short.label} {_qid(short.items)}", recoveries.choices(str(payload.get("blocker_type") or ""))
        ways = phrases.BRIEFLY_BLOCKED.format(ask=tools.ASK, name=name, choices=", ".join(named), then=short.then)
        return [*lines, ways]

    def woken(self, items: list[Question], payload: Fields, typed: str) -> Response:
        if recoveries.read(typed)[0] != recoveries.RESOLVED:
            return from_parent(typed, recoveries.about(payload))
        way = recoveries.plan(recoveries.RESOLVED, typed, payload)
        issue, asked = str(payload.get("details") or ""), str(payload.get("resume_requirements") or "")
        return recovered(way, [recoveries.section(way, issue, typed, asked, by=recoveries.PARENT)])

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        ways = [_plan(row, payload) for row in answered]
        sections = [_section(book, row, way, payload) for row, way in zip(answered, ways)]
        return recovered(ways[-1], sections)

    def decided(self, row: Answered) -> str:
        follows = recoveries.line(_plan(row, inbox.extra(row)))
        said = cited("go" if row.source == "go" else row.said, 200)
        return phrases.DECIDED.format(name=f"{row.label} {row.qid}", words=said, follows=follows)

    def ways_to_answer(self, item: Question, command: str) -> list[str]:
        typed = f"{command} {item.label}"
        named = recoveries.choices(str(inbox.extra(item).get("blocker_type") or ""))
        return [
            f"{typed} <what to do>",
            *[f"{typed} {recoveries.to_type(name)}" for name in (*named, recoveries.RESOLVED)],
        ]

    def gist(self, payload: Fields) -> str:
        return super().gist(payload) or super().gist({"details": payload.get("stop_reason")})


def _qid(items: list[Question]) -> str:
    return next((item.qid for item in items if inbox.kind(item) == Item.BLOCKER), "B1")


def _over(payload: Payload, signal: Fields, told: Told) -> Reminder:
    """The reminder of a stop for completion."""
    label = told.task.label
    body = replies.sections(
        [
            ("Details", replies.quoted(payload, "details", 900)),
            ("Completed", replies.quoted(payload, "completed_work", 600)),
            ("Not done", replies.quoted(payload, "blocked_work", 400)),
            *replies.marks(signal),
        ]
    )
    slots = {"label": label, "description": replies.task_name(told), "body": body, "first": "", "choice": ""}
    text = texts.fill("completion", status="that its work is over", **slots)
    return replies.Reminder(text, KIND.outcome(told.task, signal["payload"], told.evidence).line(told.room))


def _plan(row: Answered, payload: Fields) -> recoveries.Plan:
    """The plan that follows from the user's answer; a `go` has no words."""
    if row.source == "go":
        return recoveries.plan(recoveries.LEFT, "", payload)
    return recoveries.plan(row.how, row.said, payload)


def _section(book: Ledger, row: Answered, way: recoveries.Plan, payload: Fields) -> str:
    one = first_of(delegations.find(book, question=row.id))
    who = delegation.names_and_work(delegations.workers(book, one)) or one.worker if one else ""
    words = "" if row.source == "go" else row.said
    return recoveries.section(way, row.text, words, str(payload.get("resume_requirements") or ""), who)


def recovered(way: recoveries.Plan, sections: list[str]) -> Response:
    """The response that wakes an agent to go on by this plan."""
    kind = "BLOCKER_RESOLVED" if way.fixed else "ERROR_RECOVERY" if way.error else "BLOCKER_RESPONSE"
    lists = bool(way.on or way.aside) and way.how != recoveries.RESTART
    return Response(kind, sections, recoveries.first_step(way), way.restores, lists, then=recoveries.then(way))


KIND = StopWork(STOP)
