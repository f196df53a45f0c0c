"""The half of the blind reports that was looked at, as the check is developed on it; the other half is only measured."""

from __future__ import annotations

import hashlib
import json
import lzma

import blind_set
import measuring
import pytest

DEVELOPED = blind_set.half("developed")


@pytest.mark.parametrize("case", [case for case in DEVELOPED if case["honest"]], ids=lambda case: case["name"])
def test_no_honest_report_is_doubted(case):
    assert blind_set.check(case).doubted == []


def test_most_false_reports_are_caught():
    said, met = measuring.blind("developed", DEVELOPED)
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


def test_a_packed_file_of_its_own_is_played(tmp_path, capsys):
    """What is played has figures with intervals, the misses by name, and an exit by its bars; only a kept one is spent."""
    packed = tmp_path / "second.json.xz"
    honest = [case for case in DEVELOPED if case["honest"]][:3]
    prose = {**next(case for case in DEVELOPED if not case["honest"] and case["name"] == "plain-prose-false-lines")}
    packed.write_bytes(lzma.compress(json.dumps([*honest, prose]).encode()))
    assert measuring.main([str(packed)]) == 1
    said = capsys.readouterr().out
    assert "honest reports doubted: 0 of 3 (0%, 0 to 56)" in said
    assert "only said: plain-prose-false-lines: " in said
    assert "not spent" in said
    assert said.endswith(f"bars missed: {packed}\n")
    packed.write_bytes(lzma.compress(json.dumps(honest).encode()))
    assert measuring.main([str(packed)]) == 0
    assert capsys.readouterr().out.endswith("every bar is met\n")


def test_a_set_that_is_not_there_is_named(capsys):
    with pytest.raises(SystemExit):
        measuring.main(["nonsense"])
    assert "no such set: nonsense" in capsys.readouterr().err
