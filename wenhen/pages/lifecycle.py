"""Follow pages over time: expire, vanish, return, and find their last full capture."""

from datetime import datetime, timedelta

from crawler.capture import NOT_MODIFIED, Capture
from wenhen.kit.errors import Message
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.pages.model import Page
from wenhen.pages.rules import full_answer
from wenhen.product.context import Context
from wenhen.product.store import Store

# Pages that have not been seen for long leave the index over pages; their captures and cases stay.


EXPIRED_NOTE = "expired"
EXPIRY_BATCH_SIZE = 500


# A page before these steps will be fingerprinted by itself.
_FINGERPRINTED_STEPS = (Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN, Step.DONE)


def expire_pages(context: Context) -> int:
    """Retire the fingerprints of pages that were not seen for `index.page_days`; how many pages.

    Retired fingerprints count for nothing at once; the sweep takes their postings out.
    """
    days = context.settings.index.page_days
    before = context.now() - timedelta(days=days)
    expired = 0
    while days and (ids := context.store.pages.unseen_since(before, EXPIRY_BATCH_SIZE)):
        expired += sum(_expire_page(context, id, before) for id in ids)
    return expired


def _expire_page(context: Context, id: str, before: datetime) -> bool:
    pages = context.store.pages
    if not pages.mark_expired(id, before, EXPIRED_NOTE):  # it was seen since it was found
        return False
    context.store.fingerprints.replace(OwnerKind.PAGE, id, [])
    # Seen between the two, it may have been fingerprinted before its fingerprints were retired.
    if pages.get(id).note != EXPIRED_NOTE and pages.restart(id, Step.FINGERPRINT, only_from=_FINGERPRINTED_STEPS):
        context.enqueue(OwnerKind.PAGE, [id], Step.FINGERPRINT)
    return True


def restore_expired_page(context: Context, page: Page) -> None:
    """A page that had expired and is seen again is fingerprinted anew, also when it has not changed."""
    if page.note == EXPIRED_NOTE and context.store.pages.mark_unexpired(page.id, EXPIRED_NOTE, Step.FINGERPRINT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.FINGERPRINT)


# Pages that vanish, which is how a takedown is confirmed, and pages that return.
#
# Which answers say so is decided in `crawler.fetch.redirects`.


def mark_page_gone(context: Context, url: str, reason: Message) -> bool:
    """A server says that a page is no longer there: it is kept with the time, and its cases are marked as gone.

    False for a page that nobody knows, or that was gone before.
    """
    id = page_id(url)
    vanished = context.store.pages.mark_gone(id, context.now(), reason)
    mark_cases_gone(context, id)  # of one that was gone before, too: who marked it may have died before its cases
    return vanished


def mark_cases_gone(context: Context, id: str) -> None:
    """Mark the cases of a page that is gone, in as many steps as it takes."""
    while cases := context.store.cases.find(page_id=id, present=True, limit=500):
        context.store.cases.mark_absent([case.id for case in cases], context.now())


def restore_returned_page(context: Context, page: Page) -> None:
    """A page that was gone and is seen again is looked up anew, even if unchanged: its cases are present again."""
    if page.gone_at is not None and context.store.pages.mark_back(page.id, Step.LOOK_UP):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.LOOK_UP)


# What a case rests on: an answer that held the page, never one that only said that nothing had changed.


_MAX_CAPTURES = 1_000  # captures


def find_full_capture(store: Store, page_id: str, capture: Capture) -> Capture:
    """The capture, or the newest one before it that the server answered in full with the same content."""
    if capture.status != NOT_MODIFIED:
        return capture
    return full_answer(store.pages.captures(page_id, limit=_MAX_CAPTURES), capture)
