"""A phrase in the texts of works and pages, marked where it stands, in its characters or in others of its sound."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fingerprinter.normalize.read_letters import read_letters
from matcher.phrases.grams import LENGTH, asked
from matcher.phrases.places import Spot, places
from services.context import Product
from store.records import Owner, OwnerKind, Page, Work

LOOKED_AT: Final = 200  # texts that may hold a phrase, those that came in last: as many are read
AROUND: Final = 30  # characters shown on either side


@dataclass(frozen=True, slots=True)
class TextHit:
    """A text that holds a phrase: where it stands first, with what is around it, and how often."""

    owner: Owner
    title: str
    host: str | None  # of a page
    before: str
    found: str
    after: str
    exact: bool  # in the same characters; else in others of the same sound, as traditional forms and homophones are
    times: int


@dataclass(frozen=True, slots=True)
class TextHits:
    """The texts that hold a phrase, those with its very characters first.

    letters: of the phrase, too few below `least`. whole: no text was left unread. ready: there is an index.
    """

    hits: tuple[TextHit, ...]
    letters: int
    whole: bool
    ready: bool
    least: int = LENGTH


def phrase_in_texts(product: Product, phrase: str, most: int) -> TextHits:
    """The texts that hold a phrase of `LENGTH` letters or more, at most so many."""
    letters = read_letters(phrase)
    if len(letters) < LENGTH or not product.phrases.exists():
        return TextHits((), len(letters), len(letters) >= LENGTH, product.phrases.exists())
    found = product.phrases.holding(asked(letters), LOOKED_AT + 1)
    hits = [hit for one in _readable(product, found[:LOOKED_AT]) if (hit := _hit(phrase, *one))]
    hits.sort(key=lambda hit: not hit.exact)
    return TextHits(tuple(hits[:most]), len(letters), len(found) <= LOOKED_AT, True)


def _readable(product: Product, owners: Sequence[str]) -> list[tuple[Owner, Work | Page, str]]:
    """The works and pages that are there, each with its text."""
    named = [Owner.parse(owner) for owner in owners]
    works = product.store.works.many([one.id for one in named if one.kind is OwnerKind.WORK])
    pages = product.store.pages.many([one.id for one in named if one.kind is OwnerKind.PAGE])
    records: dict[Owner, Work | Page] = {
        **{Owner.of_work(id): work for id, work in works.items() if work.removed_at is None},
        **{Owner.of_page(id): page for id, page in pages.items()},
    }
    texts = product.store.blobs.texts_there({one.text_digest for one in records.values() if one.text_digest})
    return [
        (owner, records[owner], texts[digest])
        for owner in named
        if owner in records and (digest := records[owner].text_digest) in texts
    ]


def _hit(phrase: str, owner: Owner, record: Work | Page, text: str) -> TextHit | None:
    standing = places(phrase, text)
    if not standing:
        return None
    first: Spot = min(standing, key=lambda place: not place.exact)
    return TextHit(
        owner=owner,
        title=record.title or (record.url if isinstance(record, Page) else record.id),
        host=record.host if isinstance(record, Page) else None,
        before=text[max(0, first.start - AROUND) : first.start],
        found=text[first.start : first.end],
        after=text[first.end : first.end + AROUND],
        exact=first.exact,
        times=len(standing),
    )
