"""What every implementation of the inverted index promises."""

import uuid
from collections.abc import Callable

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fingerprinter.features.model import SEGMENT_LETTERS
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.index.postings import HOT_POSTINGS, MAX_REPEATS, limit_repeats
from matcher.index.protocol import Index
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
from tests.support.servers.redis_cluster import redis_cluster, redis_cluster_nodes  # noqa: F401  fixtures
from wenhen.kit.errors import BadInput, IndexNotReady

MakeIndex = Callable[..., Index]
# In Redis an example asks for each of a thousand buckets several times.
property_test = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["memory", *(pytest.param(name, marks=pytest.mark.server) for name in ("redis", "cluster"))])
def make_index(request: pytest.FixtureRequest) -> MakeIndex:
    """A maker of indexes that know nothing of each other."""
    if request.param == "memory":
        return MemoryIndex
    client = (
        request.getfixturevalue("redis_cluster")
        if request.param == "cluster"
        else redis.Redis.from_url(request.getfixturevalue("redis_url"))
    )
    return lambda **options: RedisIndex(client, uuid.uuid4().hex, **options)


def started(make_index: MakeIndex, **options: int) -> Index:
    index = make_index(**options)
    index.create(postings=1000)
    index.publish()
    return index


@given(library=libraries, query=documents, data=st.data())
@property_test
def test_a_look_up_finds_exactly_what_was_added_and_not_removed(
    make_index: MakeIndex, library: dict[int, Document], query: Document, data: st.DataObject
) -> None:
    index = started(make_index)
    batches = data.draw(st.booleans())
    for group in [library] if batches else [{number: document} for number, document in library.items()]:
        index.add((number, features(document)) for number, document in group.items())
    assert triples(index.look_up(features(query))) == expected(library, query)
    removed = data.draw(st.sets(st.sampled_from(sorted(library)))) if library else set()
    if data.draw(st.booleans()):
        index.rewrite()
    index.remove((number, features(library[number])) for number in removed)
    left = {number: document for number, document in library.items() if number not in removed}
    assert triples(index.look_up(features(query))) == expected(left, query)
    index.drop()


@given(library=libraries, others=libraries)
@property_test
def test_adding_and_then_removing_leaves_the_index_as_it_was(
    make_index: MakeIndex, library: dict[int, Document], others: dict[int, Document]
) -> None:
    index = started(make_index)
    index.add((number, features(document)) for number, document in library.items())
    index.rewrite()
    everything = features(feature for document in library.values() for feature in document)
    before, size = triples(index.look_up(everything)), index.stats().postings
    more = [(number, features(document)) for number, document in others.items() if number not in library]
    assert index.add(more) == index.remove(more) == sum(len(limit_repeats(document)) for _, document in more)
    assert index.remove(more) == 0
    assert triples(index.look_up(everything)) == before
    assert index.stats().postings == size


@given(library=libraries, query=documents, data=st.data())
@property_test
def test_the_order_of_adding_does_not_matter(
    make_index: MakeIndex, library: dict[int, Document], query: Document, data: st.DataObject
) -> None:
    one, other = started(make_index), started(make_index)
    for number, document in library.items():
        one.add([(number, features(document))])
    for number in data.draw(st.permutations(sorted(library))):
        other.add([(number, features(library[number]))])
    assert triples(one.look_up(features(query))) == triples(other.look_up(features(query)))
    one.rewrite()
    other.rewrite()
    assert one.stats().postings == other.stats().postings


@given(library=libraries, query=documents)
@property_test
def test_adding_twice_is_adding_once_and_a_rewrite_changes_no_answer(
    make_index: MakeIndex, library: dict[int, Document], query: Document
) -> None:
    index = started(make_index)
    everything = [(number, features(document)) for number, document in library.items()]
    written = index.add(everything)
    once = triples(index.look_up(features(query)))
    index.add(reversed(everything))
    assert triples(index.look_up(features(query))) == once
    index.rewrite()
    assert triples(index.look_up(features(query))) == once
    assert index.stats().postings == written
    assert index.remove(everything) == written


def test_a_document_finds_itself_among_others_at_its_own_positions(make_index: MakeIndex) -> None:
    index = started(make_index)
    index.add((number, some_features(number)) for number in range(200))
    hits = index.look_up(some_features(77))
    assert {(place, 77, place) for place in range(100)} <= set(triples(hits))
    assert len(hits) < 110  # the rest is chance
    assert hits.skipped == 0


def test_a_query_of_many_thousand_features_is_answered_whole(make_index: MakeIndex) -> None:
    index = started(make_index)
    long = some_features(1, 30_000)
    index.add([(5, long), (6, some_features(2))])
    hits = index.look_up(long)
    assert set(hits.query_positions[hits.numbers == 5].tolist()) == set(range(30_000))


def test_of_a_repeated_feature_the_first_places_count(make_index: MakeIndex) -> None:
    index = started(make_index)
    refrain = features((42, place) for place in range(50))
    index.add([(1, refrain)])
    first = range(MAX_REPEATS)
    assert triples(index.look_up(refrain)) == [(asked, 1, place) for asked in first for place in first]
    assert limit_repeats(refrain).positions.tolist() == list(first)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_feature_that_too_many_documents_share_is_skipped_and_counted(make_index: MakeIndex, at_once: bool) -> None:
    index = started(make_index, hot=10)
    crowd = [(number, features([(7, 3), (number << 54, 4)])) for number in range(1, 12)]
    few = [(number, features([(8, 3)])) for number in range(10)]
    for group in [crowd + few] if at_once else [[one] for one in crowd + few]:
        index.add(group)
    query = features([(7, 0), (8, 1), (5 << 54, 2)])
    for _ in range(2):
        hits = index.look_up(query)
        assert hits.skipped == 1
        assert triples(hits) == [*((1, number, 3) for number in range(10)), (2, 5, 4)]
        index.rewrite()
        assert index.stats().hot == 1


