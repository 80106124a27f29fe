"""Every key-value store keeps the contract of `KeyBuckets`, and look-ups give the same in each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from fingerprinter.schemes.indexes import SimilarIds
from fingerprinter.schemes.registry import all_schemes
from fingerprinter.schemes.scheme import KeyBuckets, MemoryBuckets, PrefixedBuckets
from fingerprinter.words.text import SchemeText
from tests.support.features.scheme_samples import edited, texts
from wenhen.comparison.bucket_stores import DiskBuckets, RedisBuckets
from wenhen.kit.errors import BadInput, Unavailable


@pytest.fixture(params=["memory", "disk", "redis"])
def buckets(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyBuckets]:
    if request.param == "memory":
        yield MemoryBuckets()
    elif request.param == "disk":
        with DiskBuckets(tmp_path / "keys") as on_disk:
            yield on_disk
    else:
        with redis.Redis.from_url(request.getfixturevalue("redis_url")) as client:
            yield RedisBuckets(client)


def test_numbers_come_back_ascending_and_each_once(buckets: KeyBuckets) -> None:
    buckets.add([(b"a", 3), (b"b", 2**64 - 1), (b"a", 1), (b"a", 3)])
    buckets.add([(b"a", 2), (b"b", 0)])
    assert buckets.get([b"b", b"a", b"none", b"a"]) == [[0, 2**64 - 1], [1, 2, 3], [], [1, 2, 3]]


def test_any_bytes_are_a_key_and_no_keys_no_answer(buckets: KeyBuckets) -> None:
    keys = [bytes([number]) * 3 for number in range(256)]
    buckets.add((key, number) for number, key in enumerate(keys))
    assert buckets.get(keys) == [[number] for number in range(256)]
    assert buckets.get([]) == []


def test_more_keys_than_one_question_takes(buckets: KeyBuckets) -> None:
    keys = [number.to_bytes(4, "big") for number in range(12_000)]
    buckets.add((key, number) for number, key in enumerate(keys))
    assert buckets.get(keys) == [[number] for number in range(12_000)]


def test_parts_of_one_store_do_not_see_each_other(buckets: KeyBuckets) -> None:
    one, other = PrefixedBuckets(buckets, b"one"), PrefixedBuckets(buckets, b"other")
    one.add([(b"k", 1)])
    other.add([(b"k", 2)])
    assert (one.get([b"k"]), other.get([b"k"])) == ([[1]], [[2]])


def test_similar_ids_are_the_same_in_every_store(buckets: KeyBuckets) -> None:
    ids = SimilarIds(buckets)
    assert [ids.put(1, [10]), ids.put(2, [20]), ids.put(3, [20, 10]), ids.similar_id(2)] == [1, 2, 1, 1]


def test_every_scheme_finds_the_same_in_every_store(buckets: KeyBuckets) -> None:
    works = texts()[:6]
    for scheme in all_schemes():
        answers = []
        for place in (PrefixedBuckets(buckets, scheme.name.encode()), MemoryBuckets()):
            index = scheme.index(place)
            for number, text in enumerate(works):
                made = scheme.fingerprint(SchemeText(text))
                assert made is not None
                index.add(number, made)
            query = scheme.fingerprint(SchemeText(edited(works[3], 300)))
            assert query is not None
            answers.append(index.look_up(query))
        assert answers[0] == answers[1]


def test_what_is_on_disk_outlives_the_process(tmp_path: Path) -> None:
    with DiskBuckets(tmp_path / "keys") as buckets:
        buckets.add([(b"a", 7)])
    with DiskBuckets(tmp_path / "keys") as buckets:
        assert buckets.get([b"a"]) == [[7]]


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。" * 50, encoding="utf-8")
    with pytest.raises(BadInput, match="cannot hold buckets"):
        DiskBuckets(tmp_path / "keys")


def test_a_redis_that_does_not_answer_is_told() -> None:
    buckets = RedisBuckets(redis.Redis(host="127.0.0.1", port=1))
    with pytest.raises(Unavailable, match="Redis"):
        buckets.get([b"a"])
    with pytest.raises(Unavailable, match="Redis"):
        buckets.add([(b"a", 1)])
