"""Join near duplicates into clusters, and decide which texts are near duplicates."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from wenhen.kit.progress import Owner, OwnerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A work or page that has a near duplicate."""

    id: str  # the owner as text
    kind: OwnerKind
    owner_id: str
    owner_version: int
    dated: datetime  # published, or first seen where that is unknown
    seen: datetime  # first seen here; the earliest of two texts found their cluster
    cluster_id: str = ""  # empty until it stands in one

    @property
    def owner(self) -> Owner:
        """Whose text it is."""
        return Owner(self.kind, self.owner_id)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cluster:
    """A cluster as it was founded; the order is that of age."""

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
    """Who stands in which cluster, and which cluster was merged into which older one.

    What joins texts is `matcher.clusters`; each method here is one step of it that any number of workers may take.
    """

    def members(self, owners: Collection[Owner]) -> dict[Owner, Member]:
        """These texts as members; one without a near duplicate is none."""

    def enter_all(self, members: Sequence[Member]) -> list[Member]:
        """Let texts, no two members of one, stand in the members' clusters, unless they stand in one already; where
        each stands then, in the same order.
        """

    def leave(self, owner: Owner) -> bool:
        """Forget a member; False where there was none."""

    def found_all(self, clusters: Sequence[Cluster]) -> None:
        """Make those of the clusters with whose id there is none."""

    def get(self, id: str) -> Cluster: ...  # NotFound
    def get_all(self, ids: Collection[str]) -> dict[str, Cluster]: ...  # NotFound: one of them is none
    def merge(self, younger: str, older: str) -> bool:
        """Note that a cluster is part of an older one; False where it is part of another already."""

    def move(self, from_ids: Collection[str], to: str) -> list[Owner]:
        """Give the members of some clusters to another one; those that moved."""

    def of(self, cluster_id: str) -> list[Member]:
        """The members of a cluster, the first seen first."""

    def find(self, *, skip: int = 0, limit: int = 50) -> list[ClusterSize]:
        """The clusters of two and more, the largest first."""

    def clear(self) -> None:
        """Forget who stands where, and what was merged."""


# Clusters of near duplicates: which texts belong together, and how clusters grow and merge.
#
# A cluster is a set of texts each of which is near another one of it (single linkage), kept as a forest of disjoint
# sets (Tarjan 1975): a merged cluster points to an older one. Pointers only ever lead from younger to older, each is
# set once, and every step may be taken by many workers at a time, so that neither the partition nor the ids depend on
# the order in which texts are joined, and no merge is lost. The id of the oldest cluster stays, also when its oldest
# text leaves it.


def join_pair(clusters: Clusters, one: Member, other: Member) -> tuple[str, list[Owner]]:
    """Let two near duplicates stand in one cluster; its id, and the members that stand in another than before."""
    moved = join_pairs(clusters, [(one, other)])
    id = next(iter(moved.values()), None) or cluster_of(clusters, one.owner)
    assert id is not None
    return id, sorted(moved)


def join_pairs(clusters: Clusters, pairs: Sequence[tuple[Member, Member]]) -> dict[Owner, str]:
    """Let the near duplicates of each pair stand in one cluster; the members that stand in another than before, each
    with it.

    A text that has no near duplicate yet counts as a cluster of its own, which is as old as the text.
    """
    present = clusters.members({member.owner for pair in pairs for member in pair})
    roots = roots_of(clusters, {member.cluster_id for member in present.values()})
    groups = [_Group(some, present, roots) for some in group_connected(pairs)]
    clusters.found_all([group.start for group in groups if group.is_new])
    for group, entered in zip(groups, _enter_members(clusters, groups), strict=True):
        group.ids |= {member.cluster_id for member in entered}
    # Whoever lets a text in looks afterwards whether the cluster was merged meanwhile, and merges what is now one.
    now = roots_of(clusters, set().union(*(group.ids for group in groups)))
    whole = [group for group in groups if {*group.ids} == {now[group.start.id].id}]
    moved = {member.owner: group.start.id for group in whole for member in group.new}
    for group in groups:
        if group not in whole:
            root, others = _merge_clusters(clusters, group.ids)
            moved |= dict.fromkeys([*others, *(member.owner for member in group.new)], root)
    return moved


