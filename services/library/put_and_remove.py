"""Works put into the library and taken out of it: what is stored, what is kept, and which step comes next."""

from collections.abc import Sequence

from pipeline.worker_shares import PERSON
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.importing.work_details import read_detail
from services.library.known_already import known_already
from services.library.not_to_come import not_to_come
from store.records import OwnerKind, Step, Work, WorkDraft
from store.records.upkeep.problem import IMPORT
from store.rules.role_rights import Right


@audited("work.put")
def put(acting: Acting, draft: WorkDraft) -> Changed[tuple[str, str]]:
    """Store one work and look for its copies; its id, and "new", "changed" or "unchanged". BadInput."""
    acting.require(Right.WORKS)
    read_detail("url", draft.url or "")
    not_to_come(draft.published_at, acting.product.now())
    [(id, outcome)] = store_works(acting.product, [draft])
    if outcome == "unchanged":
        return changed((id, outcome))
    return changed((id, outcome), Line(f"work:{id}", new=f"{outcome}: {draft.title}"))


@audited("work.remove")
def remove(acting: Acting, id: str) -> Changed[Work]:
    """Take a work out of every look-up at once; its cases stay, and its postings follow in the background. NotFound."""
    acting.require(Right.WORKS)
    product = acting.product
    work = product.store.works.get(id)
    product.store.works.remove(id)
    product.store.fingerprints.replace(OwnerKind.WORK, id, [])
    product.enqueue(OwnerKind.WORK, [id], Step.REMOVE, PERSON)
    return changed(work, Line(f"work:{id}", old=work.title))


def store_works(product: Product, drafts: Sequence[WorkDraft]) -> list[tuple[str, str]]:
    """Store works of different ids together, and queue their first step; id and outcome of each. BadInput."""
    moved = known_already(product, drafts)
    stored = product.store.works.put_all(
        [one for one in drafts if one.id not in moved], note=None, step=Step.FINGERPRINT
    )
    outcomes = {work.id: (work.id, outcome) for work, outcome in stored}
    outcomes |= {id: (known, "unchanged") for id, known in moved.items()}
    for origin in {one.origin for one in drafts if one.origin and one.id not in moved}:
        product.store.problems.clear(IMPORT, origin)
    due = [work.id for work, _ in stored if work.progress.step is Step.FINGERPRINT]
    product.enqueue(OwnerKind.WORK, due, Step.FINGERPRINT)
    return [outcomes[one.id] for one in drafts]
