"""Nobody waits for somebody else's backlog: what workers take next, from the queues of a real server."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import redis

from fingerprinter.features.model import Features
from tests.support.acting import by
from tests.support.seed import move_case
from tests.support.way import capture, made_page, made_text, messages, store_work, work_through
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import PERSON_SHARE, PURSUED_SHARE, WORKS_SHARE, QueueShare, group_by_share
from wenhen.kit.progress import OwnerKind, Step
from wenhen.pipeline.reconciler import reconcile
from wenhen.pipeline.tasks import run_next_turn
from wenhen.runtime.celery_queue import MAX_CALLS
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import MATCH_QUEUE, MAX_QUICK_RECORDS, TEXT_QUEUE, TURN_SECONDS, UPKEEP_QUEUE, ShareTurn

PAGE, WORK = OwnerKind.PAGE, OwnerKind.WORK
LARGE, SMALL = QueueShare("large"), QueueShare("small")


def ids(name: str, count: int) -> list[str]:
    return [f"{name}{number:04}" for number in range(count)]


def wait(app: App, share: QueueShare, *pages: str) -> None:
    """As a crawl sends them, fifty at a time."""
    for first in range(0, len(pages), 50):
        app.queue.steps(PAGE, pages[first : first + 50], Step.EXTRACT, share)


def turn(app: App, seconds: float = 1.0, queue: str = TEXT_QUEUE) -> ShareTurn:
    """One that took so long."""
    taken = app.queue.take(queue)
    assert taken is not None
    app.queue.charge_turn(taken, seconds)
    return taken


def names(taken: ShareTurn) -> list[str]:
    return [share.partition(":")[0] for share in taken.shares]


def whose(app: App, turns: int, seconds: float = 1.0) -> list[str]:
    return [name for _ in range(turns) for name in names(turn(app, seconds))]


def test_two_pages_of_one_site_are_done_while_two_thousand_of_another_wait(app: App) -> None:
    text = made_text("river")
    store_work(app, "river", text)
    work_through(app)
    while app.queue.take(TEXT_QUEUE):
        """What was done already, without being taken."""
    large = [capture(app, f"http://large.test/{number}", b"", "large") for number in range(100)]
    wait(app, LARGE, *large, *ids("nobody", 1900))
    small = [capture(app, f"http://small.test/{number}", made_page("转载", text), "small") for number in range(2)]
    app.enqueue(PAGE, small, Step.EXTRACT)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 2002
    for _ in range(2):
        run_next_turn(app, TEXT_QUEUE)
    assert [app.store.pages.get(id).progress.step for id in small] == [Step.DONE, Step.DONE]
    assert app.store.cases.count() == 2
    assert app.queue.count_waiting()[TEXT_QUEUE] == 1950, "and a batch of the large one"


def test_what_takes_long_has_fewer_turns(app: App) -> None:
    wait(app, LARGE, *ids("a", 1500))
    wait(app, SMALL, *ids("b", 1500))
    took = {"large": 3.0, "small": 1.0}
    had = {"large": 0, "small": 0}
    for _ in range(12):
        taken = app.queue.take(TEXT_QUEUE)
        assert taken is not None
        (name,) = names(taken)
        app.queue.charge_turn(taken, took[name])
        had[name] += 1
    assert had == {"large": 3, "small": 9}


def test_a_site_of_huge_texts_gives_way_to_others_within_seconds(app: App) -> None:
    wait(app, LARGE, *ids("a", 120))
    first, called = turn(app, seconds=100), messages(app)
    assert len(first.ids) == 50
    second = turn(app)
    assert len(second.ids) == TURN_SECONDS // 2, "at two seconds each"
    assert (second.left, messages(app)) == (True, called + 1), "what the turn left behind is called for anew"


def test_what_is_quick_goes_in_larger_turns_of_about_two_seconds(app: App) -> None:
    wait(app, SMALL, *ids("s", 1000))
    assert [len(turn(app, seconds).ids) for seconds in (1.0, 1.0, 0.2, 8.0)] == [50, 100, 200, MAX_QUICK_RECORDS]
    assert len(turn(app).ids) == 50, "it has become slow"


def test_small_shares_go_together_in_a_turn_of_about_two_seconds(app: App) -> None:
    hosts = [QueueShare(f"host{number}") for number in range(6)]
    for number, host in enumerate(hosts):
        wait(app, host, *ids(f"{number}-", 10))
    assert len(turn(app, seconds=0.5).ids) == 10, "nobody knows yet how long such pages take"
    together = turn(app, seconds=3.0)
    assert (names(together), len(together.ids)) == ([f"host{number}" for number in range(1, 5)], 40)
    assert [len(turn(app).ids), app.queue.count_waiting()[TEXT_QUEUE]] == [10, 0], "as many as take two seconds"


def test_each_share_pays_for_its_records_in_a_turn_of_several(app: App) -> None:
    wait(app, QueueShare("first"), *ids("f", 10))
    turn(app, seconds=0.1)
    for host, pages in ((LARGE, 30), (SMALL, 2)):
        wait(app, host, *ids(host.name, pages))
    assert names(turn(app, seconds=32.0)) == ["large", "small"]
    for host in (LARGE, SMALL):
        wait(app, host, *ids(host.name, 500))
    assert whose(app, 4, seconds=5.0) == ["small"] * 4, "it paid for two seconds, the large one for thirty"


def test_no_turn_goes_on_with_a_share_that_it_cannot_empty_or_that_somebody_waits_for(app: App) -> None:
    wait(app, QueueShare("first"), *ids("f", 10))
    turn(app, seconds=0.1)
    wait(app, SMALL, "a")
    wait(app, PURSUED_SHARE, "b")
    wait(app, QueueShare("tail"), *ids("t", 300))
    wait(app, QueueShare("tiny"), "c")
    wait(app, QueueShare("work"), "d")
    app.queue.steps(PAGE, ["e"], Step.INDEX, QueueShare("work"))
    turns = [names(turn(app, seconds=0.01)) for _ in range(6)]
    assert turns[:3] == [["!pursued"], ["small"], ["tail"]]
    assert ["tiny"] in turns, "the next share has more than one kind of record"


def test_a_turn_of_several_shares_is_put_back_into_each(app: App) -> None:
    wait(app, QueueShare("first"), *ids("f", 10))
    turn(app, seconds=0.1)
    wait(app, SMALL, "a", "b")
    wait(app, LARGE, "c")
    both = app.queue.take(TEXT_QUEUE)
    assert both is not None
    assert names(both) == ["large", "small"]
    app.queue.put_back(both)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 3
    assert app.queue.take(TEXT_QUEUE) == both


def test_a_person_is_served_next_and_pursued_pages_soon_but_nobody_else_starves(app: App) -> None:
    wait(app, LARGE, *ids("a", 1500))
    whose(app, 3)
    wait(app, PURSUED_SHARE, *ids("b", 3000))
    wait(app, PERSON_SHARE, "of a person")
    assert whose(app, 1) == ["!person"]
    assert whose(app, 16).count("large") == 3


def test_a_site_that_comes_late_is_served_at_once_and_makes_up_for_nothing(app: App) -> None:
    wait(app, LARGE, *ids("a", 3000))
    whose(app, 10)
    wait(app, SMALL, *ids("b", 500))
    assert sorted(whose(app, 6)) == ["large"] * 3 + ["small"] * 3


def test_nothing_waits_twice_and_what_a_person_asks_for_leaves_the_backlog(app: App) -> None:
    wait(app, LARGE, *ids("a", 200))
    called = messages(app)
    wait(app, LARGE, *ids("a", 200))
    app.queue.steps(PAGE, ids("a", 200), Step.EXTRACT, WORKS_SHARE, unless_waiting=True)
    assert (app.queue.count_waiting()[TEXT_QUEUE], messages(app)) == (200, called)
    wait(app, PERSON_SHARE, "a0150")
    assert app.queue.count_waiting()[TEXT_QUEUE] == 200
    assert turn(app).ids == ["a0150"]
    assert app.queue.count_waiting()[TEXT_QUEUE] == 199


def test_what_is_to_be_done_alone_is_and_steps_are_not_mixed(app: App) -> None:
    wait(app, LARGE, "first", "second")
    app.queue.step(PAGE, "bad", Step.EXTRACT, LARGE)
    app.queue.steps(PAGE, ["third"], Step.INDEX, LARGE)
    turns = [turn(app) for _ in range(3)]
    assert [(one.ids, one.step, one.alone) for one in turns] == [
        (["first", "second"], Step.EXTRACT, False),
        (["bad"], Step.EXTRACT, True),
        (["third"], Step.INDEX, False),
    ]
    assert app.queue.take(TEXT_QUEUE) is None


def test_what_is_begun_is_finished_before_the_next_of_its_share_begins(app: App) -> None:
    app.queue.steps(WORK, ids("a", 1000), Step.FINGERPRINT, WORKS_SHARE)
    app.enqueue(WORK, turn(app).ids, Step.INDEX, begun=True)
    app.queue.step(WORK, "bad", Step.INDEX, WORKS_SHARE, begun=True)
    assert [(one.step, len(one.ids)) for one in (turn(app, 0.01), turn(app), turn(app))] == [
        (Step.INDEX, 1),
        (Step.INDEX, 500),
        (Step.FINGERPRINT, 500),
    ]


def test_the_queue_tells_how_much_waits_and_since_when(app: App) -> None:
    wait(app, LARGE, *ids("a", 60))
    wait(app, SMALL, "b")
    begun = app.queue.oldest()[TEXT_QUEUE]
    assert app.now() - begun < timedelta(minutes=1)
    turn(app)
    assert app.queue.oldest()[TEXT_QUEUE] >= begun
    turn(app)
    assert TEXT_QUEUE not in app.queue.oldest()


def test_works_are_looked_up_behind_those_that_nothing_protects_yet(app: App) -> None:
    def step(id: str) -> Step:
        return app.store.works.get(id).progress.step

    store_work(app, "river", made_text("river"))
    run_next_turn(app, TEXT_QUEUE)
    store_work(app, "snow", made_text("snow"))
    assert (step("river"), step("snow")) == (Step.LOOK_UP, Step.FINGERPRINT)
    called = messages(app, MATCH_QUEUE)
    run_next_turn(app, MATCH_QUEUE)
    assert (step("river"), step("snow")) == (Step.LOOK_UP, Step.LOOK_UP)
    assert messages(app, MATCH_QUEUE) == called + 2, "for the one that was put back, and for the new one"
    assert app.queue.count_waiting()[MATCH_QUEUE] == 2
    run_next_turn(app, MATCH_QUEUE)
    assert (step("river"), step("snow")) == (Step.DONE, Step.DONE)


def test_pages_are_looked_up_while_works_wait_for_those_that_nothing_protects_yet(app: App) -> None:
    store_work(app, "river", made_text("river"))
    app.queue.steps(WORK, ids("known", 20), Step.LOOK_UP, WORKS_SHARE)
    app.queue.steps(PAGE, ids("page", 3), Step.LOOK_UP, SMALL)
    works = app.queue.take(MATCH_QUEUE)
    assert works is not None
    app.queue.put_back(works)
    pages, again = app.queue.take(MATCH_QUEUE), app.queue.take(MATCH_QUEUE)
    assert pages is not None
    assert (pages.kind, list(pages.ids)) == (PAGE, ids("page", 3))
    assert again == works, "in the order in which they came"


def test_a_long_queue_has_few_messages_and_each_turn_calls_for_the_next(app: App) -> None:
    app.queue.steps(PAGE, ids("a", 50 * MAX_CALLS + 2000), Step.EXTRACT, LARGE)
    assert messages(app) == MAX_CALLS
    app.queue.steps(PAGE, ids("b", 200), Step.EXTRACT, SMALL)
    assert messages(app) == MAX_CALLS
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as client:
        while client.rpop(TEXT_QUEUE):
            if taken := app.queue.take(TEXT_QUEUE):
                app.queue.charge_turn(taken, seconds=5.0)
    assert app.queue.count_waiting()[TEXT_QUEUE] == 0


def test_the_sweep_indexes_phrases_behind_works_that_nothing_protects_yet(app: App) -> None:
    def indexed() -> bool:
        reconcile(replace(app, now=lambda: app.now() + timedelta(minutes=1)))
        return bool(app.phrases.digests_of(["work:river"]))

    store_work(app, "river", made_text("river"))
    assert not indexed()
    run_next_turn(app, TEXT_QUEUE)
    assert indexed()


def test_an_index_grows_before_its_rebuild_while_works_wait_for_their_protection(app: App) -> None:
    def rebuilds() -> int:
        before = messages(app, UPKEEP_QUEUE)
        reconcile(app)
        return messages(app, UPKEEP_QUEUE) - before

    chance, places = np.random.default_rng(1), np.arange(30_000, dtype=np.uint32)
    for number in range(11):  # more than an index of 1,024 buckets is made for
        values = chance.integers(1 << 64, size=len(places), dtype=np.uint64)
        app.works_index.add([(number, Features(values=values, positions=places))])
    assert app.works_index.stats().wants_rebuild
    assert rebuilds() == 1
    store_work(app, "river", made_text("river"))
    assert rebuilds() == 0
    run_next_turn(app, TEXT_QUEUE)
    assert rebuilds() == 1


def test_the_sweep_calls_for_workers_where_the_messages_were_lost(app: App) -> None:
    wait(app, LARGE, *ids("a", 60))
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as client:
        client.delete(TEXT_QUEUE)
    reconcile(app)
    assert messages(app) > 0


def test_pages_belong_to_their_site_their_host_or_those_that_are_pursued(app: App) -> None:
    store_work(app, "river", made_text("river"))
    copied = capture(app, "http://a.test/1", made_page("转载", made_text("river")), "a")
    work_through(app)
    other = capture(app, "http://a.test/2", b"", "a")
    assert group_by_share(app.store, PAGE, [copied, other, "nobody"]) == {QueueShare("a"): [copied, other]}
    [case] = app.store.cases.each()
    move_case(app.store, case.id, CaseStatus.CONFIRMED, by=by(app).who, reason=None, at=app.now())
    assert group_by_share(app.store, PAGE, [copied, other]) == {PURSUED_SHARE: [copied], QueueShare("a"): [other]}
    assert group_by_share(app.store, WORK, ["river"]) == {WORKS_SHARE: ["river"]}
