"""Near-duplicate works and pages, which stand together in one cluster."""

from dataclasses import dataclass
from datetime import datetime

from store.records.upkeep.owner import Owner
from store.records.upkeep.progress import OwnerKind


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