def test_a_mean_leaves_out_the_commonest_features_of_a_query(make_index: MakeIndex) -> None:
    index = started(make_index)
    index.add((number, features([(8, 3), *((7, 4) for _ in range(number < 6))])) for number in range(20))
    index.add([(30, features([(9, 5)]))])
    query = features([(7, 0), (8, 1), (9, 2)])
    rare, rarer = {(0, number, 4) for number in range(6)}, (2, 30, 5)
    for mean, left, skipped in ((9, {(1, number, 3) for number in range(20)} | rare, 0), (8, rare, 1), (1, set(), 2)):
        hits = index.look_up(query, mean=mean)
        assert set(triples(hits)) == left | {rarer}
        assert hits.skipped == skipped


def test_the_usual_cap_lets_a_feature_of_many_documents_through(make_index: MakeIndex) -> None:
    index = started(make_index)
    index.add((number, features([(7, 3)])) for number in range(HOT_POSTINGS))
    assert len(index.look_up(features([(7, 0)]))) == HOT_POSTINGS
    index.add([(HOT_POSTINGS, features([(7, 3)]))])
    assert index.look_up(features([(7, 0)])).skipped == 1


def test_nothing_can_be_added_or_asked_in_nothing(make_index: MakeIndex) -> None:
    index = started(make_index)
    assert index.add([]) == 0
    assert index.add([(1, features([]))]) == 0
    assert index.remove([(1, features([]))]) == 0
    assert len(index.look_up(features([]))) == 0
    assert len(index.look_up(features([(1, 1)]))) == 0
    assert index.stats().postings == 0


@pytest.mark.parametrize("document", [(-1, [(1, 1)]), (2**32, [(1, 1)]), (1, [(1, SEGMENT_LETTERS)])])
def test_a_number_or_position_that_does_not_fit_is_refused(
    make_index: MakeIndex, document: tuple[int, Document]
) -> None:
    index = started(make_index)
    number, places = document
    with pytest.raises(BadInput, match=r"outside|not below"):
        index.add([(number, features(places))])
    assert index.stats().postings == 0


NEEDS_AN_INDEX: dict[str, Callable[[Index], object]] = {
    "publish": lambda index: index.publish(),
    "load": lambda index: index.load([(1, some_features(1))]),
    "add": lambda index: index.add([(1, some_features(1))]),
    "add nothing": lambda index: index.add([]),
    "remove": lambda index: index.remove([(1, some_features(1))]),
    "look up": lambda index: index.look_up(some_features(1)),
    "look up nothing": lambda index: index.look_up(features([])),
    "rewrite": lambda index: index.rewrite(),
    "stats": lambda index: index.stats(),
    "drop": lambda index: index.drop(),
}


@pytest.mark.parametrize("use", NEEDS_AN_INDEX.values(), ids=NEEDS_AN_INDEX.keys())
def test_an_index_that_was_never_made_or_was_dropped_is_not_ready(
    make_index: MakeIndex, use: Callable[[Index], object]
) -> None:
    index = make_index()
    assert not index.exists()
    with pytest.raises(IndexNotReady):
        use(index)
    index.create(postings=10)
    index.publish()
    index.drop()
    assert not index.exists()
    with pytest.raises(IndexNotReady):
        use(index)


def test_the_first_index_takes_documents_and_answers_once_it_is_published(make_index: MakeIndex) -> None:
    index = make_index()
    index.create(postings=1000)
    index.load([(1, some_features(1))])
    index.add([(2, some_features(2)), (3, some_features(3))])
    index.remove([(3, some_features(3))])
    assert not index.exists()
    with pytest.raises(IndexNotReady):
        index.look_up(some_features(1))
    index.publish()
    assert index.exists()
    assert all(number in index.look_up(some_features(number)).numbers for number in (1, 2))
    assert 3 not in index.look_up(some_features(3)).numbers


def test_a_new_index_stands_beside_the_old_one_until_it_is_published(make_index: MakeIndex) -> None:
    index = started(make_index)
    index.add((number, some_features(number)) for number in (1, 2))
    index.create(postings=1_000_000)
    index.load([(3, some_features(3)), (4, some_features(4))])
    index.add([(5, some_features(5)), (6, some_features(6))])
    assert index.remove([(number, some_features(number)) for number in (2, 4, 6)]) == 200

    def present() -> list[int]:
        return [number for number in range(1, 7) if number in index.look_up(some_features(number)).numbers]

    assert present() == [1, 5]
    index.publish()
    assert present() == [3, 5]


def test_an_index_that_was_started_and_left_is_given_up_by_the_next_start(make_index: MakeIndex) -> None:
    index = started(make_index)
    index.create(postings=1000)
    index.load([(1, some_features(1))])
    index.create(postings=1000)
    index.load([(2, some_features(2))])
    index.publish()
    assert 1 not in index.look_up(some_features(1)).numbers
    assert 2 in index.look_up(some_features(2)).numbers
