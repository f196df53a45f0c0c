"""The README's picture: the demo's play typed into the real client in a terminal, drawn as SVG for light and dark.

`PYTHONPATH=scripts python -m rig.picture` writes docs/demo-dark.svg and docs/demo-light.svg. Nothing in it is drawn by
hand: what stands there stood on the screen, less empty lines and the client's own greeting.
"""

from __future__ import annotations

import re
import sys
import time
from html import escape
from pathlib import Path
from typing import NamedTuple

from rig import clients, demo_cast
from rig.home import Home
from rig.model import Model
from rig.session import auto_mode
from rig.terminal import Interactive

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 80
CELL, LINE, EDGE = 8.4, 19, 16
MOST = 44  # lines
FONT = 'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14"'
THEMES = {
    "dark": {"page": "#14161a", "": "#e6e6e6", "dim": "#8b919b", "red": "#ff7b72", "green": "#6bc46d",
             "yellow": "#e3b341", "cyan": "#56c8d8", "said": "#2a2e35"},
    "light": {"page": "#ffffff", "": "#1f2328", "dim": "#6e7781", "red": "#c62828", "green": "#1a7f37",
              "yellow": "#9a6700", "cyan": "#0b7285", "said": "#eef0f3"},
}  # fmt: skip
_NAMED = {31: "red", 32: "green", 33: "yellow", 36: "cyan", 90: "dim", 91: "red", 92: "green", 93: "yellow", 96: "cyan"}
_INDEXED = {220: "yellow", 246: "dim", 244: "dim", 239: "dim", 245: "dim", 114: "green", 211: "red"}
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


class Piece(NamedTuple):
    """Some characters of a line in one style; `at` is their column."""

    at: int
    text: str
    colour: str
    bold: bool
    said: bool


def pieces(line: str) -> list[Piece]:
    """A captured line, taken apart at its colours."""
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
            words = piece.text.strip()
            if words:
                left = EDGE + (piece.at + len(piece.text) - len(piece.text.lstrip())) * CELL
                bold = ' font-weight="bold"' if piece.bold else ""
                out.append(
                    f'<text x="{left:.1f}" y="{top + 14}" textLength="{len(words) * CELL:.1f}" '
                    f'fill="{theme[piece.colour]}"{bold}>{escape(words)}</text>'
                )
    return "\n".join([*out, "</svg>", ""])


def record(version: str) -> list[str]:
    """The lines of one run, with their colours."""
    with Home() as home:
        demo_cast.lay_out(home.project)
        with Model(demo_cast.script(home.project)) as model:
            home.base_url = model.url
            options = [*auto_mode(), "--allowedTools", "Agent SendMessage ToolSearch Read Write"]
            with Interactive(home, version, [ROOT], options, size=(WIDTH, 120)) as term:
                _play(term)
                shown = term.screen(colours=True)
    return kept(shown)


def _play(term: Interactive) -> None:
    term.say(f"/bg:bg {demo_cast.TASK}")
    term.wait_for(r"bg-1 asks: “Should the export", 60)
    term.wait_for(r"needs two decisions", 30)
    term.settle(1.5)
    term.say("/bg-status")
    term.wait_for(r"Needs you", 30)
    term.settle()
    term.say("/bg-answer " + "  ".join(f"{name}: {words}" for name, words in demo_cast.ANSWERS.items()))
    term.wait_for(r"bg-1 done", 60)
    term.wait_for(re.escape(demo_cast.OUTCOME), 30)
    term.settle(1.5)
    time.sleep(0.5)


def kept(shown: str) -> list[str]:
    """From the first thing typed to the last thing said, without empty lines and the client's own decorations."""
    lines = [line.rstrip() for line in shown.split("\n")]
    plain = [_SGR.sub("", line).rstrip() for line in lines]
    first = next(number for number, line in enumerate(plain) if line.startswith("❯ /bg:bg"))
    rules = [number for number, line in enumerate(plain) if line.startswith("────")]
    last = rules[-2] if len(rules) > 1 else len(plain)
    dull = re.compile(r"^\s*(?:✻|✽|◐|\S* ?medium ·|.*ctrl\+o to expand\)$|.*/effort$)")
    return [line for line, bare in zip(lines[first:last], plain[first:last]) if bare and not dull.match(bare)][:MOST]


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
