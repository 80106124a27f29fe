"""What repeats across a host's pages is learned as its pages come in, and left out of the text that is matched.

When a host's template has grown and rests, those of its pages with open leads are read again whose text it changes: a
lead that rested on the template alone is then marked as gone. They wait for the sweep, which queues them where there is
room, so that new pages come first.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from crawler.extract.template_lines import key_of, keys_of, least_pages, without_template
from pipeline.context import Context
from pipeline.pause_before_rematch import SETTLED
from store.errors import NotFound
from store.records import CaseStatus, Step

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
    """Read pages with open leads again, of hosts whose template changed and rests: those that say more than they would
    by the template of now; how many pages.
    """
    again = 0
    now = context.now()
    for host in context.store.templates.changed(now - SETTLED):
        for ids in _pages_with_leads(context, host):
            changed = _changed(context, host, ids)
            context.store.pages.restart_all(changed, Step.EXTRACT, only_from=(Step.DONE,), due=now)
            again += len(changed)
        context.store.templates.applied(host, now)
    return again


def _changed(context: Context, host: str, ids: Collection[str]) -> list[str]:
    """Those of a host's pages that have a line which its template holds by now, and those of which that cannot be told
    from their text.
    """
    pages = context.store.pages.many(ids).values()
    digests = {page.id: page.text_digest for page in pages if page.text_digest and page.part is None}
    texts = dict(zip(digests, _texts(context, list(digests.values())), strict=True))
    lines = {line for text in texts.values() if text for line in keys_of(text)}
    on, counts = context.store.templates.pages(host), context.store.templates.counts(host, lines)
    shorter = {id for id, text in texts.items() if text is None or without_template(text, counts, on) != text}
    return [page.id for page in pages if page.id in shorter or page.part is not None]


def _texts(context: Context, digests: Sequence[str]) -> list[str | None]:
    """Texts, or nothing of any where the store has lost one."""
    try:
        found = context.store.blobs.get_texts(digests)
    except NotFound:
        return [None] * len(digests)
    return [found[digest] for digest in digests]


def forget_templates(context: Context) -> None:
    """Drop what no new page has shown for long."""
    context.store.templates.forget(context.now() - MEMORY)


def _pages_with_leads(context: Context, host: str) -> Iterator[set[str]]:
    below = None
    while found := context.store.cases.keys(host=host, status=CaseStatus.LEAD, present=True, below=below, limit=BATCH):
        yield {case["page_id"] for case in found}
        below = found[-1]["number"]
