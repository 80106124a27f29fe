"""Find out how a crawl broke: pages that had a text give a login wall, a captcha, a refusal or no text any more."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from crawler.skip_reasons import SkipReason
from crawler.spiders.soft_blocks import BlockKind
from wenhen.context.use_cases import Product
from wenhen.crawls.model import Breakage, BreakKind, Run, RunKind
from wenhen.kit.errors import Message, message
from wenhen.kit.progress import SubjectKind, page_id
from wenhen.pages.model import Page
from wenhen.steps.problems import Problem

MIN_BROKEN_PAGES: Final = 3  # pages that had a text; fewer are the pages' own matter, unless nothing else came
MAX_EXAMINED_PROBLEMS: Final = 500  # of one kind in one run
EXTRACTION_TIME: Final = timedelta(hours=2)  # after a crawl, in which its pages are read
BREAKAGE_PERIOD: Final = timedelta(days=30)  # in which a broken site is listed
SPIDER_GAVE_NOTHING: Final = Message("crawls.spider_nothing")
_SPIDER_CODES: Final = frozenset((SPIDER_GAVE_NOTHING.code, "crawls.spider_broken", "crawls.no_spider"))
_TEMPLATE_CODE: Final = "crawls.other_template"
_MAX_CAPTURES: Final = 10  # of a page that are looked through for the last good one
_MAX_BROKEN_RUNS: Final = 500
_BLOCKS: Final[Mapping[str, BreakKind]] = {
    BlockKind.LOGIN: BreakKind.LOGIN,
    BlockKind.CAPTCHA: BreakKind.CAPTCHA,
    BlockKind.INTERSTITIAL: BreakKind.CAPTCHA,
    BlockKind.TOO_OFTEN: BreakKind.REFUSED,
    BlockKind.FIREWALL: BreakKind.REFUSED,
}
_STATUSES: Final[Mapping[str, BreakKind]] = {
    "http_401": BreakKind.LOGIN,
    "http_403": BreakKind.REFUSED,
    "http_429": BreakKind.REFUSED,
}


def find_breakages(product: Product, run: Run, counts: Mapping[str, int], noticed: Sequence[Message]) -> list[Breakage]:
    """Return how a crawl of a site broke, at its end. Lost texts are found later, when its pages have been read."""
    if run.kind is not RunKind.CRAWL or run.subject is None or run.subject.kind is not SubjectKind.SITE:
        return []
    least = MIN_BROKEN_PAGES if counts.get("fetched") else 1
    found = [
        _breakage_by_block(product, run, kind, pages)
        for kind, pages in _blocked_pages(product, run)
        if len(pages) >= least
    ]
    found += [_breakage_of_template(product, run, said) for said in noticed if said.code == _TEMPLATE_CODE]
    return found + _spider_breakages(product, run, counts)


def note_lost_texts(product: Product) -> None:
    """Add to the crawls of the last hours that pages which had a text have none any more."""
    store = product.store
    for run in store.runs.ended_crawls(product.now() - EXTRACTION_TIME):
        if run.subject is None or run.subject.kind is not SubjectKind.SITE:
            continue
        lost = store.pages.lost_texts(run.subject.id, run.started_at, MAX_EXAMINED_PROBLEMS)
        if len(lost) >= MIN_BROKEN_PAGES:
            store.runs.set_breakage(run.id, _breakage(product, run, BreakKind.NO_TEXT, lost[0].url, len(lost)))


def broken_sites(product: Product) -> list[tuple[Run, tuple[Breakage, ...]]]:
    """Return the crawls of sites that broke lately and have not gone well since, the newest first."""
    store = product.store
    newest: dict[str, Run] = {}
    for run in store.runs.broken_crawls(product.now() - BREAKAGE_PERIOD, _MAX_BROKEN_RUNS):
        newest.setdefault(str(run.subject), run)
    broken = []
    for run in newest.values():
        later = store.runs.recent(kind=RunKind.CRAWL, subject=run.subject, limit=_MAX_CAPTURES)
        ended = next((other for other in later if other.ended_at and not other.recrawl), run)
        if ended.id == run.id or ended.started_at < run.started_at:
            broken.append((run, run.breakages))
    return broken


def breakage_words(broken: Breakage) -> Message:
    """Return how a crawl broke in words."""
    match broken.kind:
        case BreakKind.NO_TEXT:
            return message("crawls.broke_no_text", count=broken.count)
        case BreakKind.TEMPLATE:
            return broken.reason or message("crawls.other_template", classes="–")
        case BreakKind.LOGIN:
            return message("crawls.broke_login", count=broken.count)
        case BreakKind.REFUSED:
            return message("crawls.broke_refused", count=broken.count)
        case BreakKind.CAPTCHA:
            return message("crawls.broke_captcha", count=broken.count)
        case BreakKind.SPIDER:
            return message("crawls.broke_spider", reason=broken.reason or SPIDER_GAVE_NOTHING)


def _spider_breakages(product: Product, run: Run, counts: Mapping[str, int]) -> list[Breakage]:
    """Return that the site's own spider raised, with the number of answers, or could not be used at all."""
    if count := counts.get(f"failed_{SkipReason.SPIDER_FAILED}", 0):
        for problem in product.store.problems.of_run(run.id, 1, SkipReason.SPIDER_FAILED):
            return [Breakage(kind=BreakKind.SPIDER, count=count, url=problem.what, reason=problem.reason)]
    if run.problem is None or run.problem.code not in _SPIDER_CODES:
        return []
    return [Breakage(kind=BreakKind.SPIDER, count=0, url="", reason=run.problem)]


