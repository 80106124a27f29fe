"""Pages that have not been seen for long leave the index over pages; their captures and cases stay."""

from datetime import datetime, timedelta

from pipeline.context import Context
from store.records import OwnerKind, Page, Step

EXPIRED = "expired"
BATCH = 500


# A page before these steps will be fingerprinted by itself.
_FINGERPRINTED = (Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN, Step.DONE)


def expire_pages(context: Context) -> int:
    """Retire the fingerprints of pages that were not seen for `index.page_days`; how many pages.

    Retired fingerprints count for nothing at once; the sweep takes their postings out.
    """
    days = context.settings.index.page_days
    before = context.now() - timedelta(days=days)
    expired = 0
    while days and (ids := context.store.pages.unseen_since(before, BATCH)):
        expired += sum(_expire(context, id, before) for id in ids)
    return expired


def _expire(context: Context, id: str, before: datetime) -> bool:
    pages = context.store.pages
    if not pages.mark_expired(id, before, EXPIRED):  # it was seen since it was found
        return False
    context.store.fingerprints.replace(OwnerKind.PAGE, id, [])
    # Seen between the two, it may have been fingerprinted before its fingerprints were retired.
    if pages.get(id).note != EXPIRED and pages.restart(id, Step.FINGERPRINT, only_from=_FINGERPRINTED):
        context.enqueue(OwnerKind.PAGE, [id], Step.FINGERPRINT)
    return True


def welcome_back(context: Context, page: Page) -> None:
    """A page that had expired and is seen again is fingerprinted anew, also when it has not changed."""
    if page.note == EXPIRED and context.store.pages.mark_unexpired(page.id, EXPIRED, Step.FINGERPRINT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.FINGERPRINT)
