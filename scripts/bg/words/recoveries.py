"""Recoveries: the ways to go on after a stop, each as one plan, from which every sentence about it is made."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.record import Record
from bg.words.quoting import DECIDED, as_text, begun, cited, framed, inline, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

RETRY, SKIP, HAND_OVER, REDUCE, RESTART, AS_IT_IS = "retry", "skip", "hand over", "reduce", "restart", "continue"
RESOLVED = "resolved"  # somebody says that the obstacle is gone
OWN = "answer"  # the user's own words, which name none of these
LEFT = "left"  # the user lets it go on and says nothing about the blocker
PARTS = "parts"  # the parent has handed out parts, unasked

# The recoveries that are offered, the likeliest first; a dialog takes four.
BY_BLOCKER = {
    "missing_info": (RETRY, SKIP, REDUCE),
    "external_dependency": (RETRY, SKIP, HAND_OVER),
    "error": (RETRY, SKIP, HAND_OVER, RESTART),
    "resource_limit": (REDUCE, HAND_OVER, AS_IT_IS),
}
ANY = (RETRY, SKIP, HAND_OVER, RESTART)
# A name is the whole answer, or its beginning with a clear end, followed by details. "Skip" may name its object.
_NAMES = {
    RESOLVED: "resolved|fixed",
    RETRY: "retry|try again",
    SKIP: "skip|skip it|skip that|skip this",
    HAND_OVER: "hand over|hand it over|handover|delegate|delegate it|hand to another agent",
    REDUCE: "reduce|reduce scope|reduce the scope",
    RESTART: "restart|start over|begin again",
    AS_IT_IS: "continue|continue as it is|go on as it is",
}
_END = r"\s*(?:$|[:,;.\n(!–—-])[\s:,;.!–—-]*"
_MARK = pattern(r"\s*(?:(?:[-*+•✗✘×☐]|\[[ x]\]|x|\d{1,3}[.)])\s+)+", re.IGNORECASE)


class Plan(Record):
    """The effect of a recovery on the work of the agent that stopped.

    `aside` is left out or handed over, `on` is done next and `after` follows; all are empty if only the words, or only
    the agent, can tell.
    """

    how: str
    said: str = ""  # the words beyond the name
    listed: tuple[str, ...] = ()  # the work that the agent had not done when it stopped
    aside: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    restores: bool = True  # it goes on from its checkpoint, not from the start
    fixed: bool = False  # somebody says that the cause is gone
    error: bool = False


def read(text: str) -> tuple[str, str]:
    """The recovery that a text names, and the words beyond its name; an empty name and the text if it names none."""
    for name, spelled in _NAMES.items():
        found = re.match(rf"\s*(?:{spelled}){_END}", text, re.IGNORECASE)
        if found:
            return name, text[found.end() :].strip()
    is_object = re.match(r"\s*skip\s+\S", text, re.IGNORECASE) and "\n" not in text.strip()
    return (SKIP if is_object else "", text.strip())


def entries(said: Any) -> tuple[str, ...]:
    """The entries of an agent's list, one to a line; a line that continues the one before is joined to it."""
    found: list[str] = []
    for line in _rows(as_text(said)) if said else ():
        mark = _MARK.match(line)
        words = line[mark.end() if mark else 0 :].strip()
        if found and not mark and (line[:1].isspace() or found[-1].endswith(",")):
            found[-1] += f" {words}"
        elif words and not words.endswith(":"):
            found.append(words)
    return tuple(found)


