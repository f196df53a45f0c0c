"""The code fences of a text: which line closes which, nested fences counted."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.protocol.marks import Fence

# Deeper nesting than this is an attack on the clock, not markdown.
DEPTH = 16


class Fences:
    """The fences of one text, by line."""

    def __init__(self, at: dict[int, Fence]) -> None:
        self.at = at
        self.lines = sorted(at)
        self.closable = self._closable()
        self._settled: dict[int, int] | None = None

    def _closable(self) -> dict[int, bool]:
        """For each fence line, whether a line further down could close it."""
        longest = {"`": 0, "~": 0}
        answer = {}
        for number in reversed(self.lines):
            fence = self.at[number]
            answer[number] = longest[fence.char] >= fence.length
            if fence.bare:
                longest[fence.char] = max(longest[fence.char], fence.length)
        return answer

    def closes(self, at: int, opener: int) -> bool:
        """Whether the fence at a line, where there is one, can close the one at another."""
        fence, outer = self.at.get(at), self.at[opener]
        return fence is not None and fence.bare and fence.char == outer.char and fence.length >= outer.length

    def closer_after(self, at: int, opener: int) -> int | None:
        """The first line from here on that can close a fence."""
        if not self.closable[opener]:
            return None
        later = range(bisect_right(self.lines, at - 1), len(self.lines))
        return next((self.lines[index] for index in later if self.closes(self.lines[index], opener)), None)

    def closer(self, opener: int) -> int | None:
        """The line that closes a fence, nested fences counted; None if it is never closed."""
        if self._settled is not None:
            return self._settled.get(opener)
        stack = [opener]
        pairs: dict[int, int] = {}
        for index in range(bisect_right(self.lines, opener), len(self.lines)):
            at = self.lines[index]
            depth = self._innermost(stack, at)
            if depth is None:
                stack.append(at)
                continue
            pairs[stack[depth]] = at
            del stack[depth:]
            if not stack:
                return at
        self._settled = pairs
        return None

    def _innermost(self, stack: list[int], at: int) -> int | None:
        if not self.at[at].bare:
            return None
        depths = range(len(stack) - 1, max(-1, len(stack) - 1 - DEPTH), -1)
        exact = (depth for depth in depths if self.at[stack[depth]][:2] == self.at[at][:2])
        longer = (depth for depth in depths[:1] if self.closes(at, stack[depth]))
        return next(exact, next(longer, None))
