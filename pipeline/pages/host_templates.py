"""What repeats across a host's pages is learned as its pages come in, and left out of the text that is matched.

When a host's template has grown and rests, its pages with open leads are read again: a lead that rested on the template
alone is then marked as gone.
"""

from collections.abc import Iterator
from datetime import timedelta

from crawler.extract.templates import key_of, keys_of, least_pages, without_template
from pipeline.context import App
from store.records import CaseStatus, OwnerKind, Step

REST = timedelta(minutes=2)  # without a change
MEMORY = timedelta(days=180)  # of a line that no new page has shown
BATCH = 200


def learn_template(app: App, host: str, text: str) -> None:
    """Count the lines of a page that is new."""
    app.store.templates.learn(host, key_of(text), keys_of(text), least_pages(app.store.templates.pages(host)))


def leave_out_template(app: App, host: str, text: str) -> str:
    """The text without what repeats across the host's pages."""
    pages = app.store.templates.pages(host)
    if pages < least_pages(pages):
        return text
    return without_template(text, app.store.templates.counts(host, keys_of(text)), pages)


def apply_new_templates(app: App) -> int:
    """Read the pages with open leads again, of hosts whose template changed and rests; how many pages."""
    again: set[str] = set()
    now = app.now()
    for host in app.store.templates.changed(now - REST):
        for id in _pages_with_leads(app, host):
            if app.store.pages.restart(id, Step.EXTRACT, only_from=(Step.DONE,)):
                app.enqueue(OwnerKind.PAGE, id, Step.EXTRACT)
                again.add(id)
        app.store.templates.applied(host, now)
    return len(again)


def forget_templates(app: App) -> None:
    """Drop what no new page has shown for long."""
    app.store.templates.forget(app.now() - MEMORY)


def _pages_with_leads(app: App, host: str) -> Iterator[str]:
    skip = 0
    while found := app.store.cases.find(host=host, status=CaseStatus.LEAD, present=True, skip=skip, limit=BATCH):
        yield from {case.page_id for case in found}
        skip += len(found)
