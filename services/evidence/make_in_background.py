"""Exhibits made: at once for who waits, or in the background, again and again until it is done."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.evidence.make_exhibit import made
from services.evidence.stamps.stamping import stamp_due
from services.evidence.wanted_exhibits import wanted
from store.errors import WenhenError
from store.failures import failure
from store.records import Exhibit, Why
from store.rules.backoff import EVIDENCE
from store.rules.role_rights import Right

_LEASE: Final = timedelta(minutes=10)  # longer than one may take
_OF_ONE_TASK: Final = 10
_TOLD: Final = 200  # characters of a failure


def make_due(product: Product) -> None:
    """Make what is due, then ask for the stamps that are."""
    for _ in range(_OF_ONE_TASK):
        now = product.now()
        exhibit = product.store.exhibits.claim(now, now + _LEASE)
        if exhibit is None:
            break
        make_wanted(Acting(product, exhibit.by, frozenset()), exhibit)
    stamp_due(product)


@audited("exhibit.make")
def make(acting: Acting, number: int) -> Changed[Exhibit]:
    """Make one now, in this process. Raises `NotFound` also where the body of its capture is gone; `Forbidden`."""
    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    exhibit = made(acting.product, wanted(acting.product, case, Why.ASKED, acting.who))
    acting.product.store.exhibits.add(exhibit)
    return changed(exhibit, Line(f"case:{case.number}", new={"exhibit": exhibit.id, "sha256": exhibit.file_digest}))


@audited("exhibit.make")
def make_wanted(acting: Acting, exhibit: Exhibit) -> Changed[None]:
    """Make one that was claimed; where that fails, it is tried again later, and given up in the end."""
    product = acting.product
    try:
        done = made(product, exhibit)
    except Exception as error:  # noqa: BLE001  whatever keeps one from being made keeps no other
        last = exhibit.tries >= product.settings.worker.max_tries
        problem = error.message if isinstance(error, WenhenError) else failure(error, _TOLD)
        due = None if last else product.now() + EVIDENCE.after(exhibit.tries)
        product.store.exhibits.put(replace(exhibit, due=due, problem=problem))
        return changed(None)
    product.store.exhibits.put(done)
    return changed(None, Line(f"case:{done.case_number}", new={"exhibit": done.id, "sha256": done.file_digest}))
