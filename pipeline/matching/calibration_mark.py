"""What the last calibration left, as a mark of the store: by it matches are scored and the thresholds shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from matcher.verdict.probability import Calibration
from matcher.verdict.thresholds import Threshold
from store.ports import Marks

NAME: Final = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMark:
    """A calibration, when it was made, and the two thresholds as they were then."""

    calibration: Calibration
    at: datetime
    thresholds: tuple[Threshold, Threshold] | None  # None where an early release made it, which kept none


def last_calibration(marks: Marks) -> CalibrationMark | None:
    """The mark of the last calibration; None before the first."""
    found: Mapping[str, Any] | None = marks.get(NAME)
    if found is None:
        return None
    return CalibrationMark(
        calibration=Calibration(found["intercept"], found["slope"], found["decisions"]),
        at=found["at"],
        thresholds=_thresholds(found["thresholds"]) if "thresholds" in found else None,
    )


def keep_calibration(marks: Marks, mark: CalibrationMark) -> None:
    """Keep this mark in place of the one before."""
    kept = mark.calibration
    value = {"intercept": kept.intercept, "slope": kept.slope, "decisions": kept.decisions, "at": mark.at}
    marks.set(NAME, value if mark.thresholds is None else {**value, "thresholds": mark.thresholds})


def _thresholds(kept: list[dict[str, Any]]) -> tuple[Threshold, Threshold]:
    opening, certain = (Threshold(**one) for one in kept)
    return opening, certain
