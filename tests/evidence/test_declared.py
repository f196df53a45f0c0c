"""The declared form: how the lines of an evidence list are read, as models write them; what is not in it is prose."""

from __future__ import annotations

import time

import pytest
from bg.evidence import declared
from bg.evidence.declared import Called
from bg.protocol import signals
from hypothesis import given
from hypothesis import strategies as st

NOTHING = {"subject": "", "other": "", "quote": "", "passed": None, "number": 0, "first": 0, "last": 0}
READ = [
    ("- wrote docs/a.md", [("wrote", {"subject": "docs/a.md"})]),
    ("* **wrote** `docs/über uns.md` (neu)", [("wrote", {"subject": "docs/über uns.md"})]),
    ("1. Created `docs/a.md`", [("wrote", {"subject": "docs/a.md"})]),
    ("✅ wrote: docs/a.md", [("wrote", {"subject": "docs/a.md"})]),
    ("- [x] changed `src/a.py`: the writer", [("changed", {"subject": "src/a.py"})]),
    (
        "- changed src/a.py, src/b.py and `c.py` to be quick",
        [("changed", {"subject": each}) for each in ("src/a.py", "src/b.py", "c.py")],
    ),
    ('- changed src/a.ts contains "f(\\"x\\")"', [("changed", {"subject": "src/a.ts", "quote": 'f("x")'})]),
    (
        '- wrote a.ts contains "const x = f("a", "b")"',
        [("wrote", {"subject": "a.ts", "quote": 'const x = f("a", "b")'})],
    ),
    ("- changed a.py contains `x = 1`", [("changed", {"subject": "a.py", "quote": "x = 1"})]),
    ("- wrote a.md contains „Straße“", [("wrote", {"subject": "a.md", "quote": "Straße"})]),
    ("- changed src/a.py:12", [("changed", {"subject": "src/a.py"})]),
    ("- wrote [guide](docs/guide.md)", [("said", {})]),
    ("- removed src/old.ts", [("removed", {"subject": "src/old.ts"})]),
    ("- removed `foo` from src/a.py", [("said", {})]),
    ("- removed unused import in src/a.py", [("said", {})]),
    ("- removed src/a.py section two", [("said", {})]),
    ("- moved src/a.ts -> src/b.ts", [("moved", {"subject": "src/a.ts", "other": "src/b.ts"})]),
    ("- renamed `a.ts` → `b.ts`", [("moved", {"subject": "a.ts", "other": "b.ts"})]),
    ("- moved src/a.ts to src/b.ts (as asked)", [("moved", {"subject": "src/a.ts", "other": "src/b.ts"})]),
    ("- ran `npm test` -> pass, 18 passed", [("ran", {"subject": "npm test", "passed": True, "number": 18})]),
    ("- ran pytest -q → 12 passed", [("ran", {"subject": "pytest -q", "passed": True, "number": 12})]),
    ("- ran `npm run lint` -> fail", [("ran", {"subject": "npm run lint", "passed": False})]),
    ("- ran `ruff check .` -> fail first, then pass", [("ran", {"subject": "ruff check .", "passed": True})]),
    ("- ran `npm test`: 3 failed, 4 passed", [("ran", {"subject": "npm test", "passed": False, "number": 4})]),
    ("- ran `go test ./...` → ok (0 failures)", [("ran", {"subject": "go test ./...", "passed": True})]),
    ("- ran `go test` -> passed, no errors", [("ran", {"subject": "go test", "passed": True})]),
    (
        "- Tests: ran `cargo test` -> bestanden, 14 von 14",
        [("ran", {"subject": "cargo test", "passed": True, "number": 14})],
    ),
    ("- ran `pytest` -> 通过, 14 passed", [("ran", {"subject": "pytest", "passed": True, "number": 14})]),
    ("- ran `x --list`", [("ran", {"subject": "x --list"})]),
    ("- ran the tests and they were fine", [("said", {})]),
    ("- commit 1a2b3c4", [("commit", {"subject": "1a2b3c4"})]),
    (
        "- commit `1A2B3C4D`, pushed, opened PR #12",
        [("commit", {"subject": "1a2b3c4d"}), ("pushed", {"subject": "push"}), ("pr", {"subject": "12"})],
    ),
    ('- commit: "Fix it", not pushed', [("commit", {"quote": "Fix it"})]),
    ("- opened PR https://example.org/x/y/pull/33", [("pr", {"subject": "33"})]),
    (
        '- saw src/a.ts:41 "if (user)"',
        [("saw", {"subject": "src/a.ts", "quote": "if (user)", "first": 41, "last": 41})],
    ),
    (
        '- saw `src/a.py:3-5` `def f("x", y):`',
        [("saw", {"subject": "src/a.py", "quote": 'def f("x", y):', "first": 3, "last": 5})],
    ),
    ('- saw src/a.py line 7: "x"', [("saw", {"subject": "src/a.py", "quote": "x", "first": 7, "last": 7})]),
    ("- fits schemas/f.json: findings.json", [("fits", {"subject": "findings.json", "other": "schemas/f.json"})]),
    ("- findings.json fits schemas/f.json", [("fits", {"subject": "findings.json", "other": "schemas/f.json"})]),
    ("- not checked: the Windows build", [("open", {"subject": "the Windows build"})]),
    ("- not done: wrote docs/a.md", [("open", {"subject": "wrote docs/a.md"})]),
    ("- wrote the docs and cleaned up", [("said", {})]),
    ("- Alles ist gut.", [("said", {})]),
    ("- 运行 ran `pytest` -> pass", [("ran", {"subject": "pytest", "passed": True})]),
    ('・changed config.go contains "x"', [("changed", {"subject": "config.go", "quote": "x"})]),
    ("- ejecutado `npx tsc` -> correcto", [("ran", {"subject": "npx tsc"})]),
    ('- gesehen (saw) a.yml:10 "x: y" – so', [("saw", {"subject": "a.yml", "quote": "x: y", "first": 10, "last": 10})]),
    ("- 未確認 not checked: x", [("open", {"subject": "x"})]),
    ("- **ran** `python -m pytest` → pass", [("ran", {"subject": "python -m pytest", "passed": True})]),
    (
        '- changed k.py contains "from __future__ import x"',
        [("changed", {"subject": "k.py", "quote": "from __future__ import x"})],
    ),
    ("- commit b518ea2 (amended, replaces 9e1b2aa)", [("commit", {"subject": "b518ea2"})]),
    ("- pushed to origin/main", [("pushed", {"subject": "push", "other": "main"})]),
    ('| 3 | changed img.ts contains "x" |', [("changed", {"subject": "img.ts", "quote": "x"})]),
    ("| wrote | docs/a.md |", [("wrote", {"subject": "docs/a.md"})]),
    ("- not pushed: there is no remote", [("open", {"subject": "there is no remote"})]),
    ("- commits a4646f0 and c17b3a6", [("commit", {"subject": "a4646f0"}), ("commit", {"subject": "c17b3a6"})]),
    (
        '* **Changed:** `src/feed.js`\n    * contains "new Set("',
        [("changed", {"subject": "src/feed.js", "quote": "new Set("})],
    ),
    ("- commits are signed", [("said", {})]),
    (
        "- Then I changed parse.py so that it contains \"p.split('=', 1)\", with sed.",
        [("changed", {"subject": "parse.py", "quote": "p.split('=', 1)"})],
    ),
    ("- First, I ran `pytest`, and two tests failed.", [("ran", {"subject": "pytest", "passed": False})]),
    ("- 测试：ran `npm test` -> pass，3 passed", [("ran", {"subject": "npm test", "passed": True, "number": 3})]),
    ("- Ran bash ci.sh -> exit 0", [("ran", {"subject": "bash ci.sh", "passed": True})]),
    (
        r"| `npm test 2>&1 \| grep -E '^# (tests\|pass)'` | pass 3 |",
        [("ran", {"subject": "npm test 2>&1 | grep -E '^# (tests|pass)'", "passed": True, "number": 0})],
    ),
]


