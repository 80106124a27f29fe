"""List, retry and drop records that failed."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import Conflict, Message, NotFound, Unavailable
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.pages.model import Page
from wenhen.steps.problems import PIPELINE, Problem, ProblemGroup, ProblemKind
from wenhen.steps.runner import step_records
from wenhen.works.model import Work

# Failed records: list them, and retry one.


_MAX_SHOWN_PER_KIND: Final = 100


class FailedRecord(NamedTuple):
    """A record whose last try failed."""

    kind: OwnerKind
    id: str
    name: str
    step: Step  # the step to retry
    problem: Message | None


def failed_records(product: Product) -> list[FailedRecord]:
    """Return the records that were set aside, at most 100 of each kind."""
    store = product.store
    works = store.works.many(store.works.set_aside_ids(_MAX_SHOWN_PER_KIND)).values()
    pages = store.pages.many(store.pages.set_aside_ids(_MAX_SHOWN_PER_KIND)).values()
    return [_failed_record(OwnerKind.WORK, work, work.title) for work in works] + [
        _failed_record(OwnerKind.PAGE, page, page.url) for page in pages
    ]


def owner_names(product: Product, owners: Iterable[Owner]) -> dict[str, str]:
    """Return the titles of works and the addresses of pages by ``kind:id``, without missing ones."""
    store, ids = product.store, defaultdict[OwnerKind, list[str]](list)
    for owner in owners:
        ids[owner.kind].append(owner.id)
    works = {str(Owner.of_work(work.id)): work.title for work in store.works.many(ids[OwnerKind.WORK]).values()}
    return works | {str(Owner.of_page(page.id)): page.url for page in store.pages.many(ids[OwnerKind.PAGE]).values()}


@audited("record.retry")
def retry_record(acting: Acting, kind: OwnerKind, id: str) -> ChangeResult[bool]:
    """Restart a record that was set aside at its failed step. Return whether it could be queued at once.

    Raises NotFound; Conflict if it was not set aside.
    """
    acting.require(Right.OPERATE)
    store = acting.product.store
    steps = store.works if kind is OwnerKind.WORK else store.pages
    step = failed_step(steps.get(id), kind)
    if not steps.restart(id, step, only_from={Step.SET_ASIDE}):
        raise Conflict("retrying.not_aside", kind=str(kind), id=id)
    store.problems.clear(PIPELINE, str(Owner(kind, id)))
    line = AuditLine(str(Owner(kind, id)), new=str(step))
    try:
        acting.product.queue.step(kind, id, step, PERSON_SHARE)
    except Unavailable:  # its next step is stored, and the reconciler will queue it
        return change_result(False, line)
    return change_result(True, line)


def _failed_record(kind: OwnerKind, record: Work | Page, name: str) -> FailedRecord:
    return FailedRecord(kind, record.id, name, failed_step(record, kind), record.progress.problem)


def failed_step(record: Work | Page, kind: OwnerKind) -> Step:
    """Return the step to restart: the failed one, or the first."""
    return record.progress.failed_step or (Step.FINGERPRINT if kind is OwnerKind.WORK else Step.EXTRACT)


# Problems by kind: list, retry or drop all problems of a kind.


MAX_PROBLEMS_AT_ONCE: Final = 10_000  # records per call; the groups show what is left


def problem_groups(product: Product) -> list[ProblemGroup]:
    """Return all problems by kind, the largest group first."""
    return product.store.problems.groups()


def problems_of_kind(product: Product, which: ProblemKind, limit: int = 100) -> list[Problem]:
    """Return the problems of one kind, the newest first."""
    return product.store.problems.of_kind(which, limit)


@audited("problems.retry")
def retry_problems(acting: Acting, which: ProblemKind) -> ChangeResult[int]:
    """Restart every record of a kind at its failed step. Return how many.

    Raises Conflict for problems of a crawl or an import, which try again by themselves.
    """
    acting.require(Right.OPERATE)
    if which.where != PIPELINE:
        raise Conflict("retrying.comes_again", where=which.where)
    lines = []
    for problem in problems_of_kind(acting.product, which, MAX_PROBLEMS_AT_ONCE):
        if (owner := problem.owner) and (step := _owner_failed_step(acting.product, owner)):
            lines += _restart_record(acting.product, owner, step)
    return change_result(len(lines), *lines)


@audited("problems.drop")
def drop_problems(acting: Acting, which: ProblemKind) -> ChangeResult[int]:
    """Delete the problems of a kind. Return how many.

    Works and pages stay as they are, without a step to run, until they change. Files and addresses are reported again
    when they are refused again.
    """
    acting.require(Right.OPERATE)
    product = acting.product
    if which.where == PIPELINE:
        owners = [problem.owner for problem in problems_of_kind(product, which, MAX_PROBLEMS_AT_ONCE) if problem.owner]
        lines = [line for owner in owners for line in _restart_record(product, owner, Step.DONE)]
        return change_result(len(owners), *lines)
    dropped = product.store.problems.clear_kind(which)
    return change_result(dropped, AuditLine(f"{which.where}:{which.kind or '-'}", old=str(dropped)))


def _owner_failed_step(product: Product, owner: Owner) -> Step | None:
    try:
        return failed_step(step_records(product, owner.kind).get(owner.id), owner.kind)
    except NotFound:
        return None


def _restart_record(product: Product, owner: Owner, step: Step) -> list[AuditLine]:
    """Restart a record that was set aside at this step, and clear its problem. Return the audit line."""
    moved = step_records(product, owner.kind).restart(owner.id, step, only_from={Step.SET_ASIDE})
    product.store.problems.clear(PIPELINE, str(owner))
    if moved and step is not Step.DONE:
        product.enqueue_alone(owner.kind, owner.id, step)
    return [AuditLine(str(owner), new=str(step))] if moved else []
