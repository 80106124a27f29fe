"""The port of clusters in this process's memory, for laws that are tried on thousands of partitions."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from matcher.clusters import Cluster, ClusterSize, Member
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Owner, OwnerKind


class MemoryClusters:
    """Members and clusters in two dicts."""

    def __init__(self) -> None:
        self._members: dict[Owner, Member] = {}
        self._clusters: dict[str, Cluster] = {}

    def members(self, owners: Collection[Owner]) -> dict[Owner, Member]:
        return {owner: self._members[owner] for owner in owners if owner in self._members}

    def enter(self, member: Member) -> Member:
        return self._members.setdefault(member.owner, member)

    def enter_all(self, members: Sequence[Member]) -> list[Member]:
        return list(map(self.enter, members))

    def leave(self, owner: Owner) -> bool:
        return self._members.pop(owner, None) is not None

    def found(self, cluster: Cluster) -> Cluster:
        return self._clusters.setdefault(cluster.id, cluster)

    def found_all(self, clusters: Sequence[Cluster]) -> None:
        for one in clusters:
            self.found(one)

    def get(self, id: str) -> Cluster:
        if id not in self._clusters:
            raise NotFound("store.no_cluster", id=id)
        return self._clusters[id]

    def get_all(self, ids: Collection[str]) -> dict[str, Cluster]:
        return {id: self.get(id) for id in ids}

    def merge(self, younger: str, older: str) -> bool:
        if self._clusters[younger].into is not None:
            return False
        self._clusters[younger] = replace(self._clusters[younger], into=older)
        return True

    def move(self, from_ids: Collection[str], to: str) -> list[Owner]:
        moved = [one.owner for one in self._members.values() if one.cluster_id in from_ids]
        for owner in moved:
            self._members[owner] = replace(self._members[owner], cluster_id=to)
        return moved

    def of(self, cluster_id: str) -> list[Member]:
        found = [one for one in self._members.values() if one.cluster_id == cluster_id]
        return sorted(found, key=lambda one: (one.seen, one.id))

    def find(self, *, skip: int = 0, limit: int = 50) -> list[ClusterSize]:
        sizes = [_size(id, self.of(id)) for id in {one.cluster_id for one in self._members.values()}]
        large = [one for one in sizes if one.works + one.pages > 1]
        return sorted(large, key=lambda one: (-one.works - one.pages, one.id))[skip : skip + limit]

    def clear(self) -> None:
        self._members.clear()
        self._clusters = {id: replace(one, into=None) for id, one in self._clusters.items()}


def _size(id: str, members: list[Member]) -> ClusterSize:
    works = sum(one.kind is OwnerKind.WORK for one in members)
    dates = [one.dated for one in members]
    return ClusterSize(
        id=id, works=works, pages=len(members) - works, first=members[0].id, since=min(dates), until=max(dates)
    )
