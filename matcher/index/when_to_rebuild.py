"""When an index has to be made anew: as soon as it has outgrown the number of buckets that it was created with."""

from typing import Final

CROWDED: Final = 300  # postings a bucket on average above which look-ups get slow


def outgrown(postings: int, buckets: int) -> bool:
    """Whether a rebuild is due."""
    return postings > CROWDED * buckets
