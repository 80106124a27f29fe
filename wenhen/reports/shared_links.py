"""Share a report with people who have no account, at a secret address that expires and can be revoked."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from pymongo.database import Database

from wenhen.audit.model import ExportedFile
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import Table, TableSpec, field_index
from wenhen.kit.rights import Right
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.reports.contents import gather_report, report_for_outsiders
from wenhen.reports.repository import KeptReport

MAX_LINK_DAYS: Final = 90
DEFAULT_LINK_DAYS: Final = 14
SHOWN_LINKS: Final = 100
_SECRET_BYTES: Final = 32


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


class SharedLinks:
    """Store links by id, and find them by their secret."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SHARED_LINKS, address)

    def put(self, link: SharedLink) -> None:
        self.table.put(to_document(link))

    def get(self, id: str) -> SharedLink:
        return self._found({"_id": id}, id)

    def of_secret(self, digest: str) -> SharedLink:
        return self._found({"secret_digest": digest}, "…")

    def of_file(self, digest: str) -> int:
        return self.table.count({"file_digest": digest, "revoked_at": None})

    def newest(self, limit: int = SHOWN_LINKS) -> list[SharedLink]:
        documents = self.table.some({}, sort=[("made_at", -1), ("_id", -1)], limit=limit)
        return [from_document(SharedLink, document) for document in documents]

    def revoke(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id, "revoked_at": None}, {"$set": {"revoked_at": to_milliseconds(moment)}})

    def note_opened(self, id: str, moment: datetime) -> None:
        self.table.update({"_id": id}, {"$inc": {"opened": 1}, "$set": {"opened_at": to_milliseconds(moment)}})

    def _found(self, which: Document, named: str) -> SharedLink:
        document = self.table.one(which)
        if document is None:
            raise NotFound("links.none", id=named)
        return from_document(SharedLink, document)


def is_link_open(link: SharedLink, now: datetime) -> bool:
    """Return whether the link still leads to its file."""
    return link.revoked_at is None and now < link.expires_at


@audited("link.make")
def share_case(acting: Acting, number: int, days: int = DEFAULT_LINK_DAYS) -> ChangeResult[tuple[SharedLink, str]]:
    """Share the report of a case as it is now, without internal remarks. Return the link and its secret.

    Raises `NotFound`, `BadInput` for a period that is too long, `Forbidden`.
    """
    from wenhen.reports.html import to_html

    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    content = to_html(report_for_outsiders(gather_report(acting, case_ids=[case.id])))
    name = f"wenhen-{case.number}-{china_day(acting.product.now()):%Y%m%d}.html"
    return change_result(*_make_link(acting, f"case:{case.number}", name, content, days))


@audited("link.make")
def share_report(acting: Acting, id: str, days: int = DEFAULT_LINK_DAYS) -> ChangeResult[tuple[SharedLink, str]]:
    """Share a stored report. Raises `NotFound` if it is unknown or not created yet, and as `share_case`."""
    from wenhen.reports.service import report_file_name

    acting.require(Right.EXPORT)
    kept: KeptReport = acting.product.store.kept_reports.get(id)
    if kept.file_digest is None:
        raise NotFound("reports.not_made", name=kept.name)
    content = acting.product.store.blobs.get(kept.file_digest)
    return change_result(*_make_link(acting, f"report:{id}", report_file_name(kept), content, days))


@audited("link.make")
def share_file(
    acting: Acting, about: str, name: str, content: bytes, days: int = DEFAULT_LINK_DAYS
) -> ChangeResult[tuple[SharedLink, str]]:
    """Share a file that was made for somebody outside, such as the evidence of a notice. Raises as `share_case`."""
    acting.require(Right.EXPORT)
    return change_result(*_make_link(acting, about, name, content, days))


@audited("link.revoke")
def revoke_link(acting: Acting, id: str) -> ChangeResult[SharedLink]:
    """Revoke a link at once. Raises `NotFound`, and `Forbidden` unless it is one's own or one is an administrator."""
    acting.require(Right.EXPORT)
    store = acting.product.store
    link = store.shared_links.get(id)
    if link.made_by != acting.who:
        acting.require(Right.USERS)
    store.shared_links.revoke(id, acting.product.now())
    return change_result(link, AuditLine(f"link:{id}", old=link.about))


def find_open_link(product: Product, secret: str) -> SharedLink:
    """Return the link of this secret. Raises `NotFound` if it is unknown, revoked or expired."""
    link = product.store.shared_links.of_secret(_digest(secret))
    if not is_link_open(link, product.now()):
        raise NotFound("links.over")
    return link


@audited("link.open")
def open_link(acting: Acting, link: SharedLink) -> ChangeResult[bytes]:
    """Return the file of a link, and record that somebody took it. Raises `NotFound` if the file was deleted."""
    store = acting.product.store
    content = store.blobs.get(link.file_digest)
    store.shared_links.note_opened(link.id, acting.product.now())
    return change_result(content, AuditLine(link.about, new={"link": link.id, "sha256": link.file_digest}))


def link_visitor(product: Product, link: SharedLink) -> Acting:
    """Return the visitor of a link, who has no rights and is named by it in the audit log."""
    return Acting(product, f"link {link.id}", frozenset())


def _make_link(
    acting: Acting, about: str, name: str, content: bytes, days: int
) -> tuple[tuple[SharedLink, str], AuditLine]:
    if not 1 <= days <= MAX_LINK_DAYS:
        raise BadInput("links.days", most=MAX_LINK_DAYS)
    product, secret = acting.product, secrets.token_urlsafe(_SECRET_BYTES)
    now = product.now()
    link = SharedLink(
        id=secrets.token_hex(6),
        secret_digest=_digest(secret),
        about=about,
        file_name=name,
        file_digest=product.store.blobs.put(content),
        size=len(content),
        made_at=now,
        made_by=acting.who,
        expires_at=now + timedelta(days=days),
    )
    product.store.shared_links.put(link)
    file = ExportedFile.of(name, content).audit_fields()
    return (link, secret), AuditLine(about, new={"link": link.id, "expires_at": link.expires_at, **file})


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
