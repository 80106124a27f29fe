"""Many works go their way together, and each as it would alone."""

import json
from pathlib import Path
from typing import Any

import pymongo
import redis

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, messages, store_work, work_through
from wenhen.fingerprints.service import store_and_fingerprint
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Owner, OwnerKind, Step, page_id
from wenhen.matching.index_rebuild import verify_index
from wenhen.matching.rematch import count_unprotected
from wenhen.pipeline.tasks import run_batch
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import MATCH_QUEUE, TEXT_QUEUE
from wenhen.steps.runner import RETRIED_ALONE
from wenhen.texts.source_lookup import find_copied_works
from wenhen.works.import_export import import_items, import_paths
from wenhen.works.importers.drafts import Refused
from wenhen.works.model import WorkDraft
from wenhen.works.service import MAX_BATCH_WORKS, batch_drafts, edit_work

WORK = OwnerKind.WORK
TEXTS = {name: made_text(name) for name in ("river", "snow", "field")}


def drafts(**texts: str) -> list[WorkDraft]:
    return [WorkDraft(id=id, title=f"作品{id}", text=text) for id, text in texts.items()]


def steps(app: App) -> dict[str, Step]:
    return {id: app.store.works.get(id).progress.step for id in app.store.works.ids()}


def test_the_works_of_an_import_are_protected_by_one_message_and_looked_up_by_another(app: App, tmp_path: Path) -> None:
    rows = [{"id": id, "title": id, "text": text} for id, text in TEXTS.items()] + [
        {"id": "s", "title": "s", "text": "短"}
    ]
    (tmp_path / "works.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert import_paths(by(app), [tmp_path / "works.jsonl"]).new == [*TEXTS, "s"]
    assert (app.queue.count_waiting()[TEXT_QUEUE], messages(app)) == (4, 1)
    ids = [*TEXTS, "s", "nobody"]
    run_batch(app, WORK, ids, Step.FINGERPRINT)
    assert set(steps(app).values()) == {Step.LOOK_UP}
    assert count_unprotected(app) == 0
    assert [app.store.works.get(id).note for id in (*TEXTS, "s")] == [None, None, None, "too_short"]
    assert messages(app) == 1
    run_batch(app, WORK, ids, Step.FINGERPRINT)  # sent twice
    run_batch(app, WORK, ids, Step.INDEX)  # and a message that is late
    assert set(steps(app).values()) == {Step.LOOK_UP}
    assert app.queue.count_waiting()[MATCH_QUEUE] == 4
    assert {finding.work_id for finding in find_copied_works(app, TEXTS["snow"])} == {"snow"}
    run_batch(app, WORK, ids, Step.LOOK_UP)
    assert set(steps(app).values()) == {Step.DONE}
    assert verify_index(app, WORK).missing == 0
    assert all(app.store.works.get(id).progress.tries == 0 for id in TEXTS)


def test_together_a_work_gets_the_fingerprints_that_it_would_get_alone(app: App) -> None:
    store_work(app, "alone", TEXTS["river"])
    work_through(app)
    import_items(by(app), "drafts", drafts(river=TEXTS["river"], snow=TEXTS["snow"]))
    run_batch(app, WORK, ["river", "snow"], Step.FINGERPRINT)
    [alone], [together] = (app.store.fingerprints.of(WORK, id) for id in ("alone", "river"))
    assert (alone.values, alone.positions, alone.scheme) == (together.values, together.positions, together.scheme)
    assert together.id == "work:river:1:0"


def test_one_that_fails_is_done_alone_and_holds_up_no_other(app: App, servers: ServerAddresses) -> None:
    import_items(by(app), "drafts", drafts(**TEXTS))
    digest = app.store.works.get("snow").text_digest
    with pymongo.MongoClient[dict[str, Any]](servers.mongo_url) as client:
        for kept, key in (("files", "_id"), ("chunks", "files_id")):
            client[app.settings.mongo.database][f"blobs.{kept}"].delete_many({key: digest})
    run_batch(app, WORK, [*TEXTS], Step.FINGERPRINT)
    assert set(steps(app).values()) == {Step.FINGERPRINT}
    assert all(app.store.works.get(id).progress.tries == 0 for id in TEXTS), "the batch was nobody's own try"
    work_through(app)
    assert steps(app) == {"river": Step.DONE, "field": Step.DONE, "snow": Step.FINGERPRINT}
    assert "NotFound" in str(app.store.works.get("snow").progress.problem)
    app.store.blobs.put_text(TEXTS["snow"])
    app.store.works.restart("snow", Step.FINGERPRINT)
    work_through(app)
    assert set(steps(app).values()) == {Step.DONE}


def test_a_work_at_which_a_worker_died_is_taken_out_of_the_batch(app: App) -> None:
    import_items(by(app), "drafts", drafts(**TEXTS))
    lease = app.now() - app.now()
    app.store.works.claim("snow", Step.FINGERPRINT, lease)
    run_batch(app, WORK, [*TEXTS], Step.FINGERPRINT)
    assert steps(app) == {"river": Step.LOOK_UP, "field": Step.LOOK_UP, "snow": Step.FINGERPRINT}
    assert app.store.works.get("snow").progress.problem == RETRIED_ALONE
    work_through(app)
    assert set(steps(app).values()) == {Step.DONE}
    assert app.store.works.get("snow").progress.problem is None


def test_works_that_are_looked_up_together_get_the_overlaps_that_each_would_get_alone(app: App) -> None:
    def overlaps() -> set[tuple[str, str, float]]:
        copies = [Owner.of_work(id) for id in app.store.works.ids()]
        return {(m.page_id, m.work_id, m.share_of_page) for copy in copies for m in app.store.matches.of_copy(copy)}

    both = drafts(**TEXTS, collected=TEXTS["river"] + TEXTS["snow"], again=TEXTS["field"])
    import_items(by(app), "drafts", both)
    ids = [draft.id for draft in both]
    run_batch(app, WORK, ids, Step.FINGERPRINT)
    run_batch(app, WORK, ids, Step.LOOK_UP)
    together = overlaps()
    assert {(page, work) for page, work, _ in together} >= {("work:river", "collected"), ("work:again", "field")}
    app.store.matches.remove([match.id for id in ids for match in app.store.matches.of_work(id)])
    for id in ids:
        app.store.works.restart(id, Step.LOOK_UP)
        run_batch(app, WORK, [id], Step.LOOK_UP)
    assert overlaps() == together


def test_of_a_batch_only_the_work_that_cannot_be_stored_is_refused(app: App) -> None:
    bad = WorkDraft(id="bad", title="前\ud800后", text=TEXTS["field"], origin="works.jsonl")
    done = import_items(
        by(app),
        "drafts",
        [*drafts(river=TEXTS["river"]), bad, Refused("x.bin", plain_message("unknown")), *drafts(snow=TEXTS["snow"])],
    )
    assert (done.new + done.unchanged, [one.what for one in done.refused]) == (
        ["river", "snow"],
        ["x.bin", "works.jsonl"],
    )
    assert {problem.what for problem in app.store.problems.recent()} == {"x.bin", "works.jsonl"}
    work_through(app)
    assert steps(app) == {"river": Step.DONE, "snow": Step.DONE}


def test_the_same_text_under_one_title_is_one_work_within_a_batch_too(app: App) -> None:
    same = [WorkDraft(id=id, title="江", text=TEXTS["river"]) for id in ("a", "b")]
    other = WorkDraft(id="c", title="河", text=TEXTS["river"])
    assert import_items(by(app), "drafts", [*same, other]).counts() == (2, 0, 1, 0)
    assert [*app.store.works.ids()] == ["a", "c"]
    assert import_items(by(app), "drafts", [*same, other]).counts() == (0, 0, 3, 0)


def test_without_a_queue_nothing_is_lost(app: App) -> None:
    import_items(by(app), "drafts", drafts(**TEXTS))
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as client:
        client.flushdb()
    work_through(app)
    assert set(steps(app).values()) == {Step.DONE}


def test_batches_hold_no_id_twice_and_no_more_than_they_may() -> None:
    many = drafts(**{f"w{n}": "文" for n in range(MAX_BATCH_WORKS + 1)})
    long = drafts(**{f"l{n}": "文" * 900_000 for n in range(5)})
    again = drafts(w0="又")
    lots = [[one.id for one in lot] for lot in batch_drafts([*many, *again, *again, *long])]
    assert [len(lot) for lot in lots] == [MAX_BATCH_WORKS, 2, 3, 2, 1]
    assert all(len(lot) == len(set(lot)) for lot in lots)
    assert [id for lot in lots for id in lot] == [one.id for one in [*many, *again, *again, *long]]


def test_a_library_that_is_stored_in_one_go_has_all_but_its_postings(app: App) -> None:
    assert store_and_fingerprint(app, drafts(**TEXTS)) == 3
    assert set(steps(app).values()) == {Step.DONE}
    assert app.store.fingerprints.count(WORK) == 3
    assert store_and_fingerprint(app, drafts(**TEXTS)) == 3, "again changes nothing"
    assert app.store.fingerprints.count(WORK) == 3
    assert app.store.fingerprints.find_retired(WORK, 10) == []


def test_a_work_is_no_longer_too_short_once_its_own_shortest_passage_is_shorter(app: App) -> None:
    store_work(app, "poem", made_text("poem", 9))
    run_batch(app, WORK, ["poem"], Step.FINGERPRINT)
    assert app.store.works.get("poem").note == "too_short"
    edit_work(by(app), "poem", {"shortest_passage": "8"})
    run_batch(app, WORK, ["poem"], Step.FINGERPRINT)
    assert app.store.works.get("poem").note is None


def test_a_text_that_goes_its_whole_way_again_is_in_the_index_once(app: App) -> None:
    store_work(app, "river", TEXTS["river"])
    url = "http://site.test/river"
    capture(app, url, made_page("河", TEXTS["river"]))
    work_through(app)
    before = [app.index(kind).stats().postings for kind in OwnerKind]
    edit_work(by(app), "river", {"shortest_passage": "10"})
    app.store.pages.restart(page_id(url), Step.EXTRACT)
    work_through(app)
    assert [app.index(kind).stats().postings for kind in OwnerKind] == before


def test_a_folder_of_many_files_asks_the_database_no_more_often_than_one_of_few(app: App, tmp_path: Path) -> None:
    requests = []
    for count in (2, 20):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.txt").write_text(made_text(f"{count} {number}", 100))
        before = count_requests(app)
        assert len(import_paths(by(app), [folder]).new) == count
        requests.append(count_requests(app) - before)
    assert requests[1] < requests[0] + 5, "each batch, and not each file, asks"


def count_requests(app: App) -> int:
    with pymongo.MongoClient[dict[str, Any]](app.settings.mongo.url) as client:
        return int(client.admin.command("serverStatus")["network"]["numRequests"])
