"""Clusters of near duplicates: which texts belong together, and how clusters grow and merge.

A cluster is a set of texts each of which is near another one of it (single linkage), kept as a forest of disjoint sets
(Tarjan 1975): a merged cluster points to an older one. Pointers only ever lead from younger to older, each is set once,
and every step may be taken by many workers at a time, so that neither the partition nor the ids depend on the order in
which texts are joined, and no merge is lost. The id of the oldest cluster stays, also when its oldest text leaves it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from store.ports import Clusters
from store.records import Cluster, Member, Owner


def join(clusters: Clusters, one: Member, other: Member) -> tuple[str, list[Owner]]:
    """Let two near duplicates stand in one cluster; its id, and the members that stand in another than before."""
    moved = join_all(clusters, [(one, other)])
    id = next(iter(moved.values()), None) or cluster_of(clusters, one.owner)
    assert id is not None
    return id, sorted(moved)


def join_all(clusters: Clusters, pairs: Sequence[tuple[Member, Member]]) -> dict[Owner, str]:
    """Let the near duplicates of each pair stand in one cluster; the members that stand in another than before, each
    with it.

    A text that has no near duplicate yet counts as a cluster of its own, which is as old as the text.
    """
    present = clusters.members({member.owner for pair in pairs for member in pair})
    roots = roots_of(clusters, {member.cluster_id for member in present.values()})
    groups = [_Group(some, present, roots) for some in connected(pairs)]
    clusters.found_all([group.start for group in groups if group.is_new])
    for group, entered in zip(groups, _enter(clusters, groups), strict=True):
        group.ids |= {member.cluster_id for member in entered}
    # Whoever lets a text in looks afterwards whether the cluster was merged meanwhile, and merges what is now one.
    now = roots_of(clusters, set().union(*(group.ids for group in groups)))
    whole = [group for group in groups if {*group.ids} == {now[group.start.id].id}]
    moved = {member.owner: group.start.id for group in whole for member in group.new}
    for group in groups:
        if group not in whole:
            root, others = _unite(clusters, group.ids)
            moved |= dict.fromkeys([*others, *(member.owner for member in group.new)], root)
    return moved


def connected(pairs: Sequence[tuple[Member, Member]]) -> list[list[Member]]:
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
        own = [founded_by(member) for member in self.new]
        known = {present[member.owner].cluster_id for member in texts if member.owner in present}
        self.start = min([*(roots[id] for id in known), *own])
        self.is_new = self.start in own
        self.ids = {self.start.id, *known}


def _enter(clusters: Clusters, groups: Sequence[_Group]) -> list[list[Member]]:
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


def founded_by(member: Member) -> Cluster:
    """The cluster that a text founds: the same text, seen at the same time, always founds the same one."""
    name = f"{member.id}:{member.owner_version}"
    return Cluster(id=sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12], founded=member.seen)


def _unite(clusters: Clusters, ids: Collection[str]) -> tuple[str, list[Owner]]:
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
