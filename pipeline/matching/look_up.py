"""A text looked up in an index, and two texts compared: what works, pages and `scan` share."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from fingerprinter.features.packing import SEGMENT_LETTERS
from fingerprinter.letters import Letters
from matcher.alignment.furniture import without_furniture
from matcher.find import THOROUGHLY, Comparison, candidates_of_all, compare, formulaic_share
from matcher.ranking.formulae import Formulae
from matcher.ranking.narrowing import Narrowing
from matcher.ranking.rank import RANKED, RankedDocument
from matcher.verdict.attribution import attribution
from matcher.verdict.explaining import also_in
from pipeline.context import Context
from pipeline.matching.library import Library
from pipeline.matching.opening import judged
from pipeline.matching.reading import Reading
from store.errors import NotFound
from store.records import Candidate, CommonPassage, CommonReason, Match, Owner, OwnerKind, Page, Work
from store.rules.identity import copy_id, match_id

LETTERS_ASKED = 200_000  # of texts that are looked up at a time


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text copies, and how."""

    work: Work
    candidate: Candidate
    comparison: Comparison
    copied: bool  # more than a quotation is shared with it, whoever else has that as well
    accuse: bool  # see `pipeline.matching.opening`
    attribution: tuple[str, ...]  # message keys: how far the text names the work as its source
    also_in: tuple[str, ...] = ()  # works that hold the same text; ids


def works_like(context: Context, reading: Reading) -> list[Candidate]:
    """The works that a text may be copied from, the likeliest first."""
    return _owners_like(context, OwnerKind.WORK, [reading])[0][: context.settings.matcher.candidates]


def works_like_pages(context: Context, pages: Sequence[tuple[Page, Reading]]) -> list[list[Candidate]]:
    """The same for pages, of the sizes and kinds that the settings allow."""
    settings = context.settings.matcher
    narrowing = Narrowing(settings.size_within, settings.same_kind)
    found = _owners_like(context, OwnerKind.WORK, [reading for _, reading in pages])
    if not narrowing:
        return [ranked[: settings.candidates] for ranked in found]
    return [_allowed(context, narrowing, page, ranked) for (page, _), ranked in zip(pages, found, strict=True)]


def _allowed(context: Context, narrowing: Narrowing, page: Page, ranked: Sequence[Candidate]) -> list[Candidate]:
    kind = _kind_of_site(context, page.site_id)
    works = context.store.works.many([one.owner_id for one in ranked]).values()
    allowed = {work.id for work in works if narrowing.allows(page.length, kind, work.length, work.kind)}
    return [one for one in ranked if one.owner_id in allowed][: context.settings.matcher.candidates]


def pages_like(context: Context, reading: Reading) -> list[str]:
    """The pages that a text may have been copied to; ids."""
    return all_pages_like(context, [reading])[0]


def all_pages_like(context: Context, texts: Sequence[Reading], least: float = 0.0) -> list[list[str]]:
    """The same for each of several texts. least: share of a text's features that must stand in a page."""
    return [[one.owner_id for one in found] for found in _owners_like(context, OwnerKind.PAGE, texts, least)]


def sources_among(
    context: Context, reading: Reading, ranked: Sequence[Candidate], library: Library | None = None
) -> list[Source]:
    """The candidates that really share passages with the text, by the close comparison, the strongest first.

    library: holds the candidates, where they were fetched for several texts together.
    """
    if not ranked:
        return []
    library = library or Library(context, [ranked])
    text, letters = reading.text, reading.letters
    kept = without_furniture(letters.codes)
    found = []
    for place, (candidate, work, theirs) in enumerate(library.read(ranked)):
        thorough = place < THOROUGHLY
        comparison = compare(
            text, letters, theirs.text, theirs.letters, library.calibration, thorough=thorough, kept=kept
        )
        if comparison is not None:
            said = attribution(text, comparison.passages, title=work.title, author=work.author)
            found.append((work, candidate, comparison, said))
    comparisons = [comparison for _, _, comparison, _ in found]
    verdicts = judged(comparisons, context.settings.matcher.open_score, _formulae(context, ranked))
    sources = [
        Source(work, candidate, one.comparison, alone.accuse, one.accuses, said)
        for (work, candidate, alone, said), one in zip(found, verdicts, strict=True)
    ]
    return sorted(_together(sources), key=lambda source: -source.comparison.verdict.weight)


def _formulae(context: Context, ranked: Sequence[Candidate]) -> Formulae:
    documents = cache(lambda: context.store.fingerprints.reserved(OwnerKind.WORK))

    def of_work(letters: Letters) -> float:
        return formulaic_share(letters, context.index(OwnerKind.WORK), documents=documents())

    return Formulae(max((one.formulaic for one in ranked), default=0.0), of_work)


