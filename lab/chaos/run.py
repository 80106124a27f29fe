"""The same work twice: once undisturbed, once struck in the middle of every step; both have to leave the same."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

from redis import RedisError

from lab.chaos.faults import FAULTS, KILLS, standing_still
from lab.chaos.house import House, built
from lab.chaos.plan import PROCESS, Strike
from lab.chaos.state import State, differences, state_of
from lab.chaos.workload import Workload, again, crawl, to_remove
from pipeline.library.rebuild_index import make_missing_indexes
from pipeline.library.unfinished import unfinished
from pipeline.run_step import records_of, run_step
from services.crawls.runs import active_crawls
from store.errors import WenhenError
from store.records import OwnerKind, RunKind, Step
from wenhen.addresses import with_database
from wenhen.settings import Settings
from wenhen.tasks import STEPS
from wenhen.wiring import App, open_app

CRAWLING: Final = "crawl"
PATIENCE: Final = 120.0  # seconds until a step shows somebody at it, and until all is done
LOOK: Final = 0.004  # seconds between two looks
SPARE_DATABASE: Final = 5  # of Redis: the undisturbed run's indexes

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """fell: how often each fault fell into each step; never: those that did not; different: what is not as it was."""

    fell: Counter[tuple[str, str]]
    never: list[str]
    different: list[str]
    seconds: float

    @property
    def kills(self) -> int:
        """How many kill −9 there were."""
        return sum(count for (fault, _), count in self.fell.items() if fault in KILLS)

    @property
    def right(self) -> bool:
        """Nothing is missing."""
        return not self.never and not self.different


def run(settings: Settings, workload: Workload, plan: Sequence[Strike], say: Say) -> Aftermath:
    """Do the work undisturbed, then struck; what came of it."""
    begun = time.monotonic()
    with workload.site() as site:
        host_map = {**settings.crawler.host_map, **site.addresses()}
        mapped = settings.crawler.model_copy(update={"host_map": host_map, "internal_delay": 0.0, "delay": 0.02})
        with built(settings.model_copy(update={"crawler": mapped})) as house:
            undisturbed = _undisturbed(house.app, workload)
            say(f"undisturbed: {len(undisturbed)} facts, {time.monotonic() - begun:.0f} s")
            make_missing_indexes(house.app)
            fell: Counter[tuple[str, str]] = Counter()
            workload.bring(house.app)
            workload.watch(house.app)
            crawl(house.app)
            _strike_crawl(house, fell)
            for number, strike in enumerate(plan, 1):
                if _fall(house, strike, number):
                    fell[strike.fault, strike.place] += 1
                say(f"{time.monotonic() - begun:4.0f} s  {number}/{len(plan)}  {strike.fault}: {strike.place}")
            _wait(lambda: not unfinished(house.app) and not active_crawls(house.app))
            different = differences(undisturbed, state_of(house.app)) + _left_open(house.app)
    return Aftermath(fell, missed(plan, fell), different, time.monotonic() - begun)


def missed(plan: Sequence[Strike], fell: Mapping[tuple[str, str], int]) -> list[str]:
    """The faults of a plan that never fell where they were to; the kill of a crawl is one of every plan."""
    wanted = {(strike.fault, strike.place) for strike in plan} | {(PROCESS, CRAWLING)}
    return sorted(f"{fault}: {place}" for fault, place in wanted if not fell.get((fault, place)))


def _undisturbed(app: App, workload: Workload) -> State:
    with _spare(app) as spare:
        workload.bring(spare)
        workload.capture(spare)
        while due := [(kind, *one) for kind in OwnerKind for one in records_of(spare, kind).due(spare.now(), 1000)]:
            for kind, id, step in due:
                run_step(spare, kind, id, step, STEPS[kind][step])
        return state_of(spare)


@contextmanager
def _spare(app: App) -> Iterator[App]:
    """The product beside, on the same servers."""
    settings = app.settings
    assert settings.redis.url
    other = {
        "mongo": settings.mongo.model_copy(update={"database": f"{settings.mongo.database}-undisturbed"}),
        "index": settings.index.model_copy(update={"url": with_database(settings.redis.url, SPARE_DATABASE)}),
    }
    spare = open_app(settings.model_copy(update=other))
    with closing(spare.store):
        make_missing_indexes(spare)
        yield spare


def _strike_crawl(house: House, fell: Counter[tuple[str, str]]) -> None:
    """Kill the crawl once it has stored something."""

    def killed() -> bool:
        if not house.app.store.pages.count():
            return False
        for process in (crawlers := house.crawlers()):
            process.kill()
        return bool(crawlers) or not active_crawls(house.app)

    if _wait(killed) and active_crawls(house.app):
        fell[PROCESS, CRAWLING] += 1


def _fall(house: House, strike: Strike, number: int) -> bool:
    """Strike while somebody is at the step; False where nobody was within the time."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            with standing_still(house):
                if (strike.kind, strike.step) in house.held():
                    FAULTS[strike.fault](house)
                    return True
            _supply(house.app, strike, number)
        except (WenhenError, RedisError):  # a server is on its way back
            time.sleep(20 * LOOK)
        time.sleep(LOOK)
    return False


def _supply(app: App, strike: Strike, number: int) -> None:
    """See to it that there is something at the step, or before it."""
    records = records_of(app, strike.kind)
    left = sum(count for step, count in records.count_by_step().items() if step not in (Step.DONE, Step.SET_ASIDE))
    if left:
        return
    if strike.step is Step.REMOVE:
        for one in range(20):
            to_remove(app, 100 * number + one)
    else:
        again(app, strike.kind)


def _wait(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if condition():
                return True
        except WenhenError:
            pass
        time.sleep(LOOK * 5)
    return False


def _left_open(app: App) -> list[str]:
    """Runs that nobody ended, though nothing is done any more."""
    return [f"{kind} {run.id} did not end" for kind in RunKind for run in app.store.runs.active(kind)]
