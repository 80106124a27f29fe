"""What the last calibration measured, as the screens show it."""

from dashboard.frame.context import services
from matcher.verdict.thresholds import Threshold
from pipeline.matching.calibration_mark import last_calibration


def measured_thresholds() -> tuple[Threshold, Threshold] | None:
    """Where cases open and where they are certain; None before the first calibration."""
    mark = last_calibration(services().store.marks)
    return None if mark is None else mark.thresholds
