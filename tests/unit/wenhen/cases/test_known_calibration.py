"""The calibration by which a process answers: learnt once a second, and at once where the process itself changes it."""

from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from wenhen.context.caches import CALIBRATION_SECONDS, KnownCalibration


class Marks:
    """Tells the calibration, and counts how often it is asked."""

    def __init__(self) -> None:
        self.calibration = MEASURED_CALIBRATION
        self.asked = 0

    def __call__(self) -> Calibration:
        self.asked += 1
        return self.calibration


def test_it_is_asked_for_again_after_a_second() -> None:
    now = [7.0]
    known, marks = KnownCalibration(lambda: now[0]), Marks()
    known.of(marks)
    marks.calibration = Calibration(-9.0, 2.0, 3)
    assert (known.of(marks), marks.asked) == (MEASURED_CALIBRATION, 1)
    now[0] += CALIBRATION_SECONDS
    assert (known.of(marks), marks.asked) == (marks.calibration, 2)


def test_one_that_this_process_made_holds_at_once() -> None:
    known, marks = KnownCalibration(lambda: 7.0), Marks()
    known.of(marks)
    mine = Calibration(-9.0, 2.0, 3)
    known.note(mine)
    assert (known.of(marks), marks.asked) == (mine, 1)
