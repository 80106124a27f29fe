"""Add common texts, find one, and remove it.

A common text is stored, fingerprinted and indexed as a work is, with a mark. It opens no case, and no list of works
shows it. When it comes or goes, pages with text of it are looked up again (`wenhen.pipeline.page_and_work_steps`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.works.import_export import (
    ImportedWorks,
    ProgressCallback,
    import_audit_line,
    name_upload,
    read_upload,
    store_items,
)
from wenhen.works.importers.drafts import ImportItem
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import COMMON_PREFIX, Work, WorkDraft

_MAX_CANDIDATES: Final = 50  # texts that are considered for a title
_MAX_NAMED: Final = 5  # of them in a refusal


def add_common_paths(
    acting: Acting, paths: Sequence[Path], *, progress: ProgressCallback | None = None
) -> ImportedWorks:
    """Add every text that these files and folders hold."""
    return add_common_texts(acting, " ".join(map(str, paths)), read_paths(paths), progress=progress)


def add_common_upload(acting: Acting, name: str, content: bytes) -> ImportedWorks:
    """Add the texts of one file that was sent. A file of the same name makes new versions of them."""
    return name_upload(add_common_texts(acting, name, read_upload(name, content)))


@audited("common.add")
def add_common_texts(
    acting: Acting, name: str, items: Iterable[ImportItem], *, progress: ProgressCallback | None = None
) -> ChangeResult[ImportedWorks]:
    """Add what was found under this name. What is refused is noted with its reason, and the rest is taken."""
    acting.require(Right.WORKS)
    done = store_items(acting.product, items, _to_common_draft, progress=progress)
    return change_result(done, import_audit_line(name, done))


def _to_common_draft(draft: WorkDraft) -> WorkDraft:
    return replace(draft, id=f"{COMMON_PREFIX}{draft.id}", common=True, owner=None)


@audited("common.remove")
def remove_common_text(acting: Acting, id: str) -> ChangeResult[Work]:
    """Remove a common text from every look-up at once. Pages with text of it are looked up again. NotFound."""
    acting.require(Right.WORKS)
    store, text = acting.product.store, get_common_text(acting.product, id)
    store.works.remove(id)
    store.fingerprints.replace(OwnerKind.WORK, id, [])
    acting.product.enqueue(OwnerKind.WORK, [id], Step.REMOVE, PERSON_SHARE)
    return change_result(text, AuditLine(f"work:{id}", old=text.title))


def get_common_text(product: Product, id: str) -> Work:
    """The common text with this id. NotFound, also for a work and for a text that was removed."""
    text = product.store.works.many([id]).get(id)
    if text is None or not text.common or text.removed_at is not None:
        raise NotFound("common.no_text", id=id)
    return text


def find_common_id(product: Product, reference: str) -> str:
    """Return the id of the common text with this id, with or without its prefix, or title. NotFound, BadInput."""
    ids = (reference, f"{COMMON_PREFIX}{reference}")
    known = product.store.works.many(ids)
    if fitting := [id for id in ids if id in known and known[id].common and known[id].removed_at is None]:
        return fitting[0]
    works = product.store.works.find_common(query=reference, limit=_MAX_CANDIDATES)
    titled = [text for text in works if text.title == reference]
    if len(titled) > 1:
        named = "; ".join(f"{text.id} {text.title}" for text in titled[:_MAX_NAMED])
        raise BadInput("works.several", given=reference, count=len(titled), named=named)
    return titled[0].id if titled else get_common_text(product, reference).id