def _together(sources: Sequence[Source]) -> list[Source]:
    """The sources, those that hold the same text each with the names of the others."""
    accusing = [source for source in sources if source.accuse]
    others = also_in([source.comparison.aligned for source in accusing])
    named = {
        source.work.id: tuple(accusing[other].work.id for other in each)
        for source, each in zip(accusing, others, strict=True)
    }
    return [replace(source, also_in=named.get(source.work.id, ())) for source in sources]


def matches_of(context: Context, found: Sequence[tuple[Source, Owner, int]]) -> list[Match]:
    """What is kept of comparisons, each given with the text that a work was compared with and its version."""
    owners = {owner for source, copy, _ in found for owner in (copy, Owner.of_work(source.work.id))}
    ids = {
        kind: context.store.fingerprints.ids_of(kind, {one.id for one in owners if one.kind is kind})
        for kind in {one.kind for one in owners}
    }
    return [_match(context, source, copy, version, ids) for source, copy, version in found]


def _match(
    context: Context,
    source: Source,
    copy: Owner,
    version: int,
    ids: Mapping[OwnerKind, Mapping[str, tuple[str, ...]]],
) -> Match:
    work, verdict = source.work, source.comparison.verdict
    return Match(
        id=match_id(copy, work.id),
        page_id=copy_id(copy),
        page_version=version,
        work_id=work.id,
        work_version=work.version,
        page_fingerprints=ids[copy.kind].get(copy.id, ()),
        work_fingerprints=ids[OwnerKind.WORK].get(work.id, ()),
        hits=source.candidate.hits,
        similarity=verdict.similarity,
        score=verdict.score,
        weight=verdict.weight,
        share_of_page=verdict.share_of_page,
        share_of_work=verdict.share_of_work,
        longest_run=verdict.longest_run,
        level=verdict.level,
        reasons=(*verdict.reasons, *_elsewhere(source), *source.attribution),
        passages=source.comparison.passages,
        matched_at=context.now(),
        same_characters=verdict.same_characters,
        variants=verdict.variants,
        same_sound=verdict.same_sound,
        also_in=source.also_in,
        common=tuple(_common(source.comparison)),
    )


def _common(comparison: Comparison) -> Iterator[CommonPassage]:
    for one in comparison.common:
        form = comparison.pair.one_form(one)
        yield CommonPassage(passage=one.passage, reason=CommonReason.FORM if form else CommonReason.SHARED)


def _elsewhere(source: Source) -> tuple[str, ...]:
    return (f"also_in:{len(source.also_in)}",) if source.also_in else ()


def _kind_of_site(context: Context, site_id: str | None) -> str | None:
    """What the site carries; None for a single address, and once the site is watched no more."""
    with suppress(NotFound):
        return context.store.sites.get(site_id).kind if site_id else None
    return None


def _owners_like(
    context: Context, kind: OwnerKind, texts: Sequence[Reading], least: float = 0.0
) -> list[list[Candidate]]:
    documents = context.store.fingerprints.reserved(kind)
    if not documents:  # a library is often imported before the first page is fetched
        return [[] for _ in texts]
    most = max(RANKED, context.settings.matcher.candidates)
    index = context.index(kind)
    pieces = [list(_pieces(reading.letters)) for reading in texts]
    ranked = iter(
        [
            [document for document in one if document.share >= least]
            for some in _portions(list(chain.from_iterable(pieces)))
            for one in candidates_of_all(some, index, documents=documents, most=most)
        ]
    )
    found = [[next(ranked) for _ in each] for each in pieces]
    numbers = {one.number for some in found for one in chain.from_iterable(some)}
    owners = context.store.fingerprints.names(kind, numbers)
    return [_merged(some, owners) for some in found]


def _merged(pieces: Sequence[Sequence[RankedDocument]], owners: Mapping[int, tuple[str, int]]) -> list[Candidate]:
    """The owners of what was found for the pieces of one text, the likeliest first."""
    merged: dict[str, Candidate] = {}
    for one in chain.from_iterable(pieces):
        if one.number not in owners:  # retired: an earlier version, or a work that was removed
            continue
        id, version = owners[one.number]
        before = merged.get(id)
        merged[id] = Candidate(
            owner_id=id,
            owner_version=version,
            hits=one.hits + (before.hits if before else 0),
            expected=one.expected + (before.expected if before else 0.0),
            score=max(one.score, before.score if before else 0.0),
            formulaic=max(one.formulaic, before.formulaic if before else 0.0),
        )
    return sorted(merged.values(), key=lambda one: (-one.score, one.expected - one.hits))


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
