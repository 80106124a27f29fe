"""What repeats across a host's pages is learned as its pages come in, and left out of the text that is matched.

When a host's template has grown and rests, its pages with open leads are read again: a lead that rested on the template
alone is then marked as gone.
"""

from collections.abc import Iterator
from datetime import timedelta

from crawler.extract.templates import key_of, keys_of, least_pages, without_template
from pipeline.context import Context
from store.records import CaseStatus, OwnerKind, Step

REST = timedelta(minutes=2)  # without a change
MEMORY = timedelta(days=180)  # of a line that no new page has shown
BATCH = 200


def learn_template(context: Context, host: str, text: str) -> None:
    """Count the lines of a page that is new."""
    context.store.templates.learn(host, key_of(text), keys_of(text), least_pages(context.store.templates.pages(host)))


def leave_out_template(context: Context, host: str, text: str) -> str:
    """The text without what repeats across the host's pages."""
    pages = context.store.templates.pages(host)
    if pages < least_pages(pages):
        return text
    return without_template(text, context.store.templates.counts(host, keys_of(text)), pages)


def apply_new_templates(context: Context) -> int:
    """Read the pages with open leads again, of hosts whose template changed and rests; how many pages."""
    again: set[str] = set()
    now = context.now()
    for host in context.store.templates.changed(now - REST):
        for id in _pages_with_leads(context, host):
            if context.store.pages.restart(id, Step.EXTRACT, only_from=(Step.DONE,)):
                context.enqueue(OwnerKind.PAGE, id, Step.EXTRACT)
                again.add(id)
        context.store.templates.applied(host, now)
    return len(again)


def forget_templates(context: Context) -> None:
    """Drop what no new page has shown for long."""
    context.store.templates.forget(context.now() - MEMORY)


def _pages_with_leads(context: Context, host: str) -> Iterator[str]:
    skip = 0
    while found := context.store.cases.find(host=host, status=CaseStatus.LEAD, present=True, skip=skip, limit=BATCH):
        yield from {case.page_id for case in found}
        skip += len(found)
