"""Join near-duplicates into clusters, and decide which texts are near-duplicates.

A cluster is a set of texts, each near another one of it (single linkage). It is stored as a forest of disjoint sets
(Tarjan 1975): a merged cluster points to an older one. Pointers only lead from younger to older clusters, and each is
set once. Any number of workers may take every step at once. So neither the partition nor the ids depend on the order in
which texts are joined, and no merge is lost. The id of the oldest cluster remains, even when its oldest text leaves it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from wenhen.kit.progress import Owner, OwnerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A work or page that has a near-duplicate."""

    id: str  # the owner as text
    kind: OwnerKind
    owner_id: str
    owner_version: int
    dated: datetime  # published, or first seen where that is unknown
    seen: datetime  # first seen here; the earliest of two texts founds their cluster
    cluster_id: str = ""  # empty until the text is in a cluster

    @property
    def owner(self) -> Owner:
        """The owner of the text."""
        return Owner(self.kind, self.owner_id)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cluster:
    """A cluster as it was founded. The order is by age."""

    founded: datetime
    id: str
    into: str | None = None  # the older cluster that it was merged into


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSize:
    """One row of a list of clusters."""

    id: str
    works: int
    pages: int
    first: str  # the member that was seen first
    since: datetime  # the earliest date of a member
    until: datetime


class Clusters(Protocol):
    """The clusters of texts, and the merges of clusters into older ones.

    `matcher.clusters` joins texts. Each method here is one step of it that any number of workers may take at once.
    """

    def members(self, owners: Collection[Owner]) -> dict[Owner, Member]:
        """Return these texts as members, without those that have no near-duplicate."""

    def enter_all(self, members: Sequence[Member]) -> list[Member]:
        """Enter texts, each at most once, into the members' clusters, unless they are in one already.

        Return where each is then, in the same order.
        """

    def leave(self, owner: Owner) -> bool:
        """Remove a member. Return False where there was none."""

    def found_all(self, clusters: Sequence[Cluster]) -> None:
        """Create those of the clusters whose id is new."""

    def get(self, id: str) -> Cluster: ...  # NotFound
    def get_all(self, ids: Collection[str]) -> dict[str, Cluster]: ...  # NotFound: one of them is none
    def merge(self, younger: str, older: str) -> bool:
        """Record that a cluster is part of an older one. Return False where it is part of another already."""

    def move(self, from_ids: Collection[str], to: str) -> list[Owner]:
        """Move the members of some clusters to another one. Return the moved owners."""

    def of(self, cluster_id: str) -> list[Member]:
        """Return the members of a cluster, the first seen first."""

    def find(self, *, skip: int = 0, limit: int = 50) -> list[ClusterSize]:
        """Return the clusters of two texts or more, the largest first."""

    def clear(self) -> None:
        """Delete all members and merges."""


def join_pairs(clusters: Clusters, pairs: Sequence[tuple[Member, Member]]) -> dict[Owner, str]:
    """Join the near-duplicates of each pair in one cluster. Return the members that changed theirs, with the new one.

    A text without a near-duplicate counts as a cluster of its own, as old as the text.
    """
    present = clusters.members({member.owner for pair in pairs for member in pair})
    roots = roots_of(clusters, {member.cluster_id for member in present.values()})
    groups = [_Group(texts, present, roots) for texts in group_connected(pairs)]
    clusters.found_all([group.start for group in groups if group.is_new])
    for group, entered in zip(groups, _enter_members(clusters, groups), strict=True):
        group.ids |= {member.cluster_id for member in entered}
    # Whoever enters a text then checks whether its cluster was merged meanwhile, and merges the resulting clusters.
    now = roots_of(clusters, set().union(*(group.ids for group in groups)))
    whole = [group for group in groups if {*group.ids} == {now[group.start.id].id}]
    moved = {member.owner: group.start.id for group in whole for member in group.new}
    for group in groups:
        if group not in whole:
            root, others = _merge_clusters(clusters, group.ids)
            moved |= dict.fromkeys([*others, *(member.owner for member in group.new)], root)
    return moved


def group_connected(pairs: Sequence[tuple[Member, Member]]) -> list[list[Member]]:
    """Group the texts that these pairs connect, each group once."""
    groups: dict[Owner, dict[Owner, Member]] = {}
    for pair in pairs:
        first, second = (groups.get(member.owner, {member.owner: member}) for member in pair)
        both = first | second
        groups |= dict.fromkeys(both, both)
    return [list(group.values()) for group in {id(group): group for group in groups.values()}.values()]


