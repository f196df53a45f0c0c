"""A check's findings in sentences: for the agent that shall correct them, the parent's lists, and the user's line."""

from __future__ import annotations

from bg.words import phrases, reasons
from bg.words.quoting import cited, first, inline
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Entry = dict[str, Any]

SEEN, MISMATCH, SAID = "seen", "does not match", "only said"
SHOWN = 5
LINE = 3
LONG = 110
# The parent's lists of declared facts, in their order. The work that a report leaves open has a list of its own.
OPEN = "open"
_LISTS = {MISMATCH: "Does not match", SEEN: "Seen by the host", SAID: "Only said", OPEN: "Left open, as it says"}


def sentence(found: Entry) -> str:
    """The reason for a finding's grade, as a sentence."""
    template = _said_by(found)[0]
    return template.format(detail=cited(str(found.get("detail") or ""), LONG))


def _said_by(found: Entry) -> tuple[str, str]:
    reason = str(found.get("reason") or "")
    return reasons.REASONS.get(reason) or reasons.RETIRED.get(reason) or (reason, "")


def _subject(found: Entry) -> str:
    return str(found.get("subject") or found.get("line") or "")


def _line(found: Entry) -> str:
    """The declared line, in the agent's words without its bullet."""
    return cited(str(found.get("line") or found.get("claim") or "").lstrip("-*•+> "), LONG)


def said_of(found: Entry) -> str:
    """A finding in one line: the declared line, and the reason for its grade."""
    why = sentence(found)
    return f"{_line(found)} — {why}" if why else _line(found)


def mismatches(evidence: Entry) -> list[Entry]:
    """The declared facts that do not match."""
    return [found for found in evidence.get("findings", []) if found.get("grade") == MISMATCH]


def not_there(evidence: Entry) -> list[str]:
    """The files that the launch asked for, and that are not there."""
    return [each["subject"] for each in evidence.get("asked", []) if each.get("reason") == "not found"]


def mismatch_lines(evidence: Entry) -> str:
    """The declared facts that do not match, as lines for the agent that declared them."""
    return "\n".join(first([f"- {said_of(found)}" for found in mismatches(evidence)], 2 * SHOWN))


def _some_names(names: list[str], most: int, total: int) -> str:
    more = f" and {total - most} more" if total > most else ""
    return ", ".join(cited(name, 80) for name in names[:most]) + more


# Files that no call of the run names: others changed them, or nobody knows who.
_MEANWHILE = {"others": "changed meanwhile by others", "unknown": "changed, by whom is not known"}


def facts(evidence: Entry) -> str:
    """The host's own observations, as lines; empty if it has none."""
    return "\n".join(f"- {line}" for line in _facts(evidence))


def _facts(evidence: Entry) -> list[str]:
    """The host's own observations: files, runs and commits, then the numbers of those left out."""
    parts = [files(evidence, SHOWN), last_runs(evidence, SHOWN), commits(evidence, SHOWN)]
    return [line for lines, _ in parts for line in lines] + [line for _, more in parts for line in more]


def files(evidence: Entry, most: int) -> tuple[list[str], list[str]]:
    """The files that changed, at most `most` names of each sort; the lines themselves say how many are left out."""
    seen = evidence.get("facts") or {}
    by = _MEANWHILE.get(str(seen.get("by")), "")
    heads = {"changed": "files that this run changed", "removed": "files that it removed", "meanwhile": by}
    lines = [f"{words}: {_some_names(seen[name], most, _count(seen, name))}"
             for name, words in heads.items() if seen.get(name)]  # fmt: skip
    if not lines and seen.get("changed_count") == 0:
        lines.append("no file changed since the launch")
    return lines, []


def last_runs(evidence: Entry, most: int) -> tuple[list[str], list[str]]:
    """The ends of the last runs of tests, checks and builds, and the number of those left out."""
    seen = evidence.get("facts") or {}
    lines = [f"{cited(run['command'], 80)}: {_end(run)}" for run in (seen.get("runs") or [])[-most:]]
    return lines, _left(seen, "runs", most)


