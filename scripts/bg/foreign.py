"""What others have written: regular files read within bounds, folders that change while they are read, any JSON.

A project, an agent or another program controls these paths: one may be a device, a pipe or a link to either.
"""

from __future__ import annotations

import errno
import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Union

DEEPEST = 200  # levels of nested lists and objects; beyond Python's own limit the hook would fail


def stat_of(path: Union[str, os.PathLike[str]]) -> Optional[os.stat_result]:
    """The `stat` of the regular file at a path, links followed; None if no regular file is there."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def read(path: Union[str, os.PathLike[str]], most: int, offset: int = 0, *, follow: bool = True) -> bytes:
    """At most `most` bytes of a regular file; an OSError if the path is no regular file, or cannot be read."""
    # Checked before opening, because merely opening a device can have an effect, and again on the opened file.
    _hold_regular(path, os.stat(path, follow_symlinks=follow))
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    number = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    with os.fdopen(number, "rb") as file:
        size = _hold_regular(path, os.fstat(number))
        file.seek(offset)
        # Not simply `most`: Python would allocate that much memory before it reads a byte.
        return file.read(min(most, max(size - offset, 0) + 4096))


def _hold_regular(path: Union[str, os.PathLike[str]], found: os.stat_result) -> int:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return found.st_size


def whole(path: Union[str, os.PathLike[str]], most: int) -> bytes:
    """All of a regular file; an OSError if it is larger than `most` bytes."""
    data = read(path, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"Larger than {most} bytes", str(path))
    return data


def names(folder: Union[str, os.PathLike[str]]) -> list[str]:
    """The sorted names in a folder; only some if it vanishes meanwhile, none if it does not exist."""
    found: list[str] = []
    try:
        with os.scandir(folder) as listing:
            found += (entry.name for entry in listing)
    except (OSError, ValueError):
        pass
    return sorted(found)


def loads(text: Union[str, bytes], **options: Any) -> Any:
    """The value of a JSON text; a ValueError if the text is not JSON, or is nested too deep.

    A host that cuts a text may leave half of a surrogate pair, which can be neither stored nor printed: it becomes a
    question mark.
    """
    plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    try:
        value = json.loads(plain, **options)
        if "\\ud" in plain or "\\uD" in plain:
            again = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
            value = json.loads(again, **options)
    except RecursionError:
        value = None
        deep = True
    else:
        deep = plain.count("[") + plain.count("{") > DEEPEST and is_deeper(value, DEEPEST)
    if deep:
        message = "it is nested too deep"
        raise ValueError(message)
    return value


def encodable(text: str) -> str:
    """The text in a form that can be stored and printed; unchanged if it already can.

    Python holds a byte of a file's name that is not UTF-8 as half of a surrogate pair. Here it becomes the replacement
    character followed by that byte, as in `caf\N{REPLACEMENT CHARACTER}(E9).txt`: different names stay different, and
    JSON stays valid.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(_spelled(each) if "\ud800" <= each <= "\udfff" else each for each in text)
    return text


def _spelled(half: str) -> str:
    number = ord(half)
    return f"\N{REPLACEMENT CHARACTER}({f'{number - 0xDC00:02X}' if 0xDC80 <= number <= 0xDCFF else f'{number:04X}'})"


def is_deeper(value: Any, most: int) -> bool:
    """Whether lists and objects are nested more than `most` levels deep; found without recursion."""
    level = [value]
    for _ in range(most):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [each for part in parts for each in part]
        if not level:
            return False
    return True
