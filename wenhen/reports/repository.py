"""Describe and store reports that are created in the background, and the links that share files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from wenhen.kit.errors import Message, NotFound
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import claim_due_job, has_due_job
from wenhen.kit.mongo.table import Records, RecordsById, TableSpec, field_index

SHOWN_LINKS: Final = 100  # newest links in a list


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReport:
    """A stored report, pending until `made_at`. Its file is a blob.

    format: file extension without the dot.
    where: conditions of the selection.
    case_ids: selected cases, instead of conditions.
    done, of: progress of gathering, in cases.
    """

    id: str
    name: str
    format: str
    by: str
    wanted_at: datetime
    where: Mapping[str, object]
    case_ids: tuple[str, ...]
    due: datetime | None  # time of the next try; None: created or given up
    tries: int = 0
    done: int = 0
    of: int = 0
    problem: Message | None = None  # error of the last try
    made_at: datetime | None = None
    file_digest: str | None = None
    size: int = 0  # bytes
    cases: int = 0
    language: str | None = None  # None: Chinese and English
    numbers: str = ""  # numbers of its cases as ranges, "" for reports of earlier versions


KEPT_REPORTS = TableSpec(
    name="kept_reports",
    schema=schema_of(KeptReport),
    indexes=(field_index("-wanted_at", "-_id"), field_index("due"), field_index("made_at"), field_index("file_digest")),
)


class KeptReports(RecordsById[KeptReport]):
    """Store reports by id."""

    declared = KEPT_REPORTS
    record_type = KeptReport
    unknown_code = "reports.no_kept"

    def put(self, report: KeptReport) -> None:
        self.table.put(to_document(report))

    def newest(self, limit: int = 50) -> list[KeptReport]:
        return self._read_some({}, sort=[("wanted_at", -1), ("_id", -1)], limit=limit)

    def remove(self, id: str) -> None:
        self.table.delete({"_id": id})

    def of_file(self, digest: str) -> int:
        return self.table.count({"file_digest": digest})

    def made_before(self, moment: datetime) -> list[KeptReport]:
        return self._read_some({"made_at": {"$lt": to_milliseconds(moment)}})

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.table, now)

    def claim(self, now: datetime, until: datetime) -> KeptReport | None:
        """Claim a due report until `until`, and count the try. Returns None if there is none."""
        return claim_due_job(self.table, KeptReport, now, until)

    def progress(self, id: str, *, done: int, of: int, until: datetime) -> bool:
        """Record the progress and extend the claim. Returns False if the report was deleted."""
        return self.table.update({"_id": id}, {"$set": {"done": done, "of": of, "due": to_milliseconds(until)}})


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLink:
    """A secret address of one file. Only the digest of its secret is stored.

    about: what was shared, as subject of the audit log (``case:12``, ``report:0b00``, ``notice:2026-0001``).
    """

    id: str
    secret_digest: str = field(repr=False)  # SHA-256
    about: str
    file_name: str
    file_digest: str  # key of the blob
    size: int  # bytes
    made_at: datetime
    made_by: str
    expires_at: datetime
    revoked_at: datetime | None = None
    opened: int = 0  # how often the file was taken
    opened_at: datetime | None = None


SHARED_LINKS = TableSpec(
    name="shared_links",
    schema=schema_of(SharedLink),
    indexes=(field_index("secret_digest", unique=True), field_index("-made_at", "-_id"), field_index("file_digest")),
)


class SharedLinks(Records[SharedLink]):
    """Store links by id, and find them by their secret."""

    declared = SHARED_LINKS
    record_type = SharedLink

    def put(self, link: SharedLink) -> None:
        self.table.put(to_document(link))

    def get(self, id: str) -> SharedLink:
        return self._find({"_id": id}, id)

    def of_secret(self, digest: str) -> SharedLink:
        return self._find({"secret_digest": digest}, "…")

    def of_file(self, digest: str) -> int:
        return self.table.count({"file_digest": digest, "revoked_at": None})

    def newest(self, limit: int = SHOWN_LINKS) -> list[SharedLink]:
        return self._read_some({}, sort=[("made_at", -1), ("_id", -1)], limit=limit)

    def revoke(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id, "revoked_at": None}, {"$set": {"revoked_at": to_milliseconds(moment)}})

    def note_opened(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id}, {"$inc": {"opened": 1}, "$set": {"opened_at": to_milliseconds(moment)}})

    def _find(self, which: Document, named: str) -> SharedLink:
        document = self.table.one(which)
        if document is None:
            raise NotFound("links.none", id=named)
        return from_document(SharedLink, document)
