"""Pages are captured over and over; what is unchanged is not done again, what changed is."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from crawler.capture import Capture
from matcher.model import Candidate
from tests.support.samples import NOON, TurnedClock, at_once, capture, digest, page_text
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step, page_id
from wenhen.pages.model import Page, PageFilter
from wenhen.steps.claims import Claim

URL = "http://news.example/a?id=1"
MINUTE = timedelta(minutes=1)


def put(store: Store, minutes: float = 0, body: str = "body", **values: Any) -> Page:
    taken = capture(fetched_at=NOON + timedelta(minutes=minutes), body_digest=digest(body), **values)
    return store.pages.put_capture(URL, taken, site_id="s1")


def claimed(store: Store, step: Step) -> Claim[Page]:
    claim = store.pages.claim(page_id(URL), step, MINUTE)
    assert claim is not None
    return claim


def set_text(
    store: Store, claim: Claim[Page], text: str | None, next_step: Step = Step.FINGERPRINT, **values: Any
) -> Page | None:
    """Keep the text; the page as it is then, None where its claim no longer holds."""
    moved = store.pages.set_texts([(claim, page_text(text, **values))], next_step, None)
    return moved[0].record if moved else None


def set_candidates(store: Store, claim: Claim[Page], ranked: list[Candidate]) -> bool:
    return bool(store.pages.set_all_candidates([(claim, ranked)], Step.ALIGN, None))


def finish(store: Store, text: str | None = "正文") -> Page:
    """Take the page from EXTRACT all the way to DONE."""
    assert set_text(store, claimed(store, Step.EXTRACT), text)
    for step, following in [(Step.FINGERPRINT, Step.INDEX), (Step.INDEX, Step.LOOK_UP)]:
        assert store.pages.advance(claimed(store, step), following)
    assert set_candidates(store, claimed(store, Step.LOOK_UP), [])
    assert store.pages.advance(claimed(store, Step.ALIGN), Step.DONE)
    return store.pages.get(page_id(URL))


def test_a_new_page_waits_to_be_extracted(store: Store) -> None:
    page = put(store)
    assert page == store.pages.get(page_id(URL))
    assert (page.id, page.url, page.host, page.site_id) == (page_id(URL), URL, "news.example", "s1")
    assert (page.version, page.text_digest, page.captures, page.progress.step) == (0, None, 1, Step.EXTRACT)
    assert page.capture == capture()


def test_the_text_makes_a_version_and_moves_the_page_on(store: Store, clock: TurnedClock) -> None:
    put(store)
    claim = claimed(store, Step.EXTRACT)
    now = clock.turn(seconds=3)
    published = datetime(2019, 1, 2, tzinfo=UTC)
    page = set_text(store, claim, "正文", author="佚名", published_at=published, note="too_short")
    assert page == store.pages.get(page_id(URL))
    assert page is not None
    assert (page.version, page.text_digest, page.length, page.charset) == (1, digest("正文"), 2, "gbk")
    assert (page.title, page.author, page.published_at, page.note) == ("题", "佚名", published, "too_short")
    assert (page.progress.step, page.progress.due, page.progress.tries) == (Step.FINGERPRINT, now, 0)
    set_text(store, claim, "别的")  # it holds no longer
    assert store.pages.get(page_id(URL)) == page


def test_the_same_body_again_only_adds_a_capture(store: Store, clock: TurnedClock) -> None:
    put(store)
    done = finish(store)
    clock.turn(days=1)
    page = put(store, minutes=1440, server_address="192.0.2.9")
    assert page == store.pages.get(page_id(URL))
    assert (page.captures, page.capture.server_address) == (2, "192.0.2.9")
    assert (page.progress, page.version, page.text_digest) == (done.progress, done.version, done.text_digest)


def test_another_body_is_extracted_and_a_worker_at_the_old_one_loses_its_claim(store: Store) -> None:
    put(store)
    claim = claimed(store, Step.EXTRACT)
    page = put(store, minutes=1, body="other")
    assert (page.progress.step, page.progress.tries, page.captures) == (Step.EXTRACT, 0, 2)
    assert set_text(store, claim, "旧文") is None


def test_the_same_body_does_not_disturb_a_page_on_its_way(store: Store) -> None:
    put(store)
    claim = claimed(store, Step.EXTRACT)
    put(store, minutes=1)
    assert set_text(store, claim, "正文") is not None


def test_a_page_that_was_set_aside_gets_another_chance_with_its_next_capture(store: Store) -> None:
    put(store)
    store.pages.set_aside(claimed(store, Step.EXTRACT), plain_message("broken"))
    assert put(store, minutes=1).progress.step is Step.EXTRACT


def test_a_page_whose_text_stayed_is_done_and_one_whose_text_changed_goes_on(store: Store) -> None:
    put(store)
    finish(store)
    put(store, minutes=1, body="other advert")
    page = set_text(store, claimed(store, Step.EXTRACT), "正文", title="新题")
    assert page is not None
    assert (page.progress.step, page.version, page.title) == (Step.DONE, 1, "新题")
    put(store, minutes=2, body="other text")
    page = set_text(store, claimed(store, Step.EXTRACT), "改过的正文")
    assert page is not None
    assert (page.progress.step, page.version) == (Step.FINGERPRINT, 2)


def test_a_page_without_text_is_done_at_once_the_second_time(store: Store) -> None:
    put(store)
    assert finish(store, None).version == 0
    put(store, minutes=1, body="other picture")
    page = set_text(store, claimed(store, Step.EXTRACT), None)
    assert page is not None
    assert page.progress.step is Step.DONE


@pytest.mark.parametrize("reached", [Step.FINGERPRINT, Step.ALIGN])
def test_a_text_that_never_went_the_whole_way_goes_it_when_it_comes_again(store: Store, reached: Step) -> None:
    """An interrupted page must not be taken for one that was looked up, or its copy would never be found."""
    put(store)
    finish(store)
    put(store, minutes=1, body="other")
    assert set_text(store, claimed(store, Step.EXTRACT), "改过的正文")
    if reached is Step.ALIGN:
        assert store.pages.advance(claimed(store, Step.FINGERPRINT), Step.ALIGN)
    put(store, minutes=2, body="another")
    page = set_text(store, claimed(store, Step.EXTRACT), "改过的正文")
    assert page is not None
    assert (page.progress.step, page.version) == (Step.FINGERPRINT, 2)


def test_a_page_that_is_wanted_again_while_its_capture_waits_goes_its_whole_way(store: Store) -> None:
    """A new work asks for a look at a page whose newest capture, with its old text, is not read yet."""
    put(store)
    finish(store)
    put(store, minutes=1, body="other")
    assert not store.pages.restart(page_id(URL), Step.LOOK_UP, only_from={Step.DONE})
    page = set_text(store, claimed(store, Step.EXTRACT), "正文")
    assert page is not None
    assert page.progress.step is Step.FINGERPRINT


def test_pages_are_sent_back_together_to_be_done_later_but_for_those_at_other_steps(store: Store) -> None:
    put(store)
    finish(store)
    on_its_way = store.pages.put_capture("http://news.example/b", capture(), site_id="s1")
    later = NOON + timedelta(days=1)
    store.pages.restart_all([page_id(URL), on_its_way.id, "nobody"], Step.LOOK_UP, only_from={Step.DONE}, due=later)
    sent = store.pages.get(page_id(URL)).progress
    assert (sent.step, sent.due, sent.tries) == (Step.LOOK_UP, later, 0)
    assert store.pages.get(on_its_way.id).progress == on_its_way.progress
    claim = claimed(store, Step.LOOK_UP)
    store.pages.restart_all([page_id(URL)], Step.LOOK_UP, only_from={Step.DONE}, due=later)
    assert store.pages.advance(claim, Step.ALIGN), "it is at that step, and goes on"


def test_a_page_that_waits_for_its_look_up_is_not_restarted_for_it_unless_it_was_tried(
    store: Store, clock: TurnedClock
) -> None:
    put(store)
    finish(store)
    restart = partial(store.pages.restart_now, [page_id(URL)], Step.LOOK_UP, only_from={Step.LOOK_UP, Step.DONE})
    assert restart() == [page_id(URL)]
    waiting = store.pages.get(page_id(URL)).progress
    clock.turn(seconds=5)
    assert restart() == []
    assert store.pages.get(page_id(URL)).progress == waiting
    tried = claimed(store, Step.LOOK_UP)
    store.pages.release(tried, due=clock() + timedelta(hours=1), problem=plain_message("broken"))
    assert restart() == [page_id(URL)]
    assert (store.pages.get(page_id(URL)).progress.tries, store.pages.get(page_id(URL)).progress.due) == (0, clock())


def test_pages_that_are_restarted_together_while_their_captures_wait_go_their_whole_way(store: Store) -> None:
    put(store)
    finish(store)
    put(store, minutes=1, body="other")
    assert store.pages.restart_now([page_id(URL)], Step.LOOK_UP, only_from={Step.DONE}) == []
    page = set_text(store, claimed(store, Step.EXTRACT), "正文")
    assert page is not None
    assert page.progress.step is Step.FINGERPRINT


def test_the_same_capture_put_twice_counts_once(store: Store) -> None:
    first = put(store)
    assert put(store) == first
    assert len(store.pages.captures(first.id)) == 1


def test_a_late_capture_joins_the_history_and_is_not_the_newest(store: Store) -> None:
    put(store, minutes=10, body="new")
    page = put(store, minutes=5, body="old")
    assert (page.captures, page.capture.body_digest) == (2, digest("new"))
    assert [one.body_digest for one in store.pages.captures(page.id)] == [digest("new"), digest("old")]
    assert [one.body_digest for one in store.pages.captures(page.id, limit=1)] == [digest("new")]


def test_captures_at_once_all_join_the_history_and_the_newest_wins(store: Store) -> None:
    pages = at_once(*[partial(put, store, minute, f"body {minute}") for minute in range(8)])
    page = store.pages.get(pages[0].id)
    assert page.capture.body_digest == digest("body 7")
    assert page.captures == 8
    assert len(store.pages.captures(page.id)) == 8


def test_captures_of_the_same_body_at_once_leave_the_newest(store: Store) -> None:
    for turn in range(5):
        at_once(*[partial(put, store, 10 * turn + minute) for minute in range(8)])
        assert store.pages.get(page_id(URL)).capture.fetched_at == NOON + timedelta(minutes=10 * turn + 7)
    assert store.pages.get(page_id(URL)).captures == 40


def test_captures_come_back_whole(store: Store) -> None:
    taken = capture(headers=(("X-中文", "值"), ("x-中文", "二")), problems=(), server_address=None)
    page = store.pages.put_capture(URL, taken, site_id=None)
    captures: list[Capture] = store.pages.captures(page.id)
    assert captures == [taken]


def test_candidates_are_kept_and_a_new_text_forgets_them(store: Store) -> None:
    put(store)
    assert set_text(store, claimed(store, Step.EXTRACT), "正文", next_step=Step.LOOK_UP)
    ranked = [Candidate(owner_id="w1", owner_version=2, hits=9, expected=0.25, score=1)]
    claim = claimed(store, Step.LOOK_UP)
    assert set_candidates(store, claim, ranked)
    set_candidates(store, claim, [])  # it holds no longer
    assert store.pages.candidates(page_id(URL)) == ranked
    assert store.pages.get(page_id(URL)).progress.step is Step.ALIGN
    put(store, minutes=1, body="other")
    assert set_text(store, claimed(store, Step.EXTRACT), "别的正文")
    assert store.pages.candidates(page_id(URL)) == []
    assert store.pages.candidates("nobody") == []


def test_pages_are_listed_the_last_seen_first(store: Store, clock: TurnedClock) -> None:
    ids = []
    for name in "abc":
        taken = capture(fetched_at=clock.turn(seconds=1))
        ids.append(store.pages.put_capture(f"http://x.example/{name}", taken, site_id=None).id)
    assert [one.id for one in store.pages.search(PageFilter())] == ids[::-1]
    assert [one.id for one in store.pages.search(PageFilter(), skip=1, limit=1)] == [ids[1]]
    assert list(store.pages.ids()) == sorted(ids)
    assert store.pages.count() == 3
    assert set(store.pages.many([ids[0], "nobody"])) == {ids[0]}


def looked(store: Store, at: float, body: str, text: str | None) -> tuple[float, float]:
    """Capture and read the page after so many hours; the hours until the next look, as kept and as due."""
    page = put(store, at * 60, body)
    if page.progress.step is Step.EXTRACT:
        assert set_text(store, claimed(store, Step.EXTRACT), text, next_step=Step.DONE)
    page = store.pages.get(page_id(URL))
    assert page.look_at is not None
    return page.interval_hours, (page.look_at - page.capture.fetched_at) / timedelta(hours=1)


def test_a_page_that_changes_is_looked_at_sooner_and_one_that_does_not_later(store: Store) -> None:
    assert looked(store, 0, "a", "甲") == (24, 24)
    assert looked(store, 24, "a", None) == (36, 36), "the same body"
    assert looked(store, 48, "a advert", "甲") == (54, 54), "another body around the same text"
    assert looked(store, 72, "b", "乙") == (27, 27)
    assert looked(store, 96, "c", "丙") == (13.5, 13.5)
    for hours in range(1, 12):
        last = looked(store, 100 + hours, f"d{hours}", f"丁{hours}")
    assert last == (1, 1)
    for days in range(20):
        last = looked(store, 200 + 24 * days, "e", "戊")
    assert last == (14 * 24, 14 * 24)


def test_a_page_without_text_is_looked_at_later_and_later_as_well(store: Store) -> None:
    assert looked(store, 0, "a", None) == (24, 24)
    assert looked(store, 24, "b", None) == (36, 36)


def test_a_text_that_is_read_again_without_a_new_look_changes_nothing_about_the_next(store: Store) -> None:
    looked(store, 0, "a", "甲")
    store.pages.restart(page_id(URL), Step.EXTRACT)
    assert set_text(store, claimed(store, Step.EXTRACT), "甲，读法不同")
    assert store.pages.get(page_id(URL)).interval_hours == 24


def test_the_pages_whose_look_is_due_are_found_by_their_site_the_longest_due_first(store: Store) -> None:
    for number, name in enumerate(("late", "early", "gone")):
        taken = capture(fetched_at=NOON - number * MINUTE)
        store.pages.put_capture(f"http://x.example/{name}", taken, site_id="s1", interval_hours=2)
    store.pages.put_capture("http://y.example/", capture(), site_id="s2", interval_hours=2)
    assert store.pages.mark_gone(page_id("http://x.example/gone"), NOON, plain_message("404"))
    assert store.pages.due_recrawls("s1", NOON + 119.5 * MINUTE, 9) == ["http://x.example/early"]
    assert store.pages.due_recrawls("s1", NOON + 120 * MINUTE, 9) == ["http://x.example/early", "http://x.example/late"]
    assert store.pages.due_recrawls("s1", NOON + 120 * MINUTE, 1) == ["http://x.example/early"]
    assert store.pages.due_recrawls("s1", NOON + 120 * MINUTE, 9, below=2) == []
    assert len(store.pages.due_recrawls("s1", NOON + 120 * MINUTE, 9, below=2.1)) == 2


def test_a_page_is_gone_once_and_back_once_and_keeps_the_time_at_which_it_vanished(store: Store) -> None:
    id = page_id(URL)
    assert not store.pages.mark_gone(id, NOON, plain_message("404")), "nobody knows it"
    put(store)
    assert not store.pages.mark_back(id, Step.LOOK_UP)
    assert store.pages.mark_gone(id, NOON + MINUTE, plain_message("the server answered 404"))
    assert not store.pages.mark_gone(id, NOON + 2 * MINUTE, plain_message("the server answered 410"))
    page = store.pages.get(id)
    assert (page.gone_at, page.gone_reason) == (NOON + MINUTE, plain_message("the server answered 404"))
    assert store.pages.mark_back(id, Step.LOOK_UP)
    assert not store.pages.mark_back(id, Step.LOOK_UP)
    assert store.pages.get(id).gone_at is None
    assert store.pages.get(id).progress.step is Step.EXTRACT, "it is on its way"


def test_a_page_that_was_done_is_restarted_as_it_is_back(store: Store) -> None:
    put(store)
    store.pages.restart(page_id(URL), Step.DONE)
    store.pages.mark_gone(page_id(URL), NOON, plain_message("404"))
    assert store.pages.mark_back(page_id(URL), Step.LOOK_UP)
    assert store.pages.get(page_id(URL)).progress.step is Step.LOOK_UP


def test_a_page_expires_once_unless_it_was_seen_since_and_is_restarted_as_it_is_seen_again(store: Store) -> None:
    put(store)
    id, seen = page_id(URL), store.pages.get(page_id(URL)).capture.fetched_at
    store.pages.restart(id, Step.DONE)
    assert not store.pages.mark_expired(id, seen, "expired")
    assert not store.pages.mark_unexpired(id, "expired", Step.FINGERPRINT)
    assert store.pages.mark_expired(id, seen + MINUTE, "expired")
    assert not store.pages.mark_expired(id, seen + MINUTE, "expired")
    assert (store.pages.get(id).note, store.pages.get(id).progress.step) == ("expired", Step.DONE)
    assert store.pages.mark_unexpired(id, "expired", Step.FINGERPRINT)
    assert (store.pages.get(id).note, store.pages.get(id).progress.step) == (None, Step.FINGERPRINT)
