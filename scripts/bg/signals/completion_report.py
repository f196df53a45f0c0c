"""COMPLETION_REPORT: the work is over; its claims are compared with the evidence."""

from __future__ import annotations

from bg.ledger.values import State
from bg.signals.kinds import REPORT, Kind
from bg.words import briefs, outcome, phrases, replies, texts, verdict
from bg.words.outcome import Outcome
from bg.words.quoting import Said, cited, quote, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.tasks import Task
    from bg.protocol.signals import Signal
    from bg.signals.kinds import Fields, Found
    from bg.words.briefs import Short
    from bg.words.replies import Reminder, Told

STATES = {"success": State.DONE, "partial_success": State.PARTIAL, "failed": State.FAILED}
UNFINISHED = ("partial_success", "failed")


class CompletionReport(Kind):
    """Its agent is woken again only if the user wants more from it."""

    said = "reported"
    duration = "total_duration"

    def is_over(self, fields: Fields) -> bool:
        return True

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        if found.disputed:
            return State.DISPUTED
        said = STATES.get(str(signal.fields.get("status", "")), State.PARTIAL)
        return State.PARTIAL if found.lacking and said == State.DONE else said

    def remind(self, signal: Fields, told: Told) -> Reminder:
        payload, label = replies.Payload(signal["payload"]), told.task.label
        status = (payload["status"] or Said("completion")).among((*STATES, "completion"))
        disputed = bool(verdict.mismatches(told.evidence))
        is_open = disputed or status in UNFINISHED or bool(verdict.not_there(told.evidence))
        asked = [(f"Asked ({name.lower()})", quote(text, 300)) for name, text in told.brief.items()]
        body = replies.sections(
            [
                ("Summary", replies.quoted(payload, "summary", 700)),
                ("Deliverables", replies.quoted(payload, "deliverables", 400)),
                *asked,
                ("Metrics, as it says", replies.quoted(payload, "metrics_achieved", 300)),
                ("Issues met", replies.quoted(payload, "issues_encountered", 300)),
                ("Recommendations", replies.quoted(payload, "recommendations", 400)),
                ("Duration", payload[self.duration].cited()),
                *replies.marks(signal),
            ]
        )
        words = status.replace("_", " ")
        text = texts.fill(
            "completion",
            label=label,
            description=replies.task_name(told),
            status=phrases.DISPUTED.format(status=words) if disputed else words,
            body="\n".join(part for part in (verdict.lists(told.evidence), body) if part),
            first=phrases.DISPUTED_FIRST if disputed else "",
            choice=phrases.CHOICE.format(resume=told.resume) if is_open else "",
        )
        return replies.Reminder(text, self.outcome(told.task, signal["payload"], told.evidence).line(told.room))

    def outcome(self, task: Task, payload: Fields, evidence: Fields) -> Outcome:
        """The refuted claims, if any; else the demands that a claimed success leaves unmet; else the agent's words."""
        state = STATES.get(str(payload.get("status") or ""), State.PARTIAL)
        said = Outcome(task.label, outcome.in_a_word(state), outcome.style_of(state), theirs=super().gist(payload))
        if verdict.mismatches(evidence):
            stands, style = outcome.in_a_word(State.DISPUTED), outcome.style_of(State.DISPUTED)
            return Outcome(task.label, stands, style, verdict.refuted(evidence), beside=verdict.unchecked(evidence))
        if state != State.DONE:
            return said._replace(beside=verdict.beside(evidence)) if state == State.PARTIAL else said
        wanting = verdict.wanting(evidence)
        if wanting:
            return Outcome(task.label, phrases.DONE_BUT, "needs", wanting, beside=verdict.beside(evidence))
        stands = f"{said.stands} ✓" if verdict.is_seen(evidence) else said.stands
        return said._replace(stands=stands, beside=verdict.beside(evidence))

    def gist(self, payload: Fields) -> str:
        summary = super().gist(payload)
        return f"{str(payload.get('status') or '').replace('_', ' ')}: {summary}".lstrip(": ") if summary else ""

    def brief(self, payload: Fields, short: Short) -> list[str]:
        words = cited(spoken(str(payload.get("summary") or "")), 2 * briefs.LINE)
        is_said = words == cited("") or words in short.heading
        return [*([] if is_said else [phrases.BRIEFLY_SUMMARY.format(words=words)]), *super().brief(payload, short)]


KIND = CompletionReport(REPORT)
