"""The figures of the analysis."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from store.records import (
    Bin,
    Carried,
    CaseStatus,
    ChangeFigure,
    ChartPeriod,
    CopyCount,
    CopyFigures,
    HostTrend,
    Period,
    Scope,
    SiteFigure,
    SiteTaking,
    WorkFigure,
)


class Figures(Protocol):
    """Counts over the cases, made when they are asked for. A host and its mirrors are one."""

    def over_time(self, scope: Scope, pace: ChartPeriod) -> list[Period]:
        """The periods in which a case was opened, the earliest first; all statuses are counted."""

    def shares_of_page(self, status: CaseStatus, bins: int) -> list[Bin]:
        """The copies of one status by their share of the page: equal parts of [0, 1], low to high, empty ones too."""

    def of_copies(self, scope: Scope, bins: int) -> CopyFigures:
        """What one look at each copy tells; delays run from a work's first publication to the first sight of a copy,
        and works without a date are left out of them.
        """

    def changes(self, scope: Scope) -> list[ChangeFigure]: ...

    def sites(self, scope: Scope, limit: int) -> list[SiteFigure]:
        """The hosts with the most copies, each with all its cases by status."""

    def hosts(self, limit: int) -> list[tuple[str, int]]:
        """The hosts with the most copies, and how many."""

    def works(self, scope: Scope, limit: int) -> list[WorkFigure]:
        """The works with the most copies."""

    def of_works(self, ids: Collection[str]) -> dict[str, CopyCount]:
        """The copies of each of these works that has any."""

    def of_series(self, names: Collection[str]) -> dict[str, CopyCount]:
        """The same of the chapters of each of these series together."""

    def trends(self, hosts: Collection[str], bounds: Sequence[datetime]) -> dict[str, HostTrend]:
        """The copies on each of these hosts that has any, and how many were found from each bound to the next."""

    def taken(self, hosts: Collection[str]) -> SiteTaking:
        """How much the copies on these hosts took, work by work."""

    def carried(self, scope: Scope, limit: int) -> list[Carried]:
        """Which hosts carry which works, those with the most copies first."""
