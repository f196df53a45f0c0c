"""What the settings files deny an agent to read; rules of the command line, or of a policy in no file, no hook sees.

The host reads a rule as a line of a .gitignore, whatever the case of its letters: `//p` from the file system's root,
`~/p` from the home, `/p` from the folder of its settings, all else from the folder that is worked in. What is not
certain here denies: a rule from `/` holds from each of these folders, and `!p` takes nothing back.
"""

from __future__ import annotations

import fnmatch
import os
import re
import unicodedata

from bg import foreign
from bg.host.event import mapping
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Callable, Optional

    Fitting = Callable[[str], object]
    Shape = list[Optional[Fitting]]

MANAGED = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")  # only an administrator writes there
MOST = 1024 * 1024
RULES = 500
LINKS = 40
_RULE = pattern(r"\s*Read\s*(?:\((.*)\))?\s*", re.DOTALL)


class Denials:
    """The rules against reading that hold for an agent; where a file of them cannot be understood, all is denied."""

    def __init__(self, config: str, folders: list[str]) -> None:
        self._folders = list(dict.fromkeys([*folders, *map(os.path.realpath, folders)]))
        self._config = config
        files = [_denied(path) for path in _files(config, self._folders)]
        denied = (_forbidden(rule) for rules in files for rule in rules or ())
        given = list(dict.fromkeys(filter(None, denied)))
        self.unclear = None in files or len(given) > RULES
        self._rules = [] if self.unclear else [rooted for paths in given for rooted in self._rooted(paths)]

    def denies(self, path: str) -> bool:
        """Whether a rule speaks of a file by any of its names: as it is spelled, and where each link leads."""
        return self.unclear or (bool(self._rules) and any(map(self._denies, _names(path))))

    def _denies(self, path: str) -> bool:
        plain = _plain(path)
        return any(
            plain.startswith(root) and _fits(plain[len(root) :].split("/"), shape) for root, shape in self._rules
        )

    def _rooted(self, rule: str) -> Iterator[tuple[str, Shape]]:
        """The shape of what a rule denies, with each folder from which it is read."""
        home = os.path.expanduser("~")
        if rule.startswith("//"):
            roots, rule = ["/"], rule[1:]
        elif rule.startswith("~/"):
            roots, rule = [home, os.path.realpath(home)], rule[1:]
        elif rule.startswith("/"):
            roots = [*self._folders, self._config]
        else:
            roots, rule = self._folders, rule.removeprefix("./")
        shape = _shape(_plain(rule))
        yield from ((_plain(root).rstrip("/") + "/", shape) for root in dict.fromkeys(roots))


def _files(config: str, folders: list[str]) -> list[str]:
    """Every settings file, with the copy of what an organisation's server has sent."""
    found = [os.path.join(config, name) for name in ("settings.json", "remote-settings.json")] if config else []
    for folder in folders:
        found += [os.path.join(folder, ".claude", name) for name in ("settings.json", "settings.local.json")]
    for folder in MANAGED:
        parts = os.path.join(folder, "managed-settings.d")
        found += [os.path.join(folder, "managed-settings.json")]
        found += [os.path.join(parts, name) for name in foreign.names(parts) if name.endswith(".json")]
    return list(dict.fromkeys(found))


def _denied(path: str) -> Optional[list[Any]]:
    """What a settings file denies; None where that is not known. A blank file denies nothing."""
    try:
        text = foreign.whole(path, MOST).decode("utf-8-sig")
        data: Any = foreign.loads(text) if text.strip() else {}
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # nor does the host see it
        return []
    except (OSError, ValueError):
        return None
    denied = mapping(mapping(data).get("permissions")).get("deny")
    return denied if isinstance(denied, list) else []


def _forbidden(rule: Any) -> str:
    """The paths that a rule denies to Read, `**` where it names none; empty where it is no such rule."""
    if not isinstance(rule, str):
        return ""
    if "*" in rule and "(" not in rule and fnmatch.fnmatchcase("Read", rule.strip()):
        return "**"  # newer hosts read a name alone as a glob
    found = _RULE.fullmatch(rule)
    if not found:
        return ""
    paths = re.sub(r"\\([()])", r"\1", found[1] or "").strip() or "**"
    return "" if paths.startswith("!") else paths


def _plain(text: str) -> str:
    """The text as the host compares it: in lower case, and each letter with its accent as one character."""
    return unicodedata.normalize("NFC", text).lower()


def _shape(rule: str) -> Shape:
    """A line of a .gitignore: what fits each part of a path, None for any number of parts.

    Only a slash before its end or in its midst ties it to its root.
    """
    whole = rule.removesuffix("/**").rstrip("/")
    parts = whole.removeprefix("/").split("/")
    tied = [] if "/" in whole else [None]
    return [*tied, *(None if part in ("", "**") else _fitting(part) for part in parts)]


def _fitting(part: str) -> Fitting:
    """A part of a rule as Python's globs spell it, which match in one go, however many stars there are."""
    spelled = re.sub(r"\\(.)", _literal, part.replace("[^", "[!"))
    try:
        return re.compile(fnmatch.translate(spelled)).match
    except re.error:  # letters from one to an earlier one
        return re.compile("").match


def _literal(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if found[1] in "*?[" else found[1]


def _fits(parts: list[str], shape: Shape) -> bool:
    """Whether a shape fits a path, or one of the folders that it is in."""
    reached = {0}
    for each in shape:
        if each is None:
            reached = set(range(min(reached), len(parts)))
        else:
            reached = {place + 1 for place in reached if place < len(parts) and each(parts[place])}
        if not reached:
            return False
    return True


def _names(path: str) -> list[str]:
    """A path as it is spelled, as each link on the way leads on, and as it is at last."""
    found = [os.path.normpath(path)]
    while len(found) < LINKS:
        further = _followed(found[-1])
        if not further or further in found:
            break
        found.append(further)
    return list(dict.fromkeys([*found, os.path.realpath(path)]))


def _followed(path: str) -> str:
    """A path with its first link followed, empty where it has none."""
    parts = path.split("/")
    for number in range(2, len(parts) + 1):
        here = "/".join(parts[:number])
        try:
            target = os.readlink(here)
        except (OSError, ValueError):
            continue
        return os.path.normpath(os.path.join(os.path.dirname(here), target, *parts[number:]))
    return ""
