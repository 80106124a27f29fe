"""Works put into the store and taken out again."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.library.bulk_load import batches
from services.context import Product
from services.importing.found import Found, Refused
from services.importing.paths import read_paths
from store.errors import BadInput
from store.records import OwnerKind, Step, WorkDraft


@dataclass(slots=True)
class Registered:
    """What an import did, by work id."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def counts(self) -> tuple[int, int, int, int]:
        """New, changed, unchanged, refused."""
        return len(self.new), len(self.changed), len(self.unchanged), len(self.refused)


def register(
    product: Product,
    paths: Iterable[Path],
    *,
    owner: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Registered:
    """Import every work that these files and folders hold."""
    return register_found(product, read_paths(paths), owner=owner, progress=progress)


def register_found(
    product: Product,
    founds: Iterable[Found],
    *,
    owner: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Registered:
    """Import what was found, in batches; what is refused is noted with its reason, and shown to operators."""
    result = Registered()

    def drafts() -> Iterable[WorkDraft]:
        for found in founds:
            if isinstance(found, Refused):
                _refuse(product, result, found)
            else:
                yield found if found.owner or not owner else dataclasses.replace(found, owner=owner)

    for batch in batches(drafts()):
        _register_batch(product, batch, result)
        if progress:
            done = sum(result.counts())
            progress(done, done)
    return result


def register_draft(product: Product, draft: WorkDraft) -> tuple[str, str]:
    """Store one work and queue its first step; its id, and "new", "changed" or "unchanged". Raises `BadInput`."""
    [outcome] = register_drafts(product, [draft])
    return outcome


def register_drafts(product: Product, drafts: Sequence[WorkDraft]) -> list[tuple[str, str]]:
    """The same for works of different ids, together.

    A file that was moved or copied, text and title unchanged, is the work that it was before.
    """
    moved = _known_elsewhere(product, drafts)
    stored = product.store.works.put_all(
        [one for one in drafts if one.id not in moved], note=None, step=Step.FINGERPRINT
    )
    outcomes = {work.id: (work.id, outcome) for work, outcome in stored}
    outcomes |= {id: (known, "unchanged") for id, known in moved.items()}
    for origin in {one.origin for one in drafts if one.origin and one.id not in moved}:
        product.store.problems.clear("import", origin)
    due = [work.id for work, _ in stored if work.progress.step is Step.FINGERPRINT]
    product.enqueue_all(OwnerKind.WORK, due, Step.FINGERPRINT)
    return [outcomes[one.id] for one in drafts]


def unregister(product: Product, id: str) -> None:
    """Remove a work. Retiring its fingerprints takes it out of every look-up at once; its postings follow in the
    background.
    """
    product.store.works.remove(id)
    product.store.fingerprints.replace(OwnerKind.WORK, id, [])
    product.enqueue(OwnerKind.WORK, id, Step.REMOVE)


def _register_batch(product: Product, drafts: Sequence[WorkDraft], result: Registered) -> None:
    """Where a batch cannot be stored, each work of it is tried alone, so that only the culprit is refused."""
    try:
        outcomes = register_drafts(product, drafts)
    except BadInput as error:
        if len(drafts) == 1:
            _refuse(product, result, Refused(drafts[0].origin or drafts[0].id, str(error), type(error).__name__))
            return
        for draft in drafts:
            _register_batch(product, [draft], result)
        return
    for id, outcome in outcomes:
        getattr(result, outcome).append(id)


def _refuse(product: Product, result: Registered, refused: Refused) -> None:
    result.refused.append(refused)
    product.store.problems.put("import", refused.what, refused.reason, product.now(), kind=refused.kind)


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


def _bytes(text: str) -> bytes:
    """Lone surrogates, which the store refuses with a reason, may pass here."""
    return text.encode("utf-8", "surrogatepass")
