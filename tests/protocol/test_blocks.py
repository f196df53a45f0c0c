"""Finding blocks: whole lines, outside quotation, in linear time."""

from __future__ import annotations

import time

import pytest
from bg.protocol import blocks, marks
from bg.protocol.blocks import Block
from hypothesis import given
from hypothesis import strategies as st

STOP = "[STOP_WORK]\nagent_id: a\ndetails: b\n[/STOP_WORK]\n"
FIELDS = "agent_id: a\ndetails: b"

PIECES = st.sampled_from(
    [
        *(f"[{marker}]" for marker in marks.MARKERS),
        *(f"[/{marker}]" for marker in marks.MARKERS),
        "**[STOP_WORK]**",
        "```",
        "```yaml",
        "````",
        "~~~",
        "agent_id: x",
        "details: |",
        "  text",
        "> quoted",
        "",
        "{",
        '{"signal_type": "STOP_WORK"}',
        "prose",
    ]
)


def test_markers_are_the_schema_files():
    assert {"CLARIFICATION_NEEDED", "COMPLETION_REPORT", "DELEGATE_WORK", "STOP_WORK"} <= set(marks.MARKERS)


def test_a_block_is_found_with_its_line():
    assert [Block("STOP_WORK", FIELDS, 3, True, ())] == blocks.find("Done.\n\n" + STOP + "\nBye.\n")


@pytest.mark.parametrize("info", ["", "yaml", "text"])
@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_a_fence_directly_around_a_block_is_tolerated(mark, info):
    assert [Block("STOP_WORK", FIELDS, 2, True, ())] == blocks.find(f"{mark}{info}\n{STOP}{mark}\n")


@pytest.mark.parametrize(
    "text",
    [
        f"```\nlike this:\n{STOP}```\n",
        f"```\n{STOP}like that\n```\n",
        f"````\n```\n{STOP}```\n````\n",
        f"~~~\n```\n{STOP}```\n~~~\n",
        "".join(f"> {line}\n" for line in STOP.splitlines()),
        "I would write [STOP_WORK] and then [/STOP_WORK].\n",
        "- [STOP_WORK]\n- details: b\n- [/STOP_WORK]\n",
        "| [STOP_WORK] |\n",
        "[STOP_WORKING]\nx: y\n[/STOP_WORKING]\n",
        "[/STOP_WORK]\n",
        "[STOP_WORK]\n",
        "### [STOP_WORK]\nIs the signal for blockers.\n",
        "",
    ],
)
def test_what_is_quoted_or_no_marker_is_no_block(text):
    assert [] == blocks.find(text)


def test_blocks_follow_one_another():
    text = STOP + "[DELEGATE_WORK]\nagent_id: a\n" + STOP
    assert [("STOP_WORK", True), ("DELEGATE_WORK", False), ("STOP_WORK", True)] == [
        (block.marker, block.closed) for block in blocks.find(text)
    ]


def test_a_fence_in_a_value_does_not_hide_the_closing_marker():
    text = "[STOP_WORK]\ndetails: |\n  ```\n  code\n[/STOP_WORK]\n\nAnd:\n```\nls\n```\n"
    assert [("details: |\n  ```\n  code", True)] == [(block.body, block.closed) for block in blocks.find(text)]


def test_a_block_shown_in_a_value_is_text():
    body = "details: |\n  ```\n  [DELEGATE_WORK]\n  x: y\n  [/DELEGATE_WORK]\n  ```"
    assert [Block("STOP_WORK", body, 1, True, ())] == blocks.find(f"[STOP_WORK]\n{body}\n[/STOP_WORK]\n")


def test_the_line_of_a_field_survives_repairs():
    found = blocks.find("  [STOP_WORK]\n  ```yaml\n  agent_id: a\n  details: b\n  ```\n  [/STOP_WORK]\n")
    assert ["", "agent_id: a", "details: b", ""] == found[0].body.split("\n")


@given(st.text())
def test_never_raises(text):
    blocks.find(text)


@given(st.lists(PIECES, max_size=40))
def test_every_block_lies_in_order_and_within_the_text(lines):
    text = "\n".join(lines)
    numbers = [block.line for block in blocks.find(text)]
    assert sorted(set(numbers)) == numbers
    assert all(1 <= number <= len(lines) for number in numbers)


def test_a_block_that_ends_with_its_fence_is_not_closed_by_the_next_ones_marker():
    unclosed = STOP.removesuffix("[/STOP_WORK]\n")
    found = blocks.find(f"```\n{unclosed}```\n\nThat is all.\n\n{STOP}")
    repair = "the block of line 2 was never closed; it was read up to line 4"
    assert [Block("STOP_WORK", FIELDS, 2, False, (repair,)), Block("STOP_WORK", FIELDS, 9, True, ())] == found


@given(st.lists(PIECES, max_size=20), st.sampled_from(["", "prose\n", "> [STOP_WORK]\n"]))
def test_text_in_front_moves_the_lines_only(lines, front):
    text = "\n".join(lines)
    moved = [block._replace(line=block.line - front.count("\n"), repairs=()) for block in blocks.find(front + text)]
    assert [block._replace(repairs=()) for block in blocks.find(text)] == moved


ADVERSARIAL = [
    "[STOP_WORK]\n",
    "[STOP_WORK]\n[/STOP_WORK]\n",
    "**[STOP_WORK]**\na: b\n```x\n",
    "~~~x\n[STOP_WORK]\na: b\n[/STOP_WORK]\ntext\n",
    "```\n[STOP_WORK]\n~~~\n",
    "````\n[STOP_WORK]\n```\n[/STOP_WORK]\n",
    "```x\n",
    "```\n",
    "`",
    "[",
    '{"signal_type":\n',
    '{"signal_type": "STOP_WORK", "a": 1}\n',
    '"\\"',
    " ",
    "\n",
]


@pytest.mark.parametrize("front", ["", "[STOP_WORK]\nagent_id: a\n"])
@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_time_grows_with_the_length_and_no_faster(piece, front):
    def seconds(size):
        text = front + piece * (size // len(piece))
        begun = time.thread_time()
        blocks.find(text)
        return time.thread_time() - begun

    # Ten times the text may take ten times as long; what else the machine does is not counted.
    assert seconds(1_000_000) < 40 * max(seconds(100_000), 0.005)
