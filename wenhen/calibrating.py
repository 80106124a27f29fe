"""The probability of a match, corrected by what people decided; the two thresholds, each with its false-alarm rate."""

from dataclasses import dataclass

from matcher.calibrate import MEASURED, Calibration, Decision, false_alarm_rate, recalibrated
from store.records import Case, CaseStatus
from wenhen.app import App

MARK = "calibration"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A probability from which something happens, and the share of cases from it on that people dismissed.

    false_alarms: None while nobody has decided on such a case.
    """

    name: str
    probability: float
    false_alarms: float | None


def present_calibration(app: App) -> Calibration:
    """The calibration of the last correction; the measured one before the first."""
    mark = app.store.marks.get(MARK)
    if mark is None:
        return MEASURED
    intercept, slope, decisions = mark["intercept"], mark["slope"], mark["decisions"]
    assert isinstance(intercept, float)
    assert isinstance(slope, float)
    assert isinstance(decisions, int)
    return Calibration(intercept, slope, decisions)


def recalibrate(app: App) -> Calibration:
    """Correct the calibration by every decision taken so far; matches from now on use it."""
    found = recalibrated(decisions(app))
    app.store.marks.set(
        MARK, {"intercept": found.intercept, "slope": found.slope, "decisions": found.decisions, "at": app.now()}
    )
    return found


def thresholds(app: App) -> list[Threshold]:
    """Where cases open, and where they are certain."""
    calibration, decided = present_calibration(app), decisions(app)
    rules = app.settings.matcher
    return [
        Threshold(name, probability, false_alarm_rate(decided, calibration, probability))
        for name, probability in (("open", rules.open_score), ("certain", rules.certain_score))
    ]


def decisions(app: App) -> list[Decision]:
    """What people decided; an authorised reprint says nothing about copying, whatever became of its case."""
    return [
        Decision(case.match.weight, copied=status is CaseStatus.CONFIRMED)
        for status in (CaseStatus.CONFIRMED, CaseStatus.DISMISSED)
        for case in app.store.cases.each(status=status)
        if _tells(case)
    ]


def _tells(case: Case) -> bool:
    return case.licence_id is None