@pytest.mark.parametrize(("line", "expected"), READ, ids=[line for line, _ in READ])
def test_a_declared_line_is_read_as_its_kind(line, expected):
    found = [
        (
            item.kind,
            {
                name: each
                for name, each in item._asdict().items()
                if name not in ("line", "kind", "remark", "followed", "loose")
            },
        )
        for item in declared.read(line)[0]
    ]
    assert [(kind, {**NOTHING, **given}) for kind, given in expected] == found


CALLED = Called(
    [
        "bin/mise run fmt && bin/mise run test",
        "cd web && npx jest 2>&1 | tail -5",
        "bash scripts/ci.sh",
        "./do all",
        "git status --short",
    ]
)
OF_CALLS = [
    # the line; the command, how it is said to have ended, the number, and whether it is never doubted
    (
        "- Ran bin/mise run fmt && bin/mise run test: pass, 4 ok",
        "bin/mise run fmt && bin/mise run test",
        True,
        4,
        False,
    ),
    ("- [x] Ran npx jest 2>&1: Tests: 1 passed, 1 total", "npx jest 2>&1", True, 1, False),
    ("- Ran bash scripts/ci.sh: ci: ok (2 tests)", "bash scripts/ci.sh", True, 2, False),
    ("- ./do all at the root: fail, status 1", "./do all", False, 0, True),
    ("- ./do all: exit 0", "./do all", True, 0, False),
    ("- looked: `git status --short`", "git status --short", None, 0, False),
    ("- suite started with `./do all`, then read the log: 2 passed", "./do all", True, 2, True),
    ("- 検査：`./do all` — 合格", "./do all", True, 0, False),
]


