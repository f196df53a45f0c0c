"""CLARIFICATION_NEEDED: questions that only the user can answer."""

from __future__ import annotations

import re

from bg.host import tools
from bg.ledger import inbox, user_answers
from bg.ledger.values import Item, ItemState, State
from bg.protocol import signals
from bg.signals import kinds
from bg.signals.kinds import Ask, Kind, Response, from_parent
from bg.words import briefs, phrases, replies, texts
from bg.words.quoting import beside, cited, framed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bg.ledger.file import Ledger
    from bg.ledger.inbox import Question
    from bg.ledger.user_answers import Answered
    from bg.protocol.signals import Signal
    from bg.signals.kinds import Fields, Found
    from bg.words.briefs import Short
    from bg.words.replies import Reminder, Told

RESPONSE = "CLARIFICATION_RESPONSE"
HEADING = "## CLARIFICATION RESPONSE"


class ClarificationNeeded(Kind):
    """Its agent waits for the answers, and decides unanswered questions itself."""

    said = "asked"
    counted = ("question", "questions")
    to_type = "{qid}: <answer>"
    stands = "asks"

    def state(self, signal: Signal, own: list[Signal], found: Found) -> str:
        return State.NEEDS_ANSWER

    def asks(self, book: Ledger, label: str, fields: Fields) -> list[Ask]:
        return [
            Ask(
                Item.QUESTION,
                _plain_id(question.get("question_id"), number),
                {**question, **_assumed(fields, question)},
            )
            for number, question in enumerate(fields.get("questions") or [], 1)
            if isinstance(question, dict)
        ]

    def still_asked(self, passed: list[Signal], ends_with: str) -> list[Signal]:
        """Only the last of several sets of questions; none of them if the run itself ends with a set."""
        return [] if ends_with == self.marker else passed[-1:]

    def remind(self, signal: Fields, told: Told) -> Reminder:
        payload, label = replies.Payload(signal["payload"]), told.task.label
        asked = _open(told.items)
        body = [
            replies.sections(
                [
                    ("Stopped at", replies.quoted(payload, "blocked_at", 300)),
                    ("Reason", replies.quoted(payload, "reason", 300)),
                    ("Done so far", replies.quoted(payload, "current_state", 500)),
                ]
            ),
            *[replies.question_lines(item) for item in asked],
            replies.sections(
                [("Would unblock it", replies.quoted(payload, "can_resume_with", 300)), *replies.marks(signal)]
            ),
        ]
        waits = not self._works_on(signal["payload"]) or told.task.state == State.NEEDS_ANSWER
        slots = {
            "label": label,
            "description": replies.task_name(told),
            "body": "\n".join(part for part in body if part),
        }
        if waits:
            so = phrases.NOT_SENT_ALONG if told.along else ""
            then = phrases.ANSWERED_THEN.format(so=so, way=told.resume)
            text = texts.fill("clarification", along=told.along, then=then, **slots)
        else:
            text = texts.fill("assuming", **slots)
        notice = kinds.waiting(asked, f"{told.answer_command} {label}").line(told.room) if asked else ""
        return replies.Reminder(text, notice)

    def begin_brief(self, short: Short, notice: str) -> str:
        """The first line, without the questions: these follow, each with its id."""
        count = len(_open(short.items))
        return f"{short.label} {self.stands} {count} {self.counted[count != 1]}"

    def _works_on(self, payload: Fields) -> bool:
        return signals.goes_on(self.marker, payload)

    def brief(self, payload: Fields, short: Short) -> list[str]:
        way = phrases.BRIEFLY_ASSUMES if self._works_on(payload) else phrases.BRIEFLY_ASK
        return [*briefs.questions(_open(short.items)), way.format(ask=tools.ASK, then=short.then)]

    def woken(self, items: list[Question], payload: Fields, typed: str) -> Response:
        asked = _open(items)
        if not asked or not typed.strip():
            return from_parent(typed, kind=RESPONSE, heading=HEADING)
        lines = [HEADING, "", phrases.PASSED_ON]
        for row in asked:
            lines += ["", f"{row.qid}: {beside(row.text)}"]
            lines += [f"{_number(row)}: {phrases.NOT_BY_PASSING_ON}"] if inbox.asks_leave(row) else []
        numbers = ", ".join(_number(row) for row in asked if not inbox.asks_leave(row))
        lead = [f"{numbers}, {phrases.AS_PASSED_ON}"] if numbers else ["", phrases.NOTE_BESIDE]
        return Response(RESPONSE, ["\n".join([*lines, *lead, *framed(typed.strip())])])

    def answer(self, book: Ledger, answered: list[Answered], items: list[Question], payload: Fields) -> Response:
        run = answered[-1].run
        said = {row.id: row for row in answered}
        questions = [row for row in items if inbox.kind(row) == Item.QUESTION]
        asked = [row for row in questions if row.id in said or (row.run == run and not inbox.assumed(row))]
        lines = [HEADING, "", _lead([said.get(row.id) for row in asked])]
        for row in asked:
            lines += ["", f"{row.qid}: {beside(row.text)}", f"{_number(row)}: {_answer(row, said.get(row.id))}"]
            lines += [phrases.WENT_ON_UNDER.format(words=cited(inbox.assumed(row)))] if inbox.assumed(row) else []
        return Response(RESPONSE, ["\n".join(lines)])

    def ways_to_answer(self, item: Question, command: str) -> list[str]:
        typed = f"{command} {item.label}"
        return [f"{typed} {item.qid}: <your answer>", f"{typed} {item.qid}: skip", f"{typed} go"]

    def gist(self, payload: Fields) -> str:
        """The ids of its questions."""
        questions = payload.get("questions")
        asked = [each for each in questions if isinstance(each, dict)] if isinstance(questions, list) else []
        return ", ".join(str(each["question_id"]) for each in asked if each.get("question_id"))


def _open(items: list[Question]) -> list[Question]:
    return [item for item in items if item.state == ItemState.OPEN and inbox.kind(item) == Item.QUESTION]


def _lead(given: list[Answered | None]) -> str:
    answers = [each is not None and each.how != user_answers.SKIP for each in given]
    if not any(answers):
        return "The user answers none of your questions and lets you go on:"
    if None in given:
        return "The user has answered some of your questions:"
    return "Your questions have been answered by the user:"


def _assumed(fields: Fields, question: Fields) -> Fields:
    """The assumption under which the agent works on without this answer; empty if it waits."""
    words = question.get("continue_with") or fields.get("continue_with")
    return {"continue_with": words if signals.goes_on(KIND.marker, fields) else ""}


def _number(row: Question) -> str:
    """The id of the answer to a question."""
    return f"A{row.qid[1:] if row.qid[:1] == 'Q' else row.qid}"


def _plain_id(given: Any, number: int) -> str:
    """The question's own id if it is simple enough for our sentences and for typing; else one made of its number."""
    words = given.strip() if isinstance(given, str) else ""
    return words if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,11}", words, re.ASCII) else f"Q{number}"


def _answer(row: Question, answer: Answered | None) -> str:
    if answer is not None and answer.how != user_answers.SKIP:
        return answer.said
    if inbox.asks_leave(row):
        return "(the user has not allowed it: do not do it, and say in your report what is left undone)"
    if answer is None:
        return "(not answered: take a reasonable default, and say in your report which)"
    default = inbox.extra(row).get("default")
    return f"(the user leaves this to you: take your default{f', {cited(str(default))}' if default else ''})"


KIND = ClarificationNeeded("CLARIFICATION_NEEDED")
