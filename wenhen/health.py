"""Whether everything answers, and how full it is: what the health screen and `/healthz` ask."""

import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final

from dashboard.services import ServerState
from matcher.index import Index
from store.errors import WenhenError
from wenhen.app import App

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
    return ServerState(True, f"{stats.postings:,} postings, {stats.bytes / MB:,.1f} MB")


def _database(app: App) -> ServerState:
    space = app.store.space()
    return _disk(space.free, space.disk, f"{space.data / GB:,.2f} GB of data, ")


def _data(app: App) -> ServerState:
    there = next(folder for folder in (app.settings.data, *app.settings.data.parents) if folder.exists())
    usage = shutil.disk_usage(there)  # without servers of our own the folder comes with the first thing kept in it
    return _disk(usage.free, usage.total, f"{app.settings.data}: ")


def _disk(free: int, total: int, words: str) -> ServerState:
    return ServerState(free >= LEAST_FREE * total, f"{words}{free / GB:,.1f} of {total / GB:,.1f} GB free")


def _queues(app: App) -> ServerState:
    waiting = app.queue.waiting()
    return ServerState(True, ", ".join(f"{name} {count:,}" for name, count in waiting.items()))


def _workers(app: App) -> dict[str, ServerState]:
    try:
        found = app.queue.workers()
    except WenhenError as error:
        return {"workers": ServerState(False, str(error))}
    if not found:
        return {"workers": ServerState(False, "no worker answers: start them with wenhen up")}
    return {name: ServerState(True, " ".join(queues)) for name, queues in found.items()}
