"""The README's picture: the demo's play typed into the real client in a terminal, drawn as SVG for light and dark.

`PYTHONPATH=scripts python -m rig.picture` writes docs/demo-dark.svg and docs/demo-light.svg. Nothing is drawn by hand:
every line was on the screen, but empty lines and the client's own decorations are left out. A character that few fonts
have is drawn as the nearest one that nearly all have.
"""

from __future__ import annotations

import re
import sys
import time
from html import escape
from pathlib import Path
from typing import NamedTuple

from bg.protocol import signals

from rig import clients, demo_cast
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, subagent, text
from rig.session import auto_mode
from rig.terminal import Interactive

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 80
CELL, LINE, EDGE = 8.4, 19, 16
SECOND = "Fix the flaky checkout test"
DIALOG = [
    {
        "question": "bg-1 Q1: Should I fix what I find, or only report it?",
        "header": "Repairs",
        "multiSelect": False,
        "options": [
            {"label": "Only report", "description": "Change no code"},
            {"label": "Fix it", "description": "Change how passwords are stored"},
        ],
    },
    {
        "question": "bg-1 Q2: Should a session ever expire?",
        "header": "Sessions",
        "multiSelect": False,
        "options": [
            {"label": "Yes, after 12 hours", "description": "As users expect"},
            {"label": "No", "description": "As it is"},
        ],
    },
]
#: Few fonts have the characters on the left; nearly all have those on the right, which are drawn instead.
SIGNS = str.maketrans("❯⎿✓✔☐☒✻●…", "›└√√□■*•…")
FONT = 'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14"'
THEMES = {
    "dark": {"page": "#14161a", "": "#e6e6e6", "dim": "#8b919b", "red": "#ff7b72", "green": "#6bc46d",
             "yellow": "#e3b341", "cyan": "#56c8d8", "said": "#2a2e35"},
    "light": {"page": "#ffffff", "": "#1f2328", "dim": "#6e7781", "red": "#c62828", "green": "#1a7f37",
              "yellow": "#9a6700", "cyan": "#0b7285", "said": "#eef0f3"},
}  # fmt: skip
_NAMED = {31: "red", 32: "green", 33: "yellow", 36: "cyan", 90: "dim", 91: "red", 92: "green", 93: "yellow", 96: "cyan"}
_INDEXED = {220: "yellow", 246: "dim", 244: "dim", 239: "dim", 245: "dim", 114: "green", 211: "red",
            222: "yellow", 210: "red", 110: "cyan", 117: "cyan"}  # fmt: skip
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


class Piece(NamedTuple):
    """Some characters of a line in one style; `at` is their column, `said` whether they are on a box."""

    at: int
    text: str
    colour: str
    bold: bool
    said: bool


def pieces(line: str) -> list[Piece]:
    """A captured line, split where its style changes."""
    found: list[Piece] = []
    colour, bold, said, at, start = "", False, False, 0, 0
    for sign in [*_SGR.finditer(line), None]:
        text = line[start : sign.start()] if sign else line[start:]
        if text:
            found.append(Piece(at, text, colour, bold, said))
            at += len(text)
        if sign is None:
            break
        start = sign.end()
        colour, bold, said = _style(sign[1], colour, bold=bold, said=said)
    return found


def _style(words: str, colour: str, *, bold: bool, said: bool) -> tuple[str, bool, bool]:
    codes = [int(word or 0) for word in words.split(";")]
    while codes:
        code = codes.pop(0)
        if code in (38, 48):
            kind, *rest = codes
            codes = rest[1:] if kind == 5 else rest[3:]
            if code == 48:
                said = True
            else:
                colour = _INDEXED.get(rest[0], "") if kind == 5 else ""
        elif code == 0:
            colour, bold, said = "", False, False
        elif code in (1, 22):
            bold = code == 1
        elif code == 49:
            said = False
        elif code == 2:
            colour = "dim"
        else:
            colour = _NAMED.get(code, "" if code == 39 else colour)
    return colour, bold, said


def spaced(lines: list[str]) -> list[str]:
    """The lines, with an empty one before each typed command."""
    typed = [number for number, line in enumerate(lines) if re.match("❯\\s/bg", _SGR.sub("", line))]
    return [each for number, line in enumerate(lines) for each in ([""] if number and number in typed else []) + [line]]


def draw(lines: list[str], theme: dict[str, str]) -> str:
    """The lines as one SVG."""
    width, height = round(WIDTH * CELL + 2 * EDGE), len(lines) * LINE + 2 * EDGE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {FONT}>',
        f'<rect width="{width}" height="{height}" rx="8" fill="{theme["page"]}"/>',
    ]
    for number, line in enumerate(lines):
        top = EDGE + number * LINE
        for piece in pieces(line):
            if piece.said:
                left, long = EDGE + piece.at * CELL, len(piece.text) * CELL
                box = f'x="{left:.1f}" y="{top}" width="{long:.1f}" height="{LINE}"'
                out.append(f'<rect {box} fill="{theme["said"]}"/>')
            words = piece.text.strip().translate(SIGNS)
            if words:
                left = EDGE + (piece.at + len(piece.text) - len(piece.text.lstrip())) * CELL
                bold = ' font-weight="bold"' if piece.bold else ""
                out.append(
                    f'<text x="{left:.1f}" y="{top + 14}" textLength="{len(words) * CELL:.1f}" '
                    f'fill="{theme[piece.colour]}"{bold}>{escape(words)}</text>'
                )
    return "\n".join([*out, "</svg>", ""])


