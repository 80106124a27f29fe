"""Share a report with people who have no account, at a secret address that expires and can be revoked."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from wenhen.audit.model import ExportedFile
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.reports.contents import gather_report, report_for_outsiders
from wenhen.reports.repository import KeptReport, SharedLink

MAX_LINK_DAYS: Final = 90
DEFAULT_LINK_DAYS: Final = 14
_SECRET_BYTES: Final = 32


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