def commits(evidence: Entry, most: int) -> tuple[list[str], list[str]]:
    """The first commits, and the number of those left out."""
    seen = evidence.get("facts") or {}
    found = (seen.get("commits") or [])[:most]
    lines = [f"commit {inline(commit['hash'], 10)}: {cited(commit['subject'], 80)}" for commit in found]
    return lines, _left(seen, "commits", most)


def _left(seen: Entry, name: str, most: int) -> list[str]:
    number = _count(seen, name) - most
    return [f"and {number} more {name}"] if number > 0 else []


def _count(seen: Entry, name: str) -> int:
    """The number of these, of which the ledger has only the first."""
    return len(seen.get(name) or []) + max(0, int((seen.get("left") or {}).get(name, 0)))


def _end(run: Entry) -> str:
    passed = "passed, says its runner" if run.get("summary") else "exit 0" if "since" in run else "passed"
    ends = {"passed": passed, "failed": "failed", "unread": "ran in the background, its end was not read"}
    end = ends.get(run["end"], run["end"] if run["end"] == "nothing was run" else "how it ended cannot be seen")
    end += ", no tests found" if run.get("empty") else ""
    end += f", in {cited(run['in'], 80)}" if run.get("in") else ""
    return f"{end}; {cited(run['edited'], 80)} was edited after it" if run.get("edited") else end


# The state of the tests, in rows of older versions.
TESTS = {
    "passed": "tests passed",
    "passed, perhaps stale": "tests passed",
    "stale": "tests older than the last edit",
    "failed": "tests failed",
    "unread": "nobody read how the tests ended",
    "unseen": "how the tests ended cannot be seen",
    "nothing was run": "the test run found no tests",
}
ENDS = {
    "failed": "failed: {run}",
    "unread": "nobody read how {run} ended",
    "passed": "{run}: exit 0",
}


def _tested(seen: Entry) -> list[str]:
    """The ends of the test runs that are worth naming, each with its command."""
    if "tested" in seen:
        return [_test(run) for run in seen["tested"]]
    return [words for words in [TESTS.get(seen.get("tests") or "", "")] if words]


def _test(run: Entry) -> str:
    name = cited(run["command"], 60) + (f" in {cited(run['in'], 60)}" if run.get("in") else "")
    passed = run["end"] == "passed"
    summed = passed and (run.get("count") or run.get("summary"))
    said = "tests passed: {run}" if summed else ENDS.get(run["end"], "how {run} ended cannot be seen")
    none = ", no tests found" if passed and run.get("empty") else ""
    return said.format(run=name) + none + (", older than the last edit" if run.get("since") == "stale" else "")


# For the user's line


def refuted(evidence: Entry) -> str:
    """The declared facts that do not match, in short."""
    said = list(dict.fromkeys(_brief(found) for found in mismatches(evidence)))
    return "; ".join(said[:LINE]) + (f" (+{len(said) - LINE})" if len(said) > LINE else "")


def wanting(evidence: Entry) -> str:
    """The demands of the launch that are not met, beginning with the files that are not there."""
    asked = evidence.get("asked", [])
    said = []
    for reason, words in reasons.WANTING.items():
        names = [cited(str(each["subject"]), 60) for each in asked if each.get("reason") == reason]
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        said += [f"{words}: {', '.join(names[:2])}{more}"] if names else []
    return "; ".join(said[:2])


def is_seen(evidence: Entry) -> bool:
    """Whether a declared fact was seen, and every run of tests passed, found tests and is not stale."""
    runs = (evidence.get("facts") or {}).get("tested") or []
    doubtful = any(run["end"] != "passed" or run.get("empty") or run.get("since") == "stale" for run in runs)
    return not doubtful and any(found.get("grade") == SEEN for found in evidence.get("findings", []))


def beside(evidence: Entry) -> tuple[str, ...]:
    """The facts beside the agent's own words: ends of tests, no tool used, nothing declared, something unchecked."""
    seen = evidence.get("facts") or {}
    idle = ["used no tool"] if seen.get("idle") else []
    undeclared = ["not declared"] if evidence.get("declared") is False else []
    return (*_tested(seen), *idle, *undeclared, *unchecked(evidence))


