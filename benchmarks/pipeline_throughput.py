"""Measure captured pages on their way to cases through the production queues, and the re-match of stored pages."""

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.corpora import (
    PAGE_HEADERS,
    PAGE_SEED,
    PAGES_PER_HOST,
    PARAGRAPH_CHARACTERS,
    GeneratedPage,
    generate_copies,
    generate_pages,
    store_generated_works,
)
from benchmarks.generator.writer import GeneratedWork, Writer
from benchmarks.measurement import Cost, CostMeter
from benchmarks.pipeline_baselines import InMemoryLoop, costs_by_step
from benchmarks.report import BenchReport, Limit
from crawler.capture import Capture
from wenhen.cases.model import Case
from wenhen.kit.errors import Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import build_missing_indexes, rebuild_index
from wenhen.matching.rematch import MAX_WRITE_LAG, count_unfinished, start_rematch
from wenhen.pipeline.tasks import run_batch
from wenhen.runtime.processes.supervisor import Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import QUEUES
from wenhen.steps.runner import step_records
from wenhen.works.model import WorkDraft
from wenhen.works.service import batch_drafts, store_works

MIN_LOOP_SHARE = 0.6  # share of the loop's throughput
MIN_PAGES_PER_SECOND = 120  # pages a second on two cores
CRAWL_BATCH_PAGES = 50  # pages of one batch of a crawl
QUEUE_WARM_UP_PAGES = 50  # first pages, which warm the workers up and do not count
STEPPED_SHARE = 0.25  # share of further pages that go step by step
MAX_STAGE_SECONDS = 3_600  # seconds
POLL_SECONDS = 0.5  # seconds: each poll queries the server
VOLATILE_MATCH_FIELDS = (
    "matched_at",
    "page_fingerprints",
    "work_fingerprints",
)  # these differ in each run

Progress = Callable[[int, int], None]


def measure_pipeline(
    app: App,
    pages: int,
    works: int,
    out: Path | None = None,
    progress: Progress | None = None,
    host_pages: int = PAGES_PER_HOST,
) -> BenchReport:
    """Measure all in this run, one after the other. out: the file of cases, to compare releases. host_pages: pages of
    each host.
    """
    report = BenchReport("chain")
    store_generated_works(app, Writer(PAGE_SEED).works(works), works)
    rebuild_index(app, OwnerKind.WORK)
    build_missing_indexes(app)
    many = list(generate_pages(QUEUE_WARM_UP_PAGES + pages, works, host_pages=host_pages))
    through = run_through_queues(app, many, progress)
    if out:
        _write_cases(app, out)
    stepped = list(generate_pages(round(STEPPED_SHARE * pages), works, len(many), host_pages))
    report.rows = costs_by_step(app, _store_captures(app, stepped))
    alone, cases = _run_loop(app, many[QUEUE_WARM_UP_PAGES:], works)
    _report_costs(report, pages, through, alone)
    report.figures |= {
        "works": works,
        "pages of a host": host_pages,
        "cases": app.store.cases.count(),
        "cases of the loop": cases,
    }
    return report


def _report_costs(report: BenchReport, pages: int, through: Cost, alone: Cost) -> None:
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
        Limit("of the loop's pages for a CPU-second", least / taken, least=MIN_LOOP_SHARE),
        Limit("pages a second", pages / through.seconds, least=MIN_PAGES_PER_SECOND),
    ]


def run_through_queues(app: App, pages: Sequence[GeneratedPage], progress: Progress | None) -> Cost:
    """Process the pages in the workers of the product. Capturing them does not count."""
    ids = _store_captures(app, pages)
    with Supervisor(worker_children(_with_all_processes(app), schedule=False)):
        _wait_until(lambda: {queue for queues in app.queue.workers().values() for queue in queues} >= set(QUEUES))
        _enqueue_pages(app, ids[:QUEUE_WARM_UP_PAGES])
        _wait_until(lambda: app.store.pages.count_by_step().get(Step.DONE, 0) >= QUEUE_WARM_UP_PAGES)
        with CostMeter(app) as meter:
            _enqueue_pages(app, ids[QUEUE_WARM_UP_PAGES:])
            _wait_until(lambda: _is_all_done(app, len(ids), progress))
    return meter.cost


