"""The laws of clusters: they hold whatever comes in, in whatever order."""

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from matcher.clusters import Member, cluster_of, found_cluster, join_pairs
from tests.support.memory_clusters import MemoryClusters
from tests.support.oracles import join_pair
from wenhen.kit.progress import Owner, OwnerKind

START = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = st.integers(0, 15)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS).filter(lambda pair: pair[0] != pair[1]), max_size=30)


def page(number: int) -> Owner:
    return Owner.of_page(f"{number}")


def text(number: int) -> Member:
    seen = START + timedelta(hours=number)
    return Member(
        id=str(page(number)), kind=OwnerKind.PAGE, owner_id=f"{number}", owner_version=1, dated=seen, seen=seen
    )


def joined(pairs: list[tuple[int, int]]) -> MemoryClusters:
    clusters = MemoryClusters()
    for one, other in pairs:
        join_pair(clusters, text(one), text(other))
    return clusters


def partition(clusters: MemoryClusters) -> set[frozenset[str]]:
    return {frozenset(one.id for one in clusters.of(size.id)) for size in clusters.find(limit=100)}


def components(pairs: list[tuple[int, int]]) -> set[frozenset[str]]:
    """The connected parts of the graph, the plain way."""
    parts: list[set[str]] = []
    for one, other in pairs:
        pair = {f"page:{one}", f"page:{other}"}
        touched = [part for part in parts if part & pair]
        parts = [part for part in parts if not part & pair] + [pair.union(*touched)]
    return {frozenset(part) for part in parts}


@given(PAIRS, st.integers(0, 1000))
def test_the_partition_is_that_of_the_pairs_in_any_order(pairs: list[tuple[int, int]], seed: int) -> None:
    shuffled = [(other, one) if Random(f"{seed}{one}{other}").random() < 0.5 else (one, other) for one, other in pairs]
    Random(seed).shuffle(shuffled)
    assert partition(joined(pairs)) == partition(joined(shuffled)) == components(pairs)
    assert joined(pairs).find(limit=100) == joined(shuffled).find(limit=100), "ids and all"


@given(PAIRS)
def test_a_cluster_keeps_its_id_until_it_is_merged_into_an_older_one(pairs: list[tuple[int, int]]) -> None:
    clusters = MemoryClusters()
    for one, other in pairs:
        before = {size.id for size in clusters.find(limit=100)}
        touched = {cluster_of(clusters, page(number)) or found_cluster(text(number)).id for number in (one, other)}
        id, _ = join_pair(clusters, text(one), text(other))
        after = {size.id for size in clusters.find(limit=100)}
        assert before - after <= touched - {id}
        assert id in touched
        assert clusters.get(id).founded == min(one.seen for one in clusters.of(id))


@given(PAIRS)
def test_join_names_exactly_the_texts_whose_cluster_changed(pairs: list[tuple[int, int]]) -> None:
    clusters = MemoryClusters()
    for one, other in pairs:
        before = {page(number): cluster_of(clusters, page(number)) for number in range(16)}
        _, changed = join_pair(clusters, text(one), text(other))
        after = {page(number): cluster_of(clusters, page(number)) for number in range(16)}
        assert set(changed) == {id for id in after if after[id] != before[id]}


@given(PAIRS, PAIRS)
def test_pairs_joined_together_end_as_when_joined_one_by_one(
    before: list[tuple[int, int]], pairs: list[tuple[int, int]]
) -> None:
    clusters, others = joined(before), joined([*before, *pairs])
    stood = {page(number): cluster_of(clusters, page(number)) for number in range(16)}
    moved = join_pairs(clusters, [(text(one), text(other)) for one, other in pairs])
    assert partition(clusters) == partition(others)
    assert clusters.find(limit=100) == others.find(limit=100), "ids and all"
    stands = {page(number): cluster_of(clusters, page(number)) for number in range(16)}
    assert moved == {owner: id for owner, id in stands.items() if id != stood[owner]}


@given(PAIRS)
def test_joining_again_changes_nothing(pairs: list[tuple[int, int]]) -> None:
    clusters = joined(pairs)
    before = partition(clusters)
    assert all(join_pair(clusters, text(one), text(other))[1] == [] for one, other in pairs)
    assert partition(clusters) == before
