"""Who works on a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.cases.decisions import MOST
from store.errors import BadInput
from store.rules.role_rights import Right

ASSIGNEE_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class Assigned:
    """How many cases changed hands, and who has them now; None: nobody."""

    count: int
    assignee: str | None


@audited("case.assign")
def assign(acting: Acting, numbers: Sequence[int], assignee: str | None) -> Changed[Assigned]:
    """Give cases to somebody, or to nobody. BadInput for too many of them; Forbidden."""
    acting.require(Right.ASSIGN)
    if len(numbers) > MOST:
        raise BadInput("cases.too_many_assigned", most=MOST, given=len(numbers))
    assignee = (assignee or "").strip()[:ASSIGNEE_LENGTH] or None
    cases = acting.product.store.cases
    others = [case for case in cases.many(numbers).values() if case.assignee != assignee]
    cases.assign([case.number for case in others], assignee, at=acting.product.now())
    return changed(
        Assigned(len(others), assignee),
        *(Line(f"case:{case.number}", _written(case.assignee), _written(assignee)) for case in others),
    )


def _written(assignee: str | None) -> dict[str, str] | None:
    return {"assignee": assignee} if assignee else None
