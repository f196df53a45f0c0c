"""`bgctl board`: one page over all projects, in which what others wrote is text, and which is written whole or not."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
import stat
from pathlib import Path

import pytest
from bg.desk import board
from bg.ledger import inbox
from bg.ledger.values import Item
from screens import NOW, ledger
from test_bgctl import bgctl, data  # noqa: F401 - a fixture

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>&lt;b&gt; \x1b[31m\u202etxt.exe"


class Tags(html.parser.HTMLParser):
    """Counts the elements of a page, and collects its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def test_the_page_is_written_beside_the_ledger_for_its_owner_only(data):  # noqa: F811
    done = bgctl(data, "board")
    path = data / "data" / "board.html"
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{path.as_uri()}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert bgctl(data, "board", "--output", "-", "--all").stdout.startswith("<!DOCTYPE html>")
    assert [] == [each.name for each in (data / "data").iterdir() if each.name.startswith(".board")]


def test_what_needs_you_in_every_project_comes_first():
    with ledger(10) as book:
        with book.transaction() as writing:
            writing.write(
                "UPDATE tasks SET project = '/home/somebody/other', root = project WHERE number IN (1, 9, 10)"
            )
        page = Tags(board.board([book], NOW, everything=True))
    assert page.open == []
    headings = re.findall(r"^(?:Needs you \d|Working \d|Ended \d|other|shop)$", page.text, re.MULTILINE)
    assert headings == ["Needs you 4", "other", "Working 1", "Ended 1", "shop", "Working 2", "Ended 2"]
    needs, _, rest = page.text.partition("\nother\n")
    assert re.findall(r"^bg-\d+(?=[a-z])", needs, re.MULTILINE) == ["bg-1", "bg-4", "bg-8", "bg-7"]
    assert len(re.findall(r"^bg-\d+(?=[a-z])", rest, re.MULTILINE)) == 6
    assert "other · " in needs
    assert "“docs/auth.md” is not there · not all checked" in needs
    assert "Q2 “May a session stay open for ever?”" in needs
    assert "/bg-answer bg-1 Q1: <answer>" in needs


def test_what_ended_long_ago_is_counted(data):  # noqa: F811
    page = Tags(bgctl(data, "board", "--output", "-").stdout)
    assert re.search(r"^(\d+) ended earlier: bgctl board --all$", page.text, re.MULTILINE)[1] == "5"


def test_what_others_wrote_is_text():
    with ledger(1) as book:
        honest = Tags(board.board([book], NOW))
        with book.transaction() as writing:
            sql = "UPDATE tasks SET text = ?, description = ?, project = ?, root = ?, note = ?"
            writing.write(sql, *[f"/{HOSTILE}"] * 5)
            inbox.ask(writing, "bg-1", "a0000001", 1, Item.QUESTION, HOSTILE, {"text": HOSTILE, "context": HOSTILE})
        text = board.board([book], NOW)
    page = Tags(text)
    assert (honest.tags, honest.attributes) == (page.tags, page.attributes)
    assert not re.search("[\x1b\u202e]", text)
    assert page.text.count("alert(1)") >= 10


def test_without_tasks_it_says_so(tmp_path):
    assert "No background tasks yet." in bgctl(tmp_path, "board", "--output", "-").stdout


def test_it_is_opened_in_the_browser(data, monkeypatch):  # noqa: F811
    opened = []
    monkeypatch.setenv("BG_DATA", str(data / "data"))
    monkeypatch.setattr(board.webbrowser, "open", lambda address: not opened.append(address))
    parser = board.argparse.ArgumentParser()
    board.arguments(parser)
    assert (0, "") == board.run(parser.parse_args(["--open"]))[::2]
    assert opened == [(data / "data" / "board.html").as_uri()]


@pytest.mark.parametrize("target", ["missing/board.html", "data/ledger.db/board.html"])
def test_a_page_that_cannot_be_written_is_one_line(target, data):  # noqa: F811
    done = bgctl(data, "board", "--output", target)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"bgctl: the page cannot be written to {data / target}: ")
    assert done.stderr.count("\n") == 1


def test_it_loads_nothing():
    with ledger(10) as book:
        text = board.board([book], NOW)
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href)=|url\(|@import|https?:", text)
    assert not re.search(r"\bon\w+=|innerHTML|eval", text)
    [script] = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in text
    assert Path(board.TEMPLATE).is_file()
