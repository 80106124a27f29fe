"""What a line may be a sign of, told by its words alone: asked of every line of a page, and kept for the next page."""

from functools import lru_cache
from typing import Final

from crawler.extract.choosing.dated_rows import tells_time
from crawler.extract.choosing.headed_parts import is_heading
from crawler.extract.choosing.references import heads_references
from crawler.extract.choosing.teasers import breaks_off

# Numbers, each a bit of its own: a line may be a sign of several things.
HEADS_PART: Final = 1
HEADS_REFERENCES: Final = 2
TELLS_TIME: Final = 4
BREAKS_OFF: Final = 8


@lru_cache(maxsize=10_000)
def signs_of(text: str) -> int:
    """The signs that a line is, added up."""
    return (
        HEADS_PART * is_heading(text)
        + HEADS_REFERENCES * heads_references(text)
        + TELLS_TIME * tells_time(text)
        + BREAKS_OFF * breaks_off(text)
    )
