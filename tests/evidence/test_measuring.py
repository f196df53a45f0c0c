"""The half of the blind reports that was looked at, as the check is developed on it; the other half is only measured."""

from __future__ import annotations

import hashlib

import blind_set
import measuring
import pytest

DEVELOPED = blind_set.half("developed")


@pytest.mark.parametrize("case", [case for case in DEVELOPED if case["honest"]], ids=lambda case: case["name"])
def test_no_honest_report_is_doubted(case):
    assert blind_set.check(case).doubted == []


def test_most_false_reports_are_caught():
    said, met = measuring.blind("developed")
    assert met, "\n".join(said)


def test_the_halves_are_what_the_rule_says():
    for name, bit in (("developed", 0), ("held-out", 1)):
        cases = blind_set.half(name)
        assert len(cases) >= 120
        assert {hashlib.sha256(case["name"].encode()).digest()[0] % 2 for case in cases} == {bit}


def test_an_interval_is_that_of_wilson():
    low, high = measuring.interval(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert measuring.interval(0, 0) == (0.0, 1.0)


def test_a_set_that_is_not_there_is_named(capsys):
    with pytest.raises(SystemExit):
        measuring.main(["nonsense"])
    assert "no such set: nonsense" in capsys.readouterr().err
