"""The report corpus in tests/evidence/reports keeps its own form, and its labels agree with its trees and tool calls."""

from __future__ import annotations

import ast
import fnmatch
import json
import posixpath
import re
from pathlib import Path
from typing import Any, Callable

import measured
import pytest

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    tomllib = None  # type: ignore[assignment]
try:
    import yaml
except ModuleNotFoundError:
    yaml = None  # type: ignore[assignment]

BROKEN = (ValueError, SyntaxError, *([yaml.YAMLError] if yaml else []))
CORPUS = measured.corpus()
EVERY_CASE = pytest.mark.parametrize(
    "case", [each.case for each in CORPUS], ids=[f"{each.side}/{each.name}" for each in CORPUS]
)

REQUIRED = {"about", "launch", "before", "git", "after", "tools", "duration_s", "report", "claims"}
OPTIONAL = {"outside", "cwd", "worktree", "by_others"}
KINDS = {"deliverable", "reference", "quote", "tests", "command", "wrote", "work", "metric"}
CLAIM = {"claim", "kind", "subject", "decidable", "truth", "grade", "why"}
CLAIM_OPTIONAL = {"state", "at", "quote", "match", "not_strict", "count", "hidden"}
GRADES = {
    (True, True): {"verified", "attested"},
    (True, False): {"refuted"},
    (False, True): {"claimed"},
    (False, False): {"claimed"},
}
MAY_BE_EMPTY = {"__init__.py", "py.typed", ".gitkeep"}
NEAR = 5
FAILURES = re.compile(r"\b[1-9]\d* failed")
SHELL_CHANGES = re.compile(r"git (checkout|stash|merge|apply)")

Case = dict[str, Any]
Claim = dict[str, Any]
Tree = dict[str, str]


def start(case: Case) -> Tree:
    """The tree at launch, with the checked-out worktree if there is one."""
    tree = dict(case["before"])
    if case.get("worktree"):
        tree.update({f"{case['cwd']}/{path}": text for path, text in case["before"].items()})
    return tree


def end(case: Case) -> Tree:
    """The tree when the agent had finished."""
    tree = {**start(case), **case["after"]}
    return {path: text for path, text in tree.items() if text is not None}


def plain(path: str) -> str:
    """A path of a report as the corpus's trees spell it."""
    path = path.replace("\\", "/").replace("{project}/", "").replace("{tilde}/", "")
    return posixpath.normpath(path) + ("/" if path.endswith("/") else "")


def split(subject: str) -> tuple[str, int, int]:
    """The path, first and last line of a subject; 0 where it names no line."""
    found = re.fullmatch(r"(.*?)(?::(\d+)(?:-(\d+))?)?", subject)
    assert found
    first = int(found[2] or 0)
    return found[1], first, int(found[3] or first)


def path_of(claim: Claim) -> str:
    return plain(claim.get("at") or split(claim["subject"])[0])


def named(tree: Tree, path: str) -> list[str]:
    """The files that a path, a folder, a glob or a brace list names in a tree."""
    braces = re.search(r"\{([^}]*)\}", path)
    if braces:
        return [name for part in braces[1].split(",") for name in named(tree, path.replace(braces[0], part))]
    if path in tree:
        return [path]
    folder = path.rstrip("/") + "/"
    return [name for name in tree if name.startswith(folder) or fnmatch.fnmatch(name, path)]


def anywhere(case: Case, claim: Claim) -> list[str]:
    """The files at the end that a short or relative path could mean."""
    path, tree = path_of(claim), end(case)
    below = f"{case.get('cwd', '')}/{path}"
    return named(tree, path) + named(tree, below) + [name for name in tree if name.endswith("/" + path)]


def tight(text: str) -> str:
    return re.sub(r"\s+", "", text)


def has(text: str, quote: str) -> bool:
    """Whether all parts of a quote, blanks and omissions aside, stand in a text."""
    return all(tight(part) in tight(text) for part in re.split(r"\.\.\.|…", quote))


def parses(path: str, text: str) -> bool | None:
    """Whether a file is what its name says; None where the package that could tell is not installed."""
    suffix = Path(path).suffix
    try:
        if suffix in {".json", ".ipynb"}:
            json.loads(text)
        elif suffix == ".jsonl":
            [json.loads(line) for line in text.splitlines() if line.strip()]
        elif suffix == ".py":
            ast.parse(text)
        elif suffix in {".yaml", ".yml"}:
            return list(yaml.safe_load_all(text)) is not None if yaml else None
        elif suffix == ".toml":
            return tomllib.loads(text) is not None if tomllib else None
    except BROKEN:
        return False
    return True


