"""Exhibits that are made by themselves: when a case is confirmed, and when its page changed or vanished since."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.evidence.exhibits import state_of, wanted
from services.evidence.making import made
from services.evidence.stamps.stamping import stamp_due
from store.errors import WenhenError
from store.failures import failure
from store.records import Case, CaseStatus, Exhibit, Why
from store.rules.case_path import BEYOND
from store.rules.doubling import doubled

MACHINE: Final = "wenhen"
_CONFIRMED: Final = frozenset({CaseStatus.CONFIRMED, *BEYOND})
_MARK: Final = "evidence"  # up to when cases were looked through
_OVERLAP: Final = timedelta(minutes=10)  # a step may write a case long after it looked at the clock
_BATCH: Final = 5_000
_LEASE: Final = timedelta(minutes=10)  # longer than one may take
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=6)
_OF_ONE_TASK: Final = 10
_TOLD: Final = 200  # characters of a failure


def notice_changes(product: Product) -> None:
    """Want exhibits of what was confirmed, or changed since its last one; have what is due made."""
    if product.settings.evidence.by_itself:
        _look_through(product)
    now = product.now()
    if product.store.exhibits.has_due(now) or product.store.stamps.has_due(now):
        product.queue.evidence()


def make_due(product: Product) -> None:
    """Make what is due, then ask for the stamps that are."""
    for _ in range(_OF_ONE_TASK):
        now = product.now()
        exhibit = product.store.exhibits.claim(now, now + _LEASE)
        if exhibit is None:
            break
        make_wanted(Acting(product, exhibit.by, frozenset()), exhibit)
    stamp_due(product)


def _look_through(product: Product) -> None:
    mark, now = product.store.marks.get(_MARK), product.now()
    since = mark.get("at") if mark else None
    if isinstance(since, datetime):  # the very first time nothing is new
        from_then = since - _OVERLAP
        while found := product.store.exhibits.changed_cases(from_then, _CONFIRMED, _BATCH):
            _want_of(product, found)
            if len(found) < _BATCH:
                break
            from_then = max(found[-1].updated_at, from_then + timedelta(milliseconds=1))
    product.store.marks.set(_MARK, {"at": now.astimezone(UTC)})


def _want_of(product: Product, cases: Sequence[Case]) -> None:
    before = product.store.exhibits.newest_states([case.id for case in cases])
    for case in cases:
        why = _why(case, before.get(case.id))
        if why is not None:
            product.store.exhibits.add(wanted(product, case, why, MACHINE))


def _why(case: Case, before: str | None) -> Why | None:
    if before == state_of(case):
        return None
    if not case.present:
        return Why.VANISHED
    return Why.CONFIRMED if before is None else Why.CHANGED


@audited("exhibit.make")
def make_wanted(acting: Acting, exhibit: Exhibit) -> Changed[None]:
    """Make one that was claimed; where that fails, it is tried again later, and given up in the end."""
    product = acting.product
    try:
        done = made(product, exhibit)
    except Exception as error:  # noqa: BLE001  whatever keeps one from being made keeps no other
        last = exhibit.tries >= product.settings.worker.max_tries
        problem = error.message if isinstance(error, WenhenError) else failure(error, _TOLD)
        due = None if last else product.now() + doubled(_FIRST_PAUSE, exhibit.tries - 1, _LONGEST_PAUSE)
        product.store.exhibits.put(replace(exhibit, due=due, problem=problem))
        return changed(None)
    product.store.exhibits.put(done)
    return changed(None, Line(f"case:{done.case_number}", new={"exhibit": done.id, "sha256": done.file_digest}))
