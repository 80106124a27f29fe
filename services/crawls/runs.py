"""A crawl run: its record, and what starts it, steers it and calls for its crawlers."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from services.context import Product
from services.crawls.end_of_run import end
from services.crawls.subject import site_for
from store.errors import Conflict, Unavailable
from store.messages import Message
from store.records import Run, RunKind, RunState, Subject

WORKING = frozenset((RunState.WAITING, RunState.GOING))
HELD = frozenset((RunState.PAUSED, RunState.RESTING))
STEERED_FROM: Final[Mapping[str, frozenset[RunState]]] = {  # what people can do with a run, and in which states
    "pause": frozenset((RunState.WAITING, RunState.GOING, RunState.RESTING)),
    "resume": HELD | {RunState.PAUSING},
    "stop": frozenset(RunState) - {RunState.STOPPING},
}


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


def send_again(product: Product, run_id: str) -> None:
    """Call for the crawlers of a run that is to go on; those that it still has keep their place."""
    product.store.runs.move(run_id, WORKING, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the sweep sends it
        _send(product, run_id)


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
