"""Celery as it is struck: `python -m lab.chaos.struck_program celery ARGUMENT…`.

Under a clock that can be moved, with workers that stand still where they are told to (`lab.chaos.halt`), and with
short pauses after an outage. The folder that `WENHEN_CHAOS` names holds the orders, and in `clock` the seconds by which
leases and due times are off.
"""

import datetime as real
import os
import runpy
import sys
from pathlib import Path
from typing import Any, Final, cast

PROGRAM: Final = "wenhen.processes.program"
VARIABLE: Final = "WENHEN_CHAOS"
CLOCK: Final = "clock"
OUTAGE: Final = real.timedelta(seconds=1)
LONGEST: Final = real.timedelta(seconds=4)


class Shifted(real.datetime):
    """The time of day, moved."""

    @classmethod
    def now(cls, tz: real.tzinfo | None = None) -> Any:
        """Now, by the moved clock."""
        moved = float((Path(os.environ[VARIABLE]) / CLOCK).read_text() or 0)
        return real.datetime.now(tz) + real.timedelta(seconds=moved)


def main() -> None:
    """Change what is to be changed, then become the program."""
    import pipeline.context
    import pipeline.retry_or_set_aside
    import store.mongo.engine.utc_now

    for module in (pipeline.context, store.mongo.engine.utc_now):
        vars(module)["datetime"] = Shifted
    vars(pipeline.retry_or_set_aside).update(SHORT_OUTAGE=OUTAGE, LONGEST_PAUSE=LONGEST)
    if "worker" in sys.argv:
        _halts()
    runpy.run_module(PROGRAM, run_name="__main__", alter_sys=True)


def _halts() -> None:
    from lab.chaos.halt import obey
    from wenhen import tasks

    obey(Path(os.environ[VARIABLE]), cast(Any, tasks.STEPS), cast(Any, tasks.TOGETHER))


if __name__ == "__main__":
    main()
