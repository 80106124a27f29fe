"""The steps of works and pages, done in this process on real servers, from a stored text to a case."""

import dataclasses
from datetime import timedelta
from pathlib import Path
from typing import Any

import pymongo
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from crawler.extraction import sandbox_calls
from fingerprinter.features.model import VALUE_BYTES
from matcher.index.redis_index import RedisIndex
from tests.support.acting import by
from tests.support.way import (
    capture,
    do_step,
    every_record,
    made_page,
    made_text,
    pairs,
    problems_of,
    store_work,
    the_case,
    work_through,
)
from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.kit.progress import Owner, OwnerKind, Step, page_id
from wenhen.kit.size_and_time_limits import PAGE_BOUNDS
from wenhen.matching.index_rebuild import verify_index
from wenhen.matching.rematch import start_rematch
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import (
    CRAWL_QUEUE,
    EVIDENCE_QUEUE,
    MATCH_QUEUE,
    PICTURE_QUEUE,
    TEXT_QUEUE,
    UPKEEP_QUEUE,
    WEBHOOK_QUEUE,
)
from wenhen.steps.runner import DEADLY_STEP
from wenhen.texts.source_lookup import find_copied_works
from wenhen.works.import_export import import_paths
from wenhen.works.service import remove_work

URL = "http://site.test/a"
RIVER, SNOW = made_text("river"), made_text("snow")


def titles_found(app: App, text: str) -> set[str]:
    return {finding.work_id for finding in find_copied_works(app, text)}


def missing(app: App) -> dict[OwnerKind, int]:
    return {kind: verify_index(app, kind).missing for kind in OwnerKind}


def test_every_step_waits_in_the_queue_of_the_workers_that_do_it(app: App) -> None:
    app.queue.step(OwnerKind.PAGE, "x", Step.EXTRACT, PERSON_SHARE)
    app.queue.step(OwnerKind.WORK, "x", Step.FINGERPRINT, PERSON_SHARE)
    app.queue.step(OwnerKind.WORK, "x", Step.LOOK_UP, PERSON_SHARE)
    app.queue.crawl("x")
    app.queue.rebuild(OwnerKind.PAGE)
    assert app.queue.count_waiting() == {
        TEXT_QUEUE: 2,
        MATCH_QUEUE: 1,
        CRAWL_QUEUE: 1,
        UPKEEP_QUEUE: 1,
        WEBHOOK_QUEUE: 0,
        EVIDENCE_QUEUE: 0,
        PICTURE_QUEUE: 0,
    }


def test_a_work_and_a_page_go_their_whole_way(app: App) -> None:
    store_work(app, "river", RIVER)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 1, "the first step is queued as soon as the work is stored"
    assert work_through(app) == [("river", Step.FINGERPRINT), ("river", Step.INDEX), ("river", Step.LOOK_UP)]

    id = capture(app, URL, made_page("转载", RIVER))
    steps = (Step.EXTRACT, Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN)
    assert work_through(app) == [(id, step) for step in steps]

    page = app.store.pages.get(id)
    assert (page.progress.step, page.title, page.version) == (Step.DONE, "转载", 1)
    assert missing(app) == {OwnerKind.WORK: 0, OwnerKind.PAGE: 0}
    case = the_case(app)
    assert (case.page_url, case.work_id, case.number, case.present) == (URL, "river", 1, True)
    match = case.match
    assert match.hits > 10
    assert match.similarity == pytest.approx(1.0)
    assert match.share_of_work > 0.99
    assert match.work_fingerprints == tuple(one.id for one in app.store.fingerprints.of(OwnerKind.WORK, "river"))
    assert match.page_fingerprints == tuple(one.id for one in app.store.fingerprints.of(OwnerKind.PAGE, id))
    page_text = app.store.blobs.get_text(case.page_text_digest)
    for passage in match.passages:
        on_page = page_text[passage.page_start : passage.page_end]
        assert on_page.split() == RIVER[passage.work_start : passage.work_end].split()


