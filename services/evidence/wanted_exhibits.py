"""Exhibits that are wanted: asked for, or since a case was confirmed, its page changed or vanished. None is made here:
that takes a browser and more, which few processes need.
"""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from services.cases.changed_cases import changed_since
from services.context import Product
from store.records import Case, CaseStatus, Exhibit, Why
from store.rules.cases.case_path import BEYOND

MACHINE: Final = "wenhen"
_CONFIRMED: Final = frozenset({CaseStatus.CONFIRMED, *BEYOND})
_MARK: Final = "evidence"  # up to when cases were looked through


def wanted(product: Product, case: Case, why: Why, by: str) -> Exhibit:
    """An exhibit of the case as it stands, still to be made."""
    now = product.now()
    return Exhibit(
        id=secrets.token_hex(8),
        case_id=case.id,
        case_number=case.number,
        why=why,
        by=by,
        wanted_at=now,
        state=state_of(case),
        due=now,
    )


def state_of(case: Case) -> str:
    """What has to differ for another exhibit to be needed: what the page holds, and whether the copy is there."""
    return f"{case.capture.body_digest} {case.capture.rendered_digest or ''} {case.present}"


def name_of(exhibit_id: str) -> str:
    """By which its time stamp is kept, and to whom its sealed headers belong."""
    return f"exhibit:{exhibit_id}"


def notice_changes(product: Product) -> None:
    """Want exhibits of what was confirmed, or changed since its last one; have what is due made."""
    if product.settings.evidence.by_itself:
        _look_through(product)
    now = product.now()
    if product.store.exhibits.has_due(now) or product.store.stamps.has_due(now):
        product.queue.evidence()


def _look_through(product: Product) -> None:
    mark, now = product.store.marks.get(_MARK), product.now()
    since = mark.get("at") if mark else None
    if isinstance(since, datetime):  # the very first time nothing is new
        exhibits = product.store.exhibits
        for found in changed_since(since, lambda then, most: exhibits.changed_cases(then, _CONFIRMED, most)):
            _want_of(product, found)
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
