"""Pages that have not been seen for long leave the index over pages; their captures and cases stay."""

from datetime import timedelta

from pipeline.context import Context
from store.records import OwnerKind, Page, Step

EXPIRED = "expired"
BATCH = 500


def expire_pages(context: Context) -> int:
    """Retire the fingerprints of pages that were not seen for `index.page_days`; how many pages.

    Retired fingerprints count for nothing at once; the sweep takes their postings out.
    """
    days = context.settings.index.page_days
    expired = 0
    while days and (ids := context.store.pages.unseen_since(context.now() - timedelta(days=days), BATCH)):
        for id in ids:
            context.store.fingerprints.replace(OwnerKind.PAGE, id, [])
            context.store.pages.set_note(id, EXPIRED)
        expired += len(ids)
    return expired


def welcome_back(context: Context, page: Page) -> None:
    """A page that had expired and is seen again is fingerprinted anew, also when it has not changed."""
    if page.note != EXPIRED:
        return
    context.store.pages.set_note(page.id, None)
    if context.store.pages.restart(page.id, Step.FINGERPRINT, only_from=(Step.DONE,)):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.FINGERPRINT)