def test_a_new_work_finds_the_copy_on_a_page_that_was_stored_long_before(app: App) -> None:
    id = capture(app, URL, made_page("旧文", RIVER))
    capture(app, "http://site.test/other", made_page("别的", SNOW))
    work_through(app)
    assert pairs(app) == set()
    store_work(app, "river", RIVER)
    done = work_through(app)
    assert done[-2:] == [(id, Step.LOOK_UP), (id, Step.ALIGN)], "this page is matched anew, the other one is not"
    assert pairs(app) == {(URL, "river")}


def test_the_same_files_again_change_nothing(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "works"
    folder.mkdir()
    (folder / "river.txt").write_text(RIVER)
    (folder / "snow.txt").write_text(SNOW)
    assert import_paths(by(app), [folder]).counts() == (2, 0, 0, 0)
    work_through(app)
    before = every_record(app), list(app.store.fingerprints.all(OwnerKind.WORK))
    assert import_paths(by(app), [folder]).counts() == (0, 0, 2, 0)
    assert work_through(app) == []
    assert (every_record(app), list(app.store.fingerprints.all(OwnerKind.WORK))) == before


def test_a_file_that_moved_is_the_work_that_it_was_before(app: App, tmp_path: Path) -> None:
    (tmp_path / "river.txt").write_text(RIVER)
    [id] = import_paths(by(app), [tmp_path / "river.txt"]).new
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "river.txt").rename(tmp_path / "elsewhere" / "river.txt")
    assert import_paths(by(app), [tmp_path / "elsewhere"]).unchanged == [id]


def test_a_changed_work_makes_a_new_version_and_its_old_text_is_found_no_more(copied: App) -> None:
    assert titles_found(copied, RIVER) == {"river"}
    assert store_work(copied, "river", SNOW) == "changed"
    work_through(copied)
    work = copied.store.works.get("river")
    assert (work.version, len(work.versions)) == (2, 2)
    assert copied.store.blobs.get_text(work.versions[0].text_digest) == RIVER, "the first version stays on record"
    assert titles_found(copied, RIVER) == set()
    assert titles_found(copied, SNOW) == {"river"}
    assert pairs(copied, present=False) == {(URL, "river")}
    [live] = copied.store.fingerprints.of(OwnerKind.WORK, "river")
    copied.works_index.rewrite()
    assert copied.works_index.stats().postings == len(live.values) // VALUE_BYTES, "nothing of the old text is left"


def test_a_work_of_ten_characters_is_kept_and_marked_too_short(app: App) -> None:
    store_work(app, "short", "风吹过了河边的芦苇。")
    work_through(app)
    work = app.store.works.get("short")
    assert (work.progress.step, work.note, work.length) == (Step.DONE, "too_short", 10)
    capture(app, URL, made_page("短", f"风吹过了河边的芦苇。{SNOW}"))
    work_through(app)
    assert pairs(app) == set()


def test_a_work_that_grew_is_no_longer_marked_too_short(app: App) -> None:
    store_work(app, "short", "风吹过了河边的芦苇。")
    work_through(app)
    store_work(app, "short", RIVER)
    work_through(app)
    assert app.store.works.get("short").note is None


@pytest.mark.parametrize(
    "body", [b"", b"<html><body></body></html>", b"\xff\xfe\x00\x01" * 50], ids=["nothing", "empty body", "no charset"]
)
def test_a_page_without_a_text_is_done_with_a_note(copied: App, body: bytes) -> None:
    id = capture(copied, "http://site.test/empty", body)
    work_through(copied)
    page = copied.store.pages.get(id)
    assert page.progress.step is Step.DONE
    if not page.text_digest:
        assert page.note == "no_text"
    assert pairs(copied) == {(URL, "river")}


def test_a_page_that_stops_copying_leaves_its_case_and_the_evidence(copied: App) -> None:
    before = the_case(copied)
    capture(copied, URL, made_page("转载", SNOW))
    work_through(copied)
    after = the_case(copied)
    assert not after.present
    kept: dict[str, Any] = {"present": True, "updated_at": before.updated_at, "cluster_id": before.cluster_id}
    assert dataclasses.replace(after, **kept) == before
    assert after.cluster_id is None, "the page is no near duplicate of the work any more"
    page_text = copied.store.blobs.get_text(after.page_text_digest)
    assert RIVER[:200].replace("\n", "") in page_text.replace("\n", "")
    assert copied.store.blobs.get(after.capture.body_digest) == made_page("转载", RIVER)
    assert len(copied.store.pages.captures(page_id(URL))) == 2

    capture(copied, URL, made_page("转载", f"又见\n{RIVER}"))
    work_through(copied)
    again = the_case(copied)
    assert (again.present, again.number, again.opened_at) == (True, before.number, before.opened_at)


