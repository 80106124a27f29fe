"""The clusters of near-duplicate works and pages."""

from collections.abc import Collection, Sequence
from typing import Protocol

from store.records import Cluster, ClusterSize, Member, Owner


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
