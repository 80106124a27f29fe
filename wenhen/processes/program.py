"""A program of a library as a child of ours: `python -I -m wenhen.processes.program celery|gunicorn ARGUMENT…`.

Both have a command of their own, which puts the working folder first among the places that modules are imported from. A
`redis.py` that lies there, say among the texts that somebody imports, would then run as us.
"""

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from wenhen.queue_names import CRAWL, MATCH


def celery(arguments: Sequence[str]) -> None:
    """Celery with our application: `worker …` knows all tasks, or that of crawls, `beat …` only their names."""
    gc.disable()
    if "beat" in arguments:
        from wenhen.celery_beat import celery as application
    elif ("--queues", CRAWL) in pairwise(arguments):
        from wenhen.crawl_tasks import celery as application
    else:
        from fingerprinter import made_by_numba  # noqa: F401  once, and not in each of the processes that are forked
        from wenhen.tasks import celery as application

        if MATCH in ",".join(arguments).split(","):
            from fingerprinter.compiled import load_all

            load_all()  # once, and not in each of the processes that look texts up
    gc.freeze()  # nothing of this is ever garbage: neither we nor the processes that we fork look through it again
    gc.enable()
    application.start(list(arguments))


def gunicorn(arguments: Sequence[str]) -> None:
    """Gunicorn: options and the application that it serves."""
    from gunicorn.app.wsgiapp import WSGIApplication

    class Isolated(WSGIApplication):  # type: ignore[misc]  # gunicorn has no types
        def chdir(self) -> None:
            os.chdir(self.cfg.chdir)  # and nothing is imported from there

    sys.argv = ["gunicorn", *arguments]
    Isolated("%(prog)s [OPTIONS] [APP_MODULE]").run()


_PROGRAMS: Final[Mapping[str, Callable[[Sequence[str]], None]]] = {"celery": celery, "gunicorn": gunicorn}


if __name__ == "__main__":
    _PROGRAMS[sys.argv[1]](sys.argv[2:])
