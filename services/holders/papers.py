"""The papers of rights holders: kept with their days of validity, handed out as they came, removed."""

import secrets
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.kept_files import bounded
from store.errors import BadInput, NotFound
from store.records import Holder, Paper, PaperKind
from store.rules.china_time import beginning
from store.rules.role_rights import Right

LONGEST: Final = 200  # characters of a title


@dataclass(frozen=True, slots=True)
class PaperFile:
    """The file of a paper, to take away; nothing is known of what it holds."""

    name: str
    content: bytes


@audited("holder.add_paper")
def add(
    acting: Acting,
    holder: str,
    kind: PaperKind,
    title: str,
    *,
    valid_from: date | None,
    valid_until: date | None = None,
    file: tuple[str, bytes] | None = None,
) -> Changed[Paper]:
    """Keep a paper of a holder. valid_from, valid_until: days in China; None: without end. file: its name and content.

    Raises `NotFound` where there is no record of the holder, `BadInput` for a paper without a title or a first
    day, or that ends before it begins, `TooLarge`, `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    store = acting.product.store
    store.holders.get(holder)  # before anything is kept
    if not (title := title.strip()[:LONGEST]):
        raise BadInput("holders.paper_untitled")
    since, until = _days(valid_from, valid_until)
    name, content = file or (None, None)
    paper = Paper(
        id=secrets.token_hex(6),
        kind=kind,
        title=title,
        valid_from=since,
        valid_until=until,
        file_name=name,
        digest=store.blobs.put(bounded(name, content)) if content is not None else None,
        size=len(content or b""),
        added_at=acting.product.now(),
        added_by=acting.who,
    )
    store.holders.add_paper(holder, paper)
    kept = _paper(store.holders.get(holder), paper.id)
    return changed(kept, Line(f"holder:{holder}", new=kept))


def _days(valid_from: date | None, valid_until: date | None) -> tuple[datetime, datetime | None]:
    if valid_from is None:
        raise BadInput("holders.paper_undated")
    if valid_until is not None and valid_until < valid_from:
        raise BadInput("holders.paper_days")
    return beginning(valid_from), beginning(valid_until) if valid_until else None


@audited("holder.remove_paper")
def remove(acting: Acting, holder: str, id: str) -> Changed[Paper]:
    """Forget a paper. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.HOLDERS)
    known = acting.product.store.holders.get(holder)
    paper = _paper(known, id)
    acting.product.store.holders.remove_paper(holder, id)
    return changed(paper, Line(f"holder:{holder}", old=paper))


@audited("holder.hand_out_paper")
def hand_out(acting: Acting, holder: str, id: str) -> Changed[PaperFile]:
    """The file of a paper, as it came. Raises `NotFound` also where none was kept, `Forbidden`."""
    acting.require(Right.HOLDERS)
    paper = _paper(acting.product.store.holders.get(holder), id)
    if paper.digest is None:
        raise NotFound("holders.no_file", title=paper.title)
    file = PaperFile(paper.file_name or paper.title, acting.product.store.blobs.get(paper.digest))
    return changed(file, Line(f"holder:{holder}", new={"paper": paper.id, "sha256": paper.digest}))


def _paper(holder: Holder, id: str) -> Paper:
    found = next((one for one in holder.papers if one.id == id), None)
    if found is None:
        raise NotFound("holders.no_such_paper", holder=holder.id, id=id)
    return found
