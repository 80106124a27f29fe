"""Set the limits of an index: stop features, repeated features, growth before a rebuild."""

from typing import Final

MAX_REPEATS: Final = 8  # places of one feature that count in one document, or in one query: the first ones
# Postings of one feature above which it says nothing about who copied from whom, and is left out; what is common below
# that is `matcher.retrieval.stop_features`.
HOT_POSTINGS: Final = 1_000
# The same of a rare word: of those that more works have a look-up, which reads few postings, leaves out nearly all.
HOT_WORD_POSTINGS: Final = 256


# When an index has to be made anew: as soon as it has outgrown the number of buckets that it was created with.


MAX_BUCKET_POSTINGS: Final = 300  # postings a bucket on average above which look-ups get slow


def has_outgrown(postings: int, buckets: int) -> bool:
    """Whether a rebuild is due."""
    return postings > MAX_BUCKET_POSTINGS * buckets
