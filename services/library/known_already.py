"""Which works that come in are known already under another id, so that no second work is made of them."""

import hashlib
from collections.abc import Sequence

from services.context import Product
from store.records import WorkDraft


def known_already(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Those of the drafts that are works under other ids; by their ids, that one. A file that was moved or copied, text
    and title unchanged, is the work that it was before; so is a work that was merged into another.
    """
    return _known_elsewhere(product, drafts) | _merged(product, drafts)


def _known_elsewhere(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Those of the drafts that are stored, text and title alike, under another id alone; by their ids, that one."""
    keys = {one.id: (hashlib.sha256(_bytes(one.text)).hexdigest(), one.title) for one in drafts}
    known: dict[tuple[str, str], list[str]] = {}
    for digest, title, id in product.store.works.find_same_texts([digest for digest, _ in keys.values()]):
        known.setdefault((digest, title), []).append(id)
    moved = {}
    for id, key in keys.items():
        owners = known.setdefault(key, [])
        if not owners:
            owners.append(id)  # a second one in the same batch is the first one
        elif id not in owners:
            moved[id] = owners[0]
    return moved


def _merged(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Those of the drafts that are doubles of another work; by their ids, that one."""
    known = product.store.works.many([one.id for one in drafts])
    return {id: work.merged_into for id, work in known.items() if work.merged_into}


def _bytes(text: str) -> bytes:
    """Lone surrogates, which the store refuses with a reason, may pass here."""
    return text.encode("utf-8", "surrogatepass")