@pytest.mark.parametrize(("line", "command", "passed", "number", "loose"), OF_CALLS, ids=[each[0] for each in OF_CALLS])
def test_a_line_that_names_a_command_of_the_calls(line, command, passed, number, loose):
    found = declared.read(line, CALLED)[0]
    assert [(item.kind, item.subject, item.passed, item.number, item.loose) for item in found] == [
        ("ran", command, passed, number, loose)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- I have not started with `./do all` yet",
        "- before, with `./do all`, it failed",
        "- `./do some` is what the CI calls",
        "- do all that was asked",
        "- the docs say what `./do all` does",
    ],
)
def test_a_line_that_speaks_of_a_command_otherwise_is_only_said(line):
    assert [item.kind for item in declared.read(line, CALLED)[0]] == ["said"]


def test_a_wrapped_line_is_one_and_each_line_keeps_its_words():
    items = declared.read("- ran `npm test` ->\n  pass, 18 passed\n\n- wrote a.md\n```\n")[0]
    assert [(item.line, item.passed, item.number) for item in items] == [
        ("- ran `npm test` -> pass, 18 passed", True, 18),
        ("- wrote a.md", None, 0),
    ]


BLOCK = """[COMPLETION_REPORT]
agent_id: bg-1-abcdefghij
status: success
summary: Done.
{evidence}
deliverables: a.md
metrics_achieved: none
issues_encountered: none
recommendations: none
[/COMPLETION_REPORT]"""


@pytest.mark.parametrize(
    "evidence",
    [
        "evidence:\n- wrote a.md\n- ran `npm test` -> pass\n- not done: b\n- not checked: c",
        "evidence: |\n  - wrote a.md\n  - ran `npm test` -> pass\n  - not done: b\n  - not checked: c",
        "**Evidence:**\n* wrote a.md\n* ran `npm test` -> pass\n* not done: b\n* not checked: c",
        "evidence:\n  wrote a.md\n  ran `npm test` -> pass\n  not done: b\n  not checked: c",
        "evidence:\nwrote a.md\nran `npm test` -> pass\nnot done: b\nnot checked: c",
    ],
)
def test_the_list_within_a_block(evidence):
    signal = signals.read(BLOCK.format(evidence=evidence)).deciding
    assert signal.valid
    assert [item.kind for item in declared.read(signal.fields["evidence"])[0]] == ["wrote", "ran", "open", "open"]


@given(st.text(max_size=400))
def test_no_text_raises(text):
    declared.read(text)


@pytest.mark.parametrize(
    "piece", ["- wrote a", "`", '"', "- ran `x` -> ", "(", 'saw a.py:1 "', "contains ", "/", "a/b ", "1 passed "]
)
def test_no_text_is_slow(piece):
    began = time.thread_time()
    declared.read(piece * (150_000 // len(piece)))
    assert time.thread_time() - began < 6
