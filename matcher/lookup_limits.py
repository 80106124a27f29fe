"""Set the limits of a look-up: candidates for one page, postings of a feature, growth of an index."""

from typing import Final

# Candidates of one page. The setting `matcher.candidates` limits how many works are compared with it.

MIN_RANKED_DOCUMENTS: Final = 100  # documents that a look-up ranks, at least
MAX_THOROUGH_CANDIDATES: Final = 16  # the likeliest candidates, which are compared thoroughly


def max_candidates(compared: int) -> int:
    """Return the number of documents that a look-up gives at most, for the number of works that are compared."""
    return max(MIN_RANKED_DOCUMENTS, compared)


# Features of an index.

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
