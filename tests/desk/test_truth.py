"""`bgctl truth`: the figures of a ledger whose tasks are known."""

from __future__ import annotations

import json

import pytest
from bg.desk import truth
from bg.ledger import figures, inbox, reported, runs
from bg.ledger.values import Item
from screens import NOW, ledger
from test_bgctl import bgctl, data  # noqa: F401 - a fixture

WRONG = {"findings": [{"grade": "does not match", "reason": "stale"}, {"grade": "only said", "reason": "prose"}]}


def test_each_figure():
    with ledger(10) as book:
        with book.transaction() as writing:
            # A run that was asked for its report again and then gave one that fits, and one that insisted.
            for agent, evidence in (("a0000005", {"findings": [{"grade": "seen"}]}), ("a0000007", WRONG)):
                last = runs.last_run(book, agent)
                runs.count_correction(writing, agent, last.run)
                runs.set_evidence(writing, agent, last.run, evidence)
            body = {"payload": {"status": "partial_success"}}
            reported.keep_signal(writing, "bg-5", "a0000005", 1, "COMPLETION_REPORT", body, "d5", terminal=True)
            runs.end_run(writing, "a0000005", 1)
            inbox.ask(writing, "bg-5", "a0000005", 1, Item.DELEGATION, "D1", {"text": "Write the tests"})
        found = truth.count([book])
    assert found.tasks == {
        "working": 3, "needs_answer": 1, "done": 1, "blocked": 1, "partial": 1, "disputed": 1, "interrupted": 1,
        "unreported": 1,
    }  # fmt: skip
    assert found.runs == {
        "ended": 7, "said done": 2, "did not match": 1, "without a signal": 4, "asked again": 2, "right after that": 1,
    }  # fmt: skip
    assert found.facts == {"seen": 3, "does not match": 1, "only said": 1}
    assert found.reasons == {"stale": 1}
    assert (found.asked, found.answered) == ({"question": 4, "blocker": 1, "delegation": 1}, 2)
    assert found.median_wait == 60
    assert found.kinds == {"worker": {"runs": 7, "said done": 2, "did not match": 1}}
    assert NOW - found.since == 9 * 2400 + 900 + 300


def test_it_reads_a_few_rows_at_a_time(monkeypatch):
    with ledger(60) as book:
        whole = truth.count([book])
        monkeypatch.setattr(figures, "AT_ONCE", 7)
        assert whole == truth.count([book])


def test_only_the_last_days(data):  # noqa: F811
    assert sum(json.loads(bgctl(data, "truth", "--json").stdout)["tasks"].values()) == 10
    assert json.loads(bgctl(data, "truth", "--days", "0.001", "--json").stdout)["tasks"] == {}


def test_without_tasks_it_says_so(tmp_path):
    done = bgctl(tmp_path, "truth")
    assert (done.returncode, done.stdout, done.stderr) == (0, "No tasks yet: there is nothing to count.\n", "")


@pytest.mark.parametrize("typed", ["0", "-3", "many", "nan"])
def test_no_number_of_days(typed, tmp_path):
    done = bgctl(tmp_path, "truth", f"--days={typed}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--days" in done.stderr
    assert "Traceback" not in done.stderr