def _blocked_pages(product: Product, run: Run) -> Iterator[tuple[BreakKind, list[Problem]]]:
    """Yield by kind of break the problems of addresses whose page had a text."""
    store = product.store
    by_kind: dict[BreakKind, list[Problem]] = defaultdict(list)
    for word in ("soft_block", *_STATUSES):
        for problem in store.problems.of_run(run.id, MAX_EXAMINED_PROBLEMS, word):
            kind = _STATUSES.get(word) or _BLOCKS.get(_block_of(problem.reason))
            if kind is not None:
                by_kind[kind].append(problem)
    for kind, problems in by_kind.items():
        pages = store.pages.many([page_id(problem.what) for problem in problems])
        yield kind, [problem for problem in problems if _had_text(pages.get(page_id(problem.what)))]


def _had_text(page: Page | None) -> bool:
    return page is not None and page.text_digest is not None


def _block_of(reason: Message) -> str:
    """Return the kind of soft block that a message names."""
    inner = reason.figures.get("block", reason)
    return (inner if isinstance(inner, Message) else reason).code.removeprefix("soft_block.")


def _breakage_by_block(product: Product, run: Run, kind: BreakKind, problems: Sequence[Problem]) -> Breakage:
    return _breakage(product, run, kind, problems[0].what, len(problems), problems[0].reason)


def _breakage_of_template(product: Product, run: Run, said: Message) -> Breakage:
    assert run.subject is not None
    newest = product.store.pages.captured_since(run.subject.id, run.started_at)
    return _breakage(product, run, BreakKind.TEMPLATE, newest.url if newest else "", run.counts.get("fetched", 0), said)


def _breakage(
    product: Product, run: Run, kind: BreakKind, url: str, count: int, reason: Message | None = None
) -> Breakage:
    """Return the breakage with the last good capture of its example."""
    id = page_id(url)
    captures = product.store.pages.captures(id, limit=_MAX_CAPTURES) if url else []
    good = next((one.fetched_at for one in captures if one.fetched_at < run.started_at and one.status == 200), None)
    return Breakage(kind=kind, count=count, url=url, reason=reason, page_id=id if captures else None, good_at=good)
