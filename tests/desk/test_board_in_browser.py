"""The board in Chromium: it runs its filter and nothing else, finds words of a report, and does not grow too wide."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from bg.desk import board
from bg.ledger import inbox
from bg.ledger.values import Item
from browser import Browser, installed
from screens import NOW, ledger
from test_board import HOSTILE

SHOWN = "[...document.querySelectorAll('.card')].filter(c => c.checkVisibility()).map(c => c.querySelector('b').textContent)"


@pytest.fixture(autouse=True)
def chromium() -> None:
    if not installed():
        assert not os.environ.get("BG_REQUIRE_HOSTS"), "chromium is not installed"
        pytest.skip("chromium is not installed")


def opened(folder: Path, count: int = 12, **how: object) -> Iterator[Browser]:
    with ledger(count) as book:
        with book.transaction() as writing:
            sql = (
                "UPDATE tasks SET project = '/home/somebody/other', root = '/home/somebody/other' WHERE number % 3 = 0"
            )
            writing.write(sql)
            inbox.ask(writing, "bg-2", "a0000002", 1, Item.QUESTION, "Q1", {"text": HOSTILE})
        page = folder / "board.html"
        page.write_text(board.board([book], NOW, everything=True), encoding="utf-8")
    with Browser(folder / "profile", **how) as browser:  # type: ignore[arg-type]
        browser.open(page.as_uri())
        yield browser


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    yield from opened(tmp_path)


def test_it_shows_what_needs_the_user_of_every_project_and_runs_no_script_but_its_own(browser):
    first = browser.ask("document.querySelector('.part').textContent")
    assert first.startswith("Needs you 6\n")
    assert "other · " in first
    assert browser.ask("[...document.querySelectorAll('h2')].map(e => e.textContent)") == [
        "Needs you 6",
        "shop",
        "other",
    ]
    assert browser.ask("document.querySelectorAll('script').length") == 1
    refused = "new Promise(done => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
    assert browser.ask(f"{refused} document.body.append(s); done(window.ran || 0) }})") == 0
    assert [each for each in browser.complaints() if "Content Security Policy" not in each] == []


def test_the_filter_finds_tasks_projects_and_words_of_a_report(browser):
    every = browser.ask(SHOWN)
    assert len(every) == 12
    browser.ask("document.querySelector('input').focus()")
    browser.type("both FILES")
    assert browser.ask(SHOWN) == ["bg-7", "bg-11", "bg-3"]
    assert browser.ask("document.querySelector('[role=status]').textContent") == "3 of 12 tasks"
    assert browser.ask(
        "[...document.querySelectorAll('.part')].filter(p => !p.hidden).every(p => p.textContent.includes('bg-'))"
    )
    browser.type(" other")
    assert browser.ask(SHOWN) == ["bg-3"]
    browser.ask("document.querySelector('input').select()")
    browser("Input.dispatchKeyEvent", type="keyDown", key="Delete", code="Delete", windowsVirtualKeyCode=46)
    assert browser.ask(SHOWN) == every
    assert browser.ask("document.querySelector('[role=status]').textContent").startswith("as of ")
    assert browser.complaints() == []


def test_a_card_opens_on_the_report_in_sections(browser):
    browser.ask("document.querySelectorAll('summary')[0].click()")
    said = browser.ask("document.querySelector('details[open]').textContent")
    assert "Waits for you" in said
    assert "History" in said
    assert browser.ask("[...document.querySelectorAll('.card h4')].some(e => e.checkVisibility())")


@pytest.mark.parametrize(("width", "dark"), [(1000, False), (1000, True), (500, False)])
def test_no_size_of_it_is_wider_than_its_window(width, dark, tmp_path):
    for browser in opened(tmp_path, width=width, dark=dark):
        browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.ask("document.documentElement.scrollWidth") <= browser.ask("window.innerWidth")
        paper = browser.ask("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
        if os.environ.get("BG_SCREENSHOTS"):
            browser.screenshot(Path(os.environ["BG_SCREENSHOTS"]) / f"board-{width}-{'dark' if dark else 'light'}.png")


def test_of_a_thousand_tasks_only_those_on_the_screen_are_laid_out(tmp_path):
    """A browser that lays out all of them is what lags."""
    for browser in opened(tmp_path, 1000):
        assert browser.ask("document.querySelectorAll('.card').length") == 1000
        drawn = "c => c.querySelector('summary').checkVisibility({contentVisibilityAuto: true})"
        assert browser.ask(f"[...document.querySelectorAll('.card')].filter({drawn}).length") < 100
        browser.ask("document.querySelector('input').focus()")
        browser.type("bg-777")
        assert browser.ask(SHOWN) == ["bg-777"]
