"""The same work twice: once undisturbed, once struck in the middle of every step; both have to leave the same."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import psutil
from redis import RedisError

from lab.chaos.faults import KILLS, Scene, strike
from lab.chaos.house import House, built
from lab.chaos.plan import CRAWLING, Round, Strike
from lab.chaos.state import State, differences, state_of
from lab.chaos.workload import Workload, again, crawl, pictures_again, to_remove
from pipeline.library.rebuild_index import make_missing_indexes
from pipeline.library.steps_left import unfinished
from pipeline.run_step import records_of, run_step
from services.crawls.runs import active_crawls
from store.errors import WenhenError
from store.records import OwnerKind, RunKind, Step
from wenhen.queue_names import PICTURES, queue_of
from wenhen.redis_addresses import with_database
from wenhen.settings import Settings
from wenhen.tasks import STEPS
from wenhen.wiring import App, open_app

PATIENCE: Final = 900.0  # seconds until somebody is at a step, and until all is done
LOOK: Final = 0.02  # seconds between two looks
SUPPLIED: Final = 2.0  # seconds after which a step that nobody came to is supplied once more
FEW: Final = 3  # works, or pages, that go their way for one strike
DELAY: Final = 0.1  # seconds between two pages of the crawl, so that it can be met
SPARE_DATABASE: Final = 5  # of Redis: the undisturbed run's indexes

Say = Callable[[str], None]
Fell = Counter[tuple[tuple[str, ...], str]]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Of one round. fell: how often these faults fell together into each step; different: what is not as it was."""

    fell: Fell
    facts: int
    different: list[str]
    seconds: float


def run(settings: Settings, rounds: Sequence[Round], seed: int, size: int, say: Say) -> Iterator[Aftermath]:
    """Round by round, each with a workload and a house of its own: what came of it. A round proves what it shows,
    whether the others are run or not.
    """
    begun = time.monotonic()
    for number, one in enumerate(rounds, 1):

        def told(line: str, of: int = number) -> None:
            say(f"{time.monotonic() - begun:5.0f} s  round {of}/{len(rounds)}  {line}")

        yield _struck(settings, Workload(seed + number - 1, size), one, told)


def missed(rounds: Iterable[Round], fell: Mapping[tuple[tuple[str, ...], str], int]) -> list[str]:
    """The faults of a plan that never fell where they were to; the strike on the crawl is one of every round."""
    wanted = {(one.faults, one.place) for each in rounds for one in each.strikes}
    wanted |= {((each.crawl,), CRAWLING) for each in rounds}
    return sorted(f"{' + '.join(faults)}: {place}" for faults, place in wanted if not fell.get((faults, place)))


def kills_of(fell: Mapping[tuple[tuple[str, ...], str], int]) -> int:
    """How many kill −9 there were."""
    return sum(count for (faults, _), count in fell.items() for one in faults if one in KILLS)


def _struck(settings: Settings, workload: Workload, plan: Round, say: Say) -> Aftermath:
    """Do the work undisturbed, then struck."""
    begun = time.monotonic()
    fell: Fell = Counter()
    with workload.site() as site:
        host_map = {**settings.crawler.host_map, **site.addresses()}
        mapped = settings.crawler.model_copy(update={"host_map": host_map, "internal_delay": DELAY, "delay": DELAY})
        with built(settings.model_copy(update={"crawler": mapped})) as house:
            undisturbed = _undisturbed(house.app, workload)
            make_missing_indexes(house.app)
            workload.bring(house.app)
            workload.watch(house.app)
            crawl(house.app)
            fell[(plan.crawl,), CRAWLING] += _strike_crawl(house, plan.crawl)
            say(f"{plan.crawl}: {CRAWLING}")
            for one in plan.strikes:
                fell[one.faults, one.place] += _fall(house, one, workload.seed)
                say(f"{' + '.join(one.faults)}: {one.place}, word {one.word}")
            # In this order: what a crawl stores last is unfinished when it has ended.
            _wait(lambda: not active_crawls(house.app) and not unfinished(house.app) and house.is_whole())
            different = differences(undisturbed, state_of(house.app)) + _left_open(house)
    seconds = time.monotonic() - begun
    say(f"{len(undisturbed)} facts, {len(different)} of them not as undisturbed; {seconds:.0f} s")
    return Aftermath(+fell, len(undisturbed), different, seconds)


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


def _strike_crawl(house: House, fault: str) -> bool:
    """Strike the crawl once it has stored something."""

    def struck() -> bool:
        if not house.is_whole() or not house.app.store.pages.count():
            return False
        if not active_crawls(house.app):
            crawl(house.app)  # it was over too soon
        if not (crawlers := house.crawlers()):
            return False
        for one in crawlers:
            with suppress(psutil.Error):
                one.suspend()
        strike(Scene(house, "crawler", crawlers), (fault,))
        return True

    return _wait(struck)


def _fall(house: House, planned: Strike, seed: int) -> bool:
    """Strike a whole house while somebody stands still in the step; False where nobody came to it within the time."""
    chance = random.Random(f"{seed} {planned}")
    if not _wait(house.is_whole):
        return False
    until, supply = time.monotonic() + PATIENCE, 0.0
    house.orders.order(planned.kind, planned.step, planned.word)
    while time.monotonic() < until:
        process = house.orders.taken()
        if process is not None and _stands(process):
            worker = PICTURES if queue_of(planned.step) == PICTURES else "worker"
            strike(Scene(house, worker, [process]), planned.faults)
            house.orders.withdraw()
            return True
        if process is None and time.monotonic() > supply:
            with suppress(WenhenError, RedisError):  # a server is on its way back
                _supply(house.app, planned, chance)
                supply = time.monotonic() + SUPPLIED
            if not house.orders.waiting() and house.orders.taken() is None:  # who took it is dead
                house.orders.order(planned.kind, planned.step, planned.word)
        time.sleep(LOOK)
    house.orders.withdraw()
    return False


def _stands(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def _supply(app: App, planned: Strike, chance: random.Random) -> None:
    """See to it that something comes to the step."""
    if planned.step is Step.REMOVE:
        to_remove(app, chance.randrange(3_000))
    elif planned.step is Step.READ_PICTURES:
        pictures_again(app)
    else:
        # Pages that go together are aligned in the step of their look-up; one that goes alone has a step of its own.
        again(app, planned.kind, FEW, chance, alone=planned.step is Step.ALIGN)


def _wait(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(WenhenError, RedisError):
            if condition():
                return True
        time.sleep(LOOK)
    return False


def _left_open(house: House) -> list[str]:
    """What did not come back, and runs that nobody ended, though nothing is done any more."""
    runs = [f"{kind} {run.id} did not end" for kind in RunKind for run in house.app.store.runs.active(kind)]
    return runs + [f"{name} did not come back" for name in house.away()]
