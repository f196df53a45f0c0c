"""What others have written: regular files read within bounds, folders that change meanwhile, JSON of any shape.

A project, an agent or another program decides what is at a path: perhaps a device, a pipe or a link to one.
"""

from __future__ import annotations

import errno
import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Union

DEEPEST = 200  # of lists and objects within one another; Python's own limit ends the hook


def about(path: Union[str, os.PathLike[str]]) -> Optional[os.stat_result]:
    """What the system knows of the regular file at a path, through any link; None where there is no such file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def read(path: Union[str, os.PathLike[str]], most: int, offset: int = 0, *, follow: bool = True) -> bytes:
    """At most so many bytes of a regular file; an OSError says why where it is none or cannot be read."""
    # Asked before it is opened, as the mere opening can do something to a device, and again of what was opened.
    _hold_regular(path, os.stat(path, follow_symlinks=follow))
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    number = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    with os.fdopen(number, "rb") as file:
        size = _hold_regular(path, os.fstat(number))
        file.seek(offset)
        # Not `most` at once: that much memory would be taken before a byte is read.
        return file.read(min(most, max(size - offset, 0) + 4096))


def _hold_regular(path: Union[str, os.PathLike[str]], found: os.stat_result) -> int:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return found.st_size


def whole(path: Union[str, os.PathLike[str]], most: int) -> bytes:
    """All of a regular file that is not larger than that."""
    data = read(path, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"Larger than {most} bytes", str(path))
    return data


def names(folder: Union[str, os.PathLike[str]]) -> list[str]:
    """The names in a folder in their order; fewer where it vanishes meanwhile, none where there is none."""
    found: list[str] = []
    try:
        with os.scandir(folder) as listing:
            found += (entry.name for entry in listing)
    except (OSError, ValueError):
        pass
    return sorted(found)


def loads(text: Union[str, bytes], **options: Any) -> Any:
    """The value of a JSON text; a ValueError where it is none or nested too deep.

    Half of a surrogate pair, as a host leaves it where it cuts a text, can be neither stored nor printed: it becomes
    a question mark.
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
    """A text that can be stored and printed, the same wherever it can be already.

    Python holds a byte of a file's name that is not UTF-8 as half of a surrogate pair. Here it is the replacement
    character with that byte behind it, as in `caf\N{REPLACEMENT CHARACTER}(E9).txt`: the name can be told from others,
    and a JSON text stays one.
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
    """Whether lists and objects are nested deeper than that; asked without recursion."""
    level = [value]
    for _ in range(most):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [each for part in parts for each in part]
        if not level:
            return False
    return True
