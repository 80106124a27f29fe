"""Build the MongoDB stages for figures of sites, of the text that their copies took, of months and of money."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from wenhen.analysis.model import MoneyFigure, MonthFigure, SiteFigure, SiteTaking, WorkTaking
from wenhen.cases.case_queries import CONFIRMED_STATUS_FILTER, COPY_STATUS_FILTER, MILLISECONDS_PER_DAY
from wenhen.cases.model import CaseStatus
from wenhen.kit.clock import CHINA
from wenhen.kit.mongo.codec import Document

# Figures of sites: the cases of each host, grouped by equal fields, and the results of notices.


# Counting each status over all cases would take longer than merging these groups.
SITE_SUMS: Final[Document] = {
    "cases": {"$sum": 1},
    "works": {"$addToSet": "$work_id"},
    "share": {"$sum": "$match.share_of_page"},
}
_NO_REACTIONS: Final[Document] = {"notices": 0, "days": None}


def group_by_host_stage(host: Document | str, removed_works: Sequence[str]) -> Document:
    """Return the stage that groups the cases. host: expression for the host of a case.

    Pages are no longer compared with removed works, so their copies do not count as gone.
    """
    present = {"$or": ["$present", {"$in": ["$work_id", removed_works]}]}
    key = {"host": host, "status": "$status", "licensed": "$licensed", "present": present}
    return {"$group": {"_id": key, **SITE_SUMS}}


def make_site_figures(groups: Sequence[Document], reactions: Mapping[str, Document], limit: int) -> list[SiteFigure]:
    """Return the figures of the hosts with the most copies.

    reactions: number of notices, and mean days to a removal, by host.
    """
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
# Lengths in the work: invisible marks that a page inserts are not paid for.
_GAP_LENGTHS: Final = {"$map": {"input": {"$ifNull": ["$$one.work_gaps", []]}, "as": "gap", "in": _GAP_LENGTH}}
_SPAN_LENGTH: Final = {"$subtract": ["$$one.work_end", "$$one.work_start"]}
_PASSAGE_LENGTH: Final = {"$subtract": [_SPAN_LENGTH, {"$sum": _GAP_LENGTHS}]}
_UNCOUNTED_LENGTH: Final = {"$sum": {"$map": {"input": "$match.passages", "as": "one", "in": _PASSAGE_LENGTH}}}
# Without white space; cases that are not counted yet include it.
_COPIED_CHARACTERS: Final = {"$ifNull": ["$match.copied_of_work", _UNCOUNTED_LENGTH]}


def work_taking_stages(noticed: Document, removed: Document) -> Sequence[Document]:
    """Return the stages over cases. noticed, removed: expressions for the time of the last notice, and of the
    removal.
    """
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
    """Merge the groups of these stages."""
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


# Figures of months: the moves of cases, by the month in which each was made.


# The states that are counted, each with the field of its number and that of its mean days.
COUNTED_MOVES: Final[Mapping[CaseStatus, tuple[str, str]]] = {
    CaseStatus.CONFIRMED: ("confirmed", "days_to_confirmation"),
    CaseStatus.NOTICE_SENT: ("notice_sent", "days_to_notice"),
    CaseStatus.REMOVED: ("removed", "days_to_removal"),
}
MOVE_MONTH: Final = {"$dateToString": {"format": "%Y-%m-01", "date": "$history.at", "timezone": CHINA.key}}
_MOVE_BEGIN: Final = {
    "$cond": [{"$eq": ["$history.status", CaseStatus.REMOVED.value]}, "$noticed", "$opened_at"]
}  # the time from which the days until a move count
MOVE_FIGURES: Final[Document] = {
    "moves": {"$sum": 1},
    "days": {"$avg": {"$divide": [{"$subtract": ["$history.at", _MOVE_BEGIN]}, MILLISECONDS_PER_DAY]}},
}


def make_month_figures(found: Mapping[date, int], groups: Sequence[Document], person: str | None) -> list[MonthFigure]:
    """Return the figures by month, the earliest first.

    found: opened cases by month. groups: moves by month and status.
    """
    months: dict[date, dict[str, Any]] = {month: {"found": count} for month, count in found.items()}
    for group in groups:
        month = months.setdefault(date.fromisoformat(group["_id"]["month"]), {"found": None if person else 0})
        number, days = COUNTED_MOVES[CaseStatus(group["_id"]["status"])]
        month |= {number: group["moves"], days: group["days"]}
    return [MonthFigure(month=month, **months[month]) for month in sorted(months)]


# Figures of money: the amounts of cases, by month, holder and currency.


AMOUNT_SUMS: Final[Sequence[Document]] = (
    {
        "$group": {
            "_id": {
                "case": "$case_number",
                "month": {"$concat": [{"$substrCP": ["$day", 0, 7]}, "-01"]},
                "currency": "$currency",
                "kind": "$kind",
            },
            "cents": {"$sum": "$cents"},
        }
    },
)


def make_money_figures(groups: Sequence[Document], holders: Mapping[int, str | None] | None) -> list[MoneyFigure]:
    """Return the sums by month, holder and currency, the earliest first; without holders by currency alone.

    groups: of `AMOUNT_SUMS`. holders: owner of the work of each case to count.
    """
    sums: dict[tuple[str, str, str], Counter[str]] = {}
    for group in groups:
        key = group["_id"]
        if holders is None:
            row = ("", "", key["currency"])
        elif key["case"] in holders:
            row = (key["month"], holders[key["case"]] or "", key["currency"])
        else:
            continue
        sums.setdefault(row, Counter())[key["kind"]] += group["cents"]
    return [
        MoneyFigure(
            month=date.fromisoformat(month) if month else None,
            holder=holder or None,
            currency=currency,
            **{kind: cents / 100 for kind, cents in sums[month, holder, currency].items()},
        )
        for month, holder, currency in sorted(sums)
    ]
