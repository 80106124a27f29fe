"""Near duplicates share a cluster that grows and merges, also when many workers join texts at the same moment."""

from collections.abc import Collection, Iterator
from datetime import timedelta
from functools import partial

import pytest

from matcher.clusters import Cluster, Clusters, ClusterSize, Member, cluster_of
from tests.support.memory_clusters import MemoryClusters
from tests.support.oracles import join_pair
from tests.support.samples import NOON, at_once
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Owner, OwnerKind


def member(number: int, kind: OwnerKind = OwnerKind.PAGE, **values: object) -> Member:
    """The text that was seen in minute `number`."""
    seen = NOON + timedelta(minutes=number)
    plain = {"kind": kind, "owner_id": f"{number}", "owner_version": 1, "dated": seen, "seen": seen}
    return Member(id=str(Owner(kind, f"{number}")), **{**plain, **values})  # type: ignore[arg-type]  # as the caller says


def page(number: int) -> Owner:
    return Owner.of_page(f"{number}")


@pytest.fixture(params=["memory", "mongo"])
def clusters(request: pytest.FixtureRequest) -> Iterator[Clusters]:
    if request.param == "memory":
        yield MemoryClusters()
    else:
        store: Store = request.getfixturevalue("store")
        yield store.clusters


def together(clusters: Clusters, *numbers: int) -> str | None:
    """The one cluster in which these texts stand; fails where they stand in several."""
    [id] = {cluster_of(clusters, page(number)) for number in numbers}
    return id


def test_two_near_duplicates_found_a_cluster_and_a_third_joins_it(clusters: Clusters) -> None:
    id, changed = join_pair(clusters, member(2), member(1))
    assert changed == [page(1), page(2)]
    assert join_pair(clusters, member(3), member(2)) == (id, [page(3)])
    assert join_pair(clusters, member(1), member(3)) == (id, [])
    assert together(clusters, 1, 2, 3) == id
    assert [one.id for one in clusters.of(id)] == ["page:1", "page:2", "page:3"]


def test_a_text_without_a_near_duplicate_stands_in_no_cluster(clusters: Clusters) -> None:
    assert cluster_of(clusters, page(9)) is None
    assert clusters.members([page(9)]) == {}


def test_a_bridge_merges_two_clusters_and_the_older_id_stays(clusters: Clusters) -> None:
    older, _ = join_pair(clusters, member(1), member(2))
    younger, _ = join_pair(clusters, member(3), member(4))
    join_pair(clusters, member(5), member(4))
    assert join_pair(clusters, member(5), member(2)) == (older, [page(3), page(4), page(5)])
    assert together(clusters, 1, 2, 3, 4, 5) == older
    assert clusters.of(younger) == []


def test_an_older_text_that_is_found_late_gives_the_cluster_its_id(clusters: Clusters) -> None:
    join_pair(clusters, member(5), member(6))
    id, changed = join_pair(clusters, member(1), member(6))
    assert changed == [page(1), page(5), page(6)]
    assert join_pair(clusters, member(1), member(7)) == (id, [page(7)])


def test_whoever_leaves_stands_nowhere_and_may_come_back(clusters: Clusters) -> None:
    id, _ = join_pair(clusters, member(1), member(2))
    assert clusters.leave(page(2))
    assert not clusters.leave(page(2))
    assert cluster_of(clusters, page(2)) is None
    assert join_pair(clusters, member(2, owner_version=2), member(1)) == (id, [page(2)])


def test_a_founder_that_left_founds_another_cluster_with_its_new_text(clusters: Clusters) -> None:
    first, _ = join_pair(clusters, member(1), member(2))
    clusters.leave(page(1))
    second, _ = join_pair(clusters, member(1, owner_version=2), member(7))
    assert second != first
    assert together(clusters, 2) == first


def test_clusters_are_listed_the_largest_first(clusters: Clusters) -> None:
    small, _ = join_pair(clusters, member(8), member(9))
    large, _ = join_pair(clusters, member(1, OwnerKind.WORK), member(2))
    join_pair(clusters, member(1, OwnerKind.WORK), member(3, dated=NOON - timedelta(days=9)))
    days = (NOON - timedelta(days=9), NOON + timedelta(minutes=2))
    assert clusters.find(limit=1) == [
        ClusterSize(id=large, works=1, pages=2, first="work:1", since=days[0], until=days[1])
    ]
    assert [one.id for one in clusters.find(skip=1)] == [small]
    clusters.leave(page(9))
    assert [one.id for one in clusters.find()] == [large]


def test_what_is_cleared_is_joined_anew_under_the_same_id(clusters: Clusters) -> None:
    older, _ = join_pair(clusters, member(1), member(2))
    younger, _ = join_pair(clusters, member(3), member(4))
    join_pair(clusters, member(2), member(3))
    clusters.clear()
    assert cluster_of(clusters, page(1)) is None
    assert join_pair(clusters, member(1), member(2))[0] == older
    assert join_pair(clusters, member(3), member(4))[0] == younger


def test_a_cluster_that_is_none_is_not_found(clusters: Clusters) -> None:
    with pytest.raises(NotFound):
        clusters.get("c9")


def test_a_cluster_is_merged_once(clusters: Clusters) -> None:
    clusters.found_all([Cluster(id=id, founded=NOON) for id in ("a", "b", "c")])
    assert clusters.merge("c", "b")
    assert not clusters.merge("c", "a")
    assert clusters.get("c").into == "b"
    clusters.found_all([Cluster(id="c", founded=NOON)])
    assert clusters.get("c").into == "b", "there was one"


@pytest.mark.parametrize("attempt", range(3))
def test_no_merge_is_lost_between_workers_at_the_same_moment(store: Store, attempt: int) -> None:
    """Chains that share their ends, joined from both ends at once: all of it is one cluster in the end."""
    clusters = store.clusters
    base = 100 * attempt
    pairs = [(base + n, base + n + 1) for n in range(12)]
    wanted = [*pairs, *reversed(pairs)]
    at_once(*[partial(join_pair, clusters, member(a), member(b)) for a, b in wanted])
    id = together(clusters, *range(base, base + 13))
    assert id is not None
    assert len(clusters.of(id)) == 13


def test_members_that_move_into_a_cluster_which_another_worker_merges_meanwhile_go_along(
    clusters: Clusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest, _ = join_pair(clusters, member(1), member(2))
    join_pair(clusters, member(3), member(4))
    join_pair(clusters, member(5), member(6))
    move = clusters.move

    def held_up(from_ids: Collection[str], to: str) -> list[Owner]:
        monkeypatch.setattr(clusters, "move", move)
        join_pair(clusters, member(1), member(3))
        return move(from_ids, to)

    monkeypatch.setattr(clusters, "move", held_up)
    assert join_pair(clusters, member(5), member(3)) == (oldest, [page(5), page(6)])
    assert together(clusters, 1, 2, 3, 4, 5, 6) == oldest
    assert len(clusters.of(oldest)) == 6


def test_one_text_joined_to_two_clusters_at_the_same_moment_is_their_bridge(store: Store) -> None:
    clusters = store.clusters
    for n in range(0, 40, 5):
        join_pair(clusters, member(n), member(n + 1))
        join_pair(clusters, member(n + 2), member(n + 3))
        at_once(
            partial(join_pair, clusters, member(n + 4), member(n + 1)),
            partial(join_pair, clusters, member(n + 4), member(n + 3)),
        )
        together(clusters, *range(n, n + 5))
