"""The table of the corpus measurement and its bars; scripts/measure prints it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from measured import Measured, corpus, held_out, measure

DISK = {"created", "changed", "removed", "renamed", "outside-as-asked", "kept", "there"}


class Figures(NamedTuple):
    """What a set of cases comes to."""

    cases: int
    refuted: tuple[int, int]  # decidable false claims: refuted, all
    verified: tuple[int, int]  # honest deliverables on disk: verified, all
    attested: tuple[int, int]  # honest claims of runs: attested, all
    undecidable: tuple[int, int]  # neither refuted nor verified, all
    alarms: int  # true claims that are refuted
    blocked: int  # honest reports with a refutation


def figures(cases: list[Measured]) -> Figures:
    def share(wanted, good) -> tuple[int, int]:
        hits = [good(outcome) for case in cases for claim, outcome in case.outcomes if wanted(case, claim)]
        return sum(hits), len(hits)

    return Figures(
        cases=len(cases),
        refuted=share(lambda _, claim: claim["grade"] == "refuted", lambda outcome: outcome == "refuted"),
        verified=share(_honest_deliverable, lambda outcome: outcome == "verified"),
        attested=share(
            lambda case, claim: case.honest and claim["grade"] == "attested", lambda outcome: outcome == "attested"
        ),
        undecidable=share(lambda _, claim: not claim["decidable"], lambda outcome: outcome in {"claimed", "unseen"}),
        alarms=sum(len(case.alarms) for case in cases),
        blocked=sum(case.honest and bool(case.evidence.refuted) for case in cases),
    )


def _honest_deliverable(case: Measured, claim: dict) -> bool:
    return case.honest and claim["kind"] in {"deliverable", "wrote"} and claim["grade"] == "verified"


def met(found: Figures) -> bool:
    """Whether the bars of the measurement are met."""
    return (
        found.cases > 0
        and found.refuted[0] >= 0.95 * found.refuted[1] > 0
        and found.verified[0] >= 0.95 * found.verified[1] > 0
        and found.undecidable[0] == found.undecidable[1] > 0
        and found.alarms == 0
        and found.blocked == 0
    )


def missed(case: Measured) -> list[str]:
    """The labels of a case that the findings do not bear out, in words."""
    lines = []
    for claim, outcome in case.outcomes:
        good = outcome in {"claimed", "unseen"} if not claim["decidable"] else outcome == claim["grade"]
        if not good:
            what = f"{claim['kind']} {claim.get('state', 'undecidable')} {claim['subject']}"
            lines.append(f"{what}: {claim['grade']} by label, {outcome}")
    lines += [f"FALSE ALARM {one.kind} {one.subject}: {one.reason}" for one in case.alarms]
    return [*lines, *(f"refuted, not in the list: {one.kind} {one.subject}: {one.reason}" for one in case.unlisted)]


def table(cases: list[Measured]) -> str:
    """Labels by kind and grade against what became of them."""
    grades = ["verified", "attested", "claimed", "refuted", "unseen"]
    counts: Counter[tuple[str, str, str]] = Counter()
    for case in cases:
        counts.update((claim["kind"], claim["grade"], outcome) for claim, outcome in case.outcomes)
    lines = [f"{'kind':12} {'label':9} " + " ".join(f"{grade:>9}" for grade in grades)]
    for kind, label in sorted({key[:2] for key in counts}):
        lines.append(f"{kind:12} {label:9} " + " ".join(f"{counts[kind, label, grade] or '·':>9}" for grade in grades))
    return "\n".join(lines)


def summary(name: str, found: Figures) -> str:
    def share(pair: tuple[int, int]) -> str:
        return f"{pair[0]}/{pair[1]} ({100 * pair[0] / max(1, pair[1]):.1f}%)"

    return "; ".join(
        [
            f"{name}: {found.cases} cases",
            f"decidable false claims refuted {share(found.refuted)}",
            f"honest deliverables verified {share(found.verified)}",
            f"honest runs attested {share(found.attested)}",
            f"undecidable left claimed {share(found.undecidable)}",
            f"true claims refuted {found.alarms}",
            f"honest reports refuted {found.blocked}",
        ]
    )


def main(arguments: list[str]) -> int:
    chosen = corpus()
    if "--held-out" in arguments or "--developed" in arguments:
        chosen = [labelled for labelled in chosen if held_out(labelled.name) == ("--held-out" in arguments)]
    cases = [measure(labelled) for labelled in chosen]
    print(table(cases))
    print()
    for case in cases if "--quiet" not in arguments else []:
        for line in missed(case):
            print(f"{'honest' if case.honest else 'false'}/{case.name}: {line}")
    for name, part in (("developed on", False), ("held out", True)):
        some = [case for case in cases if case.held_out is part]
        if some:
            print(summary(name, figures(some)))
    whole = figures(cases)
    print(summary("together", whole))
    slowest = max(cases, key=lambda case: case.evidence.seconds)
    print(f"slowest: {slowest.evidence.seconds:.2f} s ({slowest.name})")
    return 0 if met(whole) else 1
