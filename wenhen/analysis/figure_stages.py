"""Build MongoDB stages for figures of sites and of what their copies took."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from wenhen.analysis.model import SiteFigure, SiteTaking, WorkTaking
from wenhen.cases.case_queries import CONFIRMED_STATUS_FILTER, COPY_STATUS_FILTER, MILLISECONDS_PER_DAY
from wenhen.cases.model import CaseStatus
from wenhen.kit.mongo.codec import Document

# The figures of sites: the cases of a host in groups of those that are alike to them, and what came of its notices.


# To ask each case for each status takes longer than to fold the groups.
SITE_SUMS: Final[Document] = {
    "cases": {"$sum": 1},
    "works": {"$addToSet": "$work_id"},
    "share": {"$sum": "$match.share_of_page"},
}
_NO_REACTIONS: Final[Document] = {"notices": 0, "days": None}


def group_by_host_stage(host: Document | str) -> Document:
    """The stage that makes the groups; host: the expression of the host that a case counts for."""
    key = {"host": host, "status": "$status", "licensed": "$licensed", "present": "$present"}
    return {"$group": {"_id": key, **SITE_SUMS}}


def make_site_figures(groups: Sequence[Document], reactions: Mapping[str, Document], limit: int) -> list[SiteFigure]:
    """Those of the hosts with the most copies. reactions: by host, how many notices, and the days to a removal."""
    hosts: dict[str, list[Document]] = {}
    for group in groups:
        hosts.setdefault(group["_id"]["host"], []).append(group)
    copies = Counter(
        {host: sum(group["cases"] for group in groups if _is_copy_group(group)) for host, groups in hosts.items()}
    )
    most = sorted((-count, host) for host, count in copies.items() if count)[:limit]
    return [_make_site_figure(host, hosts[host], reactions.get(host, _NO_REACTIONS)) for _, host in most]


def _make_site_figure(host: str, groups: Sequence[Document], reaction: Document) -> SiteFigure:
    cases: Counter[CaseStatus] = Counter()
    for group in groups:
        cases[CaseStatus(group["_id"]["status"])] += group["cases"]
    copies = [group for group in groups if _is_copy_group(group)]
    return SiteFigure(
        host=host,
        cases={status: cases[status] for status in CaseStatus if status in cases},
        gone=sum(copy["cases"] for copy in copies if copy["_id"].get("present") is False),
        works=len(set().union(*(copy["works"] for copy in copies))),
        mean_share_of_page=sum(copy["share"] for copy in copies) / sum(copy["cases"] for copy in copies),
        notices=reaction["notices"],
        days_to_removal=reaction["days"],
    )


def _is_copy_group(group: Document) -> bool:
    return group["_id"]["status"] in COPY_STATUS_FILTER["$in"] and group["_id"]["licensed"] is False


_GAP_LENGTH: Final = {"$subtract": [{"$last": "$$gap"}, {"$first": "$$gap"}]}
# Of the work: what a page strews in (marks that nobody sees) is paid to nobody.
_GAP_LENGTHS: Final = {"$map": {"input": {"$ifNull": ["$$one.work_gaps", []]}, "as": "gap", "in": _GAP_LENGTH}}
_SPAN_LENGTH: Final = {"$subtract": ["$$one.work_end", "$$one.work_start"]}
_PASSAGE_LENGTH: Final = {"$subtract": [_SPAN_LENGTH, {"$sum": _GAP_LENGTHS}]}
_UNCOUNTED_LENGTH: Final = {"$sum": {"$map": {"input": "$match.passages", "as": "one", "in": _PASSAGE_LENGTH}}}
# Without white space; of a case that is still to be counted its white space counts as well.
_COPIED_CHARACTERS: Final = {"$ifNull": ["$match.copied_of_work", _UNCOUNTED_LENGTH]}


def work_taking_stages(noticed: Document, removed: Document) -> Sequence[Document]:
    """Stages over cases; given when the last notice of a case was sent, and when it was found removed."""
    days = {"$divide": [{"$subtract": ["$removed", "$noticed"]}, MILLISECONDS_PER_DAY]}
    return (
        {
            "$project": {
                "work_id": 1,
                "work_title": 1,
                "share": "$match.share_of_work",
                "characters": _COPIED_CHARACTERS,
                "confirmed": {"$in": ["$status", CONFIRMED_STATUS_FILTER["$in"]]},
                "seen": {"$min": ["$opened_at", "$capture.fetched_at"]},
                "noticed": {"$ifNull": [noticed, None]},
                "removed": {"$ifNull": [removed, None]},
            }
        },
        {
            "$group": {
                "_id": "$work_id",
                "title": {"$max": "$work_title"},
                "copies": {"$sum": 1},
                "confirmed": _sum_if("$confirmed", 1),
                "characters": {"$sum": "$characters"},
                "confirmed_characters": _sum_if("$confirmed", "$characters"),
                "largest_share": {"$max": "$share"},
                "seen": {"$min": "$seen"},
                "first_notice": {"$min": "$noticed"},
                "noticed": _sum_if({"$ne": ["$noticed", None]}, 1),
                "removed": _sum_if({"$ne": [{"$ifNull": [days, None]}, None]}, 1),
                "days": {"$sum": days},
                "fastest": {"$min": days},
                "slowest": {"$max": days},
            }
        },
        {"$sort": {"characters": -1, "_id": 1}},
    )


def merge_work_takings(groups: Sequence[Document]) -> SiteTaking:
    """What the stages gave, as one."""
    removed = sum(group["removed"] for group in groups)
    return SiteTaking(
        works=tuple(map(_make_work_taking, groups)),
        first_seen=min((group["seen"] for group in groups), default=None),
        first_notice=min(_known_values(groups, "first_notice"), default=None),
        noticed=sum(group["noticed"] for group in groups),
        removed=removed,
        days_fastest=min(_known_values(groups, "fastest"), default=None),
        days_mean=sum(group["days"] for group in groups) / removed if removed else None,
        days_slowest=max(_known_values(groups, "slowest"), default=None),
    )


def _make_work_taking(group: Document) -> WorkTaking:
    return WorkTaking(
        work_id=group["_id"],
        title=group["title"],
        copies=group["copies"],
        confirmed=group["confirmed"],
        characters=group["characters"],
        confirmed_characters=group["confirmed_characters"],
        largest_share=group["largest_share"],
    )


def _known_values(groups: Sequence[Document], name: str) -> list[Any]:
    return [group[name] for group in groups if group[name] is not None]


def _sum_if(condition: Document | str, value: str | int) -> Document:
    return {"$sum": {"$cond": [condition, value, 0]}}
