"""Run Celery with a shiftable clock and breakpoints: `python -m benchmarks.chaos.instrumented_celery celery ARGUMENT…`.

Its workers stop at breakpoints (`benchmarks.chaos.breakpoints`), and its pauses after an outage are short. The folder
in `WENHEN_CHAOS` holds the orders, and in `clock` the seconds by which leases and due times are shifted.
"""

import datetime as real
import os
import runpy
import sys
from pathlib import Path
from typing import Any, Final, cast

CELERY_PROGRAM: Final = "wenhen.pipeline.isolated_program"
FOLDER_VARIABLE: Final = "WENHEN_CHAOS"
CLOCK_FILE: Final = "clock"
OUTAGE_PAUSE: Final = real.timedelta(seconds=1)
MAX_RETRY_PAUSE: Final = real.timedelta(seconds=4)


class ShiftedDatetime(real.datetime):
    """The shifted time of day."""

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        """Return a plain datetime, which databases can store."""
        return real.datetime(*parts, **named)  # noqa: DTZ001  the caller's

    @classmethod
    def now(cls, tz: real.tzinfo | None = None) -> Any:
        """Return the shifted time."""
        moved = float((Path(os.environ[FOLDER_VARIABLE]) / CLOCK_FILE).read_text() or 0)
        return real.datetime.now(tz) + real.timedelta(seconds=moved)


def main() -> None:
    """Apply the changes, and run the program."""
    from wenhen.kit import clock
    from wenhen.steps import runner

    vars(clock)["datetime"] = ShiftedDatetime
    vars(runner).update(SHORT_OUTAGE=OUTAGE_PAUSE, LONGEST_PAUSE=MAX_RETRY_PAUSE)
    if "worker" in sys.argv:
        _enable_breakpoints()
    runpy.run_module(CELERY_PROGRAM, run_name="__main__", alter_sys=True)


def _enable_breakpoints() -> None:
    from benchmarks.chaos.breakpoints import install_breakpoints
    from wenhen.pipeline.tasks import BATCH_STEPS, SINGLE_STEPS

    install_breakpoints(Path(os.environ[FOLDER_VARIABLE]), cast(Any, SINGLE_STEPS), cast(Any, BATCH_STEPS))


if __name__ == "__main__":
    main()
