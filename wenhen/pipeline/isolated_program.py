"""Run Celery or gunicorn as an isolated Python child process.

Both have a command of their own, which puts the working folder first among the places that modules are imported from. A
`redis.py` that lies there, say among the texts that somebody imports, would then run as us.
"""

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from wenhen.steps.fair_queue import CRAWL_QUEUE, MATCH_QUEUE


def run_celery(arguments: Sequence[str]) -> None:
    """Celery with our application: `worker …` knows all tasks, or that of crawls, `beat …` only their names."""
    gc.disable()
    if "beat" in arguments:
        from wenhen.pipeline.beat import celery as application
    elif ("--queues", CRAWL_QUEUE) in pairwise(arguments):
        from wenhen.pipeline.crawl_tasks import celery as application
    else:
        from fingerprinter import numba_cache  # noqa: F401  once, and not in each of the processes that are forked
        from wenhen.pipeline.tasks import celery as application

        if MATCH_QUEUE in ",".join(arguments).split(","):
            from fingerprinter.compiled import load_all_compiled

            load_all_compiled()  # once, and not in each of the processes that look texts up
    gc.freeze()  # nothing of this is ever garbage: neither we nor the processes that we fork look through it again
    gc.enable()
    application.start(list(arguments))


def run_gunicorn(arguments: Sequence[str]) -> None:
    """Gunicorn: options and the application that it serves."""
    from gunicorn.app.wsgiapp import WSGIApplication

    class Isolated(WSGIApplication):  # type: ignore[misc]  # gunicorn has no types
        def chdir(self) -> None:
            os.chdir(self.cfg.chdir)  # and nothing is imported from there

    sys.argv = ["gunicorn", *arguments]
    Isolated("%(prog)s [OPTIONS] [APP_MODULE]").run()


_PROGRAMS: Final[Mapping[str, Callable[[Sequence[str]], None]]] = {"celery": run_celery, "gunicorn": run_gunicorn}


if __name__ == "__main__":
    _PROGRAMS[sys.argv[1]](sys.argv[2:])
