"""What repeats across a host's pages is learned as its pages come in, and left out of the text that is matched.

When a host's template has grown and rests, its pages with open leads are read again: a lead that rested on the template
alone is then marked as gone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
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


def learn_and_leave_out(context: Context, host: str, texts: Sequence[str]) -> list[str]:
    """The texts of new pages of one host, their lines counted, each without what repeats across the pages before it."""
    lines = [keys_of(text) for text in texts]
    learned = context.store.templates.learn_all(host, [*zip(map(key_of, texts), lines, strict=True)])
    own = Counter(line for some, new in zip(lines, learned.new, strict=True) if new for line in some)
    counts = {line: count - own[line] for line, count in learned.counts.items()}
    pages, grew, left = learned.pages - sum(learned.new), False, []
    for text, some, new in zip(texts, lines, learned.new, strict=True):
        if new:
            least, pages = least_pages(pages), pages + 1
            counts.update({line: counts.get(line, 0) + 1 for line in some})
            grew = grew or any(counts[line] == least for line in some)
        left.append(without_template(text, counts, pages) if pages >= least_pages(pages) else text)
    if grew:
        context.store.templates.note_changed(host)
    return left


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
