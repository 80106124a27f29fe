"""The template of a host is learned in a bulk job as it is in the database, and forgotten alike."""

import random

import pytest

from wenhen.bulk import snapshot_store
from wenhen.bulk.snapshot_store import MemoryTemplates
from wenhen.context.store_and_queue import Store
from wenhen.pages import text_repository


def test_lines_are_counted_and_dropped_as_in_the_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (text_repository, snapshot_store):
        monkeypatch.setattr(module, "BUCKET_PAGES", 7)
    chance, mine = random.Random(5), MemoryTemplates()
    lines = [f"line {number}" for number in range(12)]
    for batch in range(12):
        host = chance.choice(("a.test", "b.test"))
        pages = [
            (f"text {chance.randrange(40)}", {*chance.sample(lines, chance.randrange(4)), f"own {batch}"})
            for _ in range(chance.randrange(1, 5))
        ]
        assert mine.learn_all({host: pages}) == store.templates.learn_all({host: pages})
        for one in ("a.test", "b.test"):
            assert mine.pages(one) == store.templates.pages(one)
            every = [*lines, *(f"own {number}" for number in range(12))]
            assert mine.counts(one, every) == store.templates.counts(one, every)
    assert any("own 0" not in mine.counts(host, ["own 0"]) for host in ("a.test", "b.test"))


def test_the_lines_of_large_batches_are_counted_as_if_each_was_stored_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that a large batch brings once are stored together. They come again in batches of any size."""
    for module in (text_repository, snapshot_store):
        monkeypatch.setattr(module, "BUCKET_PAGES", 11)
    monkeypatch.setattr(text_repository, "MIN_PACKED_PAGES", 3)
    monkeypatch.setattr(text_repository, "MAX_PACKED_LINES", 9)
    chance, mine, packs = random.Random(6), MemoryTemplates(), 0
    lines = [f"line {number}" for number in range(40)]
    for _ in range(80):
        host = chance.choice(("a.test", "b.test"))
        pages = [
            (f"text {chance.randrange(300)}", {*chance.sample(lines, chance.randrange(5))})
            for _ in range(chance.choice((1, 2, 5, 9, 25)))
        ]
        assert mine.learn_all({host: pages}) == store.templates.learn_all({host: pages})
        assert mine.pages(host) == store.templates.pages(host)
        stored = store.templates.counts(host, lines)
        assert {line: count for line, count in mine.counts(host, lines).items() if stored.get(line) != count} == {
            line: 1 for line in mine.counts(host, lines) if line not in stored
        }
        packs = max(packs, store.templates.lines_table.count({"lines": {"$exists": True}}))
    assert packs >= 3


def test_the_hosts_of_a_batch_are_counted_together_as_each_by_itself(store: Store) -> None:
    """The names of the hosts hold signs that mean more than themselves in a pattern, and one begins like another."""
    hosts = ("a.test", "a-test", "a.test.test", "[::1]", "b.test")
    chance, mine = random.Random(7), MemoryTemplates()
    lines = [f"line {number}" for number in range(60)]
    for _ in range(20):
        pages = {
            host: [
                (f"text {chance.randrange(900)}", {*chance.sample(lines, chance.randrange(9))})
                for _ in range(chance.choice((0, 1, 7)))
            ]
            for host in chance.sample(hosts, 3)
        }
        assert mine.learn_all(pages) == store.templates.learn_all(pages)
    assert {host: mine.pages(host) for host in hosts} == {host: store.templates.pages(host) for host in hosts}
    assert store.templates.lines_table.count({"lines": {"$exists": True}}) > len(hosts)


def test_packs_of_the_last_release_are_counted(store: Store) -> None:
    """Its packs had a number of their place as id."""
    pack = {"_id": "a.test +0.1", "host": "a.test", "pages": 1, "born": 0, "lines": "menu\nstory"}
    store.templates.lines_table.insert(pack)
    learned = store.templates.learn_all({"a.test": [("text", ["menu", "end"])]})["a.test"]
    assert learned.counts == {"menu": 2, "end": 1}
    assert store.templates.counts("a.test", ["menu", "story"]) == {"menu": 2}
