"""Watches the embedded servers of a data folder and starts one that died again.

Run as `python -m wenhen.embedded.restart_dead_servers DATA`.
"""

import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from store.errors import SetupError
from wenhen.embedded.servers import start_servers

EVERY_SECONDS = 3.0


def keep(data: Path, over: threading.Event, *, mongo: bool, redis: bool) -> None:
    """Look after them until `over` is set. A server that cannot come up (a full disk) is said and tried again."""
    said = None
    while not over.wait(EVERY_SECONDS):
        try:
            start_servers(data, mongo=mongo, redis=redis)
            said = None
        except (SetupError, OSError) as error:
            if str(error) != said:
                said = str(error)
                _say(said)


def _say(text: str) -> None:
    with suppress(OSError):  # our log lies on the disk that is full; to end for that would keep the servers away longer
        print(text, file=sys.stderr, flush=True)


def main(data: str, *names: str) -> None:
    """Keep the servers named, until SIGTERM."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: over.set())
    keep(Path(data), over, mongo="mongo" in names, redis="redis" in names)


if __name__ == "__main__":
    main(*sys.argv[1:])