def _rows(text: str) -> list[str]:
    """The lines of a list; a list on a single line is divided at its semicolons."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].split("; ") if len(lines) == 1 else lines


def plan(how: str, said: str, payload: Payload) -> Plan:
    """The plan for the recovery `how` after this stop; `said` is all that somebody said about it.

    If `said` has words beyond the recovery's name, these decide. Without them an error divides the listed work, whose
    field asks for the failed step first; how much any other blocker stops, only its agent knows.
    """
    name, beyond = read(said)
    words, listed = beyond if how == name else said.strip(), entries(payload.get("blocked_work"))
    bare = Plan(how, words, listed, restores=how != RESTART, fixed=how == RESOLVED, error=_is_error(payload))
    return bare if words or how not in _PLANS else _PLANS[how](bare, payload)


def _again(bare: Plan, payload: Payload) -> Plan:
    failed, rest = _divided(bare.listed, payload)
    return bare._replace(on=failed or bare.listed, after=rest)


def _without(bare: Plan, payload: Payload) -> Plan:
    failed, rest = _divided(bare.listed, payload)
    return bare._replace(aside=failed, on=rest)


def _by_another(bare: Plan, payload: Payload) -> Plan:
    failed, rest = _divided(bare.listed, payload)
    is_known = not bare.error or len(bare.listed) == 1
    return bare._replace(aside=bare.listed if is_known else failed, on=rest)


def _as_it_is(bare: Plan, payload: Payload) -> Plan:
    """A limit can be accepted and exceeded; the lack of anything else cannot, so the agent goes on with what it has."""
    return _again(bare, payload) if payload.get("blocker_type") == "resource_limit" else bare._replace(how=LEFT)


_PLANS = {RESOLVED: _again, RETRY: _again, SKIP: _without, HAND_OVER: _by_another, AS_IT_IS: _as_it_is}


def _is_error(payload: Payload) -> bool:
    return payload.get("blocker_type") == "error"


def _divided(listed: tuple[str, ...], payload: Payload) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The failed step, which is listed first, and the rest; both empty if the error rather names another step."""
    if not _is_error(payload) or len(listed) < 2:
        return (), ()
    error = _words(payload.get("details"))
    named = [len(_words(each) & error) for each in listed]
    return (listed[:1], listed[1:]) if named[0] == max(named) else ((), ())


def _words(text: Any) -> set[str]:
    return set(re.findall(r"\w+", str(text or "").casefold()))


# The recoveries on offer


def choices(blocker: str) -> tuple[str, ...]:
    """The recoveries that are offered for a blocker of this type."""
    return BY_BLOCKER.get(blocker, ANY)


def options(stop: Payload) -> list[tuple[str, str]]:
    """The recoveries offered for a stop, as options of a dialog: a title, and the consequence."""
    found = choices(str(stop.get("blocker_type") or ""))
    follows = [line(plan(name, "", stop)) for name in found]
    return [(name.capitalize(), said[:1].upper() + said[1:]) for name, said in zip(found, follows)]


# To the parent and the user


def line(way: Plan) -> str:
    """The consequence of a plan, in a sentence about the agent."""
    slots = {"words": inline(way.said, 120), "aside": listing(way.aside, 120), "on": _next(way, 120)}
    if way.said:
        return _LINES_BY_WORDS.get(way.how, _LINES_BY_WORDS[OWN]).format(**slots)
    if way.how == HAND_OVER and _handed(way) == FAILED:
        return _LINE_OF_WHAT_FAILED
    named = _LINES_DIVIDED if way.aside and way.on else _LINES_NAMED if way.aside or way.on else {}
    return {**_LINES, **named}[way.how].format(**slots)


_LINES = {
    RESOLVED: "it checks that where it can, and goes on",
    RETRY: "it tries again, though nobody has said that the cause is gone",
    SKIP: "it leaves out what is in the way, logs that in SKIPPED_ITEMS.md, and goes on with the rest",
    HAND_OVER: "another agent does what is left, and this one reports what is done",
    REDUCE: "it does less: what to leave out is asked next",
    RESTART: "it begins again from the start, with what is known now",
    AS_IT_IS: "it goes on as it is, at the cost that it named",
    LEFT: "it goes on with what there is, in spite of the issue",
}
_LINES_NAMED = {
    RETRY: "it tries again, though nobody has said that the cause is gone: {on}",
    HAND_OVER: "another agent does {aside}, and this one goes on with whatever else there is",
    AS_IT_IS: "it goes on, at the cost that it named, with {on}",
}
_LINES_DIVIDED = {
    SKIP: "it leaves out {aside}, logs that in SKIPPED_ITEMS.md, and goes on with {on}",
    HAND_OVER: "another agent does {aside}, and this one goes on with {on}",
}
_LINE_OF_WHAT_FAILED = "another agent does what failed, and this one goes on with the rest"
_LINES_BY_WORDS = {
    RESOLVED: "it checks that where it can, and goes on",
    RETRY: "it tries again, by these words",
    SKIP: "it leaves out what these words name, logs that in SKIPPED_ITEMS.md, and goes on with the rest",
    HAND_OVER: "another agent gets what these words hand over, and this one goes on with the rest",
    REDUCE: "it does what these words leave of its task, and no more",
    RESTART: "it begins again from the start, by these words",
    AS_IT_IS: "it goes on, by these words",
    OWN: "it gets them as its instruction",
}


def listing(found: tuple[str, ...], most: int = 300) -> str:
    """Entries of an agent's list, quoted for use within a sentence."""
    return "; ".join(cited(each, most) for each in found)


def _next(way: Plan, most: int = 300) -> str:
    """The work that is done next, and the work after it."""
    return ", then ".join(listing(each, most) for each in (way.on, way.after) if each)


