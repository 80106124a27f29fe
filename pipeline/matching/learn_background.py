"""When the background of suspicions is learnt anew, and from which works of the library."""

from collections.abc import Iterator

from matcher.suspicion.background import Background, learn
from matcher.suspicion.characters import Characters, read_characters
from pipeline.context import Context
from store.records import OwnerKind

SAMPLE = 1_000  # works that it is learnt from ...
_SAMPLE_CHARACTERS = 1_000_000  # ... and no more of them than this
_TEXTS_TOGETHER = 50  # that are fetched at a time
_OUTGROWN = 2  # times that the library has grown since, when it is learnt anew


def background_of(context: Context, number: int) -> Background:
    """The background as of a library that has given out this number."""
    kept = context.background
    if kept.background is None or number >= _OUTGROWN * kept.documents:
        kept.documents = context.store.fingerprints.reserved(OwnerKind.WORK)
        kept.background = learn(_sample(context))
    return kept.background


def _sample(context: Context) -> Iterator[Characters]:
    left = _SAMPLE_CHARACTERS
    digests = [work.text_digest for work in context.store.works.sample(SAMPLE)]
    for begin in range(0, len(digests), _TEXTS_TOGETHER):
        some = digests[begin : begin + _TEXTS_TOGETHER]
        texts = context.store.blobs.get_texts(some)
        for digest in some:
            text = texts[digest][:left]
            left -= len(text)
            yield read_characters(text)
        if left <= 0:
            return
