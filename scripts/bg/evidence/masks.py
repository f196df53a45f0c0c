"""What hides how a command ended, and what its own line says of that: pipes, `|| true`, words that it prints itself."""

from __future__ import annotations

import re

from bg.evidence import programs, shell
from bg.evidence.calls import Call
from bg.evidence.shell import Step
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

PREPARING = {
    "cd",
    "set",
    "export",
    "mkdir",
    "source",
    ".",
    "pushd",
    "popd",
    "unset",
    "ulimit",
    "umask",
    "sleep",
    "rm",
    "nvm",
}
CLOSING = {"fi", "done", "esac", "}", "popd"}
WHOLE = {"tail", "tee", "cat", "ts", "less", "more", "sort", "uniq", "nl"}
STATUS = pattern(r"\$\?|\$\{?PIPESTATUS|\$\{?pipestatus")


def prepares(step: Step) -> bool:
    """Whether a step only gets something ready, or says something."""
    return all(part.program in PREPARING | CLOSING | {"echo", "printf", "true", ":"} for part in step.parts)


def hidden(steps: list[Step], at: int) -> str:
    """What hides how a step ended: a pipe, a filter, another command; empty where nothing does."""
    inside = _hidden_within(steps[at])
    if inside:
        return inside
    if at and "(" in steps[at - 1].sign and steps[at - 1].parts and steps[at - 1].parts[-1].program[-1:] in ("$", "<"):
        return "another"
    options = [word for step in steps[:at] for part in step.parts if part.program == "set" for word in part.words]
    pipes = any("pipefail" in word for word in options)
    stops = any(re.match(r"-[a-z]*e", word) for word in options)
    for place in range(at, len(steps) - 1):
        sign = steps[place].sign.strip("() ")
        if sign in ("|", "|&") and not pipes:
            return _piped(steps, place)
        if sign == "||":
            return "" if _gives_up(steps[place + 1]) else "another"
        if sign == "&" or (sign not in ("", "&&", "|", "|&") and not stops):
            return "" if sign != "&" and all(map(_closes, steps[place + 1 :])) else "another"
    return ""


def _hidden_within(step: Step) -> str:
    """What hides it in the line that a shell was started with."""
    if not step.parts or step.parts[0].program not in programs.SHELLS or len(step.parts) < 2:
        return ""
    within = shell.steps(next((word for word in step.parts[0].words if " " in word), ""))
    mains = [place for place, each in enumerate(within) if not prepares(each)]
    return hidden(within, mains[0]) if mains else ""


def _piped(steps: list[Step], place: int) -> str:
    end = place + 1
    while end < len(steps) and steps[end].sign in ("|", "|&"):
        end += 1
    filters = [part for each in steps[place + 1 : end + 1] for part in each.parts]
    return "pipe" if all(part.program in WHOLE or _leaves_out(part) for part in filters) else "filter"


def _leaves_out(part: shell.Part) -> bool:
    """Whether a filter leaves out only what is named, and no failures."""
    inverts = any(re.fullmatch(r"-\w*v\w*|--invert-match", word) for word in part.words)
    if part.program not in ("grep", "egrep", "rg") or not inverts:
        return False
    return not re.search(r"fail|err|not ok|✗|✖|×", " ".join(part.words), re.IGNORECASE)


def _gives_up(step: Step) -> bool:
    return bool(step.parts) and step.parts[0].program == "exit" and step.parts[0].words[:1] not in ((), ("0",))


def _closes(step: Step) -> bool:
    return bool(step.parts) and step.parts[0].program in CLOSING


def told_status(steps: list[Step], at: int, result: str) -> Optional[bool]:
    """The status that the line itself prints with `echo $?`; None where it prints none."""
    for place in range(at + 1, len(steps)):
        parts = steps[place].parts
        words = " ".join(parts[0].words) if parts else ""
        found = STATUS.search(words) or (parts and STATUS.search(parts[0].program))
        if not found:
            if steps[place - 1].sign in ("|", "|&"):
                continue
            return None
        piped = steps[at].sign in ("|", "|&")
        if piped and "?" in found[0]:
            return None  # that of the last in the pipe
        if not parts or parts[0].program not in ("echo", "printf"):
            return None
        last = [line for line in result.strip().split("\n") if line.strip()][-3:]
        before = re.escape(words[: found.start()].strip().strip("\"'")[-20:])
        for line in reversed(last):
            number = (
                re.search(rf"{before}\s*(\d{{1,3}})(?!\d)", line) if before else re.fullmatch(r"\s*(\d{1,3})\s*", line)
            )
            if number:
                return number[1] == "0"
        return None
    return None


def _literal(step: Step) -> str:
    """What a step only prints, as far as its words say it; empty for one that does more or prints a value."""
    part = step.parts[0] if step.parts else None
    if part is None or part.program not in ("echo", "printf"):
        return ""
    words = " ".join(word for word in part.words if not re.fullmatch(r"-[neE]+", word)).replace("\\n", "\n").strip()
    return "" if re.search(r"[$`%]", words) else words


def without_own_words(steps: list[Step], result: str) -> str:
    """An output without the lines that its own command line printed: they show nothing of what it ran."""
    own = {line.strip() for step in steps for line in _literal(step).split("\n")} - {""}
    if not own:
        return result
    return "\n".join(line for line in result.split("\n") if line.strip() not in own)


def by_echo(call: Call, steps: list[Step], at: int) -> Optional[bool]:
    """What words that the line prints only after a success, or only after a failure, say; None where there are none."""
    printed = {line.strip() for line in call.result.split("\n")}
    place = at
    while place + 1 < len(steps) and steps[place].sign.strip("() ") == "&&":
        words = _literal(steps[place + 1])
        if words and words in printed:
            return True
        place += 1
    if place + 1 < len(steps) and steps[place].sign.strip("() ") == "||":
        words = _literal(steps[place + 1])
        if words and words in printed:
            return False if place == at else None
    return None
