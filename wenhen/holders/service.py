"""Add, merge and remove rights holders, and store their rights documents."""

import secrets
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.holders.model import TEXT_FIELDS, Holder, Lack, Paper, PaperKind, missing_requirements
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right

MAX_SUGGESTIONS: Final = 12  # names that a picker offers

# Rights holders: the data for notices, and own sites, on which works are no copies.


def find_holder(product: Product, name: str) -> Holder:
    """Return the holder of that name, or one with nothing but the name if there is no record."""
    try:
        return product.store.holders.get(name)
    except NotFound:
        return Holder(id=name)


def suggest_holders(product: Product, typed: str) -> list[str]:
    """Return names of holders and owners that contain the typed text, those that begin with it first."""
    typed = typed.strip().casefold()
    if not typed:
        return []
    names = {holder.id for holder in product.store.holders.all()} | {*product.store.works.owners()}
    fitting = [name for name in names if typed in name.casefold()]
    return sorted(fitting, key=lambda name: (not name.casefold().startswith(typed), name))[:MAX_SUGGESTIONS]


def missing_requirements_today(product: Product, holder: Holder) -> list[Lack]:
    """Return the requirements for notices that the holder lacks today."""
    return missing_requirements(holder, china_day(product.now()))


def missing_requirements_of_name(product: Product, name: str) -> list[Lack]:
    """Return the missing requirements of a name, with or without a record."""
    return missing_requirements_today(product, find_holder(product, name))


@audited("holder.put")
def put_holder(acting: Acting, holder: Holder) -> ChangeResult[Holder]:
    """Store a holder, replacing the one of that name, but keep its documents. Return it as stored.

    Raises BadInput for a missing name or an invalid site; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    holders = acting.product.store.holders
    old = next((stored for stored in holders.all() if stored.id == holder.id), None)
    holders.put(holder)
    return change_result(holders.get(holder.id), AuditLine(f"holder:{holder.id}", old=old, new=holder))


@audited("holder.merge")
def merge_holders(acting: Acting, name: str, into: str) -> ChangeResult[Holder]:
    """Merge a holder into another, and delete it.

    Its works, sites, documents, licences and notices move to the other holder, whose empty fields are filled in. Raises
    NotFound if either has no record; BadInput if both are the same; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    if name == into:
        raise BadInput("holders.into_itself", name=name)
    holders = acting.product.store.holders
    old, kept = holders.get(name), holders.get(into)
    texts = {field: getattr(kept, field) or getattr(old, field) for field in TEXT_FIELDS}
    holders.put(replace(kept, **texts, sites=tuple(dict.fromkeys([*kept.sites, *old.sites]))))
    works = _move_belongings(acting.product, old, into)
    merged = holders.get(into)
    return change_result(
        merged,
        AuditLine(f"holder:{into}", old=kept, new=merged),
        AuditLine(f"holder:{name}", new={"into": into, "works": works}),
    )


@audited("holder.rename")
def rename_holder(acting: Acting, name: str, holder: Holder) -> ChangeResult[Holder]:
    """Store a holder under a new name, and move all that belongs to the old one.

    Raises NotFound if the old name has no record; BadInput if the new name has one, and as `put_holder`; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    holders = acting.product.store.holders
    old = holders.get(name)
    if any(stored.id == holder.id for stored in holders.all()):
        raise BadInput("holders.name_taken", name=holder.id)
    holders.put(holder)
    works = _move_belongings(acting.product, old, holder.id)
    renamed = holders.get(holder.id)
    return change_result(
        renamed,
        AuditLine(f"holder:{holder.id}", old=old, new=renamed),
        AuditLine(f"holder:{name}", new={"into": holder.id, "works": works}),
    )


def change_holder_name(acting: Acting, name: str, new_name: str) -> Holder:
    """Rename a holder, and change nothing else of it. Raises as `rename_holder`."""
    holder = acting.product.store.holders.get(name)
    return rename_holder(acting, name, replace(holder, id=new_name.strip(), papers=()))  # its papers move by themselves


def _move_belongings(product: Product, old: Holder, into: str) -> int:
    """Move all that belongs to a holder to another, delete it, and return the number of its works."""
    store = product.store
    for paper in old.papers:
        store.holders.add_paper(into, paper)
    works = store.works.set_owner(old.id, into)
    store.licences.move_holder(old.id, into)
    store.notices.move_holder(old.id, into)
    store.users.move_holder(old.id, into)
    store.holders.remove(old.id)
    return works


@audited("holder.remove")
def remove_holder(acting: Acting, name: str) -> ChangeResult[Holder]:
    """Delete a holder. Its works stay. Raises NotFound."""
    acting.require(Right.HOLDERS)
    old = acting.product.store.holders.get(name)
    acting.product.store.holders.remove(name)
    return change_result(old, AuditLine(f"holder:{name}", old=old))


# Rights documents of holders: stored with their period of validity, exported unchanged, removed.


MAX_TITLE_CHARACTERS: Final = 200  # characters of a title


@dataclass(frozen=True, slots=True)
class PaperFile:
    """The file of a document for download. Its content is not inspected."""

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
    """Store a document of a holder.

    valid_from, valid_until: days in China; None: unlimited. file: its name and content. Raises `NotFound` if the holder
    has no record; `BadInput` for a missing title or first day, or an end before the beginning; `TooLarge`; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    store = acting.product.store
    store.holders.get(holder)  # before anything is stored
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
    """Delete a document. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.HOLDERS)
    known = acting.product.store.holders.get(holder)
    paper = _find_paper(known, id)
    acting.product.store.holders.remove_paper(holder, id)
    return change_result(paper, AuditLine(f"holder:{holder}", old=paper))


@audited("holder.hand_out_paper")
def export_rights_document(acting: Acting, holder: str, id: str) -> ChangeResult[PaperFile]:
    """Return the file of a document, unchanged. Raises `NotFound`, also if it has no file; `Forbidden`."""
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
