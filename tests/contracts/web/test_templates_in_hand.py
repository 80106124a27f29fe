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
        assert mine.learn_all(host, pages) == store.templates.learn_all(host, pages)
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
        assert mine.learn_all(host, pages) == store.templates.learn_all(host, pages)
        assert mine.pages(host) == store.templates.pages(host)
        stored = store.templates.counts(host, lines)
        assert {line: count for line, count in mine.counts(host, lines).items() if stored.get(line) != count} == {
            line: 1 for line in mine.counts(host, lines) if line not in stored
        }
        packs = max(packs, store.templates.lines_table.count({"lines": {"$exists": True}}))
    assert packs >= 3
