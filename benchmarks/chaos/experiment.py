"""Run a workload undisturbed and under faults, and compare what both runs store."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import psutil
from redis import RedisError

from benchmarks.chaos.deployment import Deployment, start_deployment
from benchmarks.chaos.faults import CRAWL_PLACE, KILL_FAULTS, FaultScene, Round, Strike, inject_faults
from benchmarks.chaos.workload import (
    REMOVED_PREFIX,
    Workload,
    add_and_remove_work,
    restart_picture_pages,
    restart_records,
    start_site_crawl,
)
from matcher.model import Match
from wenhen.archive.integrity import verify_archive
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import active_crawls
from wenhen.kit.errors import WenhenError
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import build_missing_indexes, verify_index
from wenhen.matching.rematch import count_unfinished
from wenhen.pages.ocr_and_fonts import capture_assets
from wenhen.pipeline.tasks import SINGLE_STEPS
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, open_app
from wenhen.settings.servers_and_logs import with_database
from wenhen.steps.fair_queue import PICTURE_QUEUE, queue_of
from wenhen.steps.runner import run_step, step_records

# The stored state, without what depends on the time and number of runs, and the differences of two states.


StoredState = Mapping[str, Any]


def read_state(app: App) -> StoredState:
    """Return works, pages, pictures, cases, matches and fingerprints by their names, with the problems beside them."""
    store = app.store
    works = store.works.many([id for id in store.works.ids() if not id.startswith(REMOVED_PREFIX)]).values()
    pages = store.pages.many(list(store.pages.ids())).values()
    state: dict[str, Any] = {}
    state |= {f"work {work.id}": (work.version, work.text_digest, work.note, str(work.progress.step)) for work in works}
    state |= {
        f"page {page.url}": (
            page.text_digest,
            page.title,
            page.length,
            page.note,
            str(page.progress.step),
            page.gone_at,
        )
        for page in pages
    }
    pictures = {asset.digest for page in pages for asset in capture_assets(app, page.capture) if asset.is_picture}
    state |= {
        f"picture {id}": str(picture_text) for id, picture_text in store.picture_texts.read_already(pictures).items()
    }
    cases = list(store.cases.each())
    state |= {f"case {case.page_url} {case.work_id}": (str(case.status), case.present) for case in cases}
    state |= {f"match {case.page_id} {case.work_id}": _match_facts(case.match) for case in cases}
    state["numbers of cases"] = len({case.number for case in cases})
    for kind in OwnerKind:
        state |= {f"fingerprint {kind} {owner}": count for owner, count in _fingerprint_facts(app, kind)}
        state[f"missing in the index of {kind}s"] = verify_index(app, kind).missing
    state["damaged in the archive"] = [str(problem) for problem in verify_archive(app).problems]
    state["problems"] = sorted(str(problem.reason) for problem in store.problems.recent(limit=1_000))
    return state


def state_differences(undisturbed: StoredState, state: StoredState) -> list[str]:
    """Return the differences, a line each."""
    return [
        f"{name}: {undisturbed.get(name, 'nothing')} undisturbed, {state.get(name, 'nothing')} here"
        for name in sorted(undisturbed.keys() | state.keys())
        if undisturbed.get(name) != state.get(name)
    ]


def _match_facts(match: Match) -> tuple[object, ...]:
    spans = tuple(
        (passage.page_start, passage.page_end, passage.work_start, passage.work_end) for passage in match.passages
    )
    return str(match.level), round(match.share_of_page, 6), round(match.share_of_work, 6), spans


def _fingerprint_facts(app: App, kind: OwnerKind) -> Iterator[tuple[str, object]]:
    segments: Counter[tuple[str, int, bytes]] = Counter(
        (segment.owner_id, segment.segment, segment.values) for segment in app.store.fingerprints.all(kind)
    )
    for (owner, segment, values), count in segments.items():
        yield f"{owner} {segment}", (count, hash(values))


# One workload twice: undisturbed, and struck in the middle of every step. Both runs must store the same.


MAX_WAIT_SECONDS: Final = 900.0  # seconds until a worker is at a step, and until everything is done
POLL_SECONDS: Final = 0.02  # seconds
RESUPPLY_SECONDS: Final = 2.0  # seconds after which an idle step is supplied again
SUPPLY_RECORDS: Final = 3  # works or pages that are processed for one strike
CRAWL_DELAY_SECONDS: Final = 0.1  # seconds between two pages, so that a fault meets the crawl
SPARE_DATABASE: Final = 5  # database of Redis for the undisturbed run's indexes

Say = Callable[[str], None]
FaultCounts = Counter[tuple[tuple[str, ...], str]]


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """The outcome of a round. fell: how often faults struck each step together. different: differences of the state."""

    fell: FaultCounts
    facts: int
    different: list[str]
    seconds: float


def run_rounds(settings: Settings, rounds: Sequence[Round], seed: int, size: int, say: Say) -> Iterator[RoundOutcome]:
    """Yield the outcome of each round. Each has its own workload and deployment, so its result stands alone."""
    begun = time.monotonic()
    for number, plan in enumerate(rounds, 1):

        def say_of_round(line: str, of: int = number) -> None:
            say(f"{time.monotonic() - begun:5.0f} s  round {of}/{len(rounds)}  {line}")

        yield _run_round(settings, Workload(seed + number - 1, size), plan, say_of_round)


def missed_faults(rounds: Iterable[Round], fell: Mapping[tuple[tuple[str, ...], str], int]) -> list[str]:
    """Return the faults of a plan that never fell at their places. Every round plans one on the crawl."""
    wanted = {(strike.faults, strike.place) for each in rounds for strike in each.strikes}
    wanted |= {((each.crawl,), CRAWL_PLACE) for each in rounds}
    return sorted(f"{' + '.join(faults)}: {place}" for faults, place in wanted if not fell.get((faults, place)))


def count_kills(fell: Mapping[tuple[tuple[str, ...], str], int]) -> int:
    """Return the number of kill −9."""
    return sum(count for (faults, _), count in fell.items() for fault in faults if fault in KILL_FAULTS)


def _run_round(settings: Settings, workload: Workload, plan: Round, say: Say) -> RoundOutcome:
    """Do the work undisturbed, and then under faults."""
    begun = time.monotonic()
    fell: FaultCounts = Counter()
    with workload.site() as site:
        host_map = {**settings.crawler.host_map, **site.addresses()}
        mapped = settings.crawler.model_copy(
            update={"host_map": host_map, "internal_delay": CRAWL_DELAY_SECONDS, "delay": CRAWL_DELAY_SECONDS}
        )
        with start_deployment(settings.model_copy(update={"crawler": mapped})) as house:
            undisturbed = _run_undisturbed(house.app, workload)
            build_missing_indexes(house.app)
            workload.bring(house.app)
            workload.watch(house.app)
            start_site_crawl(house.app)
            fell[(plan.crawl,), CRAWL_PLACE] += _strike_crawl(house, plan.crawl)
            say(f"{plan.crawl}: {CRAWL_PLACE}")
            for strike in plan.strikes:
                fell[strike.faults, strike.place] += _strike_step(house, strike, workload.seed)
                say(f"{' + '.join(strike.faults)}: {strike.place}, word {strike.word}")
            # The order matters: the last captures of a crawl are unfinished when it has ended.
            _wait_until(lambda: not active_crawls(house.app) and not count_unfinished(house.app) and house.is_whole())
            different = state_differences(undisturbed, read_state(house.app)) + _unfinished_runs(house)
    seconds = time.monotonic() - begun
    say(f"{len(undisturbed)} facts, {len(different)} of them not as undisturbed; {seconds:.0f} s")
    return RoundOutcome(+fell, len(undisturbed), different, seconds)


def _run_undisturbed(app: App, workload: Workload) -> StoredState:
    with _open_spare_app(app) as spare:
        workload.bring(spare)
        workload.capture(spare)
        while due := [
            (kind, *due_step) for kind in OwnerKind for due_step in step_records(spare, kind).due(spare.now(), 1000)
        ]:
            for kind, id, step in due:
                run_step(spare, kind, id, step, SINGLE_STEPS[kind][step])
        return read_state(spare)


@contextmanager
def _open_spare_app(app: App) -> Iterator[App]:
    """Open a second instance of the product on the same servers."""
    settings = app.settings
    assert settings.redis.url
    other = {
        "mongo": settings.mongo.model_copy(update={"database": f"{settings.mongo.database}-undisturbed"}),
        "index": settings.index.model_copy(update={"url": with_database(settings.redis.url, SPARE_DATABASE)}),
    }
    spare = open_app(settings.model_copy(update=other))
    with closing(spare.store):
        build_missing_indexes(spare)
        yield spare


def _strike_crawl(house: Deployment, fault: str) -> bool:
    """Strike the crawl once it has stored a page."""

    def struck() -> bool:
        if not house.is_whole() or not house.app.store.pages.count():
            return False
        if not active_crawls(house.app):
            start_site_crawl(house.app)  # it ended too early
        if not (crawlers := house.crawlers()):
            return False
        for crawler in crawlers:
            with suppress(psutil.Error):
                crawler.suspend()
        inject_faults(FaultScene(house, "crawler", crawlers), (fault,))
        return True

    return _wait_until(struck)


def _strike_step(house: Deployment, planned: Strike, seed: int) -> bool:
    """Strike the deployment while a process is stopped in the step. Return False if none came there in time."""
    chance = random.Random(f"{seed} {planned}")
    if not _wait_until(house.is_whole):
        return False
    until, supply = time.monotonic() + MAX_WAIT_SECONDS, 0.0
    house.orders.order(planned.kind, planned.step, planned.word)
    while time.monotonic() < until:
        process = house.orders.find_taker()
        if process is not None and _is_stopped(process):
            worker = PICTURE_QUEUE if queue_of(planned.step) == PICTURE_QUEUE else "worker"
            inject_faults(FaultScene(house, worker, [process]), planned.faults)
            house.orders.withdraw()
            return True
        if process is None and time.monotonic() > supply:
            with suppress(WenhenError, RedisError):  # a server is restarting
                _supply_step(house.app, planned, chance)
                supply = time.monotonic() + RESUPPLY_SECONDS
            if not house.orders.is_waiting() and house.orders.find_taker() is None:  # its taker is dead
                house.orders.order(planned.kind, planned.step, planned.word)
        time.sleep(POLL_SECONDS)
    house.orders.withdraw()
    return False


def _is_stopped(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def _supply_step(app: App, planned: Strike, chance: random.Random) -> None:
    """Make a record come to the step."""
    if planned.step is Step.REMOVE:
        add_and_remove_work(app, chance.randrange(3_000))
    elif planned.step is Step.READ_PICTURES:
        restart_picture_pages(app)
    else:
        # Pages of one batch are aligned in the step of their look-up. A single page has a step of its own.
        restart_records(app, planned.kind, SUPPLY_RECORDS, chance, alone=planned.step is Step.ALIGN)


def _wait_until(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + MAX_WAIT_SECONDS
    while time.monotonic() < until:
        with suppress(WenhenError, RedisError):
            if condition():
                return True
        time.sleep(POLL_SECONDS)
    return False


def _unfinished_runs(house: Deployment) -> list[str]:
    """Return what is still down, and runs that did not end."""
    runs = [f"{kind} {run.id} did not end" for kind in RunKind for run in house.app.store.runs.active(kind)]
    return runs + [f"{name} did not come back" for name in house.away()]
