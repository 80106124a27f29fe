"""Rights holders: what a notice says of them, and their own sites, on which their works are no copies."""

from dataclasses import replace

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import BadInput, NotFound
from store.records import Holder
from store.rules.china_time import day_of
from store.rules.library.holder_papers import Lack, lacks
from store.rules.role_rights import Right


def known_holder(product: Product, name: str) -> Holder:
    """The holder of that name; where there is no record of it, one of which nothing but the name is known."""
    try:
        return product.store.holders.get(name)
    except NotFound:
        return Holder(id=name)


def lacks_now(product: Product, holder: Holder) -> list[Lack]:
    """What keeps a notice from being sent in the holder's name today."""
    return lacks(holder, day_of(product.now()))


def lacks_of(product: Product, name: str) -> list[Lack]:
    """The same of a name, whether there is a record of it or not."""
    return lacks_now(product, known_holder(product, name))


@audited("holder.put")
def put(acting: Acting, holder: Holder) -> Changed[Holder]:
    """Store a holder in place of the one of that name, whose papers stay; as it is kept. BadInput: it has no name, or
    a site is none; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    holders = acting.product.store.holders
    old = next((one for one in holders.all() if one.id == holder.id), None)
    holders.put(holder)
    return changed(holders.get(holder.id), Line(f"holder:{holder.id}", old=old, new=holder))


@audited("holder.merge")
def merge(acting: Acting, name: str, into: str) -> Changed[Holder]:
    """Make one of two holders: works, own sites and papers of the first go to the second, and what the second does not
    tell of itself is taken from the first, which is forgotten. NotFound, also of a second one that has no record;
    BadInput where they are one; `Forbidden`.
    """
    acting.require(Right.HOLDERS)
    if name == into:
        raise BadInput("holders.into_itself", name=name)
    holders = acting.product.store.holders
    old, kept = holders.get(name), holders.get(into)
    one = replace(
        kept,
        contact=kept.contact or old.contact,
        address=kept.address or old.address,
        identity=kept.identity or old.identity,
        representative=kept.representative or old.representative,
        sites=tuple(dict.fromkeys([*kept.sites, *old.sites])),
    )
    holders.put(one)
    for paper in old.papers:
        holders.add_paper(into, paper)
    one = holders.get(into)
    works = acting.product.store.works.set_owner(name, into)
    holders.remove(name)
    return changed(
        one, Line(f"holder:{into}", old=kept, new=one), Line(f"holder:{name}", new={"into": into, "works": works})
    )


@audited("holder.remove")
def remove(acting: Acting, name: str) -> Changed[Holder]:
    """Forget a holder; its works stay. NotFound."""
    acting.require(Right.HOLDERS)
    old = acting.product.store.holders.get(name)
    acting.product.store.holders.remove(name)
    return changed(old, Line(f"holder:{name}", old=old))
