"""The result contract: its reader over whole results as models write them, and each rule of its checker."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from bg.evidence import MISSING
from bg.results import conformance, contract, form, markdown
from bg.words import reasons
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent / "contract"
EXAMPLES = sorted((HERE / "examples").glob("*.md"))
MESSY = cases("results/contract/messy.json")
NO_RESULT = json.loads((HERE / "none.json").read_text(encoding="utf-8"))

# What the contract's own rules have against the contract's own examples: no example has what its confidence asks for.
IMPLIED = {
    "exploration": ["breakdown", "justification"],
    "design": ["breakdown", "justification"],
    "review": ["breakdown", "justification"],
    "implementation": ["breakdown", "justification"],
    "error": [],
}

COMPLETE = """## Reviewer Result

### Status
SUCCESS

### Summary
One injection, read and proved.

### Findings

#### Issues Detected
| ID | Issue | File:Line | Severity | Confidence |
|---|---|---|---|---|
| SEC-001 | SQL built from input | `db/query.py:31` | Critical | 97 |

#### Issue Details
**SEC-001: SQL built from input**
```python
cursor.execute("SELECT " + name)
```

### Key References
| Item | Location | Relevance |
|---|---|---|
| query | `db/query.py:31` | the query |

### Confidence
90 - read and run
- verified_confidence: 95 (ran it)
- inferred_confidence: 85 (same pattern elsewhere)
- combined_confidence: 90

