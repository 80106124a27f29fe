"""Store template lines of hosts, statistics of texts, and texts read from pictures."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from datetime import date, datetime
from typing import Final

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
# Most lines of a batch are on one page of it and never come again. A document for each is a sixth of what MongoDB does
# for the page. So lines that a large batch brings once are stored in one document, a pack, and are counted and dropped
# as if each had its own. A line that comes again gets its own.
MIN_PACKED_PAGES = 40  # pages of a batch; smaller ones would leave many packs, and each later batch reads all
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
        learned = self.learn_all(host, [(text, lines)])
        if any(learned.new) and least in learned.counts.values():
            self.note_changed(host)

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> LearnedLines:
        """Count the lines of several new pages, given as (text, lines). Does not record template changes."""
        every = {line for _, lines in pages for line in lines}
        known, packed = self._known(host, every.union(text for text, _ in pages))
        new = _find_new_pages(pages, known)
        counted = [{*lines, text} for (text, lines), is_new in zip(pages, new, strict=True) if is_new]
        if not counted:
            return LearnedLines(new, self.pages(host), {line: known[line] for line in every & known.keys()})
        now = to_milliseconds(self._clock())
        document = self.hosts_table.find_and_change(
            {"_id": host}, {"$inc": {"pages": len(counted)}, "$set": {"learned_at": now}}, upsert=True
        )
        assert document is not None
        bucket = document["pages"] // BUCKET_PAGES
        on = Counter(line for lines in counted for line in lines)
        once = {line for line in on if on[line] == 1 and line not in known}
        stored = self._pack(host, once, document["pages"], now) if len(counted) >= MIN_PACKED_PAGES else set()
        left = {line: count for line, count in on.items() if line not in stored}
        self._count(host, left, known, packed, bucket, now)
        if document["pages"] % BUCKET_PAGES < len(counted):
            self.lines_table.delete(
                {**_host_lines_filter(host), "$expr": {"$lte": [{"$add": ["$pages", "$born"]}, bucket]}}
            )
        # Counts by concurrent workers are missing, so a count is never too high.
        counts = {line: known.get(line, 0) + on[line] for line in every if line in known or line in on}
        return LearnedLines(new, document["pages"], counts)

    def _known(self, host: str, lines: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
        """Return the page count of each counted line, and the buckets of those that are in packs alone.

        The document of a line counts all of its pages, so packs count only for lines without one.
        """
        wanted = {_line_key(host, line): line for line in lines}
        known: dict[str, int] = {}
        packs: list[Document] = []
        for document in self.lines_table.some(
            {"_id": {"$in": [*wanted, *_pack_keys(host)]}}, fields={"pages": 1, "born": 1, "lines": 1}
        ):
            if "lines" in document:
                packs.append(document)
            else:
                known[wanted[document["_id"]]] = int(document["pages"])
        in_packs: Counter[str] = Counter()
        born: dict[str, int] = {}
        asked = set(lines) - known.keys()
        for pack in packs:
            for line in asked.intersection(pack["lines"].split("\n")):
                in_packs[line] += 1
                born[line] = min(born.get(line, pack["born"]), pack["born"])
        return known | in_packs, born

    def _pack(self, host: str, lines: Collection[str], pages: int, now: datetime) -> set[str]:
        """Store lines that are on one page each in one document. Return those stored; none if its place is taken.

        pages: counted pages of the host. Batches that follow each other have other places, as they are large.
        """
        some = sorted(lines)[:MAX_PACKED_LINES]
        bucket, place = divmod(pages, BUCKET_PAGES)
        document: Document = {
            "_id": _pack_key(host, bucket % 2, place // MIN_PACKED_PAGES),
            "host": host,
            "pages": 1,
            "born": bucket,
            "seen_at": now,
            "lines": "\n".join(some),
        }
        taken = self.lines_table.add_all([document], concern=LOSSY_WRITES)
        return set() if taken else set(some)

    def _count(
        self,
        host: str,
        on: Mapping[str, int],
        known: Mapping[str, int],
        packed: Mapping[str, int],
        bucket: int,
        now: datetime,
    ) -> None:
        """Add the counts. Nearly all lines are new and are inserted in bulk.

        packed: the buckets of lines that have no documents of their own yet.
        """
        born = [line for line in sorted(on) if line not in known or line in packed]
        documents: list[Document] = [
            {
                "_id": _line_key(host, line),
                "host": host,
                "pages": on[line] + known.get(line, 0),
                "born": packed.get(line, bucket),
                "seen_at": now,
            }
            for line in born
        ]
        taken = self.lines_table.add_all(documents, concern=LOSSY_WRITES)
        upserts = [
            self.lines_table.upsert_of(
                {"_id": _line_key(host, line)},
                {"$inc": {"pages": on[line]}, "$set": {"seen_at": now}, "$setOnInsert": {"host": host, "born": bucket}},
            )
            for line in [
                *sorted((on.keys() & known.keys()) - packed.keys()),
                *(born[index] for index in sorted(taken)),
            ]
        ]
        self.lines_table.write_all(upserts, concern=LOSSY_WRITES)

    def note_changed(self, host: str) -> None:
        """Record that the template of the host has grown."""
        self.hosts_table.update({"_id": host}, {"$set": {"changed_at": to_milliseconds(self._clock())}})

    def pages(self, host: str) -> int:
        """Return how many pages of the host were counted."""
        document = self.hosts_table.one({"_id": host}, fields={"pages": 1})
        return int(document["pages"]) if document else 0

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        """Return the page count of each counted line. A count is never too high.

        Lines that were on one page only may be missing.
        """
        wanted = {_line_key(host, line): line for line in lines}
        documents = self.lines_table.some({"_id": {"$in": list(wanted)}}, fields={"pages": 1})
        return {wanted[document["_id"]]: int(document["pages"]) for document in documents}

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


def _find_new_pages(pages: Sequence[tuple[str, Collection[str]]], known: Container[str]) -> list[bool]:
    """Return for each page whether it has lines and a text that no page before it has."""
    new: list[bool] = []
    texts: set[str] = set()
    for text, lines in pages:
        new.append(bool(lines) and text not in known and text not in texts)
        if new[-1]:
            texts.add(text)
    return new


def _host_lines_filter(host: str) -> Document:
    """Return the filter for the lines of a host, by id prefix."""
    return {"_id": {"$gte": f"{host} ", "$lt": f"{host}!"}}


def _line_key(host: str, line: str) -> str:
    return f"{host} {line}"


def _pack_key(host: str, turn: int, place: int) -> str:
    return f"{host} +{turn}.{place}"  # a line key has no plus sign


def _pack_keys(host: str) -> list[str]:
    """Return the ids of all packs that a host may have: those of the last bucket stay until the next begins."""
    places = -(-BUCKET_PAGES // MIN_PACKED_PAGES)
    return [_pack_key(host, turn, place) for turn in (0, 1) for place in range(places)]


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