def test_a_page_that_lost_its_text_leaves_its_case_too(copied: App) -> None:
    capture(copied, URL, b"<html><body></body></html>")
    work_through(copied)
    assert pairs(copied, present=False) == {(URL, "river")}
    assert titles_found(copied, RIVER) == {"river"}


def test_another_body_with_the_same_text_goes_no_further_than_the_extraction(copied: App) -> None:
    id = capture(copied, URL, made_page("转载", RIVER).replace("本站声明".encode(), "声明".encode()))
    assert work_through(copied) == [(id, Step.EXTRACT)]
    assert copied.store.pages.get(id).version == 1
    assert the_case(copied).present


@pytest.mark.parametrize("step", [Step.EXTRACT, Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN])
def test_a_step_of_a_page_done_twice_changes_nothing(copied: App, step: Step) -> None:
    id = page_id(URL)
    before = left_behind(copied)
    do_step(copied, OwnerKind.PAGE, id, step)  # a message that comes again after the page is done
    copied.store.pages.restart(id, step)  # a worker that died before it moved the page on
    work_through(copied)
    assert left_behind(copied) == before


@pytest.mark.parametrize("step", [Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP])
def test_a_step_of_a_work_done_twice_changes_nothing(copied: App, step: Step) -> None:
    before = left_behind(copied)
    do_step(copied, OwnerKind.WORK, "river", step)
    copied.store.works.restart("river", step)
    work_through(copied)
    assert left_behind(copied) == before


def left_behind(app: App) -> list[object]:
    """All that the steps make, but for the times."""
    case = the_case(app)
    match = dataclasses.replace(case.match, matched_at=case.opened_at)
    for kind in OwnerKind:
        app.index(kind).rewrite()
    return [
        dataclasses.replace(case, match=match, updated_at=case.opened_at),
        [dataclasses.replace(one, matched_at=case.opened_at) for one in app.store.matches.of_work("river")],
        [list(app.store.fingerprints.all(kind)) for kind in OwnerKind],
        [app.index(kind).stats().postings for kind in OwnerKind],
    ]


def lose_body(app: App, body_digest: str) -> None:
    assert app.settings.mongo.url
    with pymongo.MongoClient[dict[str, object]](app.settings.mongo.url) as client:
        assert client[app.settings.mongo.database]["blobs.files"].delete_one({"_id": body_digest}).deleted_count == 1


def test_a_step_that_fails_is_tried_again_after_a_growing_pause_and_then_set_aside_with_its_reason(app: App) -> None:
    id = capture(app, URL, made_page("坏", RIVER))
    lose_body(app, app.store.pages.get(id).capture.body_digest)
    pauses = []
    for tries in range(1, app.settings.worker.max_tries):
        begun = app.now()
        do_step(app, OwnerKind.PAGE, id, Step.EXTRACT)
        progress = app.store.pages.get(id).progress
        assert (progress.step, progress.tries) == (Step.EXTRACT, tries)
        assert "NotFound" in str(progress.problem)
        assert (id, Step.EXTRACT) not in app.store.pages.due(begun, 10)
        assert (id, Step.EXTRACT) in app.store.pages.due(progress.due, 10)
        pauses.append(progress.due - begun)
    assert pauses == sorted(pauses)
    assert pauses[-1] > 2 * pauses[0]

    do_step(app, OwnerKind.PAGE, id, Step.EXTRACT)
    progress = app.store.pages.get(id).progress
    assert (progress.step, progress.failed_step) == (Step.SET_ASIDE, Step.EXTRACT)
    [problem] = app.store.problems.recent()
    assert (problem.where, problem.what, problem.step) == ("pipeline", f"page:{id}", Step.EXTRACT)
    assert "No content has the digest" in str(problem.reason)


