"""The probability of a match, corrected by what people decided; the two thresholds, each with its false-alarm rate."""

from collections.abc import Iterator

from matcher.verdict.probability import MEASURED, Calibration, Decision, recalibrated
from matcher.verdict.thresholds import Threshold, thresholds
from pipeline.context import Context
from pipeline.matching.calibration_mark import CalibrationMark, keep_calibration, last_calibration
from store.records import Case, CaseStatus, Level
from store.rules.cases.case_path import INFRINGING


def present_calibration(context: Context) -> Calibration:
    """The calibration of the last correction; the measured one before the first."""
    mark = last_calibration(context.store.marks)
    return MEASURED if mark is None else mark.calibration


def known_calibration(context: Context) -> Calibration:
    """The same, as this process knew it a second ago at the earliest: for what is answered and not kept."""
    return context.calibration.of(lambda: present_calibration(context))


def recalibrate(context: Context) -> Calibration:
    """Correct the calibration by every decision taken so far; matches from now on use it."""
    decided = decisions(context)
    found = recalibrated(decided)
    measured = _thresholds(context, found, decided)
    mark = CalibrationMark(calibration=found, at=context.now(), thresholds=measured)
    keep_calibration(context.store.marks, mark)
    return context.calibration.note(found)


def present_thresholds(context: Context) -> tuple[Threshold, Threshold]:
    """Where cases open, and where they are certain, by what is decided and what waits now."""
    return _thresholds(context, present_calibration(context), decisions(context))


def decisions(context: Context) -> list[Decision]:
    """What people decided; an authorised reprint says nothing about copying, whatever became of its case, and a
    suspicion nothing about letters.
    """
    copied = [Decision(weight, copied=True) for weight in _weights(context, *INFRINGING)]
    return copied + [Decision(weight, copied=False) for weight in _weights(context, CaseStatus.DISMISSED)]


def _thresholds(context: Context, calibration: Calibration, decided: list[Decision]) -> tuple[Threshold, Threshold]:
    rules = context.settings.matcher
    return thresholds(
        calibration,
        open_score=rules.open_score,
        certain_score=rules.certain_score,
        decisions=decided,
        waiting=list(_weights(context, CaseStatus.LEAD)),
    )


def _weights(context: Context, *statuses: CaseStatus) -> Iterator[float]:
    for status in statuses:
        yield from (case.match.weight for case in context.store.cases.each(status=status) if _tells(case))


def _tells(case: Case) -> bool:
    return case.licence_id is None and case.match.level is not Level.SUSPECTED
