"""Looks at pages that change meanwhile, and what a look leaves in memory."""

import gc
from datetime import timedelta
from typing import Any, Final

import pytest

from matcher.alignment.screening import PageScreen
from tests.support.way import capture, made_page, made_text, pairs, store_work, work_through
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.findings import store_findings
from wenhen.pipeline.page_and_work_steps import match_pages
from wenhen.pipeline.tasks import BATCH_STEPS
from wenhen.runtime.wiring import App

LEASE: Final = timedelta(minutes=1)
PAGE: Final = "http://a.test/1"


def test_a_page_that_got_another_text_during_a_look_keeps_no_case_of_the_old_one(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look at the new text has ended before the one at the old text keeps what it found."""
    store_work(app, "river", made_text("river"))
    work_through(app)
    id = capture(app, PAGE, made_page("江", made_text("river")))
    for step, work in BATCH_STEPS[OwnerKind.PAGE].items():
        if step in (Step.EXTRACT, Step.FINGERPRINT, Step.INDEX):
            claim = app.store.pages.claim(id, step, LEASE)
            assert claim is not None
            work(app, [claim], None)
    old = app.store.pages.claim(id, Step.LOOK_UP, LEASE)
    assert old is not None

    def keep_late(*arguments: Any) -> Any:
        monkeypatch.setattr("wenhen.pipeline.page_and_work_steps.store_findings", store_findings)
        capture(app, PAGE, made_page("雪", made_text("snow")))
        work_through(app)
        assert app.store.pages.get(id).progress.step is Step.DONE
        assert pairs(app) == set()
        return store_findings(*arguments)

    monkeypatch.setattr("wenhen.pipeline.page_and_work_steps.store_findings", keep_late)
    assert match_pages(app, [old], None).claims == []
    work_through(app)
    assert app.store.pages.get(id).progress.step is Step.DONE
    assert pairs(app, present=True) == set()


def test_a_look_leaves_cached_texts_and_nothing_that_only_a_comparison_needs(app: App) -> None:
    def screens() -> int:
        gc.collect()
        return sum(isinstance(each, PageScreen) for each in gc.get_objects())

    before = screens()
    for name in ("river", "snow"):
        store_work(app, name, made_text("river") + made_text(name))
    work_through(app)
    id = capture(app, PAGE, made_page("江", made_text("river")))
    work_through(app)
    assert len(pairs(app)) == 2
    digests = {app.store.works.get("river").text_digest, app.store.pages.get(id).text_digest or ""}
    assert app.recent_texts.some(digests).keys() == digests
    assert screens() == before
