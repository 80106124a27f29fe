"""Whether everything answers, and how full it is: what the health screen and `/healthz` ask."""

import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final

from dashboard.frame.context import Said, ServerState, told
from matcher.index.port import Index
from pipeline.context import App
from store.errors import WenhenError

LEAST_FREE: Final = 0.05  # of a disk; below it, what is written next may be lost
GB: Final = 10**9
MB: Final = 10**6


def health(app: App) -> Mapping[str, ServerState]:
    """Every server, disk, queue and worker: whether it is well, with its figures or what is wrong."""
    asked: dict[str, Callable[[], ServerState]] = {
        "wenhen": lambda: ServerState(True, version("wenhen")),
        "MongoDB": lambda: ServerState(True, app.store.ping()),
        "Redis": lambda: ServerState(True, app.queue.ping()),
        "works index": lambda: _index(app.works_index),
        "pages index": lambda: _index(app.pages_index),
        "database disk": lambda: _database(app),
        "data disk": lambda: _data(app),
        "queues": lambda: _queues(app),
    }
    return {**{name: _state(ask) for name, ask in asked.items()}, **_workers(app)}


def _state(ask: Callable[[], ServerState]) -> ServerState:
    try:
        return ask()
    except WenhenError as error:
        return ServerState(False, str(error))


def _index(index: Index) -> ServerState:
    stats = index.stats()
    return told(True, Said("health.postings", {"count": f"{stats.postings:,}", "size": f"{stats.bytes / MB:,.1f}"}))


def _database(app: App) -> ServerState:
    space = app.store.space()
    return _disk(space.free, space.disk, Said("health.data", {"size": f"{space.data / GB:,.2f}"}))


def _data(app: App) -> ServerState:
    there = next(folder for folder in (app.settings.data, *app.settings.data.parents) if folder.exists())
    usage = shutil.disk_usage(there)  # without servers of our own the folder comes with the first thing kept in it
    return _disk(usage.free, usage.total, Said("health.folder", {"folder": app.settings.data}))


def _disk(free: int, total: int, what: Said) -> ServerState:
    left = Said("health.disk", {"free": f"{free / GB:,.1f}", "total": f"{total / GB:,.1f}"})
    return told(free >= LEAST_FREE * total, what, left)


def _queues(app: App) -> ServerState:
    waiting = app.queue.waiting()
    return told(True, *(Said(f"queue.{name}", {"count": f"{count:,}"}) for name, count in waiting.items()))


def _workers(app: App) -> dict[str, ServerState]:
    try:
        found = app.queue.workers()
    except WenhenError as error:
        return {"workers": ServerState(False, str(error))}
    if not found:
        return {"workers": told(False, Said("health.no_worker", {}))}
    return {name: told(True, *(Said(f"serves.{queue}", {}) for queue in queues)) for name, queues in found.items()}
