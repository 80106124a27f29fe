"""Captured pages to cases: through the production queues, step by step, and in one loop with no database."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from lab.bench.chain.cost import Cost, Meter
from lab.bench.chain.loop import Loop
from lab.bench.chain.pages import HEADERS, SEED, ChainPage, chain_pages
from lab.bench.chain.steps import costs_by_step
from lab.bench.generator import Writer
from lab.bench.library import store_works
from lab.bench.report import BenchReport, Limit
from pipeline.library.rebuild_index import make_missing_indexes, rebuild_index
from pipeline.library.steps_left import unfinished
from store.errors import Unavailable
from store.records import Capture, Case, OwnerKind, Step
from wenhen.processes.supervise import Supervisor
from wenhen.processes.workers import worker_children
from wenhen.queue_names import ALL
from wenhen.wiring import App

LEAST_SHARE = 0.6  # of the limit
LEAST_PAGES = 120  # a second, on two cores
TOGETHER = 50  # pages that a crawl brings at a time
WARM = 50  # first pages, at which workers open what they need; not counted
STEPPED = 0.25  # of the pages, as many more go step by step
LONGEST = 3_600  # seconds that a stage may take
POLL = 0.5  # seconds; each look costs the server some questions
PASSING = ("matched_at", "page_fingerprints", "work_fingerprints")  # of a match: another in each run

Progress = Callable[[int, int], None]


def measure(app: App, pages: int, works: int, out: Path | None = None, progress: Progress | None = None) -> BenchReport:
    """All in this run, one after the other. out: where the cases are written, to compare those of two releases."""
    report = BenchReport("chain")
    store_works(app, Writer(SEED).works(works), works)
    rebuild_index(app, OwnerKind.WORK)
    make_missing_indexes(app)
    many = list(chain_pages(WARM + pages, works))
    through = through_queues(app, many, progress)
    if out:
        _write_cases(app, out)
    stepped = list(chain_pages(round(STEPPED * pages), works, first=len(many)))
    report.rows = costs_by_step(app, _captured(app, stepped))
    alone, cases = _alone(app, many[WARM:], works)
    _tell(report, pages, through, alone)
    report.figures |= {"works": works, "cases": app.store.cases.count(), "cases of the loop": cases}
    return report


def _tell(report: BenchReport, pages: int, through: Cost, alone: Cost) -> None:
    taken, least = (sum(cost.cpu.values()) for cost in (through, alone))
    report.figures |= {
        "pages": pages,
        "pages a second": pages / through.seconds,
        "CPU-ms a page": 1000 * taken / pages,
        **{f"of it {who}": 1000 * each / pages for who, each in through.cpu.items()},
        **{f"round trips a page, {where}": count / pages for where, count in through.trips.items()},
    }
    report.peers |= {"one loop with no database, CPU-ms a page": 1000 * least / pages}
    report.limits += [
        Limit("of the loop's pages for a CPU-second", least / taken, least=LEAST_SHARE),
        Limit("pages a second", pages / through.seconds, least=LEAST_PAGES),
    ]


def through_queues(app: App, pages: Sequence[ChainPage], progress: Progress | None) -> Cost:
    """The pages through the workers of the product; capturing them is no part of it."""
    ids = _captured(app, pages)
    with Supervisor(worker_children(_all_at_once(app), schedule=False)):
        _wait(lambda: {queue for queues in app.queue.workers().values() for queue in queues} >= set(ALL))
        _send(app, ids[:WARM])
        _wait(lambda: app.store.pages.count_by_step().get(Step.DONE, 0) >= WARM)
        with Meter(app) as meter:
            _send(app, ids[WARM:])
            _wait(lambda: _all_done(app, len(ids), progress))
    return meter.cost


def _all_at_once(app: App) -> App:
    """With workers that have all of their processes from the beginning: what starting one costs is no part of it."""
    settings = app.settings
    worker = settings.worker.model_copy(update={"least": settings.worker.concurrency})
    return replace(app, settings=settings.model_copy(update={"worker": worker}))


def _wait(over: Callable[[], bool]) -> None:
    """Until it is over. Raises `Unavailable` where that takes longer than any run of ours."""
    end = time.monotonic() + LONGEST
    while not over():
        if time.monotonic() > end:
            raise Unavailable("lab.no_end", minutes=LONGEST // 60)
        time.sleep(POLL)


def _all_done(app: App, pages: int, progress: Progress | None) -> bool:
    left = unfinished(app)
    if left and progress:
        progress(pages - left, pages)
    return not left


def _send(app: App, ids: Sequence[str]) -> None:
    for begin in range(0, len(ids), TOGETHER):
        app.enqueue(OwnerKind.PAGE, ids[begin : begin + TOGETHER], Step.EXTRACT)


def _alone(app: App, pages: Sequence[ChainPage], works: int) -> tuple[Cost, int]:
    loop = Loop.over(list(Writer(SEED).works(works)))
    with Meter(app, ours=True) as meter:
        cases = loop.cases(pages)
    return meter.cost, cases


def _captured(app: App, pages: Sequence[ChainPage]) -> list[str]:
    """Store captures as a crawl does, for nobody to take up before they are sent; their ids."""
    ids = []
    for begin in range(0, len(pages), TOGETHER):
        some = pages[begin : begin + TOGETHER]
        app.store.blobs.put_all([one.body for one in some])
        stored = app.store.pages.put_captures([(one.url, _capture(app, one)) for one in some], site_id=None)
        ids += [page.id for page in stored]
    app.store.pages.queued(ids, app.now() + timedelta(hours=1))
    return ids


def _capture(app: App, page: ChainPage) -> Capture:
    return Capture(
        fetched_at=app.now(),
        url=page.url,
        status=200,
        headers=HEADERS,
        body_digest=sha256(page.body).hexdigest(),
        body_size=len(page.body),
    )


def _write_cases(app: App, out: Path) -> None:
    """What was found, without what differs from run to run: numbers and times."""
    lines = sorted(json.dumps(_found(case), ensure_ascii=False, default=str) for case in app.store.cases.each())
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _found(case: Case) -> dict[str, Any]:
    match = {name: value for name, value in asdict(case.match).items() if name not in PASSING}
    return {"page": case.page_url, "text": case.page_text_digest, "status": case.status, "match": match}
