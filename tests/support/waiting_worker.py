"""A worker with the product's own settings of Celery, and one task, which only takes its time."""

import os
import time
from pathlib import Path
from typing import Any

from celery.worker.control import control_command, inspect_command

from wenhen.runtime.celery_app import broker_from_environment, make_celery

celery = make_celery(broker_from_environment())
_SPARE = os.pipe()  # lower descriptors than those of any process of the pool


@celery.task(name="wait")  # type: ignore[untyped-decorator]  # Celery is untyped
def wait(seconds: float, begun: str | None = None) -> None:
    """Do nothing for so long. begun: a file that is there from the beginning on."""
    if begun:
        Path(begun).touch()
    time.sleep(seconds)


@control_command()  # type: ignore[untyped-decorator]  # Celery is untyped
def close_spare(state: Any) -> None:
    """Leave two low descriptors to whoever opens something next."""
    for one in _SPARE:
        os.close(one)


@inspect_command()  # type: ignore[untyped-decorator]  # Celery is untyped
def dead(state: Any) -> int:
    """Processes that no longer live, and from which the worker awaits results all the same."""
    return sum(not process._is_alive() for process in state.consumer.pool._pool._fileno_to_outq.values())
