"""What the last calibration measured, as the screens show it."""

from dashboard.frame.context import services
from matcher.verdict.thresholds import Threshold, thresholds_of


def measured_thresholds() -> tuple[Threshold, Threshold] | None:
    """Where cases open and where they are certain; None before the first calibration."""
    mark = services().store.marks.get("calibration")
    return thresholds_of(mark) if mark and "thresholds" in mark else None