def group_connected(pairs: Sequence[tuple[Member, Member]]) -> list[list[Member]]:
    """The texts that these pairs hold together, each group once."""
    groups: dict[Owner, dict[Owner, Member]] = {}
    for pair in pairs:
        one, other = (groups.get(member.owner, {member.owner: member}) for member in pair)
        both = one | other
        groups |= dict.fromkeys(both, both)
    return [list(group.values()) for group in {id(group): group for group in groups.values()}.values()]


class _Group:
    """Texts that belong together.

    start: the oldest cluster among theirs, `is_new` where one of them founds it. new: those that stand in none yet.
    ids: of the clusters that become one.
    """

    def __init__(self, texts: Sequence[Member], present: Mapping[Owner, Member], roots: Mapping[str, Cluster]) -> None:
        self.new = [member for member in texts if member.owner not in present]
        own = [found_cluster(member) for member in self.new]
        known = {present[member.owner].cluster_id for member in texts if member.owner in present}
        self.start = min([*(roots[id] for id in known), *own])
        self.is_new = self.start in own
        self.ids = {self.start.id, *known}


def _enter_members(clusters: Clusters, groups: Sequence[_Group]) -> list[list[Member]]:
    """Let what stands in no cluster into the one of its group; where each stands then."""
    entering = [replace(member, cluster_id=group.start.id) for group in groups for member in group.new]
    entered = iter(clusters.enter_all(entering))
    return [[next(entered) for _ in group.new] for group in groups]


def root_of(clusters: Clusters, id: str) -> Cluster:
    """The cluster that this one is part of now; itself where it was never merged."""
    return roots_of(clusters, [id])[id]


def roots_of(clusters: Clusters, ids: Collection[str]) -> dict[str, Cluster]:
    """The same for many, by their ids. Raises `NotFound`."""
    found = clusters.get_all(ids)
    while merged := {id: one.into for id, one in found.items() if one.into is not None}:
        into = clusters.get_all(set(merged.values()))
        found |= {id: into[older] for id, older in merged.items()}
    return found


def cluster_of(clusters: Clusters, owner: Owner) -> str | None:
    """The cluster in which a work or page stands now; None without a near duplicate."""
    return clusters_of(clusters, [owner])[owner]


def clusters_of(clusters: Clusters, owners: Collection[Owner]) -> dict[Owner, str | None]:
    """The same for many."""
    members = clusters.members(owners)
    roots = roots_of(clusters, {member.cluster_id for member in members.values()})
    return {owner: roots[members[owner].cluster_id].id if owner in members else None for owner in owners}


def found_cluster(member: Member) -> Cluster:
    """The cluster that a text founds: the same text, seen at the same time, always founds the same one."""
    name = f"{member.id}:{member.owner_version}"
    return Cluster(id=sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12], founded=member.seen)


def _merge_clusters(clusters: Clusters, ids: Collection[str]) -> tuple[str, list[Owner]]:
    """Merge clusters into the oldest of them; its id, and the members that moved there."""
    merging = set(ids)
    moved: set[Owner] = set()
    while True:
        oldest, *younger = sorted(set(roots_of(clusters, ids).values()))
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


# When two texts are near duplicates: how much of either was copied, their lengths, and the dates between them.


# A text that shares fewer features with another, of those that tell anything, is no near duplicate of it: of 377 true
# pairs of editions and disguised copies the least had .27.
MIN_FEATURE_SHARE = 0.05


class SharedShares(Protocol):
    """How much of two texts is common: a verdict, or a match."""

    @property
    def share_of_page(self) -> float: ...
    @property
    def share_of_work(self) -> float: ...


def similarity_of_shares(shared: SharedShares) -> float:
    """How near two texts are to being the same, in [0, 1]: the lesser share that was copied."""
    return min(shared.share_of_page, shared.share_of_work)


def may_be_near(length: int, other_length: int, least: float) -> bool:
    """Whether two texts of these lengths can reach this likeness; half of it, as disguises make texts longer."""
    return min(length, other_length) >= least / 2 * max(length, other_length)


def is_within_window(one: Member, other: Member, window: timedelta | None) -> bool:
    """Whether the dates of two texts lie within the window; None is no limit."""
    return window is None or abs(one.dated - other.dated) <= window
