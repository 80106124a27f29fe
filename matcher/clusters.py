"""Clusters of near duplicates: which texts belong together, and how clusters grow and merge.

A cluster is a set of texts each of which is near another one of it (single linkage), kept as a forest of disjoint sets
(Tarjan 1975): a merged cluster points to an older one. Pointers only ever lead from younger to older, each is set once,
and every step may be taken by many workers at a time, so that neither the partition nor the ids depend on the order in
which texts are joined, and no merge is lost. The id of the oldest cluster stays, also when its oldest text leaves it.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Protocol

from store.ports import Clusters
from store.records import Cluster, Member, Owner

# A text that shares fewer features with another, of those that tell anything, is no near duplicate of it: of 377 true
# pairs of editions and disguised copies the least had .27.
LEAST_SHARE = 0.05


class Likened(Protocol):
    """How much of two texts is common: a verdict, or a match."""

    @property
    def share_of_page(self) -> float: ...
    @property
    def share_of_work(self) -> float: ...


def likeness(shared: Likened) -> float:
    """How near two texts are to being the same, in [0, 1]: the lesser share that was copied."""
    return min(shared.share_of_page, shared.share_of_work)


def may_be_near(length: int, other_length: int, least: float) -> bool:
    """Whether two texts of these lengths can reach this likeness; half of it, as disguises make texts longer."""
    return min(length, other_length) >= least / 2 * max(length, other_length)


def within(one: Member, other: Member, window: timedelta | None) -> bool:
    """Whether the dates of two texts lie within the window; None is no limit."""
    return window is None or abs(one.dated - other.dated) <= window


def join(clusters: Clusters, one: Member, other: Member) -> tuple[str, list[Owner]]:
    """Let two near duplicates stand in one cluster; its id, and the members that stand in another than before.

    A text that has no near duplicate yet counts as a cluster of its own, which is as old as the text.
    """
    present = clusters.members([one.owner, other.owner])
    known = [member.cluster_id for member in present.values()]
    own = [founded_by(member) for member in (one, other) if member.owner not in present]
    start = min([*(root_of(clusters, id) for id in known), *own])
    if start in own:
        clusters.found(start)
    new = [member for member in (one, other) if member.owner not in present]
    entered = [clusters.enter(replace(member, cluster_id=start.id)) for member in new]
    root, moved = _unite(clusters, {start.id, *known, *(member.cluster_id for member in entered)})
    return root, sorted({*moved, *(member.owner for member in new)})


def root_of(clusters: Clusters, id: str) -> Cluster:
    """The cluster that this one is part of now; itself where it was never merged."""
    cluster = clusters.get(id)
    while cluster.into is not None:
        cluster = clusters.get(cluster.into)
    return cluster


def cluster_of(clusters: Clusters, owner: Owner) -> str | None:
    """The cluster in which a work or page stands now; None without a near duplicate."""
    member = clusters.members([owner]).get(owner)
    return None if member is None else root_of(clusters, member.cluster_id).id


def founded_by(member: Member) -> Cluster:
    """The cluster that a text founds: the same text, seen at the same time, always founds the same one."""
    name = f"{member.id}:{member.owner_version}"
    return Cluster(id=sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12], founded=member.seen)


def _unite(clusters: Clusters, ids: Collection[str]) -> tuple[str, list[Owner]]:
    """Merge clusters into the oldest of them; its id, and the members that moved there."""
    merging = set(ids)
    moved: set[Owner] = set()
    while True:
        oldest, *younger = sorted({root_of(clusters, id) for id in ids})
        merging.update((oldest.id, *(one.id for one in younger)))
        if merging == {oldest.id}:  # whoever merges it from now on moves what entered before
            return oldest.id, []
        # Another worker may have merged one of them elsewhere since it was read: then look again.
        if not all(clusters.merge(one.id, oldest.id) for one in younger):
            continue
        # Whoever enters one of them after this sees that it is merged, and moves what entered.
        if left := merging - {oldest.id}:
            moved.update(clusters.move(left, oldest.id))
        # Another worker may have merged the oldest, and moved its members before ours came: then move them on.
        if clusters.get(oldest.id).into is None:
            return oldest.id, sorted(moved)
