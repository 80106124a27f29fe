"""Calibrate the probability of matches with decisions, and compute both thresholds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from matcher.attribution.calibration import (
    MEASURED_CALIBRATION,
    Calibration,
    Decision,
    Threshold,
    fit_calibration,
    report_thresholds,
)
from matcher.model import Level
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import INFRINGING_STATUSES
from wenhen.product.context import Context, Product

if TYPE_CHECKING:  # it brings pymongo
    from wenhen.kit.mongo.marks import Marks

# What the last calibration left, as a mark of the store: by it matches are scored and the thresholds shown.


CALIBRATION_MARK: Final = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMark:
    """A calibration, when it was made, and the two thresholds as they were then."""

    calibration: Calibration
    at: datetime
    thresholds: tuple[Threshold, Threshold] | None  # None where an early release made it, which kept none


def load_calibration_mark(marks: "Marks") -> CalibrationMark | None:
    """The mark of the last calibration; None before the first."""
    mark: Mapping[str, Any] | None = marks.get(CALIBRATION_MARK)
    if mark is None:
        return None
    return CalibrationMark(
        calibration=Calibration(mark["intercept"], mark["slope"], mark["decisions"]),
        at=mark["at"],
        thresholds=_parse_thresholds(mark["thresholds"]) if "thresholds" in mark else None,
    )


def store_calibration_mark(marks: "Marks", mark: CalibrationMark) -> None:
    """Keep this mark in place of the one before."""
    kept = mark.calibration
    value = {"intercept": kept.intercept, "slope": kept.slope, "decisions": kept.decisions, "at": mark.at}
    marks.set(CALIBRATION_MARK, value if mark.thresholds is None else {**value, "thresholds": mark.thresholds})


def _parse_thresholds(kept: list[dict[str, Any]]) -> tuple[Threshold, Threshold]:
    opening, certain = (Threshold(**threshold) for threshold in kept)
    return opening, certain


# The probability of a match, corrected by what people decided; the two thresholds, each with its false-alarm rate.


def current_calibration(context: Context) -> Calibration:
    """The calibration of the last correction; the measured one before the first."""
    mark = load_calibration_mark(context.store.marks)
    return MEASURED_CALIBRATION if mark is None else mark.calibration


def cached_calibration(context: Context) -> Calibration:
    """The same, as this process knew it a second ago at the earliest: for what is answered and not kept."""
    return context.calibration.of(lambda: current_calibration(context))


def update_calibration(context: Context) -> Calibration:
    """Correct the calibration by every decision taken so far; matches from now on use it."""
    decided = collect_decisions(context)
    calibration = fit_calibration(decided)
    measured = _compute_thresholds(context, calibration, decided)
    mark = CalibrationMark(calibration=calibration, at=context.now(), thresholds=measured)
    store_calibration_mark(context.store.marks, mark)
    return context.calibration.note(calibration)


def current_thresholds(context: Context) -> tuple[Threshold, Threshold]:
    """Where cases open, and where they are certain, by what is decided and what waits now."""
    return _compute_thresholds(context, current_calibration(context), collect_decisions(context))


def collect_decisions(context: Context) -> list[Decision]:
    """What people decided; an authorised reprint says nothing about copying, whatever became of its case, and a
    suspicion nothing about letters.
    """
    copied = [Decision(weight, copied=True) for weight in _waiting_weights(context, *INFRINGING_STATUSES)]
    return copied + [Decision(weight, copied=False) for weight in _waiting_weights(context, CaseStatus.DISMISSED)]


def _compute_thresholds(
    context: Context, calibration: Calibration, decided: list[Decision]
) -> tuple[Threshold, Threshold]:
    rules = context.settings.matcher
    return report_thresholds(
        calibration,
        open_score=rules.open_score,
        certain_score=rules.certain_score,
        decisions=decided,
        waiting=list(_waiting_weights(context, CaseStatus.LEAD)),
    )


def _waiting_weights(context: Context, *statuses: CaseStatus) -> Iterator[float]:
    for status in statuses:
        yield from (case.match.weight for case in context.store.cases.each(status=status) if _is_informative(case))


def _is_informative(case: Case) -> bool:
    return case.licence_id is None and case.match.level is not Level.SUSPECTED


class CalibrationReport(NamedTuple):
    """The present calibration, and the two thresholds with their false-alarm rates."""

    calibration: Calibration
    thresholds: tuple[Threshold, Threshold]


def report_calibration(product: Product, *, correct: bool = False) -> CalibrationReport:
    """What scores mean now. correct: take the decisions since the last nightly correction in first."""
    calibration = update_calibration(product) if correct else current_calibration(product)
    return CalibrationReport(calibration, current_thresholds(product))
