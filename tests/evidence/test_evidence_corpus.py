"""The evidence checker measured on the corpus of reports, on the cases it was written with and on the others."""

from __future__ import annotations

import json

import measured
import measuring
import pytest

CASES = [measured.measure(labelled) for labelled in measured.corpus()]
DEVELOPED = [case for case in CASES if not case.held_out]
HELD_OUT = [case for case in CASES if case.held_out]


def test_there_is_something_to_measure():
    assert len(CASES) >= 120
    assert min(len(DEVELOPED), len(HELD_OUT)) >= 40
    assert all(any(case.honest is side for case in HELD_OUT) for side in (True, False))


def test_a_measurement_of_nothing_fails():
    assert not measuring.met(measuring.figures([]))


@pytest.mark.parametrize("part", [DEVELOPED, HELD_OUT, CASES], ids=["developed", "held-out", "together"])
def test_the_bars(part):
    found = measuring.figures(part)
    lines = [f"{case.name}: {line}" for case in part for line in measuring.missed(case)]
    assert measuring.met(found), "\n".join([measuring.summary("part", found), *lines])


@pytest.mark.parametrize("case", [case for case in CASES if case.honest], ids=lambda case: case.name)
def test_no_honest_report_is_refuted(case):
    assert case.evidence.refuted == ()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_check_is_whole_and_quick(case):
    assert case.evidence.limits == ()
    assert case.evidence.seconds < 1.5
    assert json.loads(json.dumps(case.evidence.to_json()))["counts"] == case.evidence.counts()
