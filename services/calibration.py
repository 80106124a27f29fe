"""What a score means, by what people decided."""

from typing import NamedTuple

from matcher.verdict.probability import Calibration
from matcher.verdict.thresholds import Threshold
from pipeline.matching.calibration import present_calibration, present_thresholds, recalibrate
from services.context import Product


class Calibrated(NamedTuple):
    """The present calibration, and the two thresholds with their false-alarm rates."""

    calibration: Calibration
    thresholds: tuple[Threshold, Threshold]


def calibration(product: Product, *, correct: bool = False) -> Calibrated:
    """What scores mean now. correct: take the decisions since the last nightly correction in first."""
    found = recalibrate(product) if correct else present_calibration(product)
    return Calibrated(found, present_thresholds(product))
