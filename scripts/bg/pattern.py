"""Patterns that are compiled when they are first used: a hook needs few of them, and compiling is what costs most."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801 - it stands for a function
        """As `re.compile`, later: the first method asked for brings all of them."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._given = text, flags

        def __getattr__(self, name: str) -> object:
            """The compiled pattern's own."""
            if name.startswith("_"):
                raise AttributeError(name)
            made = re.compile(*self._given)
            self.__dict__.update({each: getattr(made, each) for each in dir(made) if not each.startswith("_")})
            return getattr(made, name)


__all__ = ["pattern"]
