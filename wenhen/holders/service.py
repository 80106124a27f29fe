"""Add, merge and remove rights holders, and store their rights documents."""

import secrets
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from wenhen.holders.model import TEXT_FIELDS, Holder, Lack, Paper, PaperKind, missing_requirements
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

# Rights holders: what a notice says of them, and their own sites, on which their works are no copies.


def find_holder(product: Product, name: str) -> Holder:
    """The holder of that name; where there is no record of it, one of which nothing but the name is known."""
    try:
        return product.store.holders.get(name)
    except NotFound:
        return Holder(id=name)


def missing_requirements_today(product: Product, holder: Holder) -> list[Lack]:
    """What keeps a notice from being sent in the holder's name today."""
    return missing_requirements(holder, china_day(product.now()))


def missing_requirements_of_name(product: Product, name: str) -> list[Lack]:
    """The same of a name, whether there is a record of it or not."""
    return missing_requirements_today(product, find_holder(product, name))


@audited("holder.put")
def put_holder(acting: Acting, holder: Holder) -> ChangeResult[Holder]:
    """Store a holder in place of the one of that name, whose papers stay; as it is kept. BadInput: it has no name, or
    a site is none; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    holders = acting.product.store.holders
    old = next((stored for stored in holders.all() if stored.id == holder.id), None)
    holders.put(holder)
    return change_result(holders.get(holder.id), AuditLine(f"holder:{holder.id}", old=old, new=holder))


@audited("holder.merge")
def merge_holders(acting: Acting, name: str, into: str) -> ChangeResult[Holder]:
    """Make one of two holders: works, own sites and papers of the first go to the second, and what the second does not
    tell of itself is taken from the first, which is forgotten. NotFound, also of a second one that has no record;
    BadInput where they are one; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    if name == into:
        raise BadInput("holders.into_itself", name=name)
    holders = acting.product.store.holders
    old, kept = holders.get(name), holders.get(into)
    texts = {field: getattr(kept, field) or getattr(old, field) for field in TEXT_FIELDS}
    merged = replace(kept, **texts, sites=tuple(dict.fromkeys([*kept.sites, *old.sites])))
    holders.put(merged)
    for paper in old.papers:
        holders.add_paper(into, paper)
    merged = holders.get(into)
    works = acting.product.store.works.set_owner(name, into)
    holders.remove(name)
    return change_result(
        merged,
        AuditLine(f"holder:{into}", old=kept, new=merged),
        AuditLine(f"holder:{name}", new={"into": into, "works": works}),
    )


@audited("holder.remove")
def remove_holder(acting: Acting, name: str) -> ChangeResult[Holder]:
    """Forget a holder; its works stay. NotFound."""
    acting.require(Right.HOLDERS)
    old = acting.product.store.holders.get(name)
    acting.product.store.holders.remove(name)
    return change_result(old, AuditLine(f"holder:{name}", old=old))


# The papers of rights holders: kept with their days of validity, handed out as they came, removed.


MAX_TITLE_CHARACTERS: Final = 200  # characters of a title


@dataclass(frozen=True, slots=True)
class PaperFile:
    """The file of a paper, to take away; nothing is known of what it holds."""

    name: str
    content: bytes


@audited("holder.add_paper")
def add_rights_document(
    acting: Acting,
    holder: str,
    kind: PaperKind,
    title: str,
    *,
    valid_from: date | None,
    valid_until: date | None = None,
    file: tuple[str, bytes] | None = None,
) -> ChangeResult[Paper]:
    """Keep a paper of a holder. valid_from, valid_until: days in China; None: without end. file: its name and content.

    Raises `NotFound` where there is no record of the holder, `BadInput` for a paper without a title or a first
    day, or that ends before it begins, `TooLarge`, `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    store = acting.product.store
    store.holders.get(holder)  # before anything is kept
    if not (title := title.strip()[:MAX_TITLE_CHARACTERS]):
        raise BadInput("holders.paper_untitled")
    since, until = _validity_period(valid_from, valid_until)
    name, content = file or (None, None)
    paper = Paper(
        id=secrets.token_hex(6),
        kind=kind,
        title=title,
        valid_from=since,
        valid_until=until,
        file_name=name,
        digest=store.blobs.put(limit_upload(name, content)) if content is not None else None,
        size=len(content or b""),
        added_at=acting.product.now(),
        added_by=acting.who,
    )
    store.holders.add_paper(holder, paper)
    kept = _find_paper(store.holders.get(holder), paper.id)
    return change_result(kept, AuditLine(f"holder:{holder}", new=kept))


def _validity_period(valid_from: date | None, valid_until: date | None) -> tuple[datetime, datetime | None]:
    if valid_from is None:
        raise BadInput("holders.paper_undated")
    if valid_until is not None and valid_until < valid_from:
        raise BadInput("holders.paper_days")
    return start_of_day(valid_from), start_of_day(valid_until) if valid_until else None


@audited("holder.remove_paper")
def remove_rights_document(acting: Acting, holder: str, id: str) -> ChangeResult[Paper]:
    """Forget a paper. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.HOLDERS)
    known = acting.product.store.holders.get(holder)
    paper = _find_paper(known, id)
    acting.product.store.holders.remove_paper(holder, id)
    return change_result(paper, AuditLine(f"holder:{holder}", old=paper))


@audited("holder.hand_out_paper")
def export_rights_document(acting: Acting, holder: str, id: str) -> ChangeResult[PaperFile]:
    """The file of a paper, as it came. Raises `NotFound` also where none was kept, `Forbidden`."""
    acting.require(Right.HOLDERS)
    paper = _find_paper(acting.product.store.holders.get(holder), id)
    if paper.digest is None:
        raise NotFound("holders.no_file", title=paper.title)
    file = PaperFile(paper.file_name or paper.title, acting.product.store.blobs.get(paper.digest))
    return change_result(file, AuditLine(f"holder:{holder}", new={"paper": paper.id, "sha256": paper.digest}))


def _find_paper(holder: Holder, id: str) -> Paper:
    paper = next((paper for paper in holder.papers if paper.id == id), None)
    if paper is None:
        raise NotFound("holders.no_such_paper", holder=holder.id, id=id)
    return paper
