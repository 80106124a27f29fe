"""How often a process that works for long looks for garbage."""

import gc
from typing import Final

_ALLOCATIONS: Final = 10_000  # after which garbage is looked for, some thirty pages of a crawl; Python's are 700


def look_for_garbage_seldom() -> None:
    """What was imported is never garbage, and what a page leaves behind is mostly gone without a look."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 20, 20)
