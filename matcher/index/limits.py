"""Set the limits of an index: stop features, repeated features, growth before a rebuild."""

from typing import Final

MAX_REPEATS: Final = 8  # first places of a feature that count in one document or query
# Postings of a feature above which it is no evidence, and is left out. `matcher.retrieval.ranking` weighs common
# features below it.
HOT_POSTINGS: Final = 1_000
# The same of a rare word. A look-up reads few postings, and leaves out nearly all more frequent words.
HOT_WORD_POSTINGS: Final = 256


MAX_BUCKET_POSTINGS: Final = 300  # mean postings of a bucket above which look-ups get slow


def has_outgrown(postings: int, buckets: int) -> bool:
    """Whether the index has outgrown its number of buckets, and needs a rebuild."""
    return postings > MAX_BUCKET_POSTINGS * buckets
