"""Edits: the files that a model has changed with the host's own tools, as a transcript tells it."""

from __future__ import annotations

import os

from bg.host import transcripts
from bg.host.event import mapping, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = ("Edit", "MultiEdit", "NotebookEdit", "Write")
PATHS = ("file_path", "notebook_path")


def since(path: str, moment: float) -> Iterator[str]:
    """The files that calls of this transcript name which were made after this moment, as far as its end shows them."""
    for record in transcripts.tail(path):
        if record.get("type") == "assistant" and transcripts.moment_of(record) > moment:
            for part in transcripts.parts(record):
                if part.get("type") == "tool_use" and part.get("name") in TOOLS:
                    given = mapping(part.get("input"))
                    named = next(filter(None, (text_of(given.get(key)) for key in PATHS)), "")
                    yield os.path.join(text_of(record.get("cwd")), named or ".")