def test_what_is_set_aside_holds_up_nothing_else_and_a_new_capture_takes_it_up_again(app: App) -> None:
    store_work(app, "river", RIVER)
    id = capture(app, URL, made_page("坏", RIVER))
    capture(app, "http://site.test/good", made_page("好", RIVER))
    lose_body(app, app.store.pages.get(id).capture.body_digest)
    for _ in range(app.settings.worker.max_tries):
        do_step(app, OwnerKind.PAGE, id, Step.EXTRACT)
    work_through(app)
    assert pairs(app) == {("http://site.test/good", "river")}
    assert app.store.pages.set_aside_ids(10) == [id]

    capture(app, URL, made_page("坏", RIVER))  # the same body, stored anew
    work_through(app)
    assert pairs(app) == {("http://site.test/good", "river"), (URL, "river")}
    assert problems_of(app) == []


def test_a_page_that_cannot_be_read_within_its_bounds_is_set_aside_at_once_and_holds_up_nothing(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_work(app, "river", RIVER)
    id = capture(app, URL, made_page("坏", RIVER))
    with monkeypatch.context() as patch:
        patch.setattr(sandbox_calls, "PAGE_BOUNDS", PAGE_BOUNDS._replace(output=0))
        do_step(app, OwnerKind.PAGE, id, Step.EXTRACT)
    progress = app.store.pages.get(id).progress
    assert (progress.step, progress.failed_step) == (Step.SET_ASIDE, Step.EXTRACT)
    [problem] = app.store.problems.recent()
    assert (problem.what, problem.kind) == (f"page:{id}", "Unreadable")
    assert "larger than 0 MB" in str(problem.reason)
    capture(app, "http://site.test/good", made_page("好", RIVER))
    work_through(app)
    assert pairs(app) == {("http://site.test/good", "river")}


def test_what_kills_every_worker_that_takes_it_up_is_set_aside(app: App) -> None:
    id = capture(app, URL, made_page("致命", RIVER))
    for _ in range(app.settings.worker.max_tries):
        assert app.store.pages.claim(id, Step.EXTRACT, timedelta(0)), "a worker that died at once"
    do_step(app, OwnerKind.PAGE, id, Step.EXTRACT)
    assert app.store.pages.get(id).progress.step is Step.SET_ASIDE
    assert [problem.reason for problem in app.store.problems.recent()] == [DEADLY_STEP]


def test_an_outage_of_the_index_uses_up_no_try(app: App) -> None:
    store_work(app, "river", RIVER)
    do_step(app, OwnerKind.WORK, "river", Step.FINGERPRINT)
    nowhere = RedisIndex(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)), "works")
    for _ in range(2 * app.settings.worker.max_tries):
        do_step(dataclasses.replace(app, works_index=nowhere), OwnerKind.WORK, "river", Step.INDEX)
        progress = app.store.works.get("river").progress
        assert (progress.step, progress.tries) == (Step.INDEX, 0)
        assert "Unavailable" in str(progress.problem)
        assert progress.due > app.now(), "after a pause"
    assert app.store.problems.count() == 0
    do_step(app, OwnerKind.WORK, "river", Step.INDEX)
    assert app.store.works.get("river").progress.step is Step.LOOK_UP


def test_the_sweep_queues_what_is_unfinished_and_forgotten(app: App) -> None:
    store_work(app, "river", RIVER)
    capture(app, URL, made_page("转载", RIVER))
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as client:
        client.flushdb()
    reconcile(app)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 2
    reconcile(app)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 2, "what is queued is left alone for a while"


def test_works_of_the_library_that_share_text_are_noted_and_open_no_case(app: App) -> None:
    store_work(app, "river", RIVER)
    store_work(app, "collected", f"{SNOW}\n{RIVER}")
    work_through(app)
    start_rematch(app)
    work_through(app)
    [overlap] = [match for match in app.store.matches.of_work("collected") if match.page_id == "work:river"]
    assert overlap.share_of_page > 0.99
    assert pairs(app) == set()
    remove_work(by(app), "river")
    work_through(app)
    assert [*app.store.matches.of_work("river"), *app.store.matches.of_copy(Owner.of_work("river"))] == []
