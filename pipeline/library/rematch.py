"""The library matched anew: against the pages already stored, and against itself.

What came in, changed or went was looked up when it did. So only what may have changed since is looked at again: works
whose record changed after the last re-match, with the pages like them; once people's decisions moved the calibration,
also every text that has a match, whose figures it moves. All works are, where there was no re-match before, or the
settings of the matcher, the fingerprints or the release are others.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.metadata import version
from itertools import chain, islice

from fingerprinter.features.index_features import PARAMETERS, SCHEME
from pipeline.context import Context
from pipeline.library.steps_left import unfinished
from pipeline.matching.calibration import present_calibration
from pipeline.worker_shares import BACKGROUND
from store.records import OwnerKind, Run, RunKind, Step

RESTARTABLE = (Step.DONE,)
BEAT = 1_000  # records between two signs of life while they are sent
LOST_AFTER = timedelta(minutes=10)
MARK = "rematch"
LAG = timedelta(minutes=1)  # a write that took so long may come behind the mark
TOGETHER = 500


def start_rematch(context: Context, *, everything: bool = False) -> Run:
    """Send works through their look-up again, those that may need it or all of them; pages that they may have been
    copied to follow by themselves.
    """
    run = context.store.runs.start(RunKind.REMATCH, None, context.now())
    until, basis, calibration = context.now() - LAG, _basis(context), _calibration(context)
    mark = context.store.marks.get(MARK)
    counts = {"works": 0, "pages": 0}
    if everything or mark is None or mark["basis"] != basis:
        _send_works(context, run, context.store.works.ids(), counts)
    else:
        since = mark["until"]
        assert isinstance(since, datetime)
        moved = mark["calibration"] != calibration
        matched = _matched_works(context) if moved else iter(())
        _send_works(context, run, chain(_changed(context, since), matched), counts)
        if moved:
            _send_matched_pages(context, run, counts)
    context.store.marks.set(MARK, {"until": until, "basis": basis, "calibration": calibration})
    context.store.runs.beat(run.id, context.now(), {**counts, "cases_before": context.store.cases.count()})
    return context.store.runs.get(run.id)


def _send_works(context: Context, run: Run, ids: Iterator[str], counts: dict[str, int]) -> None:
    for number, id in enumerate(ids, 1):
        if context.store.works.restart(id, Step.LOOK_UP, only_from=RESTARTABLE):
            context.enqueue(OwnerKind.WORK, [id], Step.LOOK_UP, BACKGROUND)
            counts["works"] += 1
        if number % BEAT == 0:
            context.store.runs.beat(run.id, context.now(), {})


def _send_matched_pages(context: Context, run: Run, counts: dict[str, int]) -> None:
    """The sweep queues them where there is room."""
    pages = (copy.id for copy in context.store.matches.copies() if copy.kind is OwnerKind.PAGE)
    while some := list(islice(pages, TOGETHER)):
        context.store.pages.restart_all(some, Step.LOOK_UP, only_from=RESTARTABLE, due=context.now())
        counts["pages"] += len(some)
        context.store.runs.beat(run.id, context.now(), {})


def _matched_works(context: Context) -> Iterator[str]:
    return (copy.id for copy in context.store.matches.copies() if copy.kind is OwnerKind.WORK)


def _changed(context: Context, since: datetime) -> Iterator[str]:
    """The works whose record changed since then."""
    after, until = (since, ""), context.now()
    while found := context.store.works.texts_changed(after, until=until, limit=TOGETHER):
        yield from (one.id for one in found)
        after = (found[-1].updated_at, found[-1].id)


def _basis(context: Context) -> dict[str, object]:
    """What every result depends on."""
    return {
        "release": version("wenhen"),
        "scheme": SCHEME,
        "parameters": dict(PARAMETERS),
        "matcher": context.settings.matcher.model_dump_json(),
        "cluster": context.settings.cluster.model_dump_json(),
    }


def _calibration(context: Context) -> dict[str, float]:
    now = present_calibration(context)
    return {"intercept": now.intercept, "slope": now.slope}


def end_finished_rematch(context: Context) -> None:
    """End the runs after which no record is on its way any more; the others show how many are. One whose process died
    before it had sent all works is ended with that reason.
    """
    for run in context.store.runs.active(RunKind.REMATCH):
        if "works" not in run.counts:
            continue
        waiting = unfinished(context)
        counts = {**run.counts, "waiting": waiting}
        if waiting:
            context.store.runs.beat(run.id, context.now(), counts)
        else:
            opened = context.store.cases.count() - counts.pop("cases_before", 0)
            context.store.runs.end(run.id, context.now(), {**counts, "cases_opened": opened})
    context.store.runs.end_lost(RunKind.REMATCH, context.now() - LOST_AFTER)
