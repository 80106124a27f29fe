"""A re-match looks at what may have changed since the last one, and that is enough: a full one finds nothing more."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fingerprinter.features.model import unpack_features
from matcher.attribution.calibration import Calibration
from tests.support.acting import by
from tests.support.way import capture, do_step, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.cases.calibration import CalibrationMark, store_calibration_mark
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import rebuild_index
from wenhen.matching.rematch import start_rematch
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.works.service import edit_work, remove_work

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


@pytest.fixture
def few(copied: App, monkeypatch: pytest.MonkeyPatch) -> App:
    """One work and its copy, all through, and a re-match behind them."""
    monkeypatch.setattr("wenhen.matching.rematch.MAX_WRITE_LAG", timedelta(0))
    start_rematch(copied)
    work_through(copied)
    return copied


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


def nothing_more_is_found(app: App) -> set[str]:
    """A full re-match leaves everything as it is; what it looked at."""
    found = known(app)
    start_rematch(app, everything=True)
    everything = looked_at(work_through(app))
    assert known(app) == found
    return everything


def test_nothing_is_looked_at_where_nothing_changed(app: App) -> None:
    assert start_rematch(app).counts["works"] == 0
    assert work_through(app) == []


def test_after_works_came_changed_and_went_a_full_rematch_finds_nothing_more(app: App) -> None:
    store_work(app, "new", made_text("new", 300))
    capture(app, "http://c.test/new", made_page("new", made_text("new", 300)))
    store_work(app, NAMES[0], made_text("another text", 300))
    remove_work(by(app), NAMES[4])
    work_through(app)
    run = start_rematch(app)
    assert (run.counts["works"], run.counts["up_to_date"]) == (0, 2), "each was looked up after its change"
    assert looked_at(work_through(app)) == set()
    assert len(nothing_more_is_found(app)) >= len(NAMES) + HELD - 2


def test_a_page_that_comes_while_a_work_is_looked_up_is_missed_by_none(few: App) -> None:
    """The pages have done more and more of their steps when their works come, and do the others behind them."""
    app, names = few, [f"after {steps} steps" for steps in range(6)]
    for steps, name in enumerate(names):
        page = capture(app, f"http://c.test/{steps}", made_page(name, made_text(name, 300)))
        for _ in range(steps):
            do_step(app, OwnerKind.PAGE, page, app.store.pages.get(page).progress.step)
        store_work(app, name, made_text(name, 300))
        for step in (Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP):
            do_step(app, OwnerKind.WORK, name, step)
    work_through(app)
    assert start_rematch(app).counts["works"] == 0
    assert {(f"http://c.test/{steps}", name) for steps, name in enumerate(names)} <= pairs(app)
    nothing_more_is_found(app)


def test_a_look_up_under_other_settings_does_not_count_once_they_are_changed_back(few: App) -> None:
    app, strict = few, few.settings.matcher.model_copy(update={"open_score": 1.0})
    others = replace(app, settings=app.settings.model_copy(update={"matcher": strict}))
    capture(app, "http://c.test/new", made_page("new", made_text("new", 300)))
    work_through(app)
    store_work(others, "new", made_text("new", 300))
    work_through(others)
    assert ("http://c.test/new", "new") not in pairs(app), "nothing is likely enough there"
    assert start_rematch(app).counts["works"] == 1
    work_through(app)
    assert ("http://c.test/new", "new") in pairs(app)
    nothing_more_is_found(app)


def test_a_look_up_in_an_index_that_had_lost_a_page_does_not_count_once_it_is_built_again(few: App) -> None:
    app = few
    page = capture(app, "http://c.test/new", made_page("new", made_text("new", 300)))
    work_through(app)
    lost = app.store.fingerprints.of_all(OwnerKind.PAGE, [page])[page]
    app.pages_index.remove([(each.number, unpack_features(each.positions, each.values)) for each in lost])
    store_work(app, "new", made_text("new", 300))
    work_through(app)
    assert ("http://c.test/new", "new") not in pairs(app)
    rebuild_index(app, OwnerKind.PAGE)
    assert start_rematch(app).counts["works"] == 1
    work_through(app)
    assert ("http://c.test/new", "new") in pairs(app)
    nothing_more_is_found(app)


def test_a_look_up_that_was_killed_does_not_count_and_one_before_an_edit_does_not_either(few: App) -> None:
    app = few
    capture(app, "http://c.test/new", made_page("new", made_text("new", 300)))
    work_through(app)
    store_work(app, "new", made_text("new", 300))
    for step in (Step.FINGERPRINT, Step.INDEX):
        do_step(app, OwnerKind.WORK, "new", step)
    assert app.store.works.claim("new", Step.LOOK_UP, timedelta(0)), "by a worker that dies"
    assert start_rematch(app).counts["up_to_date"] == 0
    work_through(app)
    assert ("http://c.test/new", "new") in pairs(app)
    edit_work(by(app), "new", {"author": "某人"})
    assert start_rematch(app).counts["works"] == 1
    work_through(app)
    nothing_more_is_found(app)


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