# To the agent

_TO_TYPE = {RESOLVED: "resolved: <what was done>", REDUCE: "reduce: <what to leave out>"}


def to_type(name: str) -> str:
    """A recovery as the user types it."""
    return _TO_TYPE.get(name, name)


_HEADINGS = {
    RESOLVED: "## BLOCKER RESOLVED",
    RETRY: "## RETRY",
    SKIP: "## SKIP",
    HAND_OVER: "## PARTIAL RESUME",
    PARTS: "## PARTIAL RESUME",
    REDUCE: "## SCOPE REDUCED",
    RESTART: "## RESTART",
    AS_IT_IS: "## CONTINUE AS IT IS",
    OWN: "## THE USER'S DECISION",
    LEFT: "## GO ON",
}
_OF_AN_ERROR = {RESOLVED: "## ERROR FIXED", SKIP: "## ERROR RECOVERY: SKIP", OWN: "## ERROR RECOVERY"}
_LOG = (
    "Log each thing that you leave out, with its reason, in SKIPPED_ITEMS.md in your working directory, and name that "
    "file in your report."
)
_LOOK = "Look at what the first try left on disk: keep what is right, replace what is not."
_AGAIN = "If it fails in the same way, stop again and say what you tried."
_LEAVE = "Leave it and its files alone, and go on with the rest of your task"
_NOTHING_LEFT = "Where nothing is left that you can do, report what is done and what you have handed over."
# The instruction to the agent, if the words say what is meant, if only the agent's list does, and if neither does.
_BY_WORDS = {
    RESOLVED: (
        "Check it where you can, then go on from your checkpoint with what had to wait. Where these words say "
        "otherwise, go by them."
    ),
    RETRY: f"Go back to your checkpoint and try again, as these words say. {_AGAIN}",
    SKIP: f"Leave out what these words name, and nothing else. {_LOG}\nGo on with what comes after it.",
    HAND_OVER: f"What these words hand over now belongs to {{who}}. {_LEAVE}. {_NOTHING_LEFT}",
    REDUCE: (
        "What these words leave out is no longer part of your task, and your report names it as left out. Do what "
        "they leave of it, and no more."
    ),
    RESTART: f"Begin the task again from its start, as these words say, with what you know now. {_LOOK}",
    AS_IT_IS: "Go on from your checkpoint, as these words say.",
    OWN: (
        "Go by these words; they come before everything that you had planned or listed. Where they leave something "
        "open, decide it yourself and name what you assumed."
    ),
}
_BY_LIST = {
    RESOLVED: "Check it where you can, then go on from your checkpoint with what had to wait: {on}.",
    RETRY: f"Nobody has said that the cause is gone. Go back to your checkpoint and try again: {{on}}. {_AGAIN}",
    SKIP: (
        f"Leave this out: {{aside}}.\n{_LOG}\nGo on with: {{on}}. What of that cannot be done without it, leave out "
        "and log too."
    ),
    HAND_OVER: f"This now belongs to {{who}}: {{aside}}.\n{_LEAVE}. {_NOTHING_LEFT}",
    AS_IT_IS: "The user accepts what you warned of. Go on from your checkpoint with: {on}.",
}
_HANDED_AND_REST = (
    "This part now belongs to {who}: {aside}.\nLeave it and its files alone, and go on with: {on}. Where that needs "
    "the other part first, report what is done and what waits for it."
)
_FAILED = f"What failed now belongs to {{who}}. {_LEAVE}. {_NOTHING_LEFT}"
_PLAIN = {
    RESOLVED: "Check it where you can, then go on from your checkpoint.",
    RETRY: f"Nobody has said that the cause is gone. Go back to your checkpoint and try again. {_AGAIN}",
    SKIP: f"Leave out only what the blocker stops. {_LOG}\nGo on with the rest of your task.",
    HAND_OVER: "What is left of your task now belongs to {who}. Start nothing new: report what is done.",
    PARTS: (
        "Parts of your task belong to {who}, as your parent agent decided. Leave these and their files alone; what "
        f"is not among them is yours. {_NOTHING_LEFT}"
    ),
    RESTART: f"Begin the task again from its start, with what you know now. {_LOOK}",
    AS_IT_IS: "The user accepts what you warned of. Go on from your checkpoint.",
    LEFT: (
        "The user lets you go on with what there is. Do what can be done in spite of the issue; your report names what "
        "is left out and what you assumed."
    ),
}


