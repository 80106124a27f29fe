"""What was refused or set aside, by kind: looked at, tried again, dropped, all of a kind at once."""

from typing import Final

from pipeline.run_step import records_of
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.upkeep.retry_by_hand import failed_step
from store.errors import Conflict, NotFound
from store.records import Owner, Problem, ProblemGroup, ProblemKind, Step
from store.records.upkeep.problem import PIPELINE
from store.rules.role_rights import Right

MOST: Final = 10_000  # records that one call takes on; what is left is told by the groups


def groups(product: Product) -> list[ProblemGroup]:
    """All problems by their kind, the largest group first."""
    return product.store.problems.groups()


def of_kind(product: Product, which: ProblemKind, limit: int = 100) -> list[Problem]:
    """Those of one kind, the newest first."""
    return product.store.problems.of_kind(which, limit)


@audited("problems.retry")
def retry_all(acting: Acting, which: ProblemKind) -> Changed[int]:
    """Give every record of a kind its failed step again; how many there were.

    Conflict: it is of a crawl or an import, which try again by themselves when they come by next.
    """
    acting.require(Right.OPERATE)
    if which.where != PIPELINE:
        raise Conflict("retrying.comes_again", where=which.where)
    lines = []
    for problem in of_kind(acting.product, which, MOST):
        if (owner := problem.owner) and (step := _failed_step(acting.product, owner)):
            lines += _moved(acting.product, owner, step)
    return changed(len(lines), *lines)


@audited("problems.drop")
def drop_all(acting: Acting, which: ProblemKind) -> Changed[int]:
    """Forget the problems of a kind; how many. Works and pages stay as they are, with no step left to do, until they
    change; files and addresses are told of again when they are refused again.
    """
    acting.require(Right.OPERATE)
    product = acting.product
    if which.where == PIPELINE:
        owners = [problem.owner for problem in of_kind(product, which, MOST) if problem.owner]
        lines = [line for owner in owners for line in _moved(product, owner, Step.DONE)]
        return changed(len(owners), *lines)
    dropped = product.store.problems.clear_kind(which)
    return changed(dropped, Line(f"{which.where}:{which.kind or '-'}", old=str(dropped)))


def _failed_step(product: Product, owner: Owner) -> Step | None:
    try:
        return failed_step(records_of(product, owner.kind).get(owner.id), owner.kind)
    except NotFound:
        return None


def _moved(product: Product, owner: Owner, step: Step) -> list[Line]:
    """Let a record that was set aside stand at this step, and its problem go; the line that says so."""
    moved = records_of(product, owner.kind).restart(owner.id, step, only_from={Step.SET_ASIDE})
    product.store.problems.clear(PIPELINE, str(owner))
    if moved and step is not Step.DONE:
        product.enqueue_alone(owner.kind, owner.id, step)
    return [Line(str(owner), new=str(step))] if moved else []
