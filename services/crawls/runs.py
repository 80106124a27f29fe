"""A crawl run: its record, and what starts, steers and takes it up again."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from crawler.crawl.address_counts import CrawlCounts
from crawler.crawl.addresses import canonical
from services.context import Product
from services.crawls.compared_with_last import differences
from services.crawls.quiet_hours import quiet_until
from services.crawls.subject import site_for
from store.errors import Conflict, NotFound, Unavailable, WenhenError
from store.messages import Message
from store.records import Run, RunKind, RunState, Site, Subject, SubjectKind
from store.records.upkeep.problem import CRAWL

LOST_AFTER = timedelta(seconds=30)
AHEAD = timedelta(days=3660)  # of any look that is planned
MAX_LOSSES = 3  # a crawl that takes its worker down this often is left to people
DIED = Message("crawls.died")
NO_PAGE = Message("crawls.no_page")
WORKING = frozenset((RunState.WAITING, RunState.GOING))
HELD = frozenset((RunState.PAUSED, RunState.RESTING))


def start_crawl(product: Product, subject: Subject, *, due: datetime | None = None, recrawl: bool = False) -> Run:
    """Queue a crawl; `due` is the time of the schedule that it is for. A `recrawl` is of the site's pages that are due
    alone.

    Raises `NotFound`, `BadInput`, and `Conflict` while one of the same has not ended, or was started for this time.
    """
    site_for(product, subject)
    try:
        run = product.store.runs.start(
            RunKind.CRAWL, subject, product.now(), state=RunState.WAITING, sole=True, due=due, recrawl=recrawl
        )
    except Conflict as error:
        raise Conflict("crawls.going_on", subject=str(subject)) from error
    _send(product, run.id, soon=due is None and not recrawl)
    return run


def active_crawls(product: Product) -> list[Run]:
    """Crawls that wait for a crawler, or run."""
    return [run for run in product.store.runs.active(RunKind.CRAWL) if run.state not in HELD]


def pause(product: Product, run_id: str) -> None:
    """Let a run rest until it is resumed; what is being fetched is still stored. Raises `NotFound`, `Conflict`."""
    now, move = product.now(), product.store.runs.move
    if not move(run_id, {RunState.GOING}, RunState.PAUSING, now):
        _insist(product, run_id, move(run_id, {RunState.WAITING, RunState.RESTING}, RunState.PAUSED, now))


def resume(product: Product, run_id: str) -> None:
    """Go on with a run that was paused, or that rests in quiet hours. Raises `NotFound`, `Conflict`."""
    if product.store.runs.move(run_id, {RunState.PAUSING}, RunState.GOING, product.now()):
        return
    _insist(product, run_id, product.store.runs.move(run_id, HELD, RunState.WAITING, product.now()))
    _send(product, run_id, soon=True)


def stop(product: Product, run_id: str) -> None:
    """End a run within seconds; what it stored stays. Raises `NotFound`, `Conflict`."""
    now, move = product.now(), product.store.runs.move
    if not move(run_id, {RunState.GOING, RunState.PAUSING}, RunState.STOPPING, now):
        _insist(product, run_id, move(run_id, {RunState.WAITING, *HELD}, RunState.STOPPING, now))
        end(product, product.store.runs.get(run_id))


def end(product: Product, run: Run, problem: Message | None = None) -> None:
    """End a run with the counts of all its crawlers; what it had still to fetch is forgotten. One of a watched site to
    which no page came, though it asked for some, has a problem.
    """
    counts = dict(run.counts)
    with suppress(WenhenError):  # the run ends all the same; its keys go away by themselves
        if told := product.frontier(run, None).end():
            counts = CrawlCounts.of(told).as_mapping()
    noticed = differences(product, product.store.runs.get(run.id), counts)
    product.store.runs.end(run.id, product.now(), counts, problem or _lack(product, run, counts), noticed)


def _lack(product: Product, run: Run, counts: Mapping[str, int]) -> Message | None:
    asked = counts.get("refused", 0) + counts.get("failed", 0)
    if counts.get("fetched") or not asked or run.recrawl or run.state is RunState.STOPPING:
        return None
    site = _watched(product, run.subject)
    return None if site is None or _nothing_was_due(product, run, site) else NO_PAGE


def _watched(product: Product, subject: Subject | None) -> Site | None:
    if subject is None or subject.kind is not SubjectKind.SITE:
        return None
    with suppress(NotFound):
        return product.store.sites.get(subject.id)
    return None


def _nothing_was_due(product: Product, run: Run, site: Site) -> bool:
    """Whether a run of the schedule found its start addresses, lists then, and every page that is known rests."""
    starts = {canonical(url) for url in site.start_urls}
    if run.due is None or product.store.problems.any_since(run.started_at, CRAWL, starts):
        return False
    now, looks = product.now(), product.store.pages.due_recrawls
    return bool(looks(site.id, now + AHEAD, 1)) and not looks(site.id, now, 1)


def quiet(product: Product, site: Site) -> datetime | None:
    """The end of the quiet hours that it is in now, by the settings or its own, or None."""
    windows = (product.settings.schedule.quiet, site.quiet)
    return max((till for window in windows if (till := quiet_until(window, product.now()))), default=None)


def lose(product: Product, run_id: str, problem: Message) -> None:
    """A crawler went away without a word: call for another one, which goes on where it was, unless that was so too
    often.
    """
    if product.store.runs.get(run_id).ended_at is not None:
        return
    run = product.store.runs.lose(run_id, product.now())
    if run.losses >= MAX_LOSSES:
        end(product, run, problem)
    elif run.state in WORKING:
        send_again(product, run_id)


def send_again(product: Product, run_id: str) -> None:
    """Call for the crawlers of a run that is to go on; those that it still has keep their place."""
    product.store.runs.move(run_id, WORKING, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the sweep sends it
        _send(product, run_id)


def give_way(product: Product, run_id: str, *, alone: bool) -> None:
    """A crawler left so that another run has its turn: call for one that takes its place, behind those that wait."""
    if alone:
        product.store.runs.move(run_id, WORKING, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the sweep sends it
        product.queue.crawl(run_id)


def take_up_lost(product: Product) -> int:
    """See to the runs that were silent for too long: go on with those whose crawlers died, send those that wait while
    their queue is empty, and do what was asked of the others. How many.
    """
    lost = 0
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.state in HELD or product.now() - run.heartbeat_at < LOST_AFTER:
            continue
        match run.state:
            case RunState.PAUSING:
                product.store.runs.move(run.id, {run.state}, RunState.PAUSED, product.now())
            case RunState.STOPPING:
                end(product, run)
            case RunState.WAITING:
                if product.queue.waiting()["crawl"]:
                    continue
                send_again(product, run.id)
            case _:
                lose(product, run.id, DIED)
        lost += 1
    return lost


def end_rests(product: Product) -> None:
    """Go on with the runs whose quiet hours are over."""
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.state is RunState.RESTING and run.resume_at is not None and run.resume_at <= product.now():
            with suppress(Conflict):  # somebody was quicker
                resume(product, run.id)


def _send(product: Product, run_id: str, *, soon: bool = False) -> None:
    for _ in range(product.settings.crawler.crawlers):
        product.queue.crawl(run_id, soon=soon)


def _insist(product: Product, run_id: str, moved: bool) -> None:
    if not moved:
        run = product.store.runs.get(run_id)
        state = "ended" if run.ended_at else run.state
        raise Conflict("crawls.not_now", id=run_id, state=Message(f"crawls.{state}"))