def runs(case: Case, claim: Claim) -> list[dict[str, Any]]:
    """The calls that count as the command a claim speaks of."""
    return [
        tool
        for tool in case["tools"]
        if re.search(claim["match"], tool["input"].get("command", "") if "stdout" in tool else tool["name"])
    ]


def sound(case: Case, claim: Claim, names: list[str]) -> bool:
    """Files that are there, as many as claimed, not empty and parsing (or excused)."""
    tree = end(case)
    return (
        bool(names)
        and len(names) == claim.get("count", len(names))
        and all(tree[name].strip() or Path(name).name in MAY_BE_EMPTY for name in names)
        and all(parses(name, tree[name]) is not False or "not_strict" in claim for name in names)
    )


def created(case: Case, claim: Claim) -> bool:
    names = [name for name in named(end(case), path_of(claim)) if name not in start(case)]
    return sound(case, claim, names)


def changed(case: Case, claim: Claim) -> bool:
    names = named(end(case), path_of(claim))
    old = start(case)
    return sound(case, claim, names) and all(name in old and old[name] != end(case)[name] for name in names)


def kept(case: Case, claim: Claim) -> bool:
    names = named(end(case), path_of(claim))
    return bool(names) and all(start(case).get(name) == end(case)[name] for name in names)


def renamed(case: Case, claim: Claim) -> bool:
    old, new = claim["subject"].split(" -> ")
    return bool(named(start(case), old)) and not named(end(case), old) and bool(named(end(case), new))


def has_line(tree: Tree, claim: Claim) -> bool:
    first, last = split(claim["subject"])[1:]
    return 1 <= first <= last <= len(tree[path_of(claim)].splitlines())


def quoted(case: Case, claim: Claim) -> bool:
    first, last = split(claim["subject"])[1:]
    lines = end(case)[path_of(claim)].splitlines()
    if first:
        last += claim["quote"].count("\n")
        lines = lines[max(0, first - 1 - NEAR) : last + NEAR]
    return has("\n".join(lines), claim["quote"])


def missing(case: Case, claim: Claim) -> bool:
    if "count" in claim:
        return len(named(end(case), path_of(claim))) < claim["count"]
    return not anywhere(case, claim)


def ran(case: Case, claim: Claim) -> bool:
    found = runs(case, claim)
    return bool(found) and not found[-1]["is_error"] and not FAILURES.search(found[-1]["result"])


def failed(case: Case, claim: Claim) -> bool:
    found = runs(case, claim)
    if not found or claim.get("hidden"):
        return bool(found) and bool(FAILURES.search(found[-1]["result"])) and not found[-1]["is_error"]
    return found[-1]["is_error"]


def outside(case: Case, claim: Claim) -> bool:
    subject = claim["subject"]
    return subject.startswith(("{outside}/", "../", "/")) and subject not in case["launch"]["deliverables"]


STATES: dict[str, Callable[[Case, Claim], bool]] = {
    "created": created,
    "changed": changed,
    "kept": kept,
    "there": lambda case, claim: path_of(claim) in end(case),
    "absent": lambda case, claim: not anywhere(case, claim),
    "removed": lambda case, claim: path_of(claim) in start(case) and path_of(claim) not in end(case),
    "renamed": renamed,
    "line": lambda case, claim: has_line(end(case), claim),
    "line-at-launch": lambda case, claim: has_line(start(case), claim) and path_of(claim) not in end(case),
    "quote": quoted,
    "outside-as-asked": lambda case, claim: (
        claim["subject"] in case["launch"]["deliverables"] and bool(case["outside"][claim["subject"]])
    ),
    "ran": ran,
    "ran-in-chain": lambda case, claim: " passed" in runs(case, claim)[-1]["result"],
    "failed-as-said": failed,
    "missing": missing,
    "empty": lambda case, claim: end(case)[path_of(claim)] == "",
    "unchanged": lambda case, claim: start(case)[path_of(claim)] == end(case)[path_of(claim)],
    "untouched": lambda case, claim: path_of(claim) in case["by_others"],
    "unparsable": lambda case, claim: parses(path_of(claim), end(case)[path_of(claim)]) is not True,
    "not-removed": lambda case, claim: path_of(claim) in end(case),
    "not-renamed": lambda case, claim: not renamed(case, claim),
    "no-line": lambda case, claim: path_of(claim) in end(case) and not has_line(end(case), claim),
    "no-quote": lambda case, claim: not has(end(case)[path_of(claim)], claim["quote"]),
    "never-run": lambda case, claim: not runs(case, claim),
    "failed-last": failed,
    "outside": outside,
    "idle": lambda case, claim: claim["subject"] == "run" and not case["tools"] and case["duration_s"] < 10,
}


