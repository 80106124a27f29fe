"""A text looked up in an index, and two texts compared: what works, pages and `scan` share."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from fingerprinter.features.packing import SEGMENT_LETTERS
from fingerprinter.letters import Letters
from matcher.alignment.furniture import without_furniture
from matcher.find import THOROUGHLY, Comparison, candidates, compare, formulaic_share
from matcher.ranking.formulae import Formulae
from matcher.ranking.narrowing import Narrowing
from matcher.ranking.rank import RANKED
from matcher.verdict.attribution import attribution
from matcher.verdict.explaining import also_in
from pipeline.context import Context
from pipeline.matching.calibration import present_calibration
from pipeline.matching.opening import judged
from pipeline.matching.reading import Reading
from store.errors import NotFound
from store.records import Candidate, CommonPassage, CommonReason, Match, Owner, OwnerKind, Page, Work
from store.rules.identity import copy_id, match_id

LETTERS_TOGETHER = 4_000_000  # of works that are fetched at a time


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
    return _owners_like(context, OwnerKind.WORK, reading)[: context.settings.matcher.candidates]


def works_like_page(context: Context, page: Page, reading: Reading) -> list[Candidate]:
    """The same for a page, of the sizes and kinds that the settings allow."""
    settings = context.settings.matcher
    narrowing = Narrowing(settings.size_within, settings.same_kind)
    if not narrowing:
        return works_like(context, reading)
    ranked = _owners_like(context, OwnerKind.WORK, reading)
    kind = _kind_of_site(context, page.site_id)
    works = context.store.works.many([one.owner_id for one in ranked]).values()
    allowed = {work.id for work in works if narrowing.allows(page.length, kind, work.length, work.kind)}
    return [one for one in ranked if one.owner_id in allowed][: settings.candidates]


def pages_like(context: Context, reading: Reading) -> list[str]:
    """The pages that a text may have been copied to; ids."""
    return [one.owner_id for one in _owners_like(context, OwnerKind.PAGE, reading)]


def sources_among(context: Context, reading: Reading, ranked: Sequence[Candidate]) -> list[Source]:
    """The candidates that really share passages with the text, by the close comparison, the strongest first."""
    text, letters = reading.text, reading.letters
    kept = without_furniture(letters.codes)
    calibration = present_calibration(context)
    works = context.store.works.many([one.owner_id for one in ranked])
    present = [one for one in ranked if one.owner_id in works and works[one.owner_id].removed_at is None]
    found = []
    texts = _with_texts(context, [(one, works[one.owner_id]) for one in present])
    for place, (candidate, work, work_text) in enumerate(texts):
        comparison = compare(
            text, letters, work_text, Reading(work_text).letters, calibration, thorough=place < THOROUGHLY, kept=kept
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


def match_of(context: Context, source: Source, copy: Owner, version: int) -> Match:
    """What is kept of a comparison. copy, version: the text that the work was compared with."""
    work, verdict = source.work, source.comparison.verdict
    return Match(
        id=match_id(copy, work.id),
        page_id=copy_id(copy),
        page_version=version,
        work_id=work.id,
        work_version=work.version,
        page_fingerprints=tuple(one.id for one in context.store.fingerprints.of(copy.kind, copy.id)),
        work_fingerprints=tuple(one.id for one in context.store.fingerprints.of(OwnerKind.WORK, work.id)),
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


def _with_texts(context: Context, works: Sequence[tuple[Candidate, Work]]) -> Iterator[tuple[Candidate, Work, str]]:
    """Works with their texts, which are fetched together, as many at a time as the memory bears."""
    waiting = list(works)
    while waiting:
        ends = accumulate(work.length for _, work in waiting)
        count = max(1, sum(end <= LETTERS_TOGETHER for end in ends))
        texts = context.store.blobs.get_texts([work.text_digest for _, work in waiting[:count]])
        for candidate, work in waiting[:count]:
            yield candidate, work, texts[work.text_digest]
        del waiting[:count]


def _owners_like(context: Context, kind: OwnerKind, reading: Reading) -> list[Candidate]:
    documents = context.store.fingerprints.reserved(kind)
    if not documents:  # a library is often imported before the first page is fetched
        return []
    most = max(RANKED, context.settings.matcher.candidates)
    merged: dict[str, Candidate] = {}
    for piece in _pieces(reading.letters):
        ranked = candidates(piece, context.index(kind), documents=documents, most=most)
        owners = context.store.fingerprints.owners(kind, [one.number for one in ranked])
        for one in ranked:
            if one.number not in owners:  # retired: an earlier version, or a work that was removed
                continue
            owner = owners[one.number]
            before = merged.get(owner.owner_id)
            merged[owner.owner_id] = Candidate(
                owner_id=owner.owner_id,
                owner_version=owner.owner_version,
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
