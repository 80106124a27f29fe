"""Run Celery or gunicorn as an isolated Python child process.

Their own commands put the working folder first on the module path. A `redis.py` there, for example among imported
texts, would then be executed.
"""

import gc
import logging
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
            from fingerprinter.compiled import load_all_compiled
            from fingerprinter.words.segmenter import jieba_model
            from matcher.attribution.common_language import proper_nouns

            _compile_once()
            load_all_compiled()  # once, and not in each process that looks texts up
            jieba_model()  # its tables as well
            proper_nouns()
    gc.freeze()  # imported objects are never garbage; neither this process nor its forks scan them again
    gc.enable()
    application.start(list(arguments))


def _compile_once() -> None:
    """Let a child process compile what is not on disk. Another worker that does so is waited for."""
    from fingerprinter.compiled import is_machine_code_complete
    from wenhen.kit.python_process import compile_in_child
    from wenhen.runtime.embedded.data_folder import compiling_lock
    from wenhen.runtime.settings_sources import load_settings

    if not is_machine_code_complete():
        with compiling_lock(load_settings().data):
            compile_in_child(is_machine_code_complete, logging.getLogger(__name__).warning)


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
