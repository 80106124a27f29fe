"""Index files on disk answer as the other implementations do, and hold the very bytes that Redis would."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import redis
from hypothesis import HealthCheck, given, settings

from matcher.index.memory_and_file_index import CONTENTS_FILE, MemoryIndex, SegmentIndex, write_segments
from matcher.index.postings import bucket_bits
from matcher.index.redis_index import RedisIndex
from tests.support.features.index_features import (
    Document,
    documents,
    expected,
    features,
    libraries,
    some_features,
    triples,
)
from wenhen.kit.errors import Conflict, IndexNotReady

MANY = 3 << 22  # postings, for which a spool takes several parts


@given(library=libraries, query=documents)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_look_up_finds_exactly_what_was_written(
    tmp_path: Path, library: dict[int, Document], query: Document
) -> None:
    folder = tmp_path / uuid4().hex
    stats = write_segments(folder, ((number, features(one)) for number, one in library.items()), postings=1000)
    index = SegmentIndex(folder)
    assert triples(index.look_up(features(query))) == expected(library, query)
    assert stats == index.stats()


@pytest.mark.server
@pytest.mark.parametrize("postings", [1000, MANY])
def test_the_files_hold_the_bytes_that_redis_holds(tmp_path: Path, redis_url: str, postings: int) -> None:
    library = [(number, some_features(number % 5, 2000)) for number in range(9)]
    stats = write_segments(tmp_path, library, postings=postings, hot=1)
    client: Any = redis.Redis.from_url(redis_url)
    name = uuid4().hex
    there = RedisIndex(client, name, hot=1)
    there.create(postings=postings)
    there.load(library)
    there.publish()
    stored = dict(enumerate(SegmentIndex(tmp_path).strings(np.arange(1 << bucket_bits(postings)))))
    keys = [key for key in client.keys(f"wenhen:{name}:*") if not key.endswith(b"meta")]
    in_redis = {int(key.rpartition(b":")[2]): client.get(key) for key in keys}
    assert {number: string for number, string in stored.items() if string} == in_redis
    assert (stats.postings, stats.hot) == (there.stats().postings, there.stats().hot)


def test_many_texts_are_looked_up_as_one_by_one_and_common_features_are_skipped(tmp_path: Path) -> None:
    library = [(number, some_features(number % 7, 500)) for number in range(20)]
    write_segments(tmp_path, library, postings=MANY, hot=2)
    index, memory = SegmentIndex(tmp_path), MemoryIndex(hot=2)
    memory.create(postings=0)
    memory.load(library)
    memory.publish()
    asked = [some_features(seed, 500) for seed in range(8)]
    found, there = index.look_up_all(asked), memory.look_up_all(asked)
    assert list(map(triples, found)) == list(map(triples, there))
    assert [one.skipped for one in found] == [one.skipped for one in there]
    assert any(one.skipped for one in found)


def test_they_are_never_changed(tmp_path: Path) -> None:
    write_segments(tmp_path, [(1, some_features(1))], postings=1000)
    index = SegmentIndex(tmp_path)
    assert index.exists()
    for change in (
        lambda: index.create(postings=1),
        lambda: index.load([]),
        index.publish,
        lambda: index.add([]),
        lambda: index.remove([]),
        index.rewrite,
        index.drop,
    ):
        with pytest.raises(Conflict, match="bulk freeze"):
            change()


def test_a_folder_that_was_not_written_to_its_end_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotReady, match="no whole index files"):
        SegmentIndex(tmp_path)
    write_segments(tmp_path, [], postings=0)
    (tmp_path / CONTENTS_FILE).write_text((tmp_path / CONTENTS_FILE).read_text().replace('"form": 1', '"form": 0'))
    with pytest.raises(IndexNotReady, match="another release"):
        SegmentIndex(tmp_path)
