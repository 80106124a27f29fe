"""Pages that come together go their whole way together, and each as it would go alone."""

import dataclasses
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pymongo
import pytest

from tests.support.killed import Killed, killed
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.matching.index_rebuild import verify_index
from wenhen.pipeline.tasks import BATCH_STEPS, run_batch
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import TEXT_QUEUE
from wenhen.steps.runner import run_steps

PAGE = OwnerKind.PAGE
RIVER, SNOW, FIELD = (made_text(name) for name in ("river", "snow", "field"))
BODIES = {
    "http://a.test/river": made_page("河", RIVER),
    "http://a.test/snow": made_page("雪", SNOW),
    "http://b.test/river": made_page("河", f"又见\n{RIVER}"),
    "http://b.test/field": made_page("野", FIELD),
    "http://b.test/empty": b"",
}


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        store_work(product, "river", RIVER)
        work_through(product)
        yield product


def captured(app: App) -> list[str]:
    return [capture(app, url, body) for url, body in BODIES.items()]


def left_behind(app: App) -> list[object]:
    """All that the steps make, but for times and numbers."""
    cases = [
        dataclasses.replace(one.match, matched_at=one.opened_at.min, page_fingerprints=())
        for one in sorted(app.store.cases.each(), key=lambda one: one.id)
    ]
    pages = [app.store.pages.get(page_id(url)) for url in BODIES]
    texts = [(one.text_digest, one.title, one.version, one.note, one.progress.step) for one in pages]
    prints = {one.owner_id: (one.positions, one.values) for one in app.store.fingerprints.all(PAGE)}
    clusters = sorted(sorted(one.owner_id for one in app.store.clusters.of(c.id)) for c in app.store.clusters.find())
    return [cases, texts, prints, clusters]


def test_together_pages_come_to_what_they_would_come_to_alone(
    app: App, servers: ServerAddresses, tmp_path: Path
) -> None:
    run_batch(app, PAGE, captured(app), Step.EXTRACT)
    together = left_behind(app)
    assert pairs(app) == {("http://a.test/river", "river"), ("http://b.test/river", "river")}
    assert app.store.pages.count_by_step() == {Step.DONE: len(BODIES)}
    assert verify_index(app, PAGE).missing == 0
    with opened(servers, tmp_path / "alone") as other:
        store_work(other, "river", RIVER)
        work_through(other)
        for id in captured(other):
            other.store.pages.mark_queued([id], other.now())
        work_through(other)
        assert left_behind(other) == together


def test_a_page_that_cannot_be_read_goes_back_alone_and_holds_up_no_other(app: App) -> None:
    ids = captured(app)
    bad = capture(app, "http://a.test/bad", b"<p>x")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wenhen.pages.extraction.decipher_page", _refusing(b"<p>x"))
        run_batch(app, PAGE, [*ids, bad], Step.EXTRACT)
    assert app.store.pages.count_by_step() == {Step.DONE: len(ids), Step.EXTRACT: 1}
    progress = app.store.pages.get(bad).progress
    assert (progress.tries, progress.due > app.now()) == (1, True)
    assert "nobody reads this" in str(progress.problem)


def _refusing(body: bytes) -> Any:
    from wenhen.pages.ocr_and_fonts import decipher_page

    def decipher(context: Any, page: Any, site: Any, given: bytes, *rest: Any) -> Any:
        if given == body:
            raise ValueError("nobody reads this")
        return decipher_page(context, page, site, given, *rest)

    return decipher


def test_pages_whose_worker_dies_between_two_steps_go_on_from_there(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = captured(app)
    with pytest.raises(Killed):
        run_steps(app, PAGE, ids, Step.EXTRACT, {**BATCH_STEPS[PAGE], Step.INDEX: killed})  # type: ignore[dict-item]
    assert app.store.pages.count_by_step() == {Step.INDEX: len(ids)}
    assert app.store.pages.due(app.now(), 10) == [], "they are held"
    later = app.now() + timedelta(seconds=app.settings.worker.lease_seconds)
    assert len(app.store.pages.due(later, 10)) == len(ids), "until the lease ends"
    monkeypatch.setattr(app.store.pages, "_clock", lambda: later + timedelta(seconds=1))
    run_batch(app, PAGE, ids, Step.INDEX)
    assert app.queue.count_waiting()[TEXT_QUEUE] >= len(ids), "each alone: one of them may have been what it died of"
    work_through(dataclasses.replace(app, now=lambda: later + timedelta(seconds=2)))
    assert app.store.pages.count_by_step() == {Step.DONE: len(ids)}
    assert verify_index(app, PAGE).missing == 0
    assert pairs(app) == {("http://a.test/river", "river"), ("http://b.test/river", "river")}


def test_a_lost_body_sends_the_batch_back_and_only_its_page_is_at_fault(app: App, servers: ServerAddresses) -> None:
    ids = captured(app)
    lost = app.store.pages.get(ids[1]).capture.body_digest
    with pymongo.MongoClient[dict[str, Any]](servers.mongo_url) as client:
        client[app.settings.mongo.database]["blobs.files"].delete_one({"_id": lost})
    run_batch(app, PAGE, ids, Step.EXTRACT)
    assert all(app.store.pages.get(id).progress.tries == 0 for id in ids), "the batch was nobody's own try"
    work_through(app)
    assert app.store.pages.count_by_step() == {Step.DONE: len(ids) - 1, Step.EXTRACT: 1}
