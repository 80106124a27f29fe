"""Run Celery or gunicorn as an isolated Python child process.

Their own commands put the working folder first on the module path. A `redis.py` there, for example among imported
texts, would then be executed.
"""

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from wenhen.steps.fair_queue import CRAWL_QUEUE, MATCH_QUEUE


def run_celery(arguments: Sequence[str]) -> None:
    """Run Celery with our application: `worker …` with all tasks or only those of crawls, `beat …` with task names
    only.
    """
    gc.disable()
    if "beat" in arguments:
        from wenhen.pipeline.beat import celery as application
    elif ("--queues", CRAWL_QUEUE) in pairwise(arguments):
        from wenhen.pipeline.crawl_tasks import celery as application
    else:
        from fingerprinter import numba_cache  # noqa: F401  once, not in each forked process
        from wenhen.pipeline.tasks import celery as application

        if MATCH_QUEUE in ",".join(arguments).split(","):
            from fingerprinter.compiled import compile_in_child, load_all_compiled
            from fingerprinter.words.segmenter import jieba_model
            from matcher.attribution.common_language import proper_nouns
            from wenhen.kit.python_process import PRECOMPILE_COMMAND

            compile_in_child(PRECOMPILE_COMMAND)
            load_all_compiled()  # once, and not in each process that looks texts up
            jieba_model()  # its tables as well
            proper_nouns()
    gc.freeze()  # imported objects are never garbage; neither this process nor its forks scan them again
    gc.enable()
    application.start(list(arguments))


def run_gunicorn(arguments: Sequence[str]) -> None:
    """Run gunicorn with options and the application to serve."""
    from gunicorn.app.wsgiapp import WSGIApplication

    class Isolated(WSGIApplication):  # type: ignore[misc]  # gunicorn has no types
        def chdir(self) -> None:
            os.chdir(self.cfg.chdir)  # without adding it to the module path

    sys.argv = ["gunicorn", *arguments]
    Isolated("%(prog)s [OPTIONS] [APP_MODULE]").run()


_PROGRAMS: Final[Mapping[str, Callable[[Sequence[str]], None]]] = {"celery": run_celery, "gunicorn": run_gunicorn}


if __name__ == "__main__":
    _PROGRAMS[sys.argv[1]](sys.argv[2:])
