"""Something done again and again beside a block of work, as long as it lasts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def every(seconds: float, do: Callable[[], bool], name: str) -> Iterator[None]:
    """Call `do` in a thread of this name until the block ends, or until it returns False."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            if not do():
                return

    thread = threading.Thread(target=repeat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
