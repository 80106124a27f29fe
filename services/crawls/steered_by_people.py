"""Crawls as people set them in motion: begun now, paused, resumed, stopped."""

from collections.abc import Callable, Mapping
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.crawls import runs
from store.records import Run, RunKind, Subject
from store.rules.role_rights import Right


@audited("site.crawl")
def crawl(acting: Acting, subject: Subject) -> Changed[Run]:
    """Queue a crawl. Raises `NotFound`, `BadInput`, `Conflict` while it is being
    crawled.
    """
    acting.require(Right.CRAWL)
    return changed(runs.start_crawl(acting.product, subject), Line(f"site:{subject}"))


@audited("run.pause")
def pause(acting: Acting, id: str) -> Changed[None]:
    """Let a run rest until it is resumed; what is being fetched is still stored. Raises `NotFound`, `Conflict`."""
    return _steered(acting, id, runs.pause)


@audited("run.resume")
def resume(acting: Acting, id: str) -> Changed[None]:
    """Go on with a run that was paused, or that rests in quiet hours. Raises `NotFound`, `Conflict`."""
    return _steered(acting, id, runs.resume)


@audited("run.stop")
def stop(acting: Acting, id: str) -> Changed[None]:
    """End a run within seconds; what it stored stays. Raises `NotFound`, `Conflict`."""
    return _steered(acting, id, runs.stop)


STEERS: Final[Mapping[str, Callable[[Acting, str], None]]] = {"pause": pause, "resume": resume, "stop": stop}


def steers_of(run: Run) -> list[str]:
    """Which of `STEERS` can be done with a run now."""
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        return []
    return [to for to, states in runs.STEERED_FROM.items() if run.state in states]


def _steered(acting: Acting, id: str, to: Callable[[Product, str], None]) -> Changed[None]:
    acting.require(Right.CRAWL)
    to(acting.product, id)
    return changed(None, Line(f"run:{id}"))
