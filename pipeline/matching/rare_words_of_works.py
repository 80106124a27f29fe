"""The rare words of works in their index, by which the second look at a page finds them."""

from collections.abc import Collection, Iterator
from contextlib import suppress

from fingerprinter.features.feature_arrays import Features
from matcher.suspicion.characters import read_characters
from matcher.suspicion.rare_words import rare_words
from pipeline.context import Context
from store.errors import IndexNotReady
from store.records import OwnerKind

_TOGETHER = 1_000  # works that are read at a time


def index_rare_words(context: Context, owner_ids: Collection[str], *, again: bool = False) -> None:
    """The rare words of works into their index, under the numbers of the works' fingerprints. What an earlier version
    left there goes with its fingerprints. again: see `pipeline.matching.fingerprints.index`.
    """
    if not context.settings.matcher.suspicions:
        return
    documents = list(_documents(context, owner_ids))
    with suppress(IndexNotReady):  # the rebuild that makes it reads all works
        if again:
            context.rare_words.remove(documents)
        context.rare_words.add(documents)


def rebuild_rare_words(context: Context, postings: int) -> None:
    """Their index made anew from the texts of all works. postings: that it is made for."""
    if not context.settings.matcher.suspicions:
        return
    context.rare_words.create(postings=postings)
    context.rare_words.load(rare_word_documents(context))
    context.rare_words.publish()


def lacks_rare_words(context: Context) -> bool:
    """Whether their index is wanted, and is not there."""
    return context.settings.matcher.suspicions and not context.rare_words.exists()


def _documents(context: Context, owner_ids: Collection[str]) -> Iterator[tuple[int, Features]]:
    """The rare words of works, each piece of a text under the number of the fingerprint of the same place."""
    numbers = context.store.fingerprints.of_all(OwnerKind.WORK, owner_ids)
    works = context.store.works.many(numbers)
    texts = context.store.blobs.get_texts([work.text_digest for work in works.values()])
    for id, work in works.items():
        pieces = rare_words(read_characters(texts[work.text_digest]))
        yield from ((one.number, words) for one, words in zip(numbers[id], pieces, strict=False))


def rare_word_documents(context: Context) -> Iterator[tuple[int, Features]]:
    """The rare words of all works, as their index takes them."""
    waiting: list[str] = []
    for id in context.store.works.ids():
        waiting.append(id)
        if len(waiting) == _TOGETHER:
            yield from _documents(context, waiting)
            waiting.clear()
    yield from _documents(context, waiting)
