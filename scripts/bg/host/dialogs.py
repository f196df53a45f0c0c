"""Dialogs: the questions of a call that asks the user, and the user's answers."""

from __future__ import annotations

from bg.host.event import Event, mapping, text_of, texts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADER = 12
# The host adds these to the call once the user has chosen. A call that comes with them counts as answered if a hook
# allows every tool.
_ANSWERS = ("answers", "annotations")


def questions_of(event: Event) -> list[dict[str, Any]]:
    """The questions that the call puts to the user."""
    found = event.tool_input.get("questions")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def wording(question: dict[str, Any]) -> str:
    """The text of a question as the user reads it."""
    return str(question.get("question") or "")


def reworded(question: dict[str, Any], words: str, header: str) -> dict[str, Any]:
    """The question in other words, with its options; the host shows only the first letters of a header."""
    return {**question, "question": words, "header": header[:HEADER]}


def options_of(question: dict[str, Any]) -> list[str]:
    """The answers that a question offers."""
    found = question.get("options")
    listed = found if isinstance(found, list) else []
    return [text_of(mapping(option).get("label")) or text_of(option) for option in listed]


def with_options(question: dict[str, Any], options: list[tuple[str, str]]) -> dict[str, Any]:
    """The question with other options to choose from, each with its meaning."""
    return {**question, "options": [{"label": label, "description": meaning} for label, meaning in options]}


def questions_with(event: Event, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """The call's input with other questions."""
    return {**event.tool_input, "questions": questions}


def own_answers(event: Event) -> str:
    """The answers that the call itself holds, which a host may take for the user's; empty if it holds none."""
    return "; ".join(texts_in([event.tool_input.get(key) for key in _ANSWERS]))


def without_answers(tool_input: dict[str, Any], mark: str) -> dict[str, Any]:
    """The call's input without answers, and with a mark, which the host keeps and shows to nobody."""
    return {**{key: value for key, value in tool_input.items() if key not in _ANSWERS}, "metadata": {"source": mark}}


def shows_mark(event: Event, mark: str) -> bool:
    """Whether the host carried out the call with this mark, which is the one without answers of its own."""
    return mapping(event.tool_input.get("metadata")).get("source") == mark


def answers_of(event: Event) -> dict[str, str]:
    """The user's answers, keyed by the question as the user saw it, with the notes that the user added to a choice."""
    response = mapping(event.tool_response)
    # 2.1.327 brings the notes beside the answers.
    notes = mapping(response.get("annotations"))
    return {
        key: "\n".join(part for part in (value, text_of(mapping(notes.get(key)).get("notes"))) if part.strip())
        for key, value in mapping(response.get("answers")).items()
        if isinstance(value, str)
    }
