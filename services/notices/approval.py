"""Notices agreed to by a second person: another than who wrote or edited them, and again after each edit."""

from dataclasses import replace
from typing import Final, TypedDict

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.notices.not_sent import unsent
from store.errors import BadInput
from store.records import Notice
from store.rules.role_rights import Right


class _Unapproved(TypedDict):
    approved_at: None
    approved_by: None


UNAPPROVED: Final[_Unapproved] = {"approved_at": None, "approved_by": None}  # what an edit makes of a notice


@audited("notice.approve")
def approve(acting: Acting, id: str) -> Changed[Notice]:
    """Agree to a notice as it stands, as another than who wrote or edited it. NotFound, Conflict, Forbidden."""
    acting.require(Right.PROCEED)
    old = unsent(acting.product, id)
    if acting.who in (old.written_by, old.edited_by):
        raise BadInput("notices.own")
    new = replace(old, approved_at=acting.product.now(), approved_by=acting.who)
    acting.product.store.notices.change(old, new)
    return changed(new, Line(f"notice:{id}", new={"approved_by": acting.who}))
