"""The candidates of a text: the works, or pages, of the index that it is compared with, the likeliest first."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from fingerprinter.features.segments import SEGMENT_LETTERS
from fingerprinter.letters import Letters
from matcher.candidates import candidates_of_all
from matcher.ranking.rank import RANKED, RankedDocument
from matcher.ranking.size_and_kind import Narrowing
from pipeline.context import Context
from pipeline.matching.text_with_letters import Reading
from pipeline.setting_sections import MatcherSettings
from store.errors import NotFound
from store.records import Candidate, OwnerKind, Page

LETTERS_ASKED = 200_000  # of texts that are looked up at a time


def most_candidates(rules: MatcherSettings) -> int:
    """How many documents a look-up gives at most. Of works, `matcher.candidates` of them are compared."""
    return max(RANKED, rules.candidates)


def works_like(context: Context, reading: Reading) -> list[Candidate]:
    """The works that a text may be copied from, the likeliest first."""
    return all_works_like(context, [reading])[0]


def all_works_like(context: Context, texts: Sequence[Reading]) -> list[list[Candidate]]:
    """The same for each of several texts."""
    return _owners_like(context, OwnerKind.WORK, texts, most=context.settings.matcher.candidates)


def works_like_pages(context: Context, pages: Sequence[tuple[Page, Reading]]) -> list[list[Candidate]]:
    """The same for pages, of the sizes and kinds that the settings allow."""
    settings = context.settings.matcher
    narrowing = Narrowing(settings.size_within, settings.same_kind)
    texts = [reading for _, reading in pages]
    if not narrowing:
        return all_works_like(context, texts)
    found = _owners_like(context, OwnerKind.WORK, texts)
    return [_allowed(context, narrowing, page, ranked) for (page, _), ranked in zip(pages, found, strict=True)]


def pages_like(context: Context, reading: Reading) -> list[str]:
    """The pages that a text may have been copied to; ids."""
    return all_pages_like(context, [reading])[0]


def all_pages_like(context: Context, texts: Sequence[Reading], least: float = 0.0) -> list[list[str]]:
    """The same for each of several texts. least: share of a text's features that must stand in a page."""
    return [[one.owner_id for one in found] for found in _owners_like(context, OwnerKind.PAGE, texts, least)]


def _allowed(context: Context, narrowing: Narrowing, page: Page, ranked: Sequence[Candidate]) -> list[Candidate]:
    kind = _kind_of_site(context, page.site_id)
    works = context.store.works.many([one.owner_id for one in ranked]).values()
    allowed = {work.id for work in works if narrowing.allows(page.length, kind, work.length, work.kind)}
    return [one for one in ranked if one.owner_id in allowed][: context.settings.matcher.candidates]


def _kind_of_site(context: Context, site_id: str | None) -> str | None:
    """What the site carries; None for a single address, and once the site is watched no more."""
    with suppress(NotFound):
        return context.store.sites.get(site_id).kind if site_id else None
    return None


def _owners_like(
    context: Context, kind: OwnerKind, texts: Sequence[Reading], least: float = 0.0, most: int | None = None
) -> list[list[Candidate]]:
    most = most_candidates(context.settings.matcher) if most is None else most
    found = ranked_pieces(context, kind, texts, least)
    numbers = {one.number for some in found for one in chain.from_iterable(some)}
    owners = context.store.fingerprints.names(kind, numbers)
    return [merged(some, owners, most) for some in found]


def ranked_pieces(
    context: Context, kind: OwnerKind, texts: Sequence[Reading], least: float = 0.0
) -> list[list[list[RankedDocument]]]:
    """What the index ranks for each piece of each text, by the numbers that it knows: first what is to be compared."""
    documents = context.sizes.of(context.store.fingerprints, kind)
    if not documents:  # a library is often imported before the first page is fetched
        return [[] for _ in texts]
    rules, index = context.settings.matcher, context.index(kind)
    most = most_candidates(rules)
    compared = rules.candidates if kind is OwnerKind.WORK else most
    pieces = [list(_pieces(reading.letters)) for reading in texts]
    ranked = iter(
        [
            [document for document in one if document.share >= least]
            for some in _portions(list(chain.from_iterable(pieces)))
            for one in candidates_of_all(some, index, documents=documents, most=most, compared=compared)
        ]
    )
    return [[next(ranked) for _ in each] for each in pieces]


def merged(
    pieces: Sequence[Sequence[RankedDocument]], owners: Mapping[int, tuple[str, int]], most: int
) -> list[Candidate]:
    """The owners of what was found for the pieces of one text, the likeliest first; at most `most`.

    Where there are more, each piece has its first ones: an order that lets no stretch of the text crowd out another.
    """
    found: dict[str, Candidate] = {}
    places: dict[str, int] = {}
    for place, one in chain.from_iterable(map(enumerate, pieces)):
        if one.number not in owners:  # retired: an earlier version, or a work that was removed
            continue
        id, version = owners[one.number]
        before = found.get(id)
        places[id] = min(place, places.get(id, place))
        found[id] = Candidate(
            owner_id=id,
            owner_version=version,
            hits=one.hits + (before.hits if before else 0),
            expected=one.expected + (before.expected if before else 0.0),
            score=max(one.score, before.score if before else 0.0),
            formulaic=max(one.formulaic, before.formulaic if before else 0.0),
            common_at=one.common_at if len(pieces) == 1 and before is None else None,
        )
    first = sorted(found.values(), key=lambda one: (places[one.owner_id], likeliest(one)))[:most]
    return sorted(first, key=likeliest)


def likeliest(one: Candidate | RankedDocument) -> tuple[float, float]:
    """What candidates are sorted by."""
    return -one.score, one.expected - one.hits


def _pieces(letters: Letters) -> Iterator[Letters]:
    """A long text is looked up piece by piece, so that no single question is huge."""
    for begin in range(0, len(letters), SEGMENT_LETTERS):
        yield letters.part(begin, begin + SEGMENT_LETTERS)


def _portions(pieces: Sequence[Letters]) -> Iterator[Sequence[Letters]]:
    """As many pieces together as the memory bears what is found of them."""
    some: list[Letters] = []
    for piece in pieces:
        if some and sum(map(len, some)) + len(piece) > LETTERS_ASKED:
            yield some
            some = []
        some.append(piece)
    if some:
        yield some