class _Insisting:
    """An agent that says that the tests passed, which it never ran, and insists when it is asked."""

    def __call__(self, request: Request) -> Reply:
        """Its report, each time."""
        fields = {
            "agent_id": demo_cast.identity(request),
            "status": "success",
            "deliverables": "- the checkout test no longer fails at random",
            "summary": "The checkout test is stable now; all tests pass.",
            "evidence": "- ran `pytest -q` -> 12 passed",
            "metrics_achieved": "- 12 of 12 tests pass",
            "issues_encountered": "None.",
            "recommendations": "None.",
        }
        known = signals.schema("COMPLETION_REPORT")["properties"]
        given = {key: value for key, value in fields.items() if key in known}
        return demo_cast.last_words(request, signals.render("COMPLETION_REPORT", given))


def _claude(request: Request) -> Reply:
    """The demo's parent, which also puts questions in a dialog, and has a second task."""
    told = demo_cast.news(request)
    if "needs answers before" in told:
        return call("AskUserQuestion", questions=DIALOG)
    if re.search(r"not from the user\] label: bg-2", told):
        given = {"description": f"bg-2: {SECOND.lower()}", "prompt": SECOND, "subagent_type": "general-purpose"}
        return call("Agent", **given)
    if "bg-2" in told and "disputed" in told:
        return text("The tests were never run, whatever the report says.")
    return demo_cast.claude(request)


def record(version: str) -> list[str]:
    """The lines of one run, with their colours: the first task up to its dialog, then the outcome of both tasks."""
    with Home() as home:
        demo_cast.lay_out(home.project)
        script = Script(
            ("insisting", asked(SECOND), [_Insisting()] * 9),
            ("agent", subagent, [demo_cast.Auditor(home.project)] * 40),
            ("parent", parent, [_claude] * 60),
        )
        with Model(script) as model:
            home.base_url = model.url
            options = [*auto_mode(), "--allowedTools", "Agent SendMessage ToolSearch Read Write AskUserQuestion"]
            with Interactive(home, version, [ROOT], options, size=(WIDTH, 70)) as term:
                return spaced([*_asked(term), "", *_ended(term)])


def _asked(term: Interactive) -> list[str]:
    """Hand over the task; return the lines up to the dialog with its questions."""
    term.say(f"/bg:bg {demo_cast.TASK}")
    term.wait_for("Enter to select", 60)
    term.settle(1.0)
    return kept(term.screen(colours=True), r"❯ /bg:bg", r"Enter to select")


def _ended(term: Interactive) -> list[str]:
    """Answer the dialog; return the lines on its outcome, and on a second task, which makes a false claim."""
    for _ in range(3):
        term.keys("Enter")
        time.sleep(0.7)
    term.wait_for(r"bg-1 done", 60)
    term.wait_for(re.escape(demo_cast.OUTCOME), 30)
    term.settle(1.5)
    term.say(f"/bg:bg {SECOND}")
    term.wait_for(r"bg-2 disputed", 60)
    term.wait_for("whatever the report says", 30)
    term.settle(1.5)
    happened = kept(term.screen(colours=True), r"  ⎿ .*bg-1 done", r"whatever the report says")
    term.write("/bg-status")
    term.settle()
    typed = kept(term.screen(colours=True), r"❯.*/bg-status", r"")
    term.keys("Enter")
    term.wait_for(r"Original prompt: /bg-status", 30)
    term.settle()
    return [*happened, *typed[:1], *kept(term.screen(colours=True), r"  Needs you", r"Original prompt: /bg-status")]


def kept(shown: str, first: str, last: str) -> list[str]:
    """The lines of a screen from one pattern to another, without empty lines and the client's own decorations."""
    lines = [line.rstrip() for line in shown.split("\n")]
    plain = [_SGR.sub("", line).rstrip() for line in lines]
    begin = next(number for number, line in enumerate(plain) if re.match(first, line))
    end = next((number for number, line in enumerate(plain) if number > begin and re.search(last, line)), begin)
    dull = re.compile(r"^\s*(?:✻|✽|◐|─+$|\S* ?medium ·|.*ctrl\+o to expand\)$|.*/effort$|Original prompt)")
    return [line for line, bare in zip(lines[begin : end + 1], plain[begin:]) if bare and not dull.match(bare)]


def main() -> int:
    """Write both pictures."""
    lines = record(clients.newest())
    for name, theme in THEMES.items():
        path = ROOT / "docs" / f"demo-{name}.svg"
        path.write_text(draw(lines, theme), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes, {len(lines)} lines\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
