"""What keeps the start of a command short, beside importing little."""

import gc
from typing import Final

_ALLOCATIONS: Final = 50_000  # after which garbage is looked for; Python's 700 are an eighth of a short command's time


def collect_seldom() -> None:
    """Look for garbage less often: imports make many objects and hardly any garbage."""
    gc.set_threshold(_ALLOCATIONS, 20, 20)
