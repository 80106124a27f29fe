"""The rare words of texts that no longer count, taken out of their index."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from fingerprinter.features.feature_arrays import Features
from matcher.suspicion.characters import read_characters
from matcher.suspicion.rare_words import rare_words
from pipeline.context import Context
from store.errors import IndexNotReady, NotFound
from store.records import Fingerprint


def take_out_retired_words(context: Context, retired: Sequence[Fingerprint]) -> None:
    """What stands in the index of rare words under the numbers of these works' retired fingerprints. What was made of a
    text that the store has lost stays, counts for nothing, and goes with the next rebuild.
    """
    if context.settings.matcher.suspicions:
        with suppress(IndexNotReady):
            context.rare_words.remove(_documents(context, retired))


def _documents(context: Context, retired: Sequence[Fingerprint]) -> Iterator[tuple[int, Features]]:
    works = context.store.works.many({one.owner_id for one in retired})
    digests = {(id, one.version): one.text_digest for id, work in works.items() for one in work.versions}
    pieces: dict[str, list[Features]] = {}
    for one in retired:
        digest = digests.get((one.owner_id, one.owner_version))
        if digest is None:
            continue
        if digest not in pieces:
            pieces = {digest: _pieces(context, digest)}  # those of one text come together
        if one.segment < len(pieces[digest]):
            yield one.number, pieces[digest][one.segment]


def _pieces(context: Context, digest: str) -> list[Features]:
    try:
        return rare_words(read_characters(context.store.blobs.get_text(digest)))
    except NotFound:
        return []
