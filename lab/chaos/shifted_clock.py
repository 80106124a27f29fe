"""Celery under a clock that can be moved: `python -m lab.chaos.shifted_clock celery ARGUMENT…`.

The file that `WENHEN_CHAOS_CLOCK` names holds the seconds by which leases and due times are off.
"""

import datetime as real
import os
import runpy
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = "wenhen.processes.program"
VARIABLE: Final = "WENHEN_CHAOS_CLOCK"


class Shifted(real.datetime):
    """The time of day, moved."""

    @classmethod
    def now(cls, tz: real.tzinfo | None = None) -> Any:
        """Now, by the moved clock."""
        return real.datetime.now(tz) + real.timedelta(seconds=float(Path(os.environ[VARIABLE]).read_text() or 0))


def main() -> None:
    """Move the two clocks of the product, then become the program."""
    import pipeline.context
    import store.mongo.engine.clock

    for module in (pipeline.context, store.mongo.engine.clock):
        vars(module)["datetime"] = Shifted
    runpy.run_module(PROGRAM, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