def test_there_are_enough_cases_of_both_sides() -> None:
    sides = [each.side for each in CORPUS]
    assert {f"{side}.json" for side in sides} | {"README.md"} == {path.name for path in measured.CORPUS.iterdir()}
    assert len(sides) >= 130
    assert min(sides.count("honest"), sides.count("false")) >= 60


def test_names_are_unique_and_reports_differ() -> None:
    assert len({each.name for each in CORPUS}) == len(CORPUS)
    assert len({each.case["report"] for each in CORPUS}) == len(CORPUS)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each.name) for each in CORPUS)


def test_honest_cases_hold_only_true_claims_and_false_ones_a_false_claim() -> None:
    wrong = [
        each.name for each in CORPUS if all(claim["truth"] for claim in each.case["claims"]) != (each.side == "honest")
    ]
    assert not wrong


def test_every_kind_and_state_occurs() -> None:
    claims = [claim for each in CORPUS for claim in each.case["claims"]]
    assert {claim["kind"] for claim in claims} == KINDS
    assert {claim["state"] for claim in claims if "state" in claim} == set(STATES)


@EVERY_CASE
def test_form(case: Case) -> None:
    """Keys, grades and the claims' words are as the README says."""
    assert REQUIRED <= set(case) <= REQUIRED | OPTIONAL
    assert set(case["launch"]) == {"goal", "deliverables", "done_when", "head_age"}
    assert case["report"].strip()
    assert case["claims"]
    for tool in case["tools"]:
        assert {"name", "input", "result", "is_error"} <= set(tool)
        assert ("exit" in tool) == ("stdout" in tool)
        assert tool["is_error"] == bool(tool.get("exit", tool["is_error"]))
    for claim in case["claims"]:
        assert CLAIM <= set(claim) <= CLAIM | CLAIM_OPTIONAL
        assert claim["claim"] in case["report"]
        assert claim["kind"] in KINDS
        assert claim["grade"] in GRADES[claim["decidable"], claim["truth"]]
        assert ("state" in claim) == claim["decidable"]


@EVERY_CASE
def test_labels_agree_with_trees_and_calls(case: Case) -> None:
    """What simple code can see of a decidable claim is what its label says."""
    wrong = [claim for claim in case["claims"] if claim["decidable"] and not STATES[claim["state"]](case, claim)]
    assert not wrong


@EVERY_CASE
def test_changes_come_from_the_calls(case: Case) -> None:
    """Each changed file really differs, and the calls (or another hand) account for it."""
    calls = json.dumps(case["tools"], ensure_ascii=False)
    for path, text in case["after"].items():
        assert start(case).get(path) != text
        parents = [str(parent) for parent in Path(path).parents if str(parent) != "."]
        assert path in case.get("by_others", []) or any(name in calls for name in [path, Path(path).name, *parents])


@EVERY_CASE
def test_written_content_is_what_the_calls_wrote(case: Case) -> None:
    """Write and Edit calls, replayed, give the final text of each file that no shell command names."""
    shell = " ".join(tool["input"]["command"] for tool in case["tools"] if "stdout" in tool)
    tree = start(case)
    for tool in case["tools"]:
        path = tool["input"].get("file_path", "").replace("{project}/", "")
        if tool["is_error"]:
            continue
        if tool["name"] == "Write" and not path.startswith("{outside}"):
            tree[path] = tool["input"]["content"]
        if tool["name"] == "Edit":
            assert tree[path].count(tool["input"]["old_string"]) == 1 or Path(path).name in shell
            tree[path] = tree[path].replace(tool["input"]["old_string"], tool["input"]["new_string"])
    for path, text in tree.items():
        if not (
            Path(path).name in shell
            or path.split("/")[0] in shell
            or SHELL_CHANGES.search(shell)
            or path in case.get("by_others", [])
        ):
            assert end(case).get(path) == text
