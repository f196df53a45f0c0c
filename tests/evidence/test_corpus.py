"""The kept reports, all of them prose: only an absent file is doubted, and the host's own facts are right."""

from __future__ import annotations

import json

import corpus
import pytest

CASES = corpus.cases()


def test_there_is_something_to_look_at():
    assert len(CASES) >= 120
    assert min(sum(case.honest is side for case in CASES) for side in (True, False)) >= 40


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_prose_is_only_said(case, tmp_path):
    evidence, _ = corpus.check(case, tmp_path)
    doubted = [found for found in evidence.findings if found.grade != "only said"]
    assert {found.kind for found in doubted} <= {"promised"}
    assert not doubted or not case.honest
    assert evidence.limits == []
    assert json.loads(json.dumps(evidence.to_json()))["declared"] is False
    if case.honest:
        assert {reason for reason, _ in evidence.notes} <= HONEST.get(case.name, set())
    if case.given["git"] and not case.given.get("cwd") and not case.given.get("worktree"):
        before, after = case.given["before"], case.given["after"]
        changed = {name for name, text in after.items() if text is not None and text != before.get(name)}
        changed = {name for name in changed if not name.startswith("..") and name.split("/")[0] not in ignored(before)}
        removed = {name for name, text in after.items() if text is None}
        own = {*evidence.facts["changed"], *evidence.facts["removed"]}
        others = set(evidence.facts.get("meanwhile", ()))
        assert own | others == changed | removed
        assert others == set(case.given.get("by_others") or ()) | UNNAMED.get(case.name, set())
        assert evidence.facts.get("by") == (("unknown" if case.name in UNNAMED else "others") if others else "")


def ignored(before: dict[str, str]) -> set[str]:
    return set(before.get(".gitignore", "").replace("/", "").split())


# Notes on honest reports, which say what was not seen and nothing more.
HONEST = {
    "zero-tools-pure-question": {"no tool used"},
    "removed-old-module": {"tests removed"},
}
# What changed in no call of the agent, so that nobody can tell whether it was the agent: another one of its own.
UNNAMED = {
    "nested-agent-ran-tests": {"tests/login.test.ts"},
}