def unchecked(evidence: Entry) -> tuple[str, ...]:
    """A note if something was left unchecked, apart from calls that cannot be read."""
    left = [str(each) for each in evidence.get("limits", []) if each != "calls"]
    if not left:
        return ()
    return ("not checked" if {reasons.PASSED_OVER, reasons.FAILED} & set(left) else "not all checked",)


def _brief(found: Entry) -> str:
    said = _said_by(found)[1] or phrases.REFUTED
    subject, detail = cited(_subject(found).lstrip("-*•+> "), 60), cited(str(found.get("detail") or ""), 40)
    return said.format(subject=subject, detail=detail)


def lists(evidence: Entry, *, prose: bool = False) -> str:
    """The parent's short lists: seen, does not match, only said; then what was asked for, notes, facts, and limits."""
    if not evidence:
        return ""
    is_undeclared = not prose and not evidence.get("declared")
    notes = [each for each in evidence.get("notes", []) if each.get("reason") != "asked and not there"]
    groups = [
        _group("Asked for, and not there", _absent(evidence)),
        *[_group(head, _listed(evidence, name)) for name, head in _LISTS.items()],
        _group("Asked at the launch", _asked(evidence)),
        "What it says was not declared for checking: it is only said." if is_undeclared else "",
        _group("Not seen, which need not be wrong", noted(notes)),
        "\n".join(f"By the result contract, {each}" for each in by_contract(evidence)),
        _group("The host's own facts", _facts(evidence), 6),
        _group("Not looked at", limits(evidence)),
    ]
    return "\n".join(filter(None, groups))


def _absent(evidence: Entry) -> list[str]:
    """The files that the launch asked for and that are not there, except those with a finding as promised."""
    promised = {found.get("subject") for found in evidence.get("findings", []) if found.get("kind") == "promised"}
    return [cited(name, 120) for name in not_there(evidence) if name not in promised]


def _listed(evidence: Entry, name: str) -> list[str]:
    """The declared facts that belong to the list with this name."""
    findings = evidence.get("findings", [])
    lists_of = [OPEN if found.get("kind") == OPEN else found.get("grade") for found in findings]
    return [said_of(found) for found, its in zip(findings, lists_of) if its == name]


def _asked(evidence: Entry) -> list[str]:
    """The demands of the launch with their findings, except the files that are not there."""
    asked = [found for found in evidence.get("asked", []) if found.get("reason") != "not found"]
    return [f"{_line(found)} — {sentence(found)}" for found in asked]


def limits(evidence: Entry) -> list[str]:
    """The things that the check did not look at, in sentences."""
    found = []
    for each in evidence.get("limits", []):
        name, _, detail = str(each).partition(": ")
        known = reasons.LIMITS.get(name)
        detail = detail if detail.isdigit() else cited(detail, 120)
        found.append(known.format(detail=detail) if known else inline(str(each), 160))
    return found


def _group(head: str, lines: list[str], most: int = SHOWN) -> str:
    return "\n".join([f"{head}:", *first([f"- {line}" for line in lines], most)]) if lines else ""


def correction(evidence: Entry) -> str:
    """The message to an agent about declared facts that do not match; empty if all do."""
    found = mismatch_lines(evidence)
    seen = facts(evidence)
    return fill("mismatch", points=found, facts=seen or "- nothing") if found else ""


def noted(notes: list[Entry]) -> list[str]:
    """The notes of a check, in sentences."""
    return [
        reasons.NOTES.get(each["reason"], "{subject}").format(subject=cited(each["subject"], 140)) for each in notes
    ]


def by_contract(evidence: Entry) -> list[str]:
    """The lacks of a report's results by the contract, a line each on wrong places, missing sources, and figures."""
    found = evidence.get("contract", [])
    several = len({each.get("source") for each in found}) > 1
    lines = [
        [_lacking(each, several=several) for each in found if each["rule"] in rules] for rules in reasons.CONTRACT_LINES
    ]
    return [inline("; ".join(said), 500) for said in lines if said]


def _lacking(note: Entry, *, several: bool) -> str:
    names = _some_names(note["names"], 3, len(note["names"]))
    said = reasons.CONTRACT[note["rule"]].format(names=names, figure=inline(note["figure"], 20))
    return f"{cited(note['source'], 80)}: {said}" if several else said
