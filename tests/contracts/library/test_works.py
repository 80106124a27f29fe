"""Works come in, change and go; no version is ever lost."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pymongo
import pytest

from tests.support.samples import NOON, TEXT, TurnedClock, at_once, digest, draft
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput, NotFound, plain_message
from wenhen.kit.mongo.codec import Document
from wenhen.kit.progress import Step

MINUTE = timedelta(minutes=1)


def put(store: Store, *args: str, **values: Any) -> str:
    return store.works.put_all([draft(*args, **values)], note=None, step=Step.FINGERPRINT)[0][1]


def test_a_new_work_is_kept_with_all_that_is_known_of_it(store: Store) -> None:
    published = datetime(2020, 5, 4, 3, 2, 1, 987654, tzinfo=UTC)
    work, outcome = store.works.put_all(
        [
            draft(
                author="林",
                series="旧巷",
                chapter=3,
                url="http://a.example/3",
                published_at=published,
                origin="a.zip/3",
            )
        ],
        note="too_short",
        step=Step.FINGERPRINT,
    )[0]
    assert outcome == "new"
    assert work == store.works.get("w1")
    assert (work.version, work.length, work.text_digest) == (1, len(TEXT), digest(TEXT))
    assert (work.author, work.series, work.chapter, work.origin, work.note) == ("林", "旧巷", 3, "a.zip/3", "too_short")
    assert work.published_at == published.replace(microsecond=987000)  # whole milliseconds are kept
    assert [one.text_digest for one in work.versions] == [digest(TEXT)]
    assert store.blobs.get_text(work.text_digest) == TEXT


def test_the_same_work_again_changes_nothing(store: Store, clock: TurnedClock) -> None:
    values = {"author": "林", "published_at": datetime(2020, 5, 4, 3, 2, 1, 987654, tzinfo=UTC)}
    put(store, **values)
    before = store.works.get("w1")
    clock.turn(hours=1)
    assert put(store, **values) == "unchanged"
    assert store.works.get("w1") == before


def test_other_data_with_the_same_text_changes_the_data_and_not_the_progress(store: Store, clock: TurnedClock) -> None:
    put(store)
    claim = store.works.claim("w1", Step.FINGERPRINT, MINUTE)
    assert claim is not None
    now = clock.turn(seconds=1)
    assert put(store, title="檐雨（修订）") == "changed"
    work = store.works.get("w1")
    assert (work.title, work.version, len(work.versions), work.updated_at) == ("檐雨（修订）", 1, 1, now)
    assert store.works.advance(claim, Step.DONE)


def test_another_text_makes_a_version_to_be_fingerprinted_and_voids_the_claim(store: Store, clock: TurnedClock) -> None:
    put(store)
    claim = store.works.claim("w1", Step.FINGERPRINT, MINUTE)
    assert claim is not None
    now = clock.turn(seconds=1)
    work, outcome = store.works.put_all([draft(text=TEXT * 2)], note="long", step=Step.FINGERPRINT)[0]
    assert outcome == "changed"
    assert work == store.works.get("w1")
    assert (work.version, work.length, work.note, work.stored_at, work.updated_at) == (
        2,
        len(TEXT) * 2,
        "long",
        NOON,
        now,
    )
    assert (work.progress.step, work.progress.due, work.progress.tries) == (Step.FINGERPRINT, now, 0)
    assert [(one.version, one.text_digest) for one in work.versions] == [(1, digest(TEXT)), (2, digest(TEXT * 2))]
    assert not store.works.advance(claim, Step.DONE)
    assert store.blobs.get_text(work.versions[0].text_digest) == TEXT


def test_texts_put_at_once_all_become_versions(store: Store) -> None:
    texts = [f"{TEXT}{number}" for number in range(8)]
    outcomes = at_once(*[partial(put, store, text=text) for text in texts])
    assert sorted(outcomes) == ["changed"] * 7 + ["new"]
    work = store.works.get("w1")
    assert work.version == 8
    assert [one.version for one in work.versions] == list(range(1, 9))
    assert {one.text_digest for one in work.versions} == {digest(text) for text in texts}
    assert work.text_digest == work.versions[-1].text_digest


def test_the_same_work_put_at_once_is_new_once(store: Store) -> None:
    outcomes = at_once(*[partial(put, store)] * 8)
    assert sorted(outcomes) == ["new"] + ["unchanged"] * 7
    assert store.works.get("w1").version == 1


def test_a_removed_work_is_no_longer_listed_and_waits_to_leave_the_index(store: Store, clock: TurnedClock) -> None:
    put(store)
    put(store, "w2", title="别的")
    claim = store.works.claim("w1", Step.FINGERPRINT, MINUTE)
    assert claim is not None
    now = clock.turn(seconds=1)
    work = store.works.remove("w1")
    assert (work.removed_at, work.progress.step, work.progress.due) == (now, Step.REMOVE, now)
    assert not store.works.advance(claim, Step.INDEX)
    assert [one.id for one in store.works.find()] == ["w2"]
    assert (store.works.count(), list(store.works.ids())) == (1, ["w2"])
    assert list(store.works.removed_ids()) == ["w1"]
    assert store.works.find_same_texts([digest(TEXT)]) == [(digest(TEXT), "别的", "w2")]
    assert store.works.get("w1") == store.works.many(["w1"])["w1"] == work
    assert ("w1", Step.REMOVE) in store.works.due(now, 10)


def test_removing_twice_changes_nothing_and_removing_nobody_is_not_found(store: Store, clock: TurnedClock) -> None:
    put(store)
    removed = store.works.remove("w1")
    clock.turn(seconds=1)
    assert store.works.remove("w1") == removed
    with pytest.raises(NotFound, match="w9"):
        store.works.remove("w9")


def test_a_removed_work_is_restarted_only_towards_its_removal(store: Store) -> None:
    put(store)
    store.works.remove("w1")
    assert not store.works.restart("w1", Step.FINGERPRINT)
    claim = store.works.claim("w1", Step.REMOVE, MINUTE)
    assert claim is not None
    store.works.set_aside(claim, plain_message("broken"))
    assert store.works.restart("w1", Step.REMOVE)


def test_works_whose_look_up_ends_are_done_but_for_those_that_were_removed_meanwhile(store: Store) -> None:
    for id in ("w1", "w2"):
        put(store, id)
    claims = store.works.claim_all(["w1", "w2"], Step.FINGERPRINT, MINUTE)
    store.works.remove("w2")
    assert store.works.end_look_ups(claims, "conditions") == 1
    assert store.works.get("w1").progress.step is Step.DONE
    assert store.works.get("w2").progress.step is Step.REMOVE
    assert store.works.find_looked_up(["w1", "w2"], "conditions") == {"w1"}
    assert store.works.restart_now(["w1", "w2"], Step.LOOK_UP, only_from=list(Step)) == ["w1"]


def test_a_removed_work_put_again_is_a_new_version_even_with_its_old_text(store: Store) -> None:
    put(store)
    store.works.remove("w1")
    work, outcome = store.works.put_all([draft()], note=None, step=Step.FINGERPRINT)[0]
    assert (outcome, work.version, work.removed_at, work.progress.step) == ("new", 2, None, Step.FINGERPRINT)
    assert len(work.versions) == 2
    assert store.works.count() == 1


def test_putting_and_removing_at_once_leaves_one_of_the_two(store: Store) -> None:
    for turn in range(10):
        put(store, text=f"{TEXT}{turn}")
        at_once(partial(put, store, text=f"{TEXT}{turn}改"), lambda: store.works.remove("w1"))
        work = store.works.get("w1")
        assert (work.removed_at is None) == (work.progress.step is Step.FINGERPRINT)
        assert [one.version for one in work.versions] == list(range(1, work.version + 1))


def test_works_are_found_by_words_of_title_author_or_id_the_last_changed_first(
    store: Store, clock: TurnedClock
) -> None:
    for id, title, author in [("Novel-1", "长巷", "林晚"), ("n2", "NOVEL 与雨", None), ("n3", "100%(上)", "Lin")]:
        clock.turn(seconds=1)
        put(store, id, title=title, author=author)
    assert [one.id for one in store.works.find()] == ["n3", "n2", "Novel-1"]
    assert [one.id for one in store.works.find(query="novel")] == ["n2", "Novel-1"]
    assert [one.id for one in store.works.find(query="林")] == ["Novel-1"]
    assert [one.id for one in store.works.find(query="100%(")] == ["n3"]
    assert store.works.find(query=".*") == store.works.find(query="%(") == []
    assert [one.id for one in store.works.find(skip=1, limit=1)] == ["n2"]
    assert (store.works.count(), store.works.count(query="novel"), store.works.count(query=".")) == (3, 2, 0)
    assert store.works.count(query="novel", most=1) == 1


def test_many_gives_those_that_there_are(store: Store) -> None:
    put(store)
    assert list(store.works.many(["w1", "w9"])) == ["w1"]
    assert store.works.many([]) == {}


def test_a_note_can_be_set_and_taken_away(store: Store) -> None:
    put(store)
    store.works.set_note("w1", "too_short")
    assert store.works.get("w1").note == "too_short"
    store.works.set_note("w1", None)
    assert store.works.get("w1").note is None


def test_works_put_together_fare_as_each_would_alone(store: Store, clock: TurnedClock) -> None:
    put(store, "same")
    put(store, "other text")
    put(store, "other data")
    put(store, "removed")
    store.works.remove("removed")
    clock.turn(seconds=1)
    drafts = [
        draft("same"),
        draft("other text", text=TEXT * 2),
        draft("other data", title="檐雨（修订）"),
        draft("removed"),
        draft("new", author="林"),
        draft("new too", text=TEXT * 3),
    ]
    stored = store.works.put_all(drafts, note="n", step=Step.FINGERPRINT)
    assert [outcome for _, outcome in stored] == ["unchanged", "changed", "changed", "new", "new", "new"]
    assert [work.id for work, _ in stored] == [one.id for one in drafts]
    assert all(store.works.get(work.id) == work for work, _ in stored)
    assert [work.version for work, _ in stored] == [1, 2, 1, 2, 1, 1]
    new = stored[4][0]
    assert (new.author, new.note, new.stored_at, len(new.versions)) == ("林", "n", clock.now, 1)
    assert store.blobs.get_text(stored[5][0].text_digest) == TEXT * 3
    assert store.works.put_all([], note=None, step=Step.FINGERPRINT) == []


def test_the_same_works_put_together_by_many_at_once_are_new_once(store: Store) -> None:
    drafts = [draft(f"w{number}", text=f"{TEXT}{number % 3}") for number in range(20)]
    outcomes = at_once(*[partial(store.works.put_all, drafts, note=None, step=Step.FINGERPRINT)] * 6)
    for number in range(20):
        assert sorted(outcome for stored in outcomes for _, outcome in stored[number : number + 1]) == [
            "new",
            *["unchanged"] * 5,
        ]
        assert store.works.get(f"w{number}").version == 1


def test_of_works_put_together_one_that_cannot_be_stored_is_told_and_the_rest_can_be_put_again(store: Store) -> None:
    good = [draft("w1"), draft("w2")]
    for bad in (draft("bad", text="前\ud800后"), draft("bad", title="前\ud800后")):
        with pytest.raises(BadInput):
            store.works.put_all([good[0], bad, good[1]], note=None, step=Step.FINGERPRINT)
    assert {outcome for _, outcome in store.works.put_all(good, note=None, step=Step.FINGERPRINT)} <= {
        "new",
        "unchanged",
    }
    assert store.works.count() == 2


def test_a_title_is_found_in_simplified_and_in_traditional_characters(store: Store) -> None:
    store.works.put_all([draft("s", title="盐道灯楼"), draft("t", title="頭髮與發財")], note=None, step=Step.DONE)
    for query, id in (("鹽道燈樓", "s"), ("盐道", "s"), ("头发", "t"), ("頭髮", "t"), ("发财", "t"), ("灯", "s")):
        assert [work.id for work in store.works.find(query=query)] == [id], query


def test_works_with_one_of_many_texts_are_found_with_their_titles(store: Store) -> None:
    put(store)
    put(store, "w2", title="别的")
    put(store, "w3", text=TEXT * 2)
    put(store, "w4", text=TEXT * 3)
    store.works.remove("w4")
    found = store.works.find_same_texts([digest(TEXT), digest(TEXT * 3), "0" * 64])
    assert sorted(found) == [(digest(TEXT), "别的", "w2"), (digest(TEXT), "檐雨", "w1")]
    assert store.works.find_same_texts([]) == []


def test_notes_can_be_set_and_taken_away_together(store: Store) -> None:
    for id in ("w1", "w2", "w3"):
        put(store, id)
    store.works.set_notes(["w1", "w2"], "too_short")
    assert [store.works.get(id).note for id in ("w1", "w2", "w3")] == ["too_short", "too_short", None]
    store.works.set_notes(["w2", "w3"], None)
    assert [store.works.get(id).note for id in ("w1", "w2", "w3")] == ["too_short", None, None]


def test_a_series_lists_its_works_in_the_order_of_their_chapters(store: Store) -> None:
    for id, chapter in (("c", 10), ("a", 2), ("b", 1)):
        store.works.put_all([draft(id, text=TEXT + id, series="潮汐簿", chapter=chapter)], note=None, step=Step.DONE)
    store.works.put_all([draft("d", text=TEXT + "d")], note=None, step=Step.DONE)
    assert [work.id for work in store.works.find(series="潮汐簿")] == ["b", "a", "c"]
    assert store.works.count(series="潮汐簿") == 3
    assert store.works.series() == [("潮汐簿", 3)]
    assert store.works.count_series() == 1


def test_a_removed_work_leaves_its_series(store: Store) -> None:
    store.works.put_all([draft("a", series="潮汐簿")], note=None, step=Step.DONE)
    store.works.remove("a")
    assert store.works.series() == []
    assert store.works.count_series() == 0


def test_the_proof_of_publication_is_kept_and_changed_with_the_data(store: Store) -> None:
    store.works.put_all([draft("a")], note=None, step=Step.DONE)
    work, outcome = store.works.put_all([draft("a", proof="国作登字-2026-A-001")], note=None, step=Step.DONE)[0]
    assert (outcome, work.proof, work.version) == ("changed", "国作登字-2026-A-001", 1)


def test_a_sample_is_of_the_same_works_whichever_changed_last(store: Store, clock: TurnedClock) -> None:
    for number in range(12):
        put(store, f"w{number}", text=f"{TEXT}{number}")
    sample = [work.id for work in store.works.sample(5)]
    assert len(set(sample)) == 5
    clock.turn(seconds=1)
    other = next(work.id for work in store.works.find() if work.id not in sample)
    put(store, other, text=store.blobs.get_text(store.works.get(other).text_digest), title="改题")
    assert [work.id for work in store.works.sample(5)] == sample
    store.works.remove(sample[0])
    assert sample[0] not in [work.id for work in store.works.sample(12)]


def test_little_is_unpacked_beside_one_work_that_is_read(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    put(store, "a")
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        about = client[database].command("collStats", "works")
    files = [about["wiredTiger"], *about["indexDetails"].values()]
    assert all("leaf_page_max=8KB" in one["creationString"] for one in files)
