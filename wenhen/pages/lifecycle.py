"""Expire, remove and restore pages over time, and find their last full capture."""

from datetime import datetime, timedelta

from crawler.capture import NOT_MODIFIED, Capture
from wenhen.kit.errors import Message
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.pages.model import Page
from wenhen.pages.rules import full_answer
from wenhen.product.context import Context
from wenhen.product.store import Store

# Pages that were not seen for a long time are removed from the page index. Their captures and cases stay.


EXPIRED_NOTE = "expired"
EXPIRY_BATCH_SIZE = 500


# Pages at an earlier step are fingerprinted on their way.
_FINGERPRINTED_STEPS = (Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN, Step.DONE)


def expire_pages(context: Context) -> int:
    """Retire the fingerprints of pages that were not seen for `index.page_days` days.

    Returns the number of expired pages. Retired fingerprints stop matching at once. The reconciler removes their
    postings later.
    """
    days = context.settings.index.page_days
    before = context.now() - timedelta(days=days)
    expired = 0
    while days and (ids := context.store.pages.unseen_since(before, EXPIRY_BATCH_SIZE)):
        expired += sum(_expire_page(context, id, before) for id in ids)
    return expired


def _expire_page(context: Context, id: str, before: datetime) -> bool:
    pages = context.store.pages
    if not pages.mark_expired(id, before, EXPIRED_NOTE):  # a new capture arrived after the query
        return False
    context.store.fingerprints.replace(OwnerKind.PAGE, id, [])
    # A capture between the two calls may have been fingerprinted before its fingerprints were retired.
    if pages.get(id).note != EXPIRED_NOTE and pages.restart(id, Step.FINGERPRINT, only_from=_FINGERPRINTED_STEPS):
        context.enqueue(OwnerKind.PAGE, [id], Step.FINGERPRINT)
    return True


def restore_expired_page(context: Context, page: Page) -> None:
    """Fingerprint an expired page again when it is seen, even if it is unchanged."""
    if page.note == EXPIRED_NOTE and context.store.pages.mark_unexpired(page.id, EXPIRED_NOTE, Step.FINGERPRINT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.FINGERPRINT)


# Pages that are gone, which confirms a takedown, and pages that return. `crawler.fetch.redirects` decides which
# responses mean that a page is gone.


def mark_page_gone(context: Context, url: str, reason: Message) -> bool:
    """Record that a server reports a page as gone, and mark its cases as absent.

    Returns False if the page is unknown or was gone before.
    """
    id = page_id(url)
    vanished = context.store.pages.mark_gone(id, context.now(), reason)
    mark_cases_gone(context, id)  # also if gone before: the earlier process may have died before this line
    return vanished


def mark_cases_gone(context: Context, id: str) -> None:
    """Mark the cases of a page as absent, in batches of 500."""
    while cases := context.store.cases.find(page_id=id, present=True, limit=500):
        context.store.cases.mark_absent([case.id for case in cases], context.now())


def restore_returned_page(context: Context, page: Page) -> None:
    """Look up a page again that was gone and is seen again, even if it is unchanged, so that its cases become
    present.
    """
    if page.gone_at is not None and context.store.pages.mark_back(page.id, Step.LOOK_UP):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.LOOK_UP)


# The evidence of a case is a full response, never a 304 Not Modified.


_MAX_CAPTURES = 1_000  # captures of one page


def find_full_capture(store: Store, page_id: str, capture: Capture) -> Capture:
    """Return the capture, or for a 304 the newest earlier capture with the same content and a full response."""
    if capture.status != NOT_MODIFIED:
        return capture
    return full_answer(store.pages.captures(page_id, limit=_MAX_CAPTURES), capture)
