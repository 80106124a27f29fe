"""How much the copies on some hosts took, work by work."""

from collections.abc import Sequence
from typing import Any, Final

from store.mongo.cases.case_query import CONFIRMED, DAY
from store.mongo.engine.codec import Document
from store.records import SiteTaking, WorkTaking

_GAP: Final = {"$subtract": [{"$last": "$$gap"}, {"$first": "$$gap"}]}
# Of the work: what a page strews in (marks that nobody sees) is paid to nobody.
_GAPS: Final = {"$map": {"input": {"$ifNull": ["$$one.work_gaps", []]}, "as": "gap", "in": _GAP}}
_WHOLE: Final = {"$subtract": ["$$one.work_end", "$$one.work_start"]}
_LENGTH: Final = {"$subtract": [_WHOLE, {"$sum": _GAPS}]}
_CHARACTERS: Final = {"$sum": {"$map": {"input": "$match.passages", "as": "one", "in": _LENGTH}}}


def by_work(noticed: Document, removed: Document) -> Sequence[Document]:
    """Stages over cases; given when the last notice of a case was sent, and when it was found removed."""
    days = {"$divide": [{"$subtract": ["$removed", "$noticed"]}, DAY]}
    return (
        {
            "$project": {
                "work_id": 1,
                "work_title": 1,
                "share": "$match.share_of_work",
                "characters": _CHARACTERS,
                "confirmed": {"$in": ["$status", CONFIRMED["$in"]]},
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


def together(groups: Sequence[Document]) -> SiteTaking:
    """What the stages gave, as one."""
    removed = sum(group["removed"] for group in groups)
    return SiteTaking(
        works=tuple(map(_work, groups)),
        first_seen=min((group["seen"] for group in groups), default=None),
        first_notice=min(_known(groups, "first_notice"), default=None),
        noticed=sum(group["noticed"] for group in groups),
        removed=removed,
        days_fastest=min(_known(groups, "fastest"), default=None),
        days_mean=sum(group["days"] for group in groups) / removed if removed else None,
        days_slowest=max(_known(groups, "slowest"), default=None),
    )


def _work(group: Document) -> WorkTaking:
    return WorkTaking(
        work_id=group["_id"],
        title=group["title"],
        copies=group["copies"],
        confirmed=group["confirmed"],
        characters=group["characters"],
        confirmed_characters=group["confirmed_characters"],
        largest_share=group["largest_share"],
    )


def _known(groups: Sequence[Document], name: str) -> list[Any]:
    return [group[name] for group in groups if group[name] is not None]


def _sum_if(condition: Document | str, value: str | int) -> Document:
    return {"$sum": {"$cond": [condition, value, 0]}}
