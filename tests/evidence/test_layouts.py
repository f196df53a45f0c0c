"""However a quote is wrapped, escaped, marked or cut short, it is the quote; other words are not."""

from __future__ import annotations

import pytest
from world import World

FILE = """import os

export async function retry<T>(
  f: () => Promise<T>,
  limit = LIMIT,
): Promise<T> {
\tif (n >= 3 && a < b) return "12h";
  const PATTERN = /\\d+\\.\\d*/;
  # Retries are capped at five
  # because the upstream bans us
  throw new Error("no such " +
    "user: " + name);
  log('it\\'s "done"…');
}
"""

SAME = [
    (3, "export async function retry<T>(f: () => Promise<T>, limit = LIMIT)"),
    (3, "export async function retry<T>( f: () => Promise<T>, limit = LIMIT, ): Promise<T>"),
    (3, "export async function retry<T>(...)"),
    (3, "export async function retry<T>(…): Promise<T> { … }"),
    (3, "export async function retry<T>([...]"),
    (3, "export async function retry<T>( /* ... */ )"),
    (5, "limit = LIMIT,"),
    (5, "limit = LIMIT;"),
    (5, "5: limit = LIMIT"),
    (5, "L5: limit = LIMIT"),
    (5, "5→  limit = LIMIT,"),
    (5, "5 | limit = LIMIT,"),
    (5, "src/x.ts:5:  limit = LIMIT,"),
    (5, "> limit = LIMIT,"),
    (5, "+ limit = LIMIT,"),
    (4, "+ f: () => Promise<T>, + limit = LIMIT,"),
    (4, "| f: () => Promise<T>, | limit = LIMIT,"),
    (4, "f: () => Promise<T>, / limit = LIMIT"),
    (4, "f: () => Promise<T>, ⏎ limit = LIMIT"),
    (7, "if (n >= 3 && a < b) return “12h”;"),
    (7, "if (n >= 3 &amp;&amp; a &lt; b) return &quot;12h&quot;;"),
    (7, "if (n ≥ 3 && a < b) return '12h'"),
    (8, "const PATTERN = /\\\\d+\\\\.\\\\d*/;"),
    (9, "Retries are capped at five because the upstream bans us"),
    (9, "# Retries are capped at five # because the upstream bans us"),
    (11, "no such user: "),
    (11, 'throw new Error("no such " + "user: " + name)'),
    (13, "log('it's \\\"done\\\"...')"),
    (13, "log('it\\'s \\\"done\\\"…');"),
]


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.write("src/x.ts", FILE, -3600)
    made.head = made.commit("x")
    made.call("Read", FILE, file_path=str(made.root / "src/x.ts"))
    return made


@pytest.mark.parametrize(("line", "quote"), SAME, ids=[quote for _, quote in SAME])
def test_the_same_words_in_another_layout(world, line, quote):
    assert world.declared(f'saw src/x.ts:{line} "{quote}"')[0][:2] == ("seen", "quoted")


@pytest.mark.parametrize(("line", "quote"), SAME, ids=[quote for _, quote in SAME])
def test_the_same_words_in_ticks(world, line, quote):
    assert world.declared(f"saw `src/x.ts:{line}` - `{quote}`")[0][:2] == ("seen", "quoted")


@pytest.mark.parametrize(("line", "quote"), SAME, ids=[quote for _, quote in SAME])
def test_the_same_words_that_a_changed_file_contains(world, line, quote):
    world.edited("src/x.ts", FILE + "\n")
    assert world.declared(f'changed src/x.ts contains "{quote}"')[0][0] == "seen"


OTHER = [
    (5, "limit = 5"),
    (5, "limit = LIMIT + 1"),
    (5, "+ limit = 5"),
    (5, "5: limit = MAX"),
    (3, "export async function retry<T>(f: () => Promise<T>, limit = MAX)"),
    (3, "export async function retry<T>(…, limit = MAX)"),
    (7, "if (n > 3 && a < b) return '12h'"),
    (8, "const PATTERN = /\\w+/;"),
    (9, "Retries are capped at ten because the upstream bans us"),
    (11, "no such group: "),
    (4, "f: () => Promise<T>, / limit = MAX_LIMIT"),
]


@pytest.mark.parametrize(("line", "quote"), OTHER, ids=[quote for _, quote in OTHER])
def test_other_words_are_no_layout(world, line, quote):
    assert world.declared(f'saw src/x.ts:{line} "{quote}"')[0][:2] == ("does not match", "other words")


PAIRS = [
    ("tsconfig.json", '{"strict": false}\n', 'contains "strict": true', "lacks the text"),
    ("tsconfig.json", '{"strict": true}\n', 'contains "strict": true', "contains"),
    ("tsconfig.json", '{"strict": true}\n', 'contains "strict": true,', "contains"),
    (".babelrc", "{retries = 3}\n", 'contains "retries": 3', "contains"),
    ("conf.yaml", "retries: 3\n", 'contains "retries": 3', "contains"),
    ("conf.yaml", "retries: 4\n", 'contains "retries": the new number', "contains"),
    ("data.json", '{"name": "shop"}\n', 'contains "name": the shop\'s', "contains"),
]


@pytest.mark.parametrize(("name", "text", "said", "reason"), PAIRS, ids=[f"{each[0]} {each[2]}" for each in PAIRS])
def test_a_name_of_json_with_its_value(world, name, text, said, reason):
    world.edited(name, text)
    assert world.reason(f"changed {name} {said}") == reason
