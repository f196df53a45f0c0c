"""The three lines of a launch's prompt that say what it is to bring."""

from __future__ import annotations

import time

from bg.words import goals


def test_the_lines_are_read_however_they_are_marked():
    prompt = "Audit.\n**Goal**: know\n- **Deliverables:** a list\nDone when * : it is there\nGoal :\n- one\n- two\nMore"
    assert {"Goal": "- one\n- two", "Deliverables": "a list", "Done when": "it is there"} == goals.of(prompt)


def test_a_long_line_is_read_in_linear_time():
    begun = time.process_time()
    assert {} == goals.of("Goal" + " " * 60_000 + "x")
    assert time.process_time() - begun < 1
