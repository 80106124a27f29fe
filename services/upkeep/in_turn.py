"""Duties one after the other, of which one that fails keeps up no other."""

import logging
from collections.abc import Callable, Iterable

logger = logging.getLogger(__name__)


def do_all(duties: Iterable[Callable[[], object]]) -> None:
    """Do each; raises what the first one failed with, once all were tried."""
    failures: list[Exception] = []
    for duty in duties:
        try:
            duty()
        except Exception as error:  # the first is raised in the end, others are told here
            if failures:
                logger.warning("%s", error, exc_info=error)
            failures.append(error)
    if failures:
        raise failures[0]
