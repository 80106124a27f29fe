"""Pages that vanish, which is how a takedown is confirmed, and pages that return.

Which answers say so is decided in `crawler.spiders.answers_that_mean_gone`.
"""

from pipeline.context import Context
from store.messages import Message
from store.records import OwnerKind, Page, Step
from store.rules.record_ids import page_id


def note_gone(context: Context, url: str, reason: Message) -> bool:
    """A server says that a page is no longer there: it is kept with the time, and its cases are marked as gone.

    False for a page that nobody knows, or that was gone before.
    """
    id = page_id(url)
    vanished = context.store.pages.mark_gone(id, context.now(), reason)
    mark_cases_gone(context, id)  # of one that was gone before, too: who marked it may have died before its cases
    return vanished


def mark_cases_gone(context: Context, id: str) -> None:
    """Mark the cases of a page that is gone, in as many steps as it takes."""
    while found := context.store.cases.find(page_id=id, present=True, limit=500):
        context.store.cases.mark_absent([case.id for case in found], context.now())


def welcome_returned(context: Context, page: Page) -> None:
    """A page that was gone and is seen again is looked up anew, even if unchanged: its cases are present again."""
    if page.gone_at is not None and context.store.pages.mark_back(page.id, Step.LOOK_UP):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.LOOK_UP)
