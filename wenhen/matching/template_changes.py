"""Extract pages with open leads again when the template of their host changed."""

from collections.abc import Collection, Iterator, Sequence

from crawler.extraction.boilerplate.host_templates import strip_template, template_keys
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Step
from wenhen.product.context import Context
from wenhen.steps.runner import REMATCH_PAUSE

LEAD_BATCH_SIZE = 200


def apply_new_templates(context: Context) -> int:
    """Read pages with open leads again, of hosts whose template changed and rests: those that say more than they would
    by the template of now; how many pages.
    """
    again = 0
    now = context.now()
    for host in context.store.templates.changed_hosts(now - REMATCH_PAUSE):
        for ids in _pages_with_leads(context, host):
            changed = _changed_pages(context, host, ids)
            context.store.pages.restart_all(changed, Step.EXTRACT, only_from=(Step.DONE,), due=now)
            again += len(changed)
        context.store.templates.mark_applied(host, now)
    return again


def _changed_pages(context: Context, host: str, ids: Collection[str]) -> list[str]:
    """Those of a host's pages that have a line which its template holds by now, and those of which that cannot be told
    from their text.
    """
    pages = context.store.pages.many(ids).values()
    digests = {page.id: page.text_digest for page in pages if page.text_digest and page.part is None}
    texts = dict(zip(digests, _load_texts(context, list(digests.values())), strict=True))
    lines = {line for text in texts.values() if text for line in template_keys(text)}
    on, counts = context.store.templates.pages(host), context.store.templates.counts(host, lines)
    shorter = {id for id, text in texts.items() if text is None or strip_template(text, counts, on) != text}
    return [page.id for page in pages if page.id in shorter or page.part is not None]


def _load_texts(context: Context, digests: Sequence[str]) -> list[str | None]:
    """Texts, or nothing of any where the store has lost one."""
    try:
        texts = context.store.blobs.get_texts(digests)
    except NotFound:
        return [None] * len(digests)
    return [texts[digest] for digest in digests]


def _pages_with_leads(context: Context, host: str) -> Iterator[set[str]]:
    below = None
    while found := context.store.cases.keys(
        host=host, status=CaseStatus.LEAD, present=True, below=below, limit=LEAD_BATCH_SIZE
    ):
        yield {case["page_id"] for case in found}
        below = found[-1]["number"]