### Confidence Justification
**Score**: 90
**Evidence Count**: 1
**Verification Method**: ran the query
**Potential Blind Spots**: other drivers
"""


def parsed(text):
    return contract.parse_all(text)[0]


def noted(text):
    return [note.rule for note in conformance.check(parsed(text))]


def read(result):
    return {
        "agent": result.agent,
        "status": result.status,
        "score": result.confidence.score,
        "parts": [part.name for part in result.parts],
        "references": [str(reference.place) if reference.place else None for reference in result.references],
        "issues": [
            [issue.id, issue.text, issue.category, issue.severity, str(issue.place or ""), issue.confidence]
            for issue in result.issues
        ],
        "next_steps": list(result.next_steps),
        "blockers": [list(blocker) for blocker in result.blockers],
        "notes": [f"{note.rule}: {note.figure} {', '.join(note.names)}".strip() for note in conformance.check(result)],
    }


def test_there_are_cases():
    assert {path.stem for path in EXAMPLES} == set(IMPLIED)
    assert len(MESSY) >= 12
    assert len(NO_RESULT) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_contracts_examples_have_exactly_the_implied_notes(path):
    assert list(IMPLIED[path.stem]) == noted(path.read_text(encoding="utf-8"))


def test_the_review_example_is_read_to_the_last_cell():
    result = parsed((HERE / "examples/review.md").read_text(encoding="utf-8"))
    assert (result.agent, result.status) == ("Security Auditor", "PARTIAL")
    assert result.confidence == contract.Confidence(94.0, None, None, None)
    assert [
        (issue.id, str(issue.place), issue.severity, issue.category, issue.confidence) for issue in result.issues
    ] == [
        ("SEC-001", "src/config/jwt.ts:8", "critical", "security", 98.0),
        ("SEC-002", "src/api/auth.ts:45", "critical", "security", 95.0),
        ("SEC-003", "src/services/auth.ts:89", "important", "security", 85.0),
    ]
    assert [part.name for part in result.parts] == [
        "Issues Detected",
        "Issue Details",
        "Compliance Check",
        "Severity Summary",
    ]
    assert len(result.next_steps) == 3


def test_the_error_example_is_read_to_the_last_cell():
    result = parsed((HERE / "examples/error.md").read_text(encoding="utf-8"))
    written = {section.heading: section.text for section in result.written}
    assert "| Message | No module named 'stripe' |" in written["Error Details"]
    assert {"Attempted Actions", "Root Cause Analysis", "Recovery Options"} < set(written)
    assert [blocker.resolution for blocker in result.blockers] == ["provide the wheel, or allow network access"]


@pytest.mark.parametrize("case", MESSY, ids=lambda case: case["name"])
def test_messy_results_read_as_expected(case):
    assert [read(result) for result in contract.parse_all(case["text"])] == case["expected"]


@pytest.mark.parametrize(
    "text",
    [*(path.read_text(encoding="utf-8") for path in EXAMPLES), *(case["text"] for case in MESSY)],
    ids=[*(path.stem for path in EXAMPLES), *(case["name"] for case in MESSY)],
)
@pytest.mark.parametrize("change", ["crlf", "byte order mark", "text before"])
def test_line_ends_and_text_before_change_nothing(text, change):
    changed = {
        "crlf": text.replace("\n", "\r\n"),
        "byte order mark": "\ufeff" + text,
        "text before": "Here it is.\n\n" + text,
    }[change]
    expected = [read(result) for result in contract.parse_all(text)]
    assert [read(result) for result in contract.parse_all(changed)] == expected


@pytest.mark.parametrize("name", NO_RESULT)
def test_other_texts_are_no_result(name):
    assert contract.parse_all(NO_RESULT[name]) == []


def test_a_complete_result_has_no_notes():
    assert noted(COMPLETE) == []


BROKEN = [
    ("summary", "One injection, read and proved.", "word " * 500, ["summary"]),
    ("locations", "| query | `db/query.py:31` |", "| query | the query module |", ["locations"]),
    ("locations", "| `db/query.py:31` | Critical |", "| `db/query.py` | Critical |", ["locations"]),
    ("confidence", "90 - read and run", "190 - read and run", ["confidence"]),
    ("confidence", "90 - read and run", "high", []),
    ("breakdown", "- inferred_confidence: 85 (same pattern elsewhere)\n", "", ["breakdown"]),
    ("breakdown", "combined_confidence: 90", "combined_confidence: (95 + 85) / 2 = 90", []),
    ("justification", COMPLETE[COMPLETE.index("### Confidence Justification") :], "", ["justification"]),
    ("corroboration", '```python\ncursor.execute("SELECT " + name)\n```\n', "", ["corroboration"]),
]


@pytest.mark.parametrize(("rule", "before", "after", "expected"), BROKEN)
def test_each_rule_sees_its_breach_and_nothing_else(rule, before, after, expected):
    assert before in COMPLETE
    assert noted(COMPLETE.replace(before, after, 1)) == expected


def test_every_rule_has_a_breach_and_a_sentence():
    proved = {rule for *_, expected in BROKEN for rule in expected} | {"uncertainty", *MISSING}
    assert proved == set(reasons.CONTRACT)
    assert sorted(proved) == sorted(rule for rules in reasons.CONTRACT_LINES for rule in rules)


@pytest.mark.parametrize(("score", "expected"), [(69, ["uncertainty"]), (70, []), (74, []), (75, ["breakdown"])])
def test_the_thresholds_of_uncertainty_and_breakdown(score, expected):
    cut = re.sub(r"- verified.*?(?=\Z)", "", COMPLETE, flags=re.DOTALL)
    assert noted(cut.replace("90 - read and run", f"{score} - read")) == expected
    told = cut + "\n### Uncertainty\n- assumed: the driver\n"
    assert noted(told.replace("90 - read and run", f"{score} - read")) == [
        rule for rule in expected if rule != "uncertainty"
    ]


@pytest.mark.parametrize(("score", "missing"), [(84, []), (85, ["justification"])])
def test_the_threshold_of_the_justification(score, missing):
    cut = COMPLETE[: COMPLETE.index("### Confidence Justification")]
    changed = cut.replace("90 - read", f"{score} - read").replace("confidence: 90", f"confidence: {score}")
    changed = changed.replace("confidence: 95", f"confidence: {score}").replace(
        "inferred_confidence: 85", f"inferred_confidence: {score}"
    )
    assert noted(changed) == missing


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- Evidence: `a/b.py:1`", ["corroboration"]),
        ("- Evidence: `a/b.py:1` (needs corroboration)", []),
        ("- Evidence: `a/b.py:1`, `c/d.py:2`", []),
    ],
)
def test_a_pattern_with_one_place_needs_corroboration(line, expected):
    assert noted(COMPLETE.replace("#### Issue Details", f"#### Architecture\n{line}\n\n#### Issue Details")) == expected


def test_the_summarys_tokens_are_counted_as_stated():
    assert [conformance.tokens(text) for text in ("", "a", "abcd", "abcde", "日本語")] == [0, 1, 1, 2, 3]


@pytest.mark.parametrize("kind", form.KINDS)
def test_the_form_in_the_prompt_is_read_back(kind):
    blocks = re.findall(r"```markdown\n(.*?)\n```", form.prompt(kind), re.DOTALL)
    result, failure = parsed(blocks[0]), parsed(blocks[1])
    assert (form.KINDS[kind]["agent"].capitalize(), "") == (result.agent, result.status)
    assert all(f"| {band['name']} | {band['evidence']} |" in form.prompt(kind) for band in form.FORM["bands"])
    assert [part["name"] for part in form.KINDS[kind]["parts"]] == [part.name for part in result.parts]
    sections = [re.sub(r" \(.*", "", section.heading) for section in result.written]
    assert {section["name"] for section in form.FORM["sections"] if not section.get("inner")} <= set(sections)
    assert (failure.status, failure.blockers[0].resolution) == ("FAILED", "<what is needed>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`src/a.ts:45`", "src/a.ts:45"),
        ("./src//a.ts:45-50", "src/a.ts:45"),
        ("src\\a.ts:45:7", "src/a.ts:45"),
        ("[a.ts](src/a.ts) line 4", "a.ts:4"),
        ("`src/a.ts` (line 45)", "src/a.ts:45"),
        ("src/a.ts#L45-L50", "src/a.ts:45"),
        ("`my dir/a file.md:3`", "my dir/a file.md:3"),
        ("`app/[id]/page.tsx:9`", "app/[id]/page.tsx:9"),
        ("C:\\src\\a.ts:3", "C:/src/a.ts:3"),
        ("Makefile:12", "Makefile:12"),
        ("http://localhost:8080/x", None),
        ("at 10:45", None),
        ("see src/a.ts", "src/a.ts"),
    ],
)
def test_a_place_is_read_however_it_is_written(text, expected):
    assert expected == (str(markdown.place(text)) if markdown.place(text) else None)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        (r"| a \| b | c |", ["a | b", "c"]),
        ("| `a | b` | c |", ["`a | b`", "c"]),
        ("| `a | b |", ["`a", "b"]),
        (r"| \d+ | C:\src |", [r"\d+", r"C:\src"]),
        ("a | C:\\", ["a", "C:\\"]),
    ],
)
def test_a_row_is_divided_at_its_bars_and_keeps_every_other_sign(row, expected):
    assert expected == markdown.cells(row)


PIECES = [
    "## Agent Result\n", "### Status\n", "SUCCESS\n", "### Findings\n", "#### Issues Detected\n", "### Confidence\n",
    "92 - sure\n", "| ID | Issue | Severity |\n", "|---|---|---|\n", "| SEC-1 | `a.py:1` | critical |\n", "```\n",
    "```python\n", "~~~\n", "- [ ] x\n", "### Blockers\n", "- a | Resolution: b\n", "### Error Details\n",
    "verified_confidence: 90\n", "**Status:** FAILED\n", "\n", "|\n", "### Key References\n",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=400), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12))).map("".join))
)
def test_no_text_raises(text):
    for result in contract.parse_all(text):
        assert all(note.rule in reasons.CONTRACT for note in conformance.check(result))
        assert all(place.line is not None for place in conformance.cited(result))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([piece for piece in PIECES if not piece.startswith(("``", "~~", "## "))])))
def test_everything_written_is_kept(pieces):
    text = "### Status\nSUCCESS\n### Summary\nread\n" + "".join(pieces)
    (result,) = contract.parse_all("## Agent Result\n" + text)
    kept = {line.strip("# ") for section in result.written for line in [section.heading, *section.text.split("\n")]}
    assert {line.strip("# ") for line in text.split("\n")} - kept <= {""}


@pytest.mark.parametrize(
    "text",
    [
        "a.b/" * 50_000,
        "`" * 50_000,
        "|" * 50_000,
        "1:" * 50_000,
        "# " * 50_000,
        "verified: " * 20_000,
        "x y: " * 20_000,
        "resolution" * 9000,
        "[" * 50_000,
        "- " * 50_000,
    ],
)
def test_long_texts_take_no_long_time(text):
    whole = (
        COMPLETE.replace("One injection, read and proved.", text)
        + f"\n### Issues\n- {text}\n\n### Blockers\n- {text}\n\n### Confidence\n{text}\n"
    )
    began = time.thread_time()
    assert contract.parse_all(whole)
    assert time.thread_time() - began < 10


def test_a_text_of_many_titles_is_not_divided_anew_for_each(monkeypatch):
    """Each is a pass over the rest: a hundred kilobytes of them took minutes."""
    passes = []
    divide = contract._divide
    monkeypatch.setattr(contract, "_divide", lambda found: passes.append(len(found)) or divide(found))
    text = "## A Result\n### Status\nSUCCESS\n" * 200
    assert contract.parse_all(text) == []
    assert sum(passes) < 20 * len(text.splitlines())
