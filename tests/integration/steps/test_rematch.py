"""A re-match looks at what may have changed since the last one, and that is enough: a full one finds nothing more."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from matcher.attribution.calibration import Calibration
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cases.calibration import CalibrationMark, store_calibration_mark
from wenhen.kit.progress import Step
from wenhen.matching.rematch import start_rematch
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.works.service import remove_work

NAMES = [f"work {number}" for number in range(8)]
HELD = 8 * 2  # pages: each work stands in one alone, and in one together with the next


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """Works and their copies, all through, and a re-match behind them."""
    monkeypatch.setattr("wenhen.matching.rematch.MAX_WRITE_LAG", timedelta(0))
    with opened(servers, tmp_path) as product:
        for name, following in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True):
            store_work(product, name, made_text(name, 300))
            capture(product, f"http://a.test/{name}", made_page(name, made_text(name, 300)))
            both = f"{made_text(name, 300)}\n{made_text(following, 300)}"
            capture(product, f"http://b.test/{name}", made_page(name, both))
        work_through(product)
        start_rematch(product)
        work_through(product)
        yield product


def known(app: App) -> list[Any]:
    """Everything that a look at a page or work leaves, but for when it was."""
    told = [
        (match.id, match.score, match.passages, match.also_in)
        for copy in app.store.matches.copies()
        for match in app.store.matches.of_copy(copy)
    ]
    cases = [(case.id, case.status, case.present, case.match.score) for case in app.store.cases.each()]
    return [sorted(told, key=lambda one: one[0]), sorted(cases, key=lambda one: one[0])]


def looked_at(done: list[tuple[str, Step]]) -> set[str]:
    """The works and pages that were looked up."""
    return {id for id, step in done if step is Step.LOOK_UP}


def test_nothing_is_looked_at_where_nothing_changed(app: App) -> None:
    assert start_rematch(app).counts["works"] == 0
    assert work_through(app) == []


def test_after_works_came_changed_and_went_a_full_rematch_finds_nothing_more(app: App) -> None:
    store_work(app, "new", made_text("new", 300))
    capture(app, "http://c.test/new", made_page("new", made_text("new", 300)))
    store_work(app, NAMES[0], made_text("another text", 300))
    remove_work(by(app), NAMES[4])
    work_through(app)
    start_rematch(app)
    touched = looked_at(work_through(app))
    found = known(app)
    start_rematch(app, everything=True)
    everything = looked_at(work_through(app))
    assert known(app) == found
    assert len(everything) >= len(NAMES) + HELD - 2
    assert touched >= {"new", NAMES[0]}
    assert len(touched) <= 4, f"of {len(everything)}"


def test_when_decisions_moved_the_calibration_every_match_follows_and_no_other_page_is_looked_at(app: App) -> None:
    capture(app, "http://d.test/own", made_page("own", made_text("of its own", 300)))
    work_through(app)
    before = known(app)
    moved = CalibrationMark(calibration=Calibration(-7.0, 2.0, 3), at=app.now(), thresholds=None)
    store_calibration_mark(app.store.marks, moved)
    run = start_rematch(app)
    assert (run.counts["works"], run.counts["pages"]) == (0, HELD)
    work_through(app)
    found = known(app)
    assert found != before
    start_rematch(app, everything=True)
    work_through(app)
    assert known(app) == found
