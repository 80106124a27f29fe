"""Old leads are looked at again when a new work makes common what they rest on, on real servers."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.seed import move_case
from tests.support.way import capture, made_page, made_text, messages, opened, store_work, work_through
from wenhen.cases.model import Case, CaseStatus
from wenhen.kit.progress import Step, page_id
from wenhen.pages.service import expire_pages
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.steps.runner import REMATCH_PAUSE

URL = "http://site.test/a"
PARAGRAPH = made_text("paragraph", 160)
MANY = 10  # works that make a paragraph common property


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A work with the paragraph, and a page that copies nothing else of it. It has not been seen for long: new works
    are no longer looked up among the pages that it stands with.
    """
    with opened(servers, tmp_path, index={"page_days": 1}) as product:
        store_work(product, "first", with_paragraph("first"))
        capture(product, URL, made_page("转载", with_paragraph("page")))
        work_through(product)
        assert expire_pages(later(product, timedelta(days=2))) == 1
        yield product


def with_paragraph(name: str) -> str:
    """A text of its own with the paragraph in its midst."""
    return f"{made_text(name, 400)}\n{PARAGRAPH}\n{made_text(name + ' too', 400)}"


def later(app: App, by: timedelta) -> App:
    return replace(app, now=lambda: moment) if (moment := app.now() + by) else app


def many_come_in(app: App, begin: int = 0) -> None:
    for number in range(begin, MANY):
        store_work(app, f"work {number}", with_paragraph(f"work {number}"))
    work_through(app)


def the_lead(app: App) -> Case:
    """The case against the first work."""
    [case] = app.store.cases.find(work_id="first")
    return case


def test_a_lead_that_rests_on_what_became_common_is_looked_at_again_and_is_gone_with_the_reason(app: App) -> None:
    alone = the_lead(app)
    assert alone.present
    many_come_in(app)
    assert the_lead(app) == alone, "the pages rest first"
    work_through(later(app, REMATCH_PAUSE))
    gone = the_lead(app)
    assert (gone.present, gone.common, gone.status) == (False, True, CaseStatus.LEAD)
    assert replace(gone, present=True, common=False, updated_at=alone.updated_at) == alone, "the evidence stays"
    assert app.store.cases.count(present=True) == 0, "none of the works accuses the page"


def test_what_a_person_has_decided_stands(app: App) -> None:
    move_case(app.store, the_lead(app).id, CaseStatus.CONFIRMED, by="王", reason=None, at=app.now())
    decided = the_lead(app)
    many_come_in(app)
    app.store.pages.restart(page_id(URL), Step.LOOK_UP)
    work_through(later(app, REMATCH_PAUSE))
    assert the_lead(app) == decided
    capture(app, URL, made_page("转载", made_text("page")))
    work_through(app)
    assert not the_lead(app).present, "the page has taken the paragraph down"


def test_a_lead_that_came_to_rest_on_common_text_is_back_when_the_page_copies_more(app: App) -> None:
    many_come_in(app)
    work_through(later(app, REMATCH_PAUSE))
    capture(app, URL, made_page("转载", with_paragraph("first")))
    work_through(app)
    back = the_lead(app)
    assert (back.present, back.common) == (True, False)


def test_pages_are_looked_at_again_once_for_works_that_share_text_newly_and_never_for_known_ones(app: App) -> None:
    store_work(app, "stranger", made_text("stranger"))
    work_through(app)
    assert app.store.pages.get(page_id(URL)).progress.step is Step.DONE, "it shares nothing"
    for number in range(2):
        store_work(app, f"work {number}", with_paragraph(f"work {number}"))
    work_through(app)
    waiting = app.store.pages.get(page_id(URL)).progress
    assert waiting.step is Step.LOOK_UP
    done = work_through(later(app, REMATCH_PAUSE))
    assert done == [(page_id(URL), Step.LOOK_UP), (page_id(URL), Step.ALIGN)]
    assert the_lead(app).present, "three works are not many"
    for id in ("first", "work 0", "work 1"):
        app.store.matches.remove([f"{page_id(URL)}:{id}"])  # a look-up of the work would send the page by itself
        app.store.works.restart(id, Step.LOOK_UP)
    work_through(app)
    assert app.store.pages.get(page_id(URL)).progress.step is Step.DONE


def test_a_worker_that_dies_before_the_overlap_is_kept_leaves_no_lead_out(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as dying:
        dying.setattr(type(app.store.matches), "put", died)
        many_come_in(app)
    work_through(later(app, timedelta(hours=1)))
    work_through(later(app, timedelta(hours=2)))
    assert the_lead(app).common


def test_the_pages_wait_for_the_sweep_which_queues_them_together(app: App) -> None:
    ids = [capture(app, f"{URL}{number}", made_page("转载", with_paragraph(f"p{number}"))) for number in range(3)]
    work_through(app)
    expire_pages(later(app, timedelta(days=2)))
    store_work(app, "second", with_paragraph("second"))
    work_through(app)
    before, called = app.queue.count_waiting()["match"], messages(app, "match")
    reconcile(app)
    assert app.queue.count_waiting()["match"] == before, "they rest first"
    reconcile(later(app, REMATCH_PAUSE))
    assert app.queue.count_waiting()["match"] >= before + len(ids)
    assert messages(app, "match") == called + 1
