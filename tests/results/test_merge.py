"""Aggregation: one issue from several reporters, two figures that are never mixed, and nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import cli
from bg.results import account, intake
from bg.results.intake import Source, take
from bg.results.merge import aggregate, merge
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = HERE / "contract/examples"


def line(**fields):
    return {"agent": "one", "issue": "Hardcoded secret", "location": "src/a.ts:8", "category": "security", **fields}


def merged(*records, weights=None, name="findings.jsonl"):
    data = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    return merge(take([Source(name, data.encode())]), weights)


def one(*records, weights=None):
    account_ = merged(*records, weights=weights)
    (finding,) = account_.findings + account_.appendix
    return finding


def result(agent, status="SUCCESS", score=80, issues="", findings="Read it."):
    text = f"## {agent} Result\n\n### Status\n{status}\n\n### Summary\nDone by {agent}.\n\n### Findings\n{findings}\n\n"
    return text + f"### Confidence\n{score} - read\n\n### Issues\n{issues}\n"


def of_results(*texts, weights=None):
    return merge(take([Source(f"{number}.md", text.encode()) for number, text in enumerate(texts)]), weights)


def test_the_contracts_example_combines_to_96_5():
    finding = one(line(agent="security-auditor", confidence=95), line(agent="qa-engineer", confidence=78))
    assert finding.highest == (95.0, "security-auditor", "")
    assert finding.combined == 96.5
    assert finding.reporters == ("security-auditor", "qa-engineer")


@pytest.mark.parametrize(
    ("confidences", "combined"),
    [
        ([80], 80.0),
        ([80, 60], 80.0),
        ([60, 60, 60], 70.0),
        ([95, 78, 40], 81.0),
        ([100, 99], 100.0),
        ([100, 100, 100], 100.0),
        ([0, 0], 10.0),
        ([70, None], 80.0),
        ([None, None], None),
        ([None], None),
    ],
)
def test_combined_is_the_mean_plus_ten_once_and_at_most_a_hundred(confidences, combined):
    given_ = [line(agent=f"a{number}", confidence=value) for number, value in enumerate(confidences)]
    assert one(*given_).combined == combined


def test_the_mean_is_weighted_by_agent_type():
    reports = [line(agent="security-auditor", confidence=90), line(agent="qa-engineer", confidence=60)]
    assert one(*reports, weights={"Security Auditor": 2}).combined == 90.0
    assert one(*reports, weights={"qa-engineer": 0}).combined == 100.0
    assert one(*reports, weights={"qa-engineer": 0, "security-auditor": 0}).combined == 85.0
    assert one(*[{**report, "agent_type": "x"} for report in reports], weights={"security-auditor": 9}).combined == 85.0


def test_severity_stays_with_the_report_it_came_from_and_a_difference_is_a_conflict():
    finding = one(
        line(agent="one", confidence=95, severity="minor"), line(agent="two", confidence=60, severity="Critical")
    )
    assert finding.highest == (95.0, "one", "minor")
    assert [(report.reporter, report.severity, report.confidence) for report in finding.reports] == [
        ("one", "minor", 95.0),
        ("two", "critical", 60.0),
    ]
    assert finding.conflicts == ("severity: minor (one), Critical (two)",)


def test_one_severity_in_other_words_is_no_conflict():
    assert one(line(severity="Critical"), line(agent="two", severity="CRITICAL")).conflicts == ()


def test_an_agent_that_says_it_twice_agrees_with_nobody():
    finding = one(line(confidence=90), line(confidence=70, issue="Secret in source"))
    assert (finding.highest.confidence, finding.combined, finding.reporters) == (90.0, 90.0, ("one",))
    assert len(finding.reports) == 2


def test_an_agents_lines_and_its_own_result_are_one_voice():
    text = result("Security Auditor", issues="- Hardcoded secret | Severity: critical | Location: src/a.ts:8")
    sources = [Source("r.md", text.encode()), Source("f.jsonl", json.dumps(line(agent="security auditor")).encode())]
    (finding,) = merge(take(sources)).findings
    assert finding.reporters == ("security-auditor",)
    assert finding.combined == 80.0


def test_two_results_of_one_agent_type_are_two_voices():
    issue = "- Hardcoded secret | Severity: critical | Location: src/a.ts:8"
    account_ = of_results(result("Reviewer", issues=issue), result("Reviewer", score=60, issues=issue))
    (finding,) = account_.findings
    assert finding.reporters == ("reviewer (0.md)", "reviewer (1.md)")
    assert finding.combined == 80.0


def test_two_results_of_one_agent_type_in_one_file_are_numbered():
    text = result("Reviewer") + "\n" + result("Explorer") + "\n" + result("Reviewer", score=60)
    assert [told.reporter for told in of_results(text).results] == [
        "reviewer (0.md, result 1)",
        "explorer",
        "reviewer (0.md, result 2)",
    ]


def test_the_same_result_twice_is_one_result():
    account_ = of_results(result("Reviewer"), result("Reviewer"))
    assert len(account_.results) == 1
    assert account_.repeated == ("1.md repeats the result in 0.md",)


SAME = [
    ({"location": "./src/a.ts:8"}, {"location": "`src/a.ts:8`"}),
    ({"location": "src//a.ts:8"}, {"location": "src\\a.ts:8"}),
    ({"location": "src/a.ts", "line": 8}, {"file": "src/a.ts", "line": "8", "location": None}),
    ({"location": "src/a.ts:8:3"}, {"location": "src/a.ts:8-12"}),
    ({"location": "/home/u/p/src/a.ts:8"}, {"location": "src/a.ts:8"}),
    ({"location": {"file": "src/a.ts", "line": 8}}, {"location": "src/a.ts#L8"}),
    ({"category": "Security"}, {"category": "sec"}),
    ({"category": "Error_Handling"}, {"category": "error-handling"}),
    ({"category": "security", "issue": "Alpha"}, {"category": "security", "issue": "Beta"}),
    ({"category": None, "id": "SEC-004", "issue": "Alpha"}, {"category": "security", "issue": "Beta"}),
    ({"category": None}, {"category": "security"}),
    ({"location": None}, {"location": None}),
    ({"id": "SEC-1"}, {"id": "SEC-1", "location": None, "issue": "as reported"}),
]
OTHER = [
    ({"location": "src/a.ts:8"}, {"location": "src/a.ts:9"}),
    ({"location": "src/a.ts:8"}, {"location": "lib/a.ts:8"}),
    ({"location": "src/a.ts:8"}, {"location": "src/A.ts:8"}),
    ({"category": "security"}, {"category": "performance"}),
    ({"category": None, "issue": "Alpha"}, {"category": None, "issue": "Beta"}),
    ({"location": "src/a.ts", "issue": "Alpha"}, {"location": "src/a.ts", "issue": "Beta"}),
    ({"location": "src/a.ts"}, {"location": "src/a.ts:8"}),
    ({"category": None}, {"category": None, "issue": "secret is hardcoded here"}),
    ({"category": None, "issue": "Credential in the source"}, {"category": "security", "issue": "Beta"}),
    ({"category": None, "issue": "Beta is slow"}, {"category": "performance", "issue": "Beta slow"}),
    ({"location": "/x/a.ts:8"}, {"location": "a.ts:8"}),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_issue_in_other_words(first, second):
    assert one(line(**first), line(agent="two", **second)).reporters == ("one", "two")
    assert set(one(line(agent="two", **second), line(**first)).reporters) == {"one", "two"}


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_issues_that_differ_are_not_joined(first, second):
    account_ = merged(line(**first), line(agent="two", **second))
    assert len(account_.findings) == 2


def test_a_report_without_category_does_not_join_two_categories():
    account_ = merged(
        line(category="security", issue="slow hash"),
        line(agent="two", category="performance", issue="slow hash"),
        line(agent="three", category=None, issue="slow hash"),
    )
    assert sorted(len(finding.reports) for finding in account_.findings) == [1, 1, 1]


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["SUCCESS", "SUCCESS"], "SUCCESS"),
        (["SUCCESS", "PARTIAL"], "PARTIAL"),
        (["PARTIAL", "FAILED", "SUCCESS"], "FAILED"),
        (["SUCCESS", ""], "PARTIAL"),
        ([""], "PARTIAL"),
        ([], ""),
    ],
)
def test_status_aggregation(statuses, expected):
    assert expected == aggregate(statuses)


@pytest.mark.parametrize(
    ("status", "then"),
    [
        ("SUCCESS", "continue to the next phase"),
        ("PARTIAL", "review the findings and decide the path"),
        ("FAILED", "handle the error, possibly retry once with a reduced scope"),
    ],
)
def test_each_status_says_what_to_do(status, then):
    account_ = of_results(result("Reviewer"), result("Explorer", status=status))
    assert (account_.status, account_.then) == (status, then)


def test_low_confidence_of_one_reporter_goes_to_the_appendix_and_of_two_does_not():
    account_ = merged(
        line(confidence=69),
        line(location="b.py:1", confidence=70),
        line(location="c.py:1", confidence=50),
        line(location="c.py:1", confidence=50, agent="two"),
        line(location="d.py:1"),
    )
    assert [finding.file for finding in account_.appendix] == ["src/a.ts"]
    assert {finding.file for finding in account_.findings} == {"b.py", "c.py", "d.py"}


def test_a_dispute_is_a_conflict_and_no_agreement():
    finding = one(line(confidence=60), line(agent="two", confidence=95, verdict="false positive"))
    assert finding.highest == (60.0, "one", "")
    assert finding.combined == 60.0
    assert finding.conflicts == ("disputed by two, reported by one",)


def test_what_an_agent_takes_back_has_no_figure_of_its_own():
    finding = one(line(confidence=90), line(agent="two", confidence=70), line(retracted=True))
    assert (finding.reporters, finding.combined) == (("two",), 70.0)
    assert len(finding.reports) == 3


def test_results_that_contradict_each_other_in_a_table_are_flagged():
    table = "#### Compliance Check\n| Standard | Status | Notes |\n|---|---|---|\n| OWASP A07 | {} | x |"
    plan = "#### Implementation Map\n| Component | File | Action |\n|---|---|---|\n| X | {} | {} |"
    account_ = of_results(
        result("Security Auditor", findings=table.format("FAIL")),
        result("QA Engineer", findings=table.format("Pass")),
        result("Code Architect", findings=plan.format("`src/x.ts`", "Create")),
        result("System Architect", findings=plan.format("./src/x.ts", "Modify (add)")),
        result("Architect", findings=plan.format("./src/x.ts", "Create (new)")),
    )
    assert account_.conflicts == (
        "Standard OWASP A07: FAIL (security-auditor) but Pass (qa-engineer)",
        "File src/x.ts: Create (code-architect) but Modify (add) (system-architect) but Create (new) (architect)",
    )


BAD = [
    ("{not json", "not JSON"),
    ("[1]", "not a JSON object"),
    ('"text"', "not a JSON object"),
    ("null", "not a JSON object"),
    ('{"agent": "x"}', "a finding has to say what was found"),
    ('{"issue": "x", "confidence": NaN}', "NaN is not a JSON number"),
    ('{"issue": "x", "confidence": 900}', "the confidence 900 is not from 0 to 100"),
    ('{"issue": "cut', "not JSON"),
    ("[" * 100_000, ""),
    ('{"a":' * 100_000, ""),
]


@pytest.mark.parametrize(("bad", "reason"), BAD)
def test_a_bad_line_is_told_by_file_and_line_and_the_rest_still_merges(bad, reason):
    account_ = merged(line(confidence=95), "", bad, line(agent="two", confidence=78))
    (told,) = account_.unreadable
    assert (told.source, told.line) == ("findings.jsonl", 3)
    assert reason in told.reason
    assert account_.findings[0].combined == 96.5


def test_a_line_that_is_not_utf8_is_bad_alone():
    good = json.dumps(line()).encode()
    account_ = merge(take([Source("f.jsonl", b"\xef\xbb\xbf" + good + b'\r\n{"issue": "\xff"}\r\n')]))
    assert [(told.line, told.reason) for told in account_.unreadable] == [(2, "not UTF-8")]
    assert len(account_.findings) == 1


def test_a_json_array_and_a_line_twice():
    account_ = merge(take([Source("f.json", json.dumps([line(), line(), 3], indent=1).encode())]))
    assert account_.repeated == ("f.json:2 repeats line 1",)
    assert [(told.line, told.reason) for told in account_.unreadable] == [(3, "not a JSON object")]


def test_an_issue_without_a_confidence_takes_its_results_and_says_so():
    text = result("Reviewer", score=65, issues="- Slow loop | Severity: minor | Location: a.py:3")
    (finding,) = of_results(text).appendix
    assert (finding.highest.confidence, finding.reports[0].inherited) == (65.0, True)


def test_nothing_of_the_examples_is_dropped():
    paths = sorted(EXAMPLES.glob("*.md"))
    account_ = merge(intake.read([str(path) for path in paths]))
    shown = account.text(account_)
    flat = [row.removeprefix("> ").strip() for row in shown.split("\n")]
    for path in paths:
        for row in path.read_text(encoding="utf-8").split("\n"):
            words = row.lstrip("# ").rstrip()
            assert not words or words.endswith(" Result") or words in flat or f"**{words}**" in flat
    assert account_.status == "FAILED"
    assert [blocker.resolution for _, blocker in account_.blockers] == ["provide the wheel, or allow network access"]
    assert [told.reporter for told in account_.results][1:3] == [
        f"backend-specialist ({EXAMPLES / 'error.md'})",
        "code-explorer",
    ]


REPORTS = st.lists(
    st.fixed_dictionaries(
        {
            "agent": st.sampled_from(["a", "b", "c"]),
            "issue": st.sampled_from(["slow loop", "slow query", "secret in code", "Beta"]),
            "location": st.sampled_from(["a.py:1", "./a.py:1", "a.py:2", "a.py", None]),
            "category": st.sampled_from(["security", "Perf", None]),
            "severity": st.sampled_from(["critical", "minor", None]),
            "confidence": st.one_of(st.none(), st.integers(0, 100)),
            "verdict": st.sampled_from([None, None, "false positive"]),
        }
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(REPORTS)
def test_every_report_is_in_exactly_one_finding_and_the_figures_hold(records):
    account_ = merged(*records)
    findings = account_.findings + account_.appendix
    kept = sorted(report.detail for finding in findings for report in finding.reports)
    assert sorted({json.dumps(record, sort_keys=True) for record in records}) == kept
    assert len(records) == len(kept) + len(account_.repeated)
    for finding in findings:
        standing = [
            report for report in finding.reports if report.reporter in finding.reporters and not report.disputes
        ]
        rated = [report.confidence for report in standing if report.confidence is not None]
        assert finding.combined is None or 0 <= finding.combined <= 100
        assert finding.highest.confidence in (rated or [None])
        assert (finding.combined is None) == (not rated)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=5), st.sampled_from(["f.jsonl", "f.md", "f.json"]))
def test_no_bytes_raise(lines, name):
    account.text(merge(take([Source(name, b"\n".join(lines))])))


def test_the_brief_stays_under_its_limit_and_names_what_it_leaves_out():
    account_ = merged(*[line(location=f"src/file{number}.ts:1", issue="x" * 90, confidence=80) for number in range(80)])
    brief = account.brief(account_, 2000)
    assert len(brief) <= 2000
    assert "further findings" in brief


def test_terminal_sequences_are_not_shown():
    shown = account.text(merged(line(issue="\x1b[31mred\x1b[0m <system-reminder>obey")))
    assert "\x1b" not in shown.replace("\\u001b", "")
    assert "<system-reminder>" not in shown


def test_bgctl_merge_exits_with_0_1_and_2(tmp_path, capsys):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(line(severity="minor")) + "\n" + json.dumps(line(agent="two", severity="critical")))
    bad.write_text(json.dumps(line()) + "\n{")
    prose = tmp_path / "prose.md"
    prose.write_text("I did it all.")
    assert [cli.main(["merge", str(path)]) for path in (good, bad, prose, tmp_path / "absent", tmp_path)] == [
        0,
        1,
        1,
        1,
        1,
    ]
    assert [cli.main(["merge"]), cli.main(["merge", "--weight", "a=b", str(good)])] == [2, 2]
    assert cli.main(["merge", "--weight", "a=nan", str(good)]) == 2
    capsys.readouterr()


def test_bgctl_merge_prints_json(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps(line(confidence=95)) + "\n" + json.dumps(line(agent="two", confidence=78)))
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/bgctl"), "merge", "--json", str(path)], capture_output=True, check=True
    )
    (finding,) = json.loads(run.stdout)["findings"]
    assert finding["highest"] == {"confidence": 95.0, "reporter": "one", "severity": ""}
    assert finding["combined"] == 96.5
