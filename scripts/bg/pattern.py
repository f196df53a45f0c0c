"""Patterns that are compiled at their first use: a hook needs few of them, and compiling all would be costly."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801 - it is used as a function
        """`re.compile`, put off: the first method that is used compiles the pattern, and all its methods are copied."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._given = text, flags

        def __getattr__(self, name: str) -> object:
            """The compiled pattern's attribute of this name."""
            if name.startswith("_"):
                raise AttributeError(name)
            made = re.compile(*self._given)
            self.__dict__.update({each: getattr(made, each) for each in dir(made) if not each.startswith("_")})
            return getattr(made, name)


__all__ = ["pattern"]
