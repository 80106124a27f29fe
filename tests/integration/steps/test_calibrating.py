"""What people decide on cases changes the probability of the next ones, and stands beside the thresholds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from tests.support.samples import NOON
from tests.support.seed import move_case
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cases.calibration import (
    CALIBRATION_MARK,
    CalibrationMark,
    collect_decisions,
    current_calibration,
    current_thresholds,
    load_calibration_mark,
    store_calibration_mark,
    update_calibration,
)
from wenhen.cases.model import CaseStatus
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """Five works, each copied by a page."""
    with opened(servers, tmp_path) as product:
        for name in "abcde":
            store_work(product, name, made_text(name))
            capture(product, f"http://site.test/{name}", made_page(name, made_text(name)))
        work_through(product)
        yield product


def decide(app: App, status: CaseStatus) -> None:
    for case in app.store.cases.each():
        move_case(app.store, case.id, status, by="x", reason="y", at=app.now())


def test_without_decisions_the_measured_calibration_holds_and_no_rate_is_claimed(app: App) -> None:
    assert current_calibration(app) == update_calibration(app) == MEASURED_CALIBRATION
    assert [(one.name, one.false_alarms) for one in current_thresholds(app)] == [("open", None), ("certain", None)]


def test_dismissed_cases_lower_the_probability_of_the_next_match_and_raise_the_false_alarm_rate(app: App) -> None:
    decide(app, CaseStatus.DISMISSED)
    assert len(collect_decisions(app)) == 5
    corrected = update_calibration(app)
    assert corrected == current_calibration(app)
    weight = collect_decisions(app)[0].weight
    assert corrected.probability(weight) < MEASURED_CALIBRATION.probability(weight)
    rates = [one.false_alarms for one in current_thresholds(app)]
    assert any(rate is not None for rate in rates)
    assert all(rate is None or rate > 0.8 for rate in rates), "a rate, wherever such a case is left above the threshold"
    before = {case.page_id: case.match.score for case in app.store.cases.each()}
    store_work(app, "f", made_text("f"))
    capture(app, "http://site.test/f", made_page("f", made_text("f")))
    work_through(app)
    [new] = [case for case in app.store.cases.each() if case.page_id not in before]
    assert new.match.score < min(before.values())


def test_confirmed_cases_keep_the_rate_low(app: App) -> None:
    decide(app, CaseStatus.CONFIRMED)
    update_calibration(app)
    assert all(one.false_alarms is not None and one.false_alarms < 0.1 for one in current_thresholds(app))


def test_a_notice_keeps_the_confirmation_and_the_mark_has_the_thresholds_for_the_screens(app: App) -> None:
    first, *_ = app.store.cases.each()
    move_case(app.store, first.id, CaseStatus.CONFIRMED, by="x", reason="y", at=app.now())
    move_case(app.store, first.id, CaseStatus.NOTICE_SENT, by="x", reason="y", at=app.now())
    assert [one.copied for one in collect_decisions(app)] == [True]
    update_calibration(app)
    mark = load_calibration_mark(app.store.marks)
    assert mark is not None
    assert mark.calibration == current_calibration(app)
    assert mark.thresholds is not None
    opening, certain = mark.thresholds
    assert (opening, certain) == current_thresholds(app)
    assert (opening.decided, opening.dismissed, opening.waiting) == (1, 0, 4)
    assert opening.expected_false_alarms is not None
    assert opening.expected_false_alarms < opening.at_threshold


def test_a_mark_from_before_thresholds_were_kept_is_read(app: App) -> None:
    app.store.marks.set(CALIBRATION_MARK, {"intercept": -14.5, "slope": 5.0, "decisions": 3, "at": NOON})
    mark = load_calibration_mark(app.store.marks)
    assert mark == CalibrationMark(calibration=Calibration(-14.5, 5.0, 3), at=NOON, thresholds=None)
    assert current_calibration(app) == Calibration(-14.5, 5.0, 3)
    store_calibration_mark(app.store.marks, mark)
    assert load_calibration_mark(app.store.marks) == mark
