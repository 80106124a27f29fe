"""Store template lines of hosts, statistics of texts, and texts read from pictures."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, NamedTuple

from bson.regex import Regex
from pymongo import UpdateOne, WriteConcern

from crawler.extraction.model import PictureText
from wenhen.kit.clock import Clock, china_day
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, Repository, Table, TableSpec, field_index
from wenhen.pages.model import LearnedLines, TextDay, TextFigures, TextSeen, TextSite
from wenhen.pages.rules import charset_group, language_group, length_group

# Lossy counting of lines that repeat across the pages of one host (Manku and Motwani, "Approximate Frequency Counts
# over Data Streams", VLDB 2002). After every BUCKET_PAGES pages of a host, lines with a low count are dropped. A line
# on more than one page in BUCKET_PAGES stays, its count is too low by at most pages / BUCKET_PAGES, and the space per
# host is bounded.


BUCKET_PAGES = 200  # pages
# Most lines of a batch are on one page of it and never come again. To insert and to delete a document for each is a
# third of what MongoDB does for the page. So lines that a batch brings once are stored in one document, a pack, and are
# counted and dropped as if each had its own. A line that comes again gets its own.
MIN_PACKED_PAGES = 5  # new pages of a host; smaller batches would leave many packs, and each later batch reads all
MAX_PACKED_LINES = 10_000  # lines of a pack
LOSSY_WRITES = WriteConcern(w=1)  # losing a count in a crash does no harm

TEMPLATE_HOSTS = TableSpec(
    name="template_hosts",
    schema={
        "bsonType": "object",
        "required": ["_id", "pages"],
        "properties": {
            "_id": {"bsonType": "string"},
            "pages": {"bsonType": ["int", "long"]},
            "learned_at": {"bsonType": "date"},
            "changed_at": {"bsonType": ["date", "null"]},
        },
    },
    indexes=(field_index("changed_at"),),
)
TEMPLATE_LINES = TableSpec(
    name="template_lines",
    schema={
        "bsonType": "object",
        "required": ["_id", "host", "pages", "born"],
        "properties": {
            "_id": {"bsonType": "string"},
            "host": {"bsonType": "string"},
            "pages": {"bsonType": ["int", "long"]},
            "born": {"bsonType": ["int", "long"]},
            "seen_at": {"bsonType": "date"},
            "lines": {"bsonType": "string"},  # only of a pack: its lines, each on a row
        },
    },
    dropped=("host_1_seen_at_1",),
)


PageLines = tuple[str, Collection[str]]  # the key of the text of a page, and the keys of its lines


class _KnownLines(NamedTuple):
    """Counted lines of a host. counts: number of pages by line. packed: buckets of those that are in packs alone."""

    counts: dict[str, int]
    packed: dict[str, int]


@dataclass(slots=True)
class _HostBatch:
    """Pages of a host whose lines are counted.

    new: for each whether it is counted. on: number of new pages by line. pages: counted pages of the host, these too.
    """

    host: str
    known: _KnownLines
    new: list[bool]
    on: Counter[str]
    asked: set[str]
    pages: int = 0

    @classmethod
    def count(cls, host: str, pages: Sequence[PageLines], known: _KnownLines) -> "_HostBatch":
        """Count the pages that have lines, and a text that no page before has."""
        new: list[bool] = []
        on: Counter[str] = Counter()
        texts: set[str] = set()
        for text, lines in pages:
            new.append(bool(lines) and text not in known.counts and text not in texts)
            if new[-1]:
                texts.add(text)
                on.update({*lines, text})
        return cls(host, known, new, on, {line for _, lines in pages for line in lines})

    @property
    def bucket(self) -> int:
        """Return the bucket of these pages."""
        return self.pages // BUCKET_PAGES

    def counts(self) -> dict[str, int]:
        """Return the page counts of the lines. Those of concurrent workers are missing, so none is too high."""
        known = self.known.counts
        return {line: known.get(line, 0) + self.on[line] for line in self.asked if line in known or line in self.on}

    def stored_counts(self) -> dict[str, int]:
        """Return what is added to lines that have documents."""
        stored = self.known.counts.keys() - self.known.packed.keys()
        return {line: self.on[line] for line in sorted(self.on.keys() & stored)}

    def new_documents(self, now: datetime) -> Iterator[tuple[Document, dict[str, int]]]:
        """Yield the documents of lines that have none, each with what it adds to the counts of its lines."""
        known, packed = self.known
        born = [line for line in sorted(self.on) if line not in known or line in packed]
        together: list[str] = []
        if sum(self.new) >= MIN_PACKED_PAGES:
            together = [line for line in born if self.on[line] == 1 and line not in known][:MAX_PACKED_LINES]
        if together:
            pack = {
                "_id": _pack_key(self.host, self.pages),
                "pages": 1,
                "born": self.bucket,
                "lines": "\n".join(together),
            }
            yield {**pack, "host": self.host, "seen_at": now}, dict.fromkeys(together, 1)
        for line in sorted({*born}.difference(together)):
            yield (
                {
                    "_id": _line_key(self.host, line),
                    "host": self.host,
                    "pages": self.on[line] + known.get(line, 0),
                    "born": packed.get(line, self.bucket),
                    "seen_at": now,
                },
                {line: self.on[line]},
            )


class Templates:
    """Store hosts by name, and lines by host and key."""

    def __init__(self, database: OpenDatabase, clock: Clock) -> None:
        self.hosts_table = Table(database, TEMPLATE_HOSTS)
        self.lines_table = Table(database, TEMPLATE_LINES)
        self._clock = clock

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:
        """Count the lines of a new page, given by their keys. Another page with the same `text` is not counted.

        least: page count at which a line becomes part of the template. Reaching it records a template change.
        """
        learned = self.learn_all({host: [(text, lines)]})[host]
        if any(learned.new) and least in learned.counts.values():
            self.note_changed(host)

    def learn_all(self, pages: Mapping[str, Sequence[PageLines]]) -> dict[str, LearnedLines]:
        """Count the lines of several new pages by host. Does not record template changes.

        The hosts share all queries except the one that counts their pages.
        """
        now = to_milliseconds(self._clock())
        known = self._known(
            {host: {key for text, keys in some for key in (text, *keys)} for host, some in pages.items()}
        )
        batches = [_HostBatch.count(host, some, known[host]) for host, some in pages.items()]
        for batch in batches:
            batch.pages = self._count_pages(batch.host, sum(batch.new), now)
        self._count_lines(batches, now)
        for batch in batches:
            if batch.pages % BUCKET_PAGES < sum(batch.new):
                dropped = {"$expr": {"$lte": [{"$add": ["$pages", "$born"]}, batch.bucket]}}
                self.lines_table.delete({**_host_lines_filter(batch.host), **dropped})
        return {batch.host: LearnedLines(batch.new, batch.pages, batch.counts()) for batch in batches}

    def _known(self, lines: Mapping[str, Collection[str]]) -> dict[str, _KnownLines]:
        """Return the counted ones among these lines by host.

        The document of a line counts all of its pages, so packs count only for lines without one.
        """
        wanted = {_line_key(host, line): (host, line) for host, some in lines.items() for line in some}
        known: dict[str, _KnownLines] = {host: _KnownLines({}, {}) for host in lines}
        packs: list[Document] = []
        for document in self.lines_table.some(
            {"_id": {"$in": [*wanted, *map(_pack_pattern, lines)]}},
            fields={"host": 1, "pages": 1, "born": 1, "lines": 1},
        ):
            if "lines" in document:
                packs.append(document)
            else:
                host, line = wanted[document["_id"]]
                known[host].counts[line] = int(document["pages"])
        asked = {host: set(some) - known[host].counts.keys() for host, some in lines.items()}
        for pack in packs:
            counts, born = known[pack["host"]]
            for line in asked[pack["host"]].intersection(pack["lines"].split("\n")):
                counts[line] = counts.get(line, 0) + 1
                born[line] = min(born.get(line, pack["born"]), pack["born"])
        return known

    def _count_pages(self, host: str, new: int, now: datetime) -> int:
        """Add new pages of a host, and return how many were counted."""
        if not new:
            return self.pages(host)
        document = self.hosts_table.find_and_change(
            {"_id": host},
            {"$inc": {"pages": new}, "$set": {"learned_at": now}},
            upsert=True,
            concern=LOSSY_WRITES,
        )
        assert document is not None
        return int(document["pages"])

    def _count_lines(self, batches: Sequence[_HostBatch], now: datetime) -> None:
        """Add the counts. Nearly all lines are new and are inserted in bulk."""
        born = [(batch, *made) for batch in batches for made in batch.new_documents(now)]
        taken = self.lines_table.add_all([document for _, document, _ in born], concern=LOSSY_WRITES)
        again = [(batch, batch.stored_counts()) for batch in batches]
        again += [(batch, counts) for batch, _, counts in (born[index] for index in sorted(taken))]
        upserts = [
            self.lines_table.upsert_of(
                {"_id": _line_key(batch.host, line)},
                {
                    "$inc": {"pages": count},
                    "$set": {"seen_at": now},
                    "$setOnInsert": {"host": batch.host, "born": batch.bucket},
                },
            )
            for batch, counts in again
            for line, count in counts.items()
        ]
        self.lines_table.write_all(upserts, concern=LOSSY_WRITES)

    def note_changed(self, host: str) -> None:
        """Record that the template of the host has grown."""
        self.hosts_table.update({"_id": host}, {"$set": {"changed_at": to_milliseconds(self._clock())}})

    def pages(self, host: str) -> int:
        """Return how many pages of the host were counted."""
        return self.all_pages([host])[host]

    def all_pages(self, hosts: Collection[str]) -> dict[str, int]:
        """Return how many pages of each host were counted."""
        documents = self.hosts_table.some({"_id": {"$in": list(hosts)}}, fields={"pages": 1}) if hosts else []
        return dict.fromkeys(hosts, 0) | {document["_id"]: int(document["pages"]) for document in documents}

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        """Return the page count of each counted line. A count is never too high.

        Lines that were on one page only may be missing.
        """
        return self.all_counts({host: lines})[host]

    def all_counts(self, lines: Mapping[str, Collection[str]]) -> dict[str, dict[str, int]]:
        """Return by host what `counts` does."""
        wanted = {_line_key(host, line): (host, line) for host, some in lines.items() for line in some}
        counts: dict[str, dict[str, int]] = {host: {} for host in lines}
        if wanted:
            for document in self.lines_table.some({"_id": {"$in": list(wanted)}}, fields={"pages": 1}):
                host, line = wanted[document["_id"]]
                counts[host][line] = int(document["pages"])
        return counts

    def changed_hosts(self, before: datetime) -> list[str]:
        """Return the hosts whose last template change is before `before`."""
        late = {"changed_at": {"$ne": None, "$lt": to_milliseconds(before)}}
        return [document["_id"] for document in self.hosts_table.some(late, fields={"_id": 1})]

    def mark_applied(self, host: str, moment: datetime) -> None:
        """Record that the template changes up to `moment` are applied."""
        done = {"_id": host, "changed_at": {"$lte": to_milliseconds(moment)}}
        self.hosts_table.update(done, {"$set": {"changed_at": None}})

    def forget(self, before: datetime) -> None:
        """Drop lines that were not counted since `before`, on hosts that had new pages since."""
        recent = {"learned_at": {"$gte": to_milliseconds(before)}}
        for host in self.hosts_table.some(recent, fields={"_id": 1}):
            self.lines_table.delete({**_host_lines_filter(host["_id"]), "seen_at": {"$lt": to_milliseconds(before)}})


def _host_lines_filter(host: str) -> Document:
    """Return the filter for the lines of a host, by id prefix."""
    return {"_id": {"$gte": f"{host} ", "$lt": f"{host}!"}}


def _line_key(host: str, line: str) -> str:
    return f"{host} {line}"


def _pack_key(host: str, pages: int) -> str:
    """Return the id of the pack that a batch leaves. pages: counted pages of the host, other ones for each batch."""
    return f"{host} +{pages}"  # a line key has no plus sign


def _pack_pattern(host: str) -> Regex[str]:
    """Return the pattern of the ids of all packs of a host. MongoDB looks such a prefix up in the index."""
    return Regex(f"^{re.escape(f'{host} +')}")


# Text statistics: one document per day and site, and one per day for all sites.


ALL_SITES: Final = ""  # stands for all sites
_TALLY_GROUPS: Final = ("lengths", "languages", "scripts", "charsets")
_NUMBER_SCHEMA: Final[Document] = {"bsonType": ["int", "long"]}
TEXT_TALLIES: Final = TableSpec(
    name="text_tallies",
    schema={
        "bsonType": "object",
        "required": ["_id", "day", "site"],
        "properties": {
            "_id": {"bsonType": "string"},
            "day": {"bsonType": "string"},  # ISO 8601, in the time zone of China
            "site": {"bsonType": "string"},
            "new": _NUMBER_SCHEMA,
            "changed": _NUMBER_SCHEMA,
            **{name: {"bsonType": "object"} for name in _TALLY_GROUPS},
        },
    },
    indexes=(field_index("site", "day"), field_index("day", "site", "new", "changed")),
)


class TextTallies(Repository):
    """Store sums by day and site. `_` stands for unknown, because MongoDB has no empty field names."""

    declared = TEXT_TALLIES

    def count(self, seen: Sequence[TextSeen], moment: datetime) -> None:
        """Add the texts to the sums of the day. A crash may lose counts, which is acceptable for statistics."""
        day = china_day(moment).isoformat()
        sums: dict[str, Counter[str]] = {}
        for seen_text in seen:
            for site in (ALL_SITES, seen_text.site):
                sums.setdefault(site, Counter()).update(_counted_fields(seen_text))
        self.table.write_all(
            [self._upsert_counts(day, site, counts) for site, counts in sums.items()], concern=LOSSY_WRITES
        )

    def figures(self, first: date, last: date, *, site: str | None = None, top: int = 20) -> TextFigures:
        """Return the statistics of these days, both inclusive, for one site or all.

        top: maximum number of sites, those with the most texts first.
        """
        days = {"$gte": first.isoformat(), "$lte": last.isoformat()}
        documents = self.table.some({"site": site or ALL_SITES, "day": days}, sort=[("day", 1)])
        sums = {name: _sum_group(documents, name) for name in _TALLY_GROUPS}
        lengths = {int(name): count for name, count in sums["lengths"].items()}
        return TextFigures(
            since=self._since(),
            new=sum(document.get("new", 0) for document in documents),
            changed=sum(document.get("changed", 0) for document in documents),
            days=[
                TextDay(
                    day=date.fromisoformat(document["day"]),
                    new=document.get("new", 0),
                    changed=document.get("changed", 0),
                )
                for document in documents
            ],
            sites=self._sites(days, site, top),
            lengths=dict(sorted(lengths.items())),
            languages=_rank_counts(sums["languages"]),
            scripts=_rank_counts(sums["scripts"]),
            charsets=_rank_counts(sums["charsets"]),
        )

    def _since(self) -> date | None:
        first = self.table.some({"site": ALL_SITES}, sort=[("day", 1)], limit=1, fields={"day": 1})
        return date.fromisoformat(first[0]["day"]) if first else None

    def _sites(self, days: Document, site: str | None, top: int) -> list[TextSite]:
        totals: list[Document] = [
            {"$match": {"day": days, "site": site if site else {"$gt": ALL_SITES}}},
            {"$group": {"_id": "$site", "new": {"$sum": "$new"}, "changed": {"$sum": "$changed"}}},
            {"$sort": {"new": -1, "changed": -1, "_id": 1}},
            {"$limit": top},
        ]
        return [
            TextSite(site=document["_id"], new=document["new"], changed=document["changed"])
            for document in self.table.aggregate(totals)
        ]

    def _upsert_counts(self, day: str, site: str, counts: Mapping[str, int]) -> UpdateOne:
        change: Document = {"$inc": dict(counts), "$setOnInsert": {"day": day, "site": site}}
        return self.table.upsert_of({"_id": f"{day}/{site}"}, change)


def _counted_fields(seen_text: TextSeen) -> list[str]:
    return [
        "new" if seen_text.new else "changed",
        f"lengths.{length_group(seen_text.length)}",
        f"languages.{language_group(seen_text.language) or '_'}",
        f"scripts.{seen_text.script or '_'}",
        f"charsets.{charset_group(seen_text.charset) or '_'}",
    ]


def _sum_group(documents: Sequence[Document], name: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for document in documents:
        total.update(document.get(name, {}))
    return total


def _rank_counts(counts: Counter[str]) -> dict[str, int]:
    return {"" if name == "_" else name: count for name, count in counts.most_common()}


PICTURE_TEXTS = TableSpec(name="picture_texts", schema=schema_of(PictureText))


class PictureTexts(Repository):
    """Store OCR results, one document per picture."""

    declared = PICTURE_TEXTS

    def put(self, text: PictureText) -> None:
        """Store an OCR result in place of an earlier one."""
        self.table.put(to_document(text))

    def read_already(self, ids: Collection[str]) -> dict[str, PictureText]:
        """Return the stored results among these ids."""
        return self._by_id({"_id": {"$in": list(ids)}}) if ids else {}

    def of_document(self, digest: str) -> dict[str, PictureText]:
        """Return the results for the scanned pages of a PDF file by id."""
        return self._by_id({"_id": {"$gte": f"{digest}:", "$lt": f"{digest};"}})  # ";" follows ":" in ASCII

    def _by_id(self, which: Document) -> dict[str, PictureText]:
        return {document["_id"]: from_document(PictureText, document) for document in self.table.some(which)}
