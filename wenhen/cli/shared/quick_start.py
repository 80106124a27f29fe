"""What keeps a command short, beside importing little."""

import atexit
import gc
from functools import cache
from typing import Final

# After so many objects more than there were garbage is looked for. Imports make many and hardly any garbage: with
# Python's 700 the search is an eighth of a short command's time.
_ALLOCATIONS: Final = 100_000


@cache
def collect_seldom() -> None:
    """Look for garbage less often; and not at the end, where all that was imported would be gone through twice."""
    gc.set_threshold(_ALLOCATIONS, 20, 20)
    atexit.register(gc.freeze)
