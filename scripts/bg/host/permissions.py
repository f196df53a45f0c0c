"""What the settings files deny an agent to read; rules of the command line, or of a policy in no file, stay unseen.

The host reads a rule as a line of a .gitignore, ignoring case: `//p` is relative to the file system's root, `~/p` to
the home, `/p` to the folder of the settings file, anything else to the working folder. In doubt, a path is denied here:
a rule with `/` applies in each of these folders, and `!p` is ignored.
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
    """The rules that forbid an agent to read; if a file of rules cannot be understood, everything is denied."""

    def __init__(self, config: str, folders: list[str]) -> None:
        self._folders = list(dict.fromkeys([*folders, *map(os.path.realpath, folders)]))
        self._config = config
        files = [_denied(path) for path in _files(config, self._folders)]
        denied = (_forbidden(rule) for rules in files for rule in rules or ())
        given = list(dict.fromkeys(filter(None, denied)))
        self.unclear = None in files or len(given) > RULES
        self._rules = [] if self.unclear else [rooted for paths in given for rooted in self._rooted(paths)]

    def denies(self, path: str) -> bool:
        """Whether a rule forbids a file under any of its names: as it is spelled, and with each link followed."""
        return self.unclear or (bool(self._rules) and any(map(self._denies, _names(path))))

    def _denies(self, path: str) -> bool:
        plain = _plain(path)
        return any(
            plain.startswith(root) and _fits(plain[len(root) :].split("/"), shape) for root, shape in self._rules
        )

    def _rooted(self, rule: str) -> Iterator[tuple[str, Shape]]:
        """The shape of the paths that a rule denies, with each folder to which it is relative."""
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
    """Every settings file, among them the copy of the settings that an organisation's server has sent."""
    found = [os.path.join(config, name) for name in ("settings.json", "remote-settings.json")] if config else []
    for folder in folders:
        found += [os.path.join(folder, ".claude", name) for name in ("settings.json", "settings.local.json")]
    for folder in MANAGED:
        parts = os.path.join(folder, "managed-settings.d")
        found += [os.path.join(folder, "managed-settings.json")]
        found += [os.path.join(parts, name) for name in foreign.names(parts) if name.endswith(".json")]
    return list(dict.fromkeys(found))


def _denied(path: str) -> Optional[list[Any]]:
    """The deny rules of a settings file; None if they cannot be known. A blank file has none."""
    try:
        text = foreign.whole(path, MOST).decode("utf-8-sig")
        data: Any = foreign.loads(text) if text.strip() else {}
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # the host cannot read it either
        return []
    except (OSError, ValueError):
        return None
    denied = mapping(mapping(data).get("permissions")).get("deny")
    return denied if isinstance(denied, list) else []


def _forbidden(rule: Any) -> str:
    """The paths that a rule denies to Read, `**` if it names none; empty if the rule denies no reading."""
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
    """The text as the host compares it: in lower case, and with each accented letter as one character."""
    return unicodedata.normalize("NFC", text).lower()


def _shape(rule: str) -> Shape:
    """The shape of a line of a .gitignore: a test for each part of a path, None for any number of parts.

    Only a slash before the end of the line ties it to its root.
    """
    whole = rule.removesuffix("/**").rstrip("/")
    parts = whole.removeprefix("/").split("/")
    tied = [] if "/" in whole else [None]
    return [*tied, *(None if part in ("", "**") else _fitting(part) for part in parts)]


def _fitting(part: str) -> Fitting:
    """The test for a part of a rule, as Python's glob, which takes no longer for many stars."""
    spelled = re.sub(r"\\(.)", _literal, part.replace("[^", "[!"))
    try:
        return re.compile(fnmatch.translate(spelled)).match
    except re.error:  # a range of letters in the wrong order
        return re.compile("").match


def _literal(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if found[1] in "*?[" else found[1]


def _fits(parts: list[str], shape: Shape) -> bool:
    """Whether a shape fits a path, or a folder above it."""
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
    """A path as it is spelled, with one link after another followed, and fully resolved."""
    found = [os.path.normpath(path)]
    while len(found) < LINKS:
        further = _followed(found[-1])
        if not further or further in found:
            break
        found.append(further)
    return list(dict.fromkeys([*found, os.path.realpath(path)]))


def _followed(path: str) -> str:
    """A path with its first link followed; empty if it has none."""
    parts = path.split("/")
    for number in range(2, len(parts) + 1):
        here = "/".join(parts[:number])
        try:
            target = os.readlink(here)
        except (OSError, ValueError):
            continue
        return os.path.normpath(os.path.join(os.path.dirname(here), target, *parts[number:]))
    return ""
