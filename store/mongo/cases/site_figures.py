"""The figures of sites: the cases of a host in groups of those that are alike to them, and what came of its notices."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from store.mongo.cases.case_query import COPIES
from store.mongo.engine.codec import Document
from store.records import CaseStatus, SiteFigure

# To ask each case for each status takes longer than to fold the groups.
SUMS: Final[Document] = {
    "cases": {"$sum": 1},
    "works": {"$addToSet": "$work_id"},
    "share": {"$sum": "$match.share_of_page"},
}
_NONE: Final[Document] = {"notices": 0, "days": None}


def alike(host: Document | str) -> Document:
    """The stage that makes the groups; host: the expression of the host that a case counts for."""
    key = {"host": host, "status": "$status", "licensed": "$licensed", "present": "$present"}
    return {"$group": {"_id": key, **SUMS}}


def site_figures(groups: Sequence[Document], reactions: Mapping[str, Document], limit: int) -> list[SiteFigure]:
    """Those of the hosts with the most copies. reactions: by host, how many notices, and the days to a removal."""
    hosts: dict[str, list[Document]] = {}
    for group in groups:
        hosts.setdefault(group["_id"]["host"], []).append(group)
    copies = Counter({host: sum(one["cases"] for one in found if _is_copy(one)) for host, found in hosts.items()})
    most = sorted((-count, host) for host, count in copies.items() if count)[:limit]
    return [_site(host, hosts[host], reactions.get(host, _NONE)) for _, host in most]


def _site(host: str, groups: Sequence[Document], reaction: Document) -> SiteFigure:
    cases: Counter[CaseStatus] = Counter()
    for one in groups:
        cases[CaseStatus(one["_id"]["status"])] += one["cases"]
    copies = [one for one in groups if _is_copy(one)]
    return SiteFigure(
        host=host,
        cases={status: cases[status] for status in CaseStatus if status in cases},
        gone=sum(one["cases"] for one in copies if one["_id"].get("present") is False),
        works=len(set().union(*(one["works"] for one in copies))),
        mean_share_of_page=sum(one["share"] for one in copies) / sum(one["cases"] for one in copies),
        notices=reaction["notices"],
        days_to_removal=reaction["days"],
    )


def _is_copy(group: Document) -> bool:
    return group["_id"]["status"] in COPIES["$in"] and group["_id"]["licensed"] is False
