"""Who looked at a case: a line of the audit log, and so of the chain of custody, once a person and day."""

from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from store.rules.china_time import beginning, day_of

ACTION: Final = "case.view"


@audited(ACTION)
def view(acting: Acting, number: int) -> Changed[None]:
    """Note that this person sees the case, where that was not noted today (in China)."""
    subject, product = f"case:{number}", acting.product
    today = beginning(day_of(product.now()))
    if product.store.audit.find(who=acting.who, action=ACTION, subject=subject, since=today, limit=1):
        return changed(None)
    return changed(None, Line(subject))
