"""Start, pause, resume, stop and end crawls, and recover crawls whose crawlers died.

Between two crawls of a site, recrawls cover pages that change more often than the site is crawled, and pages of pursued
cases once a day. A notice depends on whether and when a copy was removed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from crawler.addresses import canonical_url
from crawler.job import CrawlJob
from crawler.ports import CrawlCounts
from wenhen.cases.rules import PURSUED_STATUSES
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, TrialCrawl, audited, change_result
from wenhen.crawls.breakages import SPIDER_GAVE_NOTHING, find_breakages
from wenhen.crawls.comparison import run_differences
from wenhen.crawls.job import find_crawled_site
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.kit.errors import Conflict, Message, NotFound, Unavailable, WenhenError
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.sites.model import Site
from wenhen.sites.service import pause_site, resume_site
from wenhen.steps.problems import CRAWL


@audited("site.remove")
def remove_site(acting: Acting, id: str) -> ChangeResult[Site]:
    """Remove a watched site, stop its crawl, and delete its cookies and proxies. Its pages and cases stay.

    Returns the removed site. Raises `NotFound`.
    """
    acting.require(Right.SITES)
    product = acting.product
    site = product.store.sites.get(id)
    product.store.sites.remove(id)
    product.store.accesses.remove(id)
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.subject == Subject(SubjectKind.SITE, id):
            with suppress(Conflict):  # it has ended meanwhile
                request_stop(product, run.id)
    return change_result(site, AuditLine(f"site:{id}", old=" ".join(site.start_urls)))


# The end of a run: final counts, and a problem if a watched site gave no page.


LOOK_HORIZON = timedelta(days=3660)  # later than any scheduled recrawl
NO_PAGE_MESSAGE = Message("crawls.no_page")


def end_run(product: Product, run: Run, problem: Message | None = None) -> None:
    """End a run with the counts of all its crawlers and delete its frontier.

    A run of a watched site gets a problem if all of its requests failed.
    """
    counts = dict(run.counts)
    with suppress(WenhenError):  # the run ends anyway, and the keys of the frontier expire
        if outcome := product.frontier(run, None).end():
            counts = CrawlCounts.of(outcome).as_mapping()
    noticed = run_differences(product, product.store.runs.get(run.id), counts)
    problem = problem or _no_page_problem(product, run, counts)
    breakages = find_breakages(product, replace(run, counts=counts, problem=problem), counts, noticed)
    product.store.runs.end(run.id, product.now(), counts, problem, noticed, breakages)


def _no_page_problem(product: Product, run: Run, counts: Mapping[str, int]) -> Message | None:
    failures = counts.get("refused", 0) + counts.get("failed", 0)
    if counts.get("fetched") or run.recrawl or run.state is RunState.STOPPING:
        return None
    site = _watched_site(product, run.subject)
    if not failures:
        return SPIDER_GAVE_NOTHING if site is not None and site.spider else None
    return None if site is None or _is_nothing_due(product, run, site) else NO_PAGE_MESSAGE


def _watched_site(product: Product, subject: Subject | None) -> Site | None:
    if subject is None or subject.kind is not SubjectKind.SITE:
        return None
    with suppress(NotFound):
        return product.store.sites.get(subject.id)
    return None


def _is_nothing_due(product: Product, run: Run, site: Site) -> bool:
    """Return whether a scheduled run found its start URLs, and no known page of the site was due."""
    starts = {canonical_url(url) for url in site.start_urls}
    if run.due is None or product.store.problems.any_since(run.started_at, CRAWL, starts):
        return False
    now, looks = product.now(), product.store.pages.due_recrawls
    return bool(looks(site.id, now + LOOK_HORIZON, 1)) and not looks(site.id, now, 1)


# Runs of crawls: create them, change their state, and queue their crawlers.


WORKING_STATES = frozenset((RunState.WAITING, RunState.GOING))
HELD_STATES = frozenset((RunState.PAUSED, RunState.RESTING))
STEERABLE_STATES: Final[Mapping[str, frozenset[RunState]]] = {  # action on a run -> states that allow it
    "pause": frozenset((RunState.WAITING, RunState.GOING, RunState.RESTING)),
    "resume": HELD_STATES | {RunState.PAUSING},
    "stop": frozenset(RunState) - {RunState.STOPPING},
}


def start_crawl(
    product: Product,
    subject: Subject,
    *,
    due: datetime | None = None,
    recrawl: bool = False,
    addresses: Sequence[str] = (),
) -> Run:
    """Queue a crawl.

    due: scheduled time for which it is started.
    recrawl: fetch only pages that are due.
    addresses: canonical URLs that a user asked for, to be fetched if the subject is a list.

    Raises `NotFound`, `BadInput`, and `Conflict` if the same crawl is active or was started for this time.
    """
    find_crawled_site(product, subject, addresses)
    try:
        run = product.store.runs.start(
            RunKind.CRAWL,
            subject,
            product.now(),
            state=RunState.WAITING,
            sole=True,
            due=due,
            recrawl=recrawl,
            addresses=addresses,
        )
    except Conflict as error:
        raise Conflict("crawls.going_on", subject=str(subject)) from error
    _queue_crawlers(product, run.id, soon=due is None and not recrawl)
    return run


def active_crawls(product: Product) -> list[Run]:
    """Return crawls that are running or wait for a crawler."""
    return [run for run in product.store.runs.active(RunKind.CRAWL) if run.state not in HELD_STATES]


def request_pause(product: Product, run_id: str) -> None:
    """Pause a run until it is resumed. Pages that are being fetched are still stored.

    Raises `NotFound`, `Conflict`.
    """
    now, move = product.now(), product.store.runs.move
    if not move(run_id, {RunState.GOING}, RunState.PAUSING, now):
        _require_moved(product, run_id, move(run_id, {RunState.WAITING, RunState.RESTING}, RunState.PAUSED, now))


def request_resume(product: Product, run_id: str) -> None:
    """Resume a run that is paused, or resting in quiet hours. Raises `NotFound`, `Conflict`."""
    if product.store.runs.move(run_id, {RunState.PAUSING}, RunState.GOING, product.now()):
        return
    _require_moved(product, run_id, product.store.runs.move(run_id, HELD_STATES, RunState.WAITING, product.now()))
    _queue_crawlers(product, run_id, soon=True)


def request_stop(product: Product, run_id: str) -> None:
    """Stop a run within seconds. Stored pages stay. Raises `NotFound`, `Conflict`."""
    now, move = product.now(), product.store.runs.move
    if not move(run_id, {RunState.GOING, RunState.PAUSING}, RunState.STOPPING, now):
        _require_moved(product, run_id, move(run_id, {RunState.WAITING, *HELD_STATES}, RunState.STOPPING, now))
        end_run(product, product.store.runs.get(run_id))


def resend_run(product: Product, run_id: str) -> None:
    """Queue crawlers for a run again. Crawlers that still work on it continue."""
    product.store.runs.move(run_id, WORKING_STATES, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the reconciler queues it
        _queue_crawlers(product, run_id)


def resume_rested_runs(product: Product) -> None:
    """Resume the runs whose quiet hours are over."""
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.state is RunState.RESTING and run.resume_at is not None and run.resume_at <= product.now():
            with suppress(Conflict):  # another process was faster
                request_resume(product, run.id)


def _queue_crawlers(product: Product, run_id: str, *, soon: bool = False) -> None:
    for _ in range(product.settings.crawler.crawlers):
        product.queue.crawl(run_id, soon=soon)


def _require_moved(product: Product, run_id: str, moved: bool) -> None:
    if not moved:
        run = product.store.runs.get(run_id)
        state = "ended" if run.ended_at else run.state
        raise Conflict("crawls.not_now", id=run_id, state=Message(f"crawls.{state}"))


LOST_AFTER = timedelta(seconds=30)
MAX_LOSSES = 3  # a crawl that kills its worker this often needs a person
DIED_MESSAGE = Message("crawls.died")


def lose_run(product: Product, run_id: str, problem: Message) -> None:
    """Record that a crawler disappeared, and queue another one to continue the run.

    The run ends with `problem` after `MAX_LOSSES` losses.
    """
    if product.store.runs.get(run_id).ended_at is not None:
        return
    run = product.store.runs.lose(run_id, product.now())
    if run.losses >= MAX_LOSSES:
        end_run(product, run, problem)
    elif run.state in WORKING_STATES:
        resend_run(product, run_id)


def recover_lost_runs(product: Product) -> int:
    """Recover runs without a recent heartbeat, and return their number.

    Runs whose crawlers died continue. Waiting runs whose message was lost are queued again. Requested pauses and stops
    are completed.
    """
    lost = 0
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.state in HELD_STATES or product.now() - run.heartbeat_at < LOST_AFTER:
            continue
        if run.state is RunState.WAITING and _is_call_waiting(product, run):
            continue
        # The run may have sent a heartbeat meanwhile, or another reconciler may handle it.
        if product.store.runs.take_silent(run.id, run.heartbeat_at, product.now()):
            _recover_run(product, run)
            lost += 1
    return lost


def _recover_run(product: Product, run: Run) -> None:
    match run.state:
        case RunState.PAUSING:
            product.store.runs.move(run.id, {run.state}, RunState.PAUSED, product.now())
        case RunState.STOPPING:
            end_run(product, run)
        case RunState.WAITING:
            resend_run(product, run.id)
        case _:
            lose_run(product, run.id, DIED_MESSAGE)


def _is_call_waiting(product: Product, run: Run) -> bool:
    """Return whether the message for a crawler may still be in the queue.

    It was sent when the run began to wait, and each queue is first in, first out.
    """
    oldest = product.queue.oldest().get("crawl")
    return oldest is not None and oldest <= run.heartbeat_at + LOST_AFTER


# User actions on crawls, with audit log.


@audited("site.crawl")
def begin_crawl(acting: Acting, subject: Subject) -> ChangeResult[Run]:
    """Queue a crawl. Raises `NotFound`, `BadInput`, and `Conflict` if the same crawl is active."""
    acting.require(Right.CRAWL)
    return change_result(start_crawl(acting.product, subject), AuditLine(f"site:{subject}"))


@audited("run.pause")
def pause_crawl(acting: Acting, id: str) -> ChangeResult[None]:
    """Pause a run until it is resumed. Pages that are being fetched are still stored.

    Raises `NotFound`, `Conflict`.
    """
    return _steer_run(acting, id, request_pause)


@audited("run.resume")
def resume_crawl(acting: Acting, id: str) -> ChangeResult[None]:
    """Resume a run that is paused, or resting in quiet hours. Raises `NotFound`, `Conflict`."""
    return _steer_run(acting, id, request_resume)


@audited("run.stop")
def stop_crawl(acting: Acting, id: str) -> ChangeResult[None]:
    """Stop a run within seconds. Stored pages stay. Raises `NotFound`, `Conflict`."""
    return _steer_run(acting, id, request_stop)


RUN_ACTIONS: Final[Mapping[str, Callable[[Acting, str], None]]] = {
    "pause": pause_crawl,
    "resume": resume_crawl,
    "stop": stop_crawl,
}


def possible_actions(run: Run) -> list[str]:
    """Return which of `RUN_ACTIONS` are possible for a run now."""
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        return []
    return [to for to, states in STEERABLE_STATES.items() if run.state in states]


def _steer_run(acting: Acting, id: str, to: Callable[[Product, str], None]) -> ChangeResult[None]:
    acting.require(Right.CRAWL)
    to(acting.product, id)
    return change_result(None, AuditLine(f"run:{id}"))


# Trial crawls show which URLs a crawl of a site would request.


TRIAL_PAGES: Final = 20  # pages fetched for their links
TRIAL_SECONDS: Final = 60.0  # no further pages are fetched after this time


def try_site(acting: Acting, id: str) -> TrialCrawl:
    """Crawl a few pages of a watched site in a separate process, without storing them.

    Raises `NotFound`, `BadInput`, `Unavailable`, and `Forbidden` for an internal site without the right `ACCESS`.
    """
    acting.require(Right.SITES)
    site = acting.product.store.sites.get(id)
    if site.internal:
        acting.require(Right.ACCESS)
    return acting.product.try_out(site.id)


_SITE_ACTIONS: Final[Mapping[str, Callable[[Acting, str], object]]] = {
    "pause": pause_site,
    "resume": resume_site,
    "crawl": lambda acting, id: begin_crawl(acting, Subject(SubjectKind.SITE, id)),
    "remove": remove_site,
}


def apply_to_sites(acting: Acting, ids: Iterable[str], what: str) -> Sequence[Site]:
    """Pause, resume, crawl or remove several sites, and return those for which it succeeded.

    Sites that no longer exist or are already being crawled are skipped.
    """
    done = []
    for id in ids:
        with suppress(NotFound, Conflict):
            site = acting.product.store.sites.get(id)
            _SITE_ACTIONS[what](acting, id)
            done.append(site)
    return done


RECRAWL_INTERVAL = timedelta(minutes=10)  # between two rounds of scheduling
MIN_TIME_TO_CRAWL = timedelta(hours=1)  # before the next crawl of a site, which must not meet an active recrawl
MAX_RECRAWL_PAGES = 200  # pages per recrawl
PURSUED_INTERVAL = timedelta(days=1)
RETRY_INTERVAL = timedelta(hours=6)  # after a recrawl of pages of pursued cases
_RECRAWL_MARK = "looks"  # name of the scheduler mark


def start_recrawls(product: Product, now: datetime) -> None:
    """Queue a recrawl for each site with pages that are due before its next crawl.

    Only its own spider can read the pages of a site that has one, so they wait for the crawl.
    """
    if not product.store.marks.claim(_RECRAWL_MARK, now, RECRAWL_INTERVAL):
        return
    for site in product.store.sites.all():
        if site.paused or site.spider or site.due - now < MIN_TIME_TO_CRAWL:
            continue
        if not _is_recrawl_wanted(product, site, now):
            continue
        with suppress(Conflict, NotFound):
            start_crawl(product, Subject(SubjectKind.SITE, site.id), due=now, recrawl=True)


def recrawl_job(product: Product, job: CrawlJob, site: Site) -> CrawlJob:
    """Return the job of a recrawl: the due pages, and new pages that they link to."""
    pages = _due_urls(product, site, product.now(), MAX_RECRAWL_PAGES)
    return replace(job, start_urls=tuple(pages) or job.start_urls[:1], max_depth=min(job.max_depth, 1))


def _is_recrawl_wanted(product: Product, site: Site, now: datetime) -> bool:
    if product.store.pages.due_recrawls(site.id, now, 1, below=site.interval_hours):
        return True
    # The claim limits the requests to a server that does not respond.
    return bool(_pursued_urls(product, site, now)) and product.store.marks.claim(
        f"pursued:{site.id}", now, RETRY_INTERVAL
    )


def _due_urls(product: Product, site: Site, now: datetime, limit: int) -> list[str]:
    pursued = _pursued_urls(product, site, now)
    changing = product.store.pages.due_recrawls(site.id, now, limit, below=site.interval_hours)
    return list(dict.fromkeys([*pursued, *changing]))[:limit]


def _pursued_urls(product: Product, site: Site, now: datetime) -> list[str]:
    """Return the URLs of pages of pursued cases not fetched for a day, least recently fetched first."""
    urls = (
        product.store.cases.find(status=status, hosts=site.hosts, present=True, limit=MAX_RECRAWL_PAGES)
        for status in PURSUED_STATUSES
    )
    pages = product.store.pages.many({case.page_id for cases in urls for case in cases}).values()
    waiting = [page for page in pages if page.capture.fetched_at <= now - PURSUED_INTERVAL]
    return [page.url for page in sorted(waiting, key=lambda page: page.capture.fetched_at)]
