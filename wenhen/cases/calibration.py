"""Calibrate match probabilities with user decisions, and compute both thresholds."""

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
from wenhen.context.use_cases import Context, Product

if TYPE_CHECKING:  # imports pymongo
    from wenhen.kit.mongo.marks import Marks

# The last calibration is stored as a mark. Matches are scored with it, and the thresholds are shown from it.


CALIBRATION_MARK: Final = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMark:
    """A calibration, the time it was made, and the two thresholds at that time."""

    calibration: Calibration
    at: datetime
    thresholds: tuple[Threshold, Threshold] | None  # None if an early version stored the mark


def load_calibration_mark(marks: "Marks") -> CalibrationMark | None:
    """Return the mark of the last calibration, or None before the first one."""
    mark: Mapping[str, Any] | None = marks.get(CALIBRATION_MARK)
    if mark is None:
        return None
    return CalibrationMark(
        calibration=Calibration(mark["intercept"], mark["slope"], mark["decisions"]),
        at=mark["at"],
        thresholds=_parse_thresholds(mark["thresholds"]) if "thresholds" in mark else None,
    )


def store_calibration_mark(marks: "Marks", mark: CalibrationMark) -> None:
    """Store the mark in place of the previous one."""
    kept = mark.calibration
    value = {"intercept": kept.intercept, "slope": kept.slope, "decisions": kept.decisions, "at": mark.at}
    marks.set(CALIBRATION_MARK, value if mark.thresholds is None else {**value, "thresholds": mark.thresholds})


def _parse_thresholds(kept: list[dict[str, Any]]) -> tuple[Threshold, Threshold]:
    opening, certain = (Threshold(**threshold) for threshold in kept)
    return opening, certain


# The match probability is recalibrated with user decisions. Each of the two thresholds has a false-alarm rate.


def current_calibration(context: Context) -> Calibration:
    """Return the last calibration, or the measured default before the first one."""
    mark = load_calibration_mark(context.store.marks)
    return MEASURED_CALIBRATION if mark is None else mark.calibration


def cached_calibration(context: Context) -> Calibration:
    """Return the current calibration from a cache with a lifetime of about a second. Do not store results of it."""
    return context.calibration.of(lambda: current_calibration(context))


def update_calibration(context: Context) -> Calibration:
    """Fit the calibration to all decisions so far, store it, and use it for later matches."""
    decided = collect_decisions(context)
    calibration = fit_calibration(decided)
    measured = _compute_thresholds(context, calibration, decided)
    mark = CalibrationMark(calibration=calibration, at=context.now(), thresholds=measured)
    store_calibration_mark(context.store.marks, mark)
    return context.calibration.note(calibration)


def current_thresholds(context: Context) -> tuple[Threshold, Threshold]:
    """Return the thresholds for opening a case and for certainty, with statistics of decided and waiting cases."""
    return _compute_thresholds(context, current_calibration(context), collect_decisions(context))


def collect_decisions(context: Context) -> list[Decision]:
    """Return the decisions of users as training data.

    Licensed cases are left out, because they say nothing about copying. Suspected paraphrases are left out, because
    they have no letter-level match.
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
    """Leave out licensed and suspected cases, and those of which exclusions have left nothing."""
    if case.found is not None and not case.match.passages:
        return False
    return case.licence_id is None and case.match.level is not Level.SUSPECTED


class CalibrationReport(NamedTuple):
    """The current calibration, and the two thresholds with their false-alarm rates."""

    calibration: Calibration
    thresholds: tuple[Threshold, Threshold]


def report_calibration(product: Product, *, correct: bool = False) -> CalibrationReport:
    """Report the current calibration.

    correct: first include the decisions since the last nightly calibration.
    """
    calibration = update_calibration(product) if correct else current_calibration(product)
    return CalibrationReport(calibration, current_thresholds(product))