def _with_all_processes(app: App) -> App:
    """Return the app with all worker processes started from the beginning, because their start does not count."""
    settings = app.settings
    worker = settings.worker.model_copy(update={"least": settings.worker.concurrency})
    return replace(app, settings=settings.model_copy(update={"worker": worker}))


def _wait_until(over: Callable[[], bool]) -> None:
    """Wait until it is over. Raise `Unavailable` if that takes longer than any benchmark run."""
    end = time.monotonic() + MAX_STAGE_SECONDS
    while not over():
        if time.monotonic() > end:
            raise Unavailable("lab.no_end", minutes=MAX_STAGE_SECONDS // 60)
        time.sleep(POLL_SECONDS)


def _is_all_done(app: App, pages: int, progress: Progress | None) -> bool:
    left = count_unfinished(app)
    if left and progress:
        progress(pages - left, pages)
    return not left


def _enqueue_pages(app: App, ids: Sequence[str]) -> None:
    for begin in range(0, len(ids), CRAWL_BATCH_PAGES):
        app.enqueue(OwnerKind.PAGE, ids[begin : begin + CRAWL_BATCH_PAGES], Step.EXTRACT)


def _run_loop(app: App, pages: Sequence[GeneratedPage], works: int) -> tuple[Cost, int]:
    loop = InMemoryLoop.over(list(Writer(PAGE_SEED).works(works)))
    with CostMeter(app, ours=True) as meter:
        cases = loop.cases(pages)
    return meter.cost, cases


def _store_captures(app: App, pages: Sequence[GeneratedPage]) -> list[str]:
    """Store captures like a crawl, but let nothing process them before they are queued. Return their ids."""
    ids = []
    for begin in range(0, len(pages), CRAWL_BATCH_PAGES):
        some = pages[begin : begin + CRAWL_BATCH_PAGES]
        app.store.blobs.put_all([page.body for page in some])
        stored = app.store.pages.put_captures([(page.url, _make_capture(app, page)) for page in some], site_id=None)
        ids += [page.id for page in stored]
    app.store.pages.mark_queued(ids, app.now() + timedelta(hours=1))
    return ids


def _make_capture(app: App, page: GeneratedPage) -> Capture:
    return Capture(
        fetched_at=app.now(),
        url=page.url,
        status=200,
        headers=PAGE_HEADERS,
        body_digest=sha256(page.body).hexdigest(),
        body_size=len(page.body),
    )


def _write_cases(app: App, out: Path) -> None:
    """Write the cases without numbers and times, which differ between runs."""
    lines = sorted(json.dumps(_case_record(case), ensure_ascii=False, default=str) for case in app.store.cases.each())
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _case_record(case: Case) -> dict[str, Any]:
    match = {name: value for name, value in asdict(case.match).items() if name not in VOLATILE_MATCH_FIELDS}
    return {"page": case.page_url, "text": case.page_text_digest, "status": case.status, "match": match}


# The re-match of stored pages against a library that is unchanged, changed in part, and changed as a whole. Changes are
# looked up at once, as in the product, and the re-match follows. All steps run in this process, without queues.


NEW_TEXT_SEED = 37
STEP_BATCH_RECORDS = 50  # records of a step that run together
MAX_DUE_RECORDS = 2_000  # records of each kind that are read at a time
LONGEST_DELAY = timedelta(days=1)  # everything that waits is due before
MAX_REMATCH_MS = 1.0  # CPU-ms a stored page


def measure_rematch(
    app: App, works: int, pages: int, changed: int, *, full: bool, progress: Progress | None = None
) -> BenchReport:
    """Measure what changes of works, and the re-match behind them, cost a stored page. `app` is empty before.

    Each changed work has a page that copies its new text. full: also measure a full re-match, whose cases must be the
    same, and a change of all works.
    """
    report = BenchReport("re-match")
    rebuild_index(app, OwnerKind.WORK)
    build_missing_indexes(app)
    _begin_rematch(app)  # the first one looks up everything there is
    _store_texts(app, list(Writer(PAGE_SEED).works(works)))
    run_waiting_steps(app, progress)
    new = list(Writer(NEW_TEXT_SEED).works(changed))
    copies = list(generate_copies([work.text for work in new], first=pages - changed))
    _store_captures(app, [*generate_pages(pages - changed, works), *copies])
    run_waiting_steps(app, progress)

    def measure(what: str, begin: Callable[[], object]) -> None:
        report.rows.append({"what": what, **_rematch_row(app, pages, begin)})

    measure("nothing changed", lambda: _begin_rematch(app))
    measure(f"{changed} works get a new text", lambda: _store_texts(app, new))
    measure("the re-match behind it", lambda: _begin_rematch(app))
    found = _present_pairs(app)
    copied = {(copy.url, work.id) for copy, work in zip(copies, new, strict=True)}
    report.figures |= {"works": works, "pages": pages, "changed works": changed, "cases": len(found)}
    report.limits.append(Limit("copies of a new text without a case", len(copied - found), most=0))
    if full:
        measure("a full re-match", lambda: _begin_rematch(app, everything=True))
        changed_pairs = found ^ _present_pairs(app)
        report.limits.append(Limit("cases that a full re-match adds or ends", len(changed_pairs), most=0))
        _measure_change_of_all(app, new, works, measure)
    report.limits += [
        Limit(f"{row['what']}, CPU-ms a stored page", row["CPU-ms a page"], most=MAX_REMATCH_MS)
        for row in report.rows
        if not row["works looked up"]
    ]
    return report


def _measure_change_of_all(
    app: App, new: Sequence[GeneratedWork], works: int, measure: Callable[[str, Callable[[], object]], None]
) -> None:
    ends = Writer(NEW_TEXT_SEED).works(works, len(new))
    known = chain(new, Writer(PAGE_SEED).works(works - len(new), len(new)))
    longer = [
        replace(work, text=work.text + end.text[:PARAGRAPH_CHARACTERS]) for work, end in zip(known, ends, strict=True)
    ]
    measure("all works get a longer text", lambda: _store_texts(app, longer))
    measure("the re-match behind that", lambda: _begin_rematch(app))


def run_waiting_steps(app: App, progress: Progress | None = None) -> Counter[tuple[OwnerKind, Step]]:
    """Run every step that waits, now or later, in this process. Return the numbers of records by kind and step."""
    done: Counter[tuple[OwnerKind, Step]] = Counter()
    while any(due := [step_records(app, kind).due(app.now() + LONGEST_DELAY, MAX_DUE_RECORDS) for kind in OwnerKind]):
        for kind, records in zip(OwnerKind, due, strict=True):
            for step in sorted({step for _, step in records}):
                ids = [id for id, waiting in records if waiting is step]
                for begin in range(0, len(ids), STEP_BATCH_RECORDS):
                    run_batch(app, kind, ids[begin : begin + STEP_BATCH_RECORDS], step)
                done[kind, step] += len(ids)
        if progress:
            progress(done.total(), done.total() + count_unfinished(app))
    return done


def _rematch_row(app: App, pages: int, begin: Callable[[], object]) -> dict[str, Any]:
    with CostMeter(app, ours=True) as meter:
        begin()
        done = run_waiting_steps(app)
    cpu = meter.cost.cpu
    return {
        "works looked up": done[OwnerKind.WORK, Step.LOOK_UP],
        "pages looked up": done[OwnerKind.PAGE, Step.LOOK_UP],
        "CPU-ms a page": 1000 * sum(cpu.values()) / pages,
        **{f"of it {who}": 1000 * seconds / pages for who, seconds in cpu.items()},
        "cases": len(_present_pairs(app)),
    }


def _begin_rematch(app: App, *, everything: bool = False) -> None:
    """Begin a re-match as if the last writes were older than those that it takes for uncommitted."""
    start_rematch(replace(app, now=lambda: app.now() + MAX_WRITE_LAG), everything=everything)


def _store_texts(app: App, works: Sequence[GeneratedWork]) -> None:
    for batch in batch_drafts(WorkDraft(id=work.id, title=work.id, text=work.text) for work in works):
        store_works(app, batch)


def _present_pairs(app: App) -> set[tuple[str, str]]:
    return {(case.page_url, case.work_id) for case in app.store.cases.each() if case.present}
