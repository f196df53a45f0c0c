"""Versions of the host: what each can do, as far as the clients that were tried show it."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

Version = tuple[int, int, int]

OLDEST: Version = (2, 1, 7)
# SendMessage replaced Task's `resume` in 2.1.77, but is offered without the agent-teams switch only later.
SEND_MESSAGE_SINCE: Version = (2, 1, 101)
RESUME_PARAMETER_BEFORE: Version = (2, 1, 77)
LISTS_SINCE: Version = (2, 1, 145)
STOP_CONTEXT_SINCE: Version = (2, 1, 163)
MESSAGE_TO_MAIN_SINCE: Version = (2, 1, 197)
HANDBACK_SINCE: Version = (2, 1, 271)
PRINTS_BLOCKED_SINCE: Version = (2, 1, 101)
# Typed in a terminal, `/bg` is the plugin's up to 2.1.197, and the host's own on 2.1.258 and 2.1.327; what lies
# between was not tried, and is taken for shadowed.
BUILT_IN_BG_SINCE: Version = (2, 1, 198)
TERMINAL_SEQUENCE_SINCE: Version = (2, 1, 197)


def version_of(text: str) -> Optional[Version]:
    """`2.1.327` as numbers, None where it is not a version."""
    found = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)\S*", text or "")
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def announced_version() -> str:
    """The version that hosts since 2.1.197 tell every hook, empty on older ones."""
    found = re.match(r"claude-code_(\d+)-(\d+)-(\d+)_", os.environ.get("AI_AGENT", ""))
    return ".".join(found.groups()) if found else ""


def notification(words: str, version: Optional[Version]) -> str:
    """The sequence that makes a terminal show a notification, empty where the host would not pass it on."""
    if not attended() or version is None or version < TERMINAL_SEQUENCE_SINCE:
        return ""
    plain = re.sub(r"[^\w .,:?!()-]", " ", words)
    if os.environ.get("TERM_PROGRAM") in {"iTerm.app", "WezTerm", "ghostty", "kitty"}:
        return f"\x1b]9;{plain}\x07"
    return f"\x1b]777;notify;Claude Code;{plain}\x07"


def resume_way(version: Optional[Version]) -> str:
    """How an ended agent is woken on this host: `SendMessage`, `Task`, `none`, or `unknown`."""
    if version is None:
        return "unknown"
    if version < RESUME_PARAMETER_BEFORE:
        return "Task"
    if version >= SEND_MESSAGE_SINCE or os.environ.get("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS") == "1":
        return "SendMessage"
    return "none"


def hands_back(version: Optional[Version], mode: str, agent_type: str = "") -> bool:
    """The agent's report goes through SubagentHandback on this host and in this mode."""
    if mode != "auto" or agent_type == "fork" or os.environ.get("CLAUDE_CODE_DISABLE_SUBAGENT_HANDBACK"):
        return False
    return version is None or version >= HANDBACK_SINCE


def has_message_to_main(version: Optional[Version]) -> bool:
    """A running subagent can send the parent a message on this host."""
    return version is not None and version >= MESSAGE_TO_MAIN_SINCE


def lists_agents(version: Optional[Version]) -> bool:
    """Each Stop names the agents that run, so silence need not be read as an end."""
    return version is not None and version >= LISTS_SINCE


def announces_every_end(version: Optional[Version]) -> bool:
    """An agent's end always reaches a hook of its own, so that Stop need not say it first.

    2.1.197 and 2.1.258 put an end that comes in the middle of a turn behind the next tool result, and
    no hook fires; 2.1.7 and 2.1.38 do not wake a headless parent at all.
    """
    if version is None:
        return False
    return version >= HANDBACK_SINCE or RESUME_PARAMETER_BEFORE <= version < SEND_MESSAGE_SINCE


def stop_takes_context(version: Optional[Version]) -> bool:
    """What Stop says reaches the model as context, so that nobody sees a turn that was held as an error."""
    return version is not None and version >= STOP_CONTEXT_SINCE


def attended() -> bool:
    """A person sits at a terminal, as far as the host's environment tells."""
    return os.environ.get("CLAUDE_CODE_ENTRYPOINT") == "cli"


def shows_blocked_prompts(version: Optional[Version]) -> bool:
    """The host shows a blocked prompt's reason, so that an answer can cost no model request."""
    return attended() or (version is not None and version >= PRINTS_BLOCKED_SINCE)
