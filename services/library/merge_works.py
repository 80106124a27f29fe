"""A work that was registered twice: the double's cases, licences and exclusions go to the work that stays."""

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.library.details import said_of, there
from store.errors import BadInput
from store.records import OwnerKind, Step, Work
from store.rules.role_rights import Right


@audited("work.merge")
def merge(acting: Acting, double: str, into: str) -> Changed[int]:
    """Let a work take the place of its double, which is removed; how many cases it takes over, each with its number,
    its path and its decisions. What is said of the double alone is said of it, and its copies are looked for again. A
    page that copies both keeps both cases. What imports the double again changes nothing. NotFound; BadInput: it is the
    same work.
    """
    acting.require(Right.WORKS)
    if double == into:
        raise BadInput("works.merged_with_itself")
    product = acting.product
    store, stays, goes = product.store, there(acting, into), there(acting, double)
    lacking = {name: value for name, value in said_of(goes).items() if value and not getattr(stays, name)}
    work = store.works.edit(into, lacking) if lacking else stays
    moved = store.cases.move_to(work, double)
    store.exclusions.move(f"work:{double}", f"work:{into}")
    store.licences.move(double, into)
    _take_out(product, double, into)
    if store.works.restart(into, Step.LOOK_UP, only_from={Step.DONE}):
        product.enqueue(OwnerKind.WORK, into, Step.LOOK_UP)
    told = f"{goes.title}; cases {moved}"
    return changed(
        moved, Line(f"work:{into}", new=f"{double}: {told}"), Line(f"work:{double}", old=goes.title, new=into)
    )


def doubles_of(product: Product, work: Work, most: int = 10) -> list[Work]:
    """Works that may be the same: those with the same text, and those whose titles have its words."""
    same = [id for _, _, id in product.store.works.find_same_texts([work.text_digest])]
    found = [*product.store.works.many(same).values(), *product.store.works.find(query=work.title, limit=most)]
    return list({one.id: one for one in found if one.id != work.id}.values())[:most]


def _take_out(product: Product, id: str, into: str) -> None:
    product.store.works.remove(id, merged_into=into)
    product.store.fingerprints.replace(OwnerKind.WORK, id, [])
    product.enqueue(OwnerKind.WORK, id, Step.REMOVE)
