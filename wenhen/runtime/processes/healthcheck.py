"""Check the health of a service of the container image.

- url ADDRESS: it answers with status 200.
- worker NAME: the Celery worker of this name answers.
- fresh FILE SECONDS: the file, with any suffix, was written within this time. Beat writes its file at every message.
"""

import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

_TIMEOUT_SECONDS = 4  # seconds


def check_url(address: str) -> bool:
    """Request the address once."""
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310  from the compose file
            return bool(answer.status == 200)
    except OSError:
        return False


def check_worker(name: str) -> bool:
    """Ping the worker through the Redis of the queues."""
    import socket

    from wenhen.runtime.celery_app import broker_from_environment, make_celery

    full = name if "@" in name else f"{name}@{socket.gethostname()}"
    try:
        return bool(make_celery(broker_from_environment()).control.inspect([full], timeout=_TIMEOUT_SECONDS).ping())
    except Exception:  # noqa: BLE001  after any error it counts as not answering
        return False


def check_file_age(file: str, seconds: str) -> bool:
    """Check the age of the file."""
    path = Path(file)
    written = [written_file.stat().st_mtime for written_file in path.parent.glob(f"{path.name}*")]
    return bool(written) and time.time() - max(written) < float(seconds)


def main(kind: str, *words: str) -> int:
    """Run one of the checks. Return the exit status."""
    kinds: dict[str, Callable[..., bool]] = {"url": check_url, "worker": check_worker, "fresh": check_file_age}
    return 0 if kinds[kind](*words) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
