"""Decisions taken back: whose, and how far."""

from services.acting import Acting
from services.audited import Changed, audited, changed
from services.cases.decisions import line_of, reaches
from store.records import CaseStatus
from store.rules.role_rights import Right


@audited("case.undo")
def undo(acting: Acting, batch: str) -> Changed[tuple[int, ...]]:
    """Take a decision back, but for cases that were decided since; the numbers of the others.

    One's own, and anybody's for who pursues cases. Raises `Forbidden` where that leaves none of those that could be.
    """
    acting.require(Right.DECIDE)
    cases = acting.product.store.cases
    decided = cases.many(cases.of_batch(batch))
    undone = cases.undo(
        batch,
        within=[status for status in CaseStatus if reaches(acting, status)],
        by=None if acting.may(Right.PROCEED) else acting.who,
        at=acting.product.now(),
    )
    if decided and not undone:
        acting.require(Right.PROCEED)
    after = cases.many(undone)
    lines = [line_of(after[n], decided[n].status, {"status": after[n].status}) for n in undone if n in decided]
    return changed(tuple(undone), *lines)
