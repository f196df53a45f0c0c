"""The rules on the confidence that a result gives: its band, its components, and the words that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from bg.results import form, reading
from bg.results.contract import Confidence, Result
from bg.words import amiss

ROUNDING = 0.5


def in_band(result: Result) -> Iterator[str]:
    """Whether a confidence is given, is a number from 0 to 100, and is called by its band."""
    confidence = result.confidence
    if not confidence.stated:
        yield amiss.NO_CONFIDENCE
    elif confidence.score is None:
        yield amiss.NO_NUMBER.format(said=reading.short(confidence.stated))
    elif not confidence.band:
        yield amiss.OUTSIDE.format(figure=reading.figure(confidence.score))
    elif confidence.stated_band and confidence.stated_band != confidence.band:
        figure = reading.figure(confidence.score)
        yield amiss.OTHER_BAND.format(figure=figure, called=confidence.stated_band, band=confidence.band)
    outside = [
        issue.id or issue.text
        for issue in result.issues
        if issue.confidence is not None and not 0 <= issue.confidence <= 100
    ]
    if outside:
        yield amiss.ISSUE_OUTSIDE.format(names=reading.listed(outside))


def breakdown(result: Result) -> Iterator[str]:
    """Whether a high confidence comes with its components, and they combine to it."""
    confidence = result.confidence
    given = {"verified": confidence.verified, "inferred": confidence.inferred, "combined": confidence.combined}
    missing = [f"{name}_confidence" for name, value in given.items() if value is None]
    score = _score(result)
    wanted = score is not None and score >= form.LIMITS["breakdown_from"]
    if missing and (wanted or len(missing) < len(given)):
        figure = reading.figure(confidence.score)
        yield amiss.NO_COMPONENTS.format(figure=figure, names=reading.listed(missing))
    yield from _arithmetic(confidence)


def _arithmetic(confidence: Confidence) -> Iterator[str]:
    verified, inferred, combined, score = (
        confidence.verified,
        confidence.inferred,
        confidence.combined,
        confidence.score,
    )
    mean = None if verified is None or inferred is None else (verified + inferred) / 2
    reached = combined if combined is not None else mean
    if mean is not None and combined is not None and abs(mean - combined) > ROUNDING:
        yield amiss.OTHER_MEAN.format(
            combined=reading.figure(combined),
            verified=reading.figure(verified),
            inferred=reading.figure(inferred),
            mean=reading.figure(mean),
        )
    elif reached is not None and score is not None and abs(reached - score) > ROUNDING:
        yield amiss.OTHER_SUM.format(figure=reading.figure(score), reached=reading.figure(reached))


def justification(result: Result) -> Iterator[str]:
    """Whether a very high confidence is justified."""
    score, name = _score(result), "Confidence Justification"
    if score is None or score < form.LIMITS["justification_from"]:
        return
    wanted = form.section(name)["fields"]
    missing = [field for field in wanted if not reading.filled(result.justification.get(field, ""))]
    if len(missing) == len(wanted):
        yield amiss.NO_SECTION.format(figure=reading.figure(score), name=name)
    elif missing:
        yield amiss.SECTION_LACKS.format(name=name, names=reading.listed(missing))
    stated = form.number(result.justification.get("Score", ""))
    if stated is not None and abs(stated - score) > ROUNDING:
        yield amiss.OTHER_SCORE.format(figure=reading.figure(score), other=reading.figure(stated))


def uncertainty(result: Result) -> Iterator[str]:
    """Whether a low confidence says what is uncertain."""
    score = _score(result)
    if score is not None and score < form.LIMITS["uncertainty_below"] and not reading.filled(result.uncertainty):
        yield amiss.NO_UNCERTAINTY.format(figure=reading.figure(score))


def _score(result: Result) -> Optional[float]:
    """The confidence, if it is one."""
    return result.confidence.score if result.confidence.band else None