def about(payload: Payload) -> str:
    """The issue that the parent's message to a stopped agent replies to; empty if the agent named none."""
    issue = payload.get("details")
    return named("Issue:", issue) if isinstance(issue, str) and issue.strip() else ""


USER, PARENT = "the user's words", "your parent agent's words, not the user's"


def section(way: Plan, issue: str, words: str, asked: str = "", who: str = "", by: str = USER) -> str:
    """The response to a blocker: its heading, the issue, somebody's words about it, and the instruction that follows.

    `words` may be empty; `asked` is the agent's own statement of its needs.
    """
    heading = (_OF_AN_ERROR if way.error else {}).get(way.how) or _HEADINGS[way.how]
    lines = [heading, "", named("Issue:", issue)]
    if asked.strip() and way.how in (OWN, RESOLVED, LEFT):
        lines.append("You had asked for:\n" + "\n".join(framed(asked.strip())))
    if words.strip():
        # The user's words are given exactly as they are; those of another model are framed.
        said = words.strip() if by == USER else "\n" + "\n".join(framed(words.strip()))
        lines.append(f"{'Resolution' if way.fixed else 'Decision'} ({by}): {said}".replace(": \n", ":\n", 1))
    return "\n".join([*lines, _told(way).format(on=_next(way), aside=listing(way.aside), who=who)])


def _told(way: Plan) -> str:
    if way.said and way.how in _BY_WORDS:
        return _BY_WORDS[way.how]
    if way.how == HAND_OVER and (way.on or _handed(way) == FAILED):
        return _HANDED_AND_REST if way.on else _FAILED
    known = way.on or way.aside
    return _BY_LIST[way.how] if known and way.how in _BY_LIST else _PLAIN.get(way.how, _PLAIN[LEFT])


def first_step(way: Plan) -> str:
    """The agent's first step under this plan, in a few words; empty if nobody has named one."""
    if way.how == RESTART:
        return "the start of your task"
    if not way.on or way.said:
        return ""
    if way.how == SKIP:
        return f"log {listing(way.aside)}, then {cited(way.on[0], 300)}"
    return cited(way.on[0], 300)


def then(way: Plan) -> str:
    """What the agent does after `first_step`, as one word: report or continue."""
    return "report" if way.how == HAND_OVER and _handed(way) == REST else "continue"


# To the agent that takes work over, and to the parent that launches that agent


# The kinds of work that is handed over.
PART, WORDS, FAILED, REST = "part", "words", "what failed", "rest"
_LAUNCH = {
    PART: "The user hands this of {label}'s work to another agent, and nothing else; behind `>` in its words:",
    WORDS: (
        "The user hands work of {label} to another agent, in these words: {words}. {behind}; hand over what the user "
        "means of it, and nothing else:"
    ),
    FAILED: (
        "The user hands what {label} failed at to another agent: {issue}. {behind}; hand over what failed, and nothing "
        "else:"
    ),
    REST: "The user hands what is left of {label}'s work to another agent. {behind}:",
}
_LISTED = "All that {label} had not done is behind `>` in its words"
_UNLISTED = "The whole task, and what {label} had done of it, is behind `>`"
_BESIDE = {
    PART: "It leaves this to you, and goes on with what else it has: keep to this task.",
    WORDS: "It leaves this to you, and goes on with the rest: keep to this task.",
    FAILED: "It leaves this to you, and goes on with the rest: keep to this task.",
    REST: "It does no more of it.",
}


def _handed(way: Plan) -> str:
    """The kind of work handed over: a known part, the user's own words, the failed step, or all that is left."""
    if way.said:
        return WORDS
    return REST if not way.listed else PART if way.aside else FAILED


def work(way: Plan, task: str) -> str:
    """The work handed over, in the agent's words: the part, else all that it had not done, else the task itself."""
    return "\n".join(way.aside or way.listed) or task


def beside_it(way: Plan) -> str:
    """The sentence to the agent that gets the work, on what the stopped agent does meanwhile."""
    return _BESIDE[_handed(way)].format(on=_next(way))


def launch(way: Plan, label: str, task: str, payload: Payload) -> str:
    """The instruction to the parent to launch an agent for the work of this label."""
    what = _handed(way)
    issue = cited(str(payload.get("details") or ""), 300)
    behind = (_LISTED if way.listed else _UNLISTED).format(label=label)
    lead = _LAUNCH[what].format(label=label, words=cited(way.said, 400), issue=issue, behind=behind)
    done = "" if way.listed else str(payload.get("completed_work") or "")
    given = begun("\n".join(filter(None, [work(way, task), done and f"Done: {done}"])), DECIDED)
    return "\n".join([lead, *framed(given)])