class _Group:
    """Texts of one cluster.

    start: the oldest of their clusters, `is_new` where one of them founds it. new: texts in no cluster yet. ids:
    clusters that become one.
    """

    def __init__(self, texts: Sequence[Member], present: Mapping[Owner, Member], roots: Mapping[str, Cluster]) -> None:
        self.new = [member for member in texts if member.owner not in present]
        own = [found_cluster(member) for member in self.new]
        known = {present[member.owner].cluster_id for member in texts if member.owner in present}
        self.start = min([*(roots[id] for id in known), *own])
        self.is_new = self.start in own
        self.ids = {self.start.id, *known}


def _enter_members(clusters: Clusters, groups: Sequence[_Group]) -> list[list[Member]]:
    """Enter the new texts into the clusters of their groups. Return where each is then."""
    entering = [replace(member, cluster_id=group.start.id) for group in groups for member in group.new]
    entered = iter(clusters.enter_all(entering))
    return [[next(entered) for _ in group.new] for group in groups]


def root_of(clusters: Clusters, id: str) -> Cluster:
    """Return the cluster that this one is part of now, itself where it was never merged."""
    return roots_of(clusters, [id])[id]


def roots_of(clusters: Clusters, ids: Collection[str]) -> dict[str, Cluster]:
    """Return the same for many, by their ids. Raises `NotFound`."""
    roots = clusters.get_all(ids)
    while merged := {id: root.into for id, root in roots.items() if root.into is not None}:
        into = clusters.get_all(set(merged.values()))
        roots |= {id: into[older] for id, older in merged.items()}
    return roots


def cluster_of(clusters: Clusters, owner: Owner) -> str | None:
    """Return the current cluster of a work or page, None without a near-duplicate."""
    return clusters_of(clusters, [owner])[owner]


def clusters_of(clusters: Clusters, owners: Collection[Owner]) -> dict[Owner, str | None]:
    """Return the same for many."""
    members = clusters.members(owners)
    roots = roots_of(clusters, {member.cluster_id for member in members.values()})
    return {owner: roots[members[owner].cluster_id].id if owner in members else None for owner in owners}


def found_cluster(member: Member) -> Cluster:
    """Return the cluster that a text founds. The same text, seen at the same time, founds the same one."""
    name = f"{member.id}:{member.owner_version}"
    return Cluster(id=sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12], founded=member.seen)


def _merge_clusters(clusters: Clusters, ids: Collection[str]) -> tuple[str, list[Owner]]:
    """Merge clusters into the oldest of them. Return its id, and the moved members."""
    merging = set(ids)
    moved: set[Owner] = set()
    while True:
        oldest, *younger = sorted(set(roots_of(clusters, ids).values()))
        merging.update((oldest.id, *(cluster.id for cluster in younger)))
        if merging == {oldest.id}:  # a later merge moves the members entered before
            return oldest.id, []
        # Another worker may have merged one of them elsewhere since the read. Then read again.
        if not all(clusters.merge(cluster.id, oldest.id) for cluster in younger):
            continue
        # Whoever enters one of them after this sees the merge, and moves the new member.
        if left := merging - {oldest.id}:
            moved.update(clusters.move(left, oldest.id))
        # Another worker may have merged the oldest, and moved its members before ours arrived. Then move them on.
        if clusters.get(oldest.id).into is None:
            return oldest.id, sorted(moved)


# Share of the counted features below which two texts are no near-duplicates. The least of 377 true pairs of editions
# and disguised copies had 0.27.
MIN_FEATURE_SHARE = 0.05


class SharedShares(Protocol):
    """The shared part of two texts: a verdict, or a match."""

    @property
    def share_of_page(self) -> float: ...
    @property
    def share_of_work(self) -> float: ...


def similarity_of_shares(shared: SharedShares) -> float:
    """Return how similar two texts are, in [0, 1]: the lesser of the copied shares."""
    return min(shared.share_of_page, shared.share_of_work)


def may_be_near(length: int, other_length: int, min_similarity: float) -> bool:
    """Whether two texts of these lengths can be so similar. Half of it suffices, as disguises lengthen texts."""
    return min(length, other_length) >= min_similarity / 2 * max(length, other_length)


def is_within_window(first: Member, second: Member, window: timedelta | None) -> bool:
    """Whether the dates of two texts are within the window. None is no limit."""
    return window is None or abs(first.dated - second.dated) <= window
