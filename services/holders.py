"""Rights holders: what a notice says of them, and their own sites, on which their works are no copies."""

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from store.records import Holder
from store.rules.rights import Right


@audited("holder.put")
def put(acting: Acting, holder: Holder) -> Changed[Holder]:
    """Store a holder in place of the one of that name; as it is kept. BadInput: it has no name, or a site is none."""
    acting.require(Right.WORKS)
    holders = acting.product.store.holders
    old = next((one for one in holders.all() if one.id == holder.id), None)
    holders.put(holder)
    return changed(holders.get(holder.id), Line(f"holder:{holder.id}", old=old, new=holder))


@audited("holder.remove")
def remove(acting: Acting, name: str) -> Changed[Holder]:
    """Forget a holder; its works stay. NotFound."""
    acting.require(Right.WORKS)
    old = acting.product.store.holders.get(name)
    acting.product.store.holders.remove(name)
    return changed(old, Line(f"holder:{name}", old=old))
