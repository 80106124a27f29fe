"""Sums over the texts of pages: a document for each day and site, and one for each day of all sites."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from pymongo import UpdateOne
from pymongo.database import Database

from store.mongo.engine.codec import Document
from store.mongo.engine.table import Declared, Table, index
from store.mongo.web.templates import LOSSY
from store.records import TextDay, TextFigures, TextSeen, TextSite
from store.rules.china_time import day_of
from store.rules.web.text_groups import charset_of, language_of, length_of

ALL: Final = ""  # in place of a site
_GROUPS: Final = ("lengths", "languages", "scripts", "charsets")
_NUMBER: Final[Document] = {"bsonType": ["int", "long"]}
TEXT_TALLIES: Final = Declared(
    name="text_tallies",
    schema={
        "bsonType": "object",
        "required": ["_id", "day", "site"],
        "properties": {
            "_id": {"bsonType": "string"},
            "day": {"bsonType": "string"},  # of China, in the form of ISO 8601
            "site": {"bsonType": "string"},
            "new": _NUMBER,
            "changed": _NUMBER,
            **{name: {"bsonType": "object"} for name in _GROUPS},
        },
    },
    indexes=(index("site", "day"), index("day", "site", "new", "changed")),
)


class MongoTextTallies:
    """Sums by day and site. What is unknown is counted under `_`, as MongoDB has no empty names."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, TEXT_TALLIES, address)

    def count(self, seen: Sequence[TextSeen], at: datetime) -> None:
        day = day_of(at).isoformat()
        sums: dict[str, Counter[str]] = {}
        for one in seen:
            for site in (ALL, one.site):
                sums.setdefault(site, Counter()).update(_counted(one))
        self.table.write_all([self._adding(day, site, counts) for site, counts in sums.items()], concern=LOSSY)

    def figures(self, first: date, last: date, *, site: str | None = None, top: int = 20) -> TextFigures:
        days = {"$gte": first.isoformat(), "$lte": last.isoformat()}
        found = self.table.some({"site": site or ALL, "day": days}, sort=[("day", 1)])
        sums = {name: _sum(found, name) for name in _GROUPS}
        lengths = {int(name): count for name, count in sums["lengths"].items()}
        return TextFigures(
            since=self._since(),
            new=sum(one.get("new", 0) for one in found),
            changed=sum(one.get("changed", 0) for one in found),
            days=[
                TextDay(day=date.fromisoformat(one["day"]), new=one.get("new", 0), changed=one.get("changed", 0))
                for one in found
            ],
            sites=self._sites(days, site, top),
            lengths=dict(sorted(lengths.items())),
            languages=_ranked(sums["languages"]),
            scripts=_ranked(sums["scripts"]),
            charsets=_ranked(sums["charsets"]),
        )

    def _since(self) -> date | None:
        first = self.table.some({"site": ALL}, sort=[("day", 1)], limit=1, fields={"day": 1})
        return date.fromisoformat(first[0]["day"]) if first else None

    def _sites(self, days: Document, site: str | None, top: int) -> list[TextSite]:
        totals: list[Document] = [
            {"$match": {"day": days, "site": site if site else {"$gt": ALL}}},
            {"$group": {"_id": "$site", "new": {"$sum": "$new"}, "changed": {"$sum": "$changed"}}},
            {"$sort": {"new": -1, "changed": -1, "_id": 1}},
            {"$limit": top},
        ]
        return [
            TextSite(site=one["_id"], new=one["new"], changed=one["changed"]) for one in self.table.aggregate(totals)
        ]

    def _adding(self, day: str, site: str, counts: Mapping[str, int]) -> UpdateOne:
        change: Document = {"$inc": dict(counts), "$setOnInsert": {"day": day, "site": site}}
        return self.table.upserting({"_id": f"{day}/{site}"}, change)


def _counted(one: TextSeen) -> list[str]:
    return [
        "new" if one.new else "changed",
        f"lengths.{length_of(one.length)}",
        f"languages.{language_of(one.language) or '_'}",
        f"scripts.{one.script or '_'}",
        f"charsets.{charset_of(one.charset) or '_'}",
    ]


def _sum(found: Sequence[Document], name: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in found:
        total.update(one.get(name, {}))
    return total


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return {"" if name == "_" else name: count for name, count in counts.most_common()}
