"""Extract pages with open leads again after the template of their host changed."""

from collections.abc import Collection, Iterator, Sequence

from crawler.extraction.boilerplate.host_templates import strip_template, template_keys
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Step
from wenhen.product.context import Context
from wenhen.steps.runner import REMATCH_PAUSE

LEAD_BATCH_SIZE = 200


def apply_new_templates(context: Context) -> int:
    """Queue pages for extraction again if the new template of their host shortens their text.

    Only hosts whose template changed, and then stayed unchanged for `REMATCH_PAUSE`, are considered. Only pages with
    open leads are read.

    Returns the number of pages that were queued.
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
    """Return the ids of pages whose text the current template shortens.

    Pages whose text is missing from the store, and parts of pages, are always included: their text does not tell.
    """
    pages = context.store.pages.many(ids).values()
    digests = {page.id: page.text_digest for page in pages if page.text_digest and page.part is None}
    texts = dict(zip(digests, _load_texts(context, list(digests.values())), strict=True))
    lines = {line for text in texts.values() if text for line in template_keys(text)}
    on, counts = context.store.templates.pages(host), context.store.templates.counts(host, lines)
    shorter = {id for id, text in texts.items() if text is None or strip_template(text, counts, on) != text}
    return [page.id for page in pages if page.id in shorter or page.part is not None]


def _load_texts(context: Context, digests: Sequence[str]) -> list[str | None]:
    """Return the text of each digest, or None for every digest if the store has lost one."""
    try:
        texts = context.store.blobs.get_texts(digests)
    except NotFound:
        return [None] * len(digests)
    return [texts[digest] for digest in digests]


def _pages_with_leads(context: Context, host: str) -> Iterator[set[str]]:
    below = None
    while keys := context.store.cases.keys(
        host=host, status=CaseStatus.LEAD, present=True, below=below, limit=LEAD_BATCH_SIZE
    ):
        yield {case["page_id"] for case in keys}
        below = keys[-1]["number"]
