"""Works that were removed while somebody was at a step of theirs: what that step has kept since goes, too."""

from collections.abc import Collection
from itertools import islice

from pipeline.context import Context
from store.records import OwnerKind, Step

_BATCH = 1_000


def remove_again(context: Context, ids: Collection[str]) -> None:
    """Send those that were removed through their removal once more. Whatever step of it is done is done again."""
    removed = [id for id, work in context.store.works.many(ids).items() if work.removed_at is not None]
    again = [id for id in removed if context.store.works.restart(id, Step.REMOVE)]
    if again:
        context.enqueue(OwnerKind.WORK, again, Step.REMOVE)


def remove_leftovers(context: Context) -> None:
    """The same for those that have fingerprints all the same: who was at the step died before he saw the removal."""
    removed = context.store.works.removed_ids()
    while ids := list(islice(removed, _BATCH)):
        if left := context.store.fingerprints.ids_of(OwnerKind.WORK, ids):
            remove_again(context, left.keys())
