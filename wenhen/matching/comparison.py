"""Align a text with its candidates, and make matches of the results.

The matcher sees the stored pages as witnesses of what everybody writes. Of two readings of a page, with and without
spans of which nobody can tell whether a reader sees them, the one that works explain better is chosen.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fingerprinter.alphabet import Initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.stock_text import attribution_reasons
from matcher.attribution.text_of_several_works import works_with_same_text
from matcher.attribution.text_on_many_pages import PageOrigin, StoredPages, look_up_pages
from matcher.attribution.verdict import count_match
from matcher.clusters import clusters_of
from matcher.model import Candidate, CommonPassage, CommonReason, Match
from matcher.retrieval.candidates import (
    MAX_THOROUGH_CANDIDATES,
    MIN_LIKELY_SCORE,
    RankingCutoff,
    WitnessCounts,
    stop_feature_share,
)
from matcher.retrieval.page_readings import PageReading
from matcher.retrieval.ranking import StopFeatureShares
from wenhen.cases.opening_rule import judge_comparisons
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import Owner, OwnerKind, copy_id, match_id
from wenhen.matching.candidate_cache import CandidateCache, is_common_text
from wenhen.matching.candidates import find_candidate_works_of_all
from wenhen.works.model import Work


def stored_pages(context: Context) -> StoredPages:
    """Return the stored pages. Nothing is asked before a passage needs them, and their number is asked once."""

    @cache
    def count() -> int:
        return context.sizes.of(context.store.fingerprints, OwnerKind.PAGE)

    def find_origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        """Return the cluster and host of each page. A page without near-duplicates is a cluster of its own."""
        owners = context.store.fingerprints.names(OwnerKind.PAGE, numbers)
        ids = {id for id, _ in owners.values()}
        hosts = context.store.pages.hosts(ids)
        clusters = clusters_of(context.store.clusters, [Owner.of_page(id) for id in ids])
        return {
            number: PageOrigin(clusters[Owner.of_page(id)] or f"page:{id}", hosts[id])
            for number, (id, _) in owners.items()
            if id in hosts
        }

    return StoredPages(look_up_pages(context.pages_index, count), find_origins)


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text copies, and the evidence."""

    work: Work
    candidate: Candidate
    comparison: Comparison
    alone: Comparison  # without a view of other works
    accuse: bool  # see `wenhen.cases.opening_rule`
    also_in: tuple[str, ...] = ()  # ids of works that hold the same text
    explained: tuple[CommonPassage, ...] = ()  # passages that common texts explain

    @property
    def copied(self) -> bool:
        """Whether the text shares more than a quotation with the work, even if other works have the same text."""
        return self.alone.accuse

    @property
    def attribution(self) -> tuple[str, ...]:
        """Message keys: how far the text names the work as its source."""
        if self.work.common:
            return ()
        page = self.alone.pair.page_text
        return attribution_reasons(page, self.alone.passages, title=self.work.title, author=self.work.author)


def compare_with_candidates(
    context: Context,
    reading: TextReading,
    ranked: Sequence[Candidate],
    library: CandidateCache | None = None,
    pages: StoredPages | None = None,
) -> list[Source]:
    """Align the text with its candidates, and return those that share passages with it, the strongest first.

    Common texts are included. They open no case, and explain text that is shared with works.

    - library: the cache that holds the candidates, if they were fetched for several texts together.
    - pages: pages that show what everybody writes, if they are not those of the store.
    """
    if not ranked:
        return []
    library = library or CandidateCache(context, [(reading, ranked)])
    text, letters = reading.text, reading.letters
    copies, common_texts, followed, witnessed = [], [], RankingCutoff(), WitnessCounts(len(letters))
    compared = 0

    def read_otherwise() -> Sequence[PageReading]:
        return reading.readings

    texts = library.read(reading, ranked)
    for candidate in ranked:
        if not (followed.wants(gathered=candidate.expected > 0) and witnessed.wants(candidate.common_at)):
            continue
        accuses = not is_common_text(candidate)
        thorough = accuses and compared < MAX_THOROUGH_CANDIDATES
        if library.screen.refuses(reading, candidate, thorough=thorough):
            compared += accuses
            followed.note(shares=False)
            continue
        work = library.work(candidate.owner_id)
        if work is None:
            continue
        compared += accuses
        theirs = texts.read(work)
        comparison = align_pair(
            text,
            letters,
            theirs.text,
            theirs.letters,
            library.calibration,
            thorough=thorough,
            kept=reading.screen.kept,
            shortest=shortest_passage(context, work),
            readings=read_otherwise if candidate.score >= MIN_LIKELY_SCORE else None,
            blocks=reading.screen.take_blocks(theirs.letters.codes),
        )
        followed.note(shares=comparison is not None)
        if comparison is not None and work.common:
            common_texts.append((work, candidate, comparison))
        elif comparison is not None:
            witnessed.note(np.concatenate([passage.agreed[:, 0] for passage in comparison.found]))
            copies.append((work, candidate, comparison))
    reading.screen.drop_blocks()
    library.screen.keep_letters()
    comparisons = [comparison for _, _, comparison in copies]
    verdicts = judge_comparisons(
        comparisons,
        context.settings.matcher.open_score,
        _find_formulae(context, ranked),
        [comparison for _, _, comparison in common_texts],
        pages or stored_pages(context),
    )
    names = [work for work, _, _ in common_texts]
    sources = [
        Source(
            work,
            candidate,
            verdict.comparison,
            alone,
            verdict.accuses,
            explained=tuple(_explained_passages(verdict.comparison, names)),
        )
        for (work, candidate, alone), verdict in zip(copies, verdicts, strict=True)
    ]
    explaining = [Source(work, candidate, alone, alone, False) for work, candidate, alone in common_texts]
    return sorted([*_group_same_texts(sources), *explaining], key=lambda source: -source.comparison.weight)


def shortest_passage(context: Context, work: Work) -> int:
    """Return the minimum length, in letters, of a passage of a work that opens a case."""
    return work.shortest_passage or context.settings.matcher.shortest_passage


def _explained_passages(comparison: Comparison, common_texts: Sequence[Work]) -> Iterator[CommonPassage]:
    for passage, number in comparison.explained:
        work = common_texts[number]
        yield CommonPassage(passage=passage, reason=CommonReason.TEXT, text_id=work.id, title=work.title)


def _find_formulae(context: Context, ranked: Sequence[Candidate]) -> StopFeatureShares:
    documents = cache(lambda: context.sizes.of(context.store.fingerprints, OwnerKind.WORK))

    def of_work(letters: Initials) -> float:
        return stop_feature_share(letters, context.index(OwnerKind.WORK), documents=documents())

    return StopFeatureShares(max((document.formulaic for document in ranked), default=0.0), of_work)


def _group_same_texts(sources: Sequence[Source]) -> list[Source]:
    """Return the sources. Sources that hold the same text name each other in `also_in`."""
    accusing = [source for source in sources if source.accuse]
    others = works_with_same_text([source.comparison.aligned for source in accusing])
    named = {
        source.work.id: tuple(accusing[other].work.id for other in each)
        for source, each in zip(accusing, others, strict=True)
    }
    return [
        replace(source, also_in=named[source.work.id]) if named.get(source.work.id) else source for source in sources
    ]


def make_matches(context: Context, sources: Sequence[tuple[Source, Owner, int]]) -> list[Match]:
    """Make the match of each comparison. Each is given with the compared text and its version."""
    owners = {owner for source, copy, _ in sources for owner in (copy, Owner.of_work(source.work.id))}
    ids = {
        kind: context.store.fingerprints.ids_of(kind, {owner.id for owner in owners if owner.kind is kind})
        for kind in {owner.kind for owner in owners}
    }
    return [_make_match(context, source, copy, version, ids) for source, copy, version in sources]


def _make_match(
    context: Context,
    source: Source,
    copy: Owner,
    version: int,
    ids: Mapping[OwnerKind, Mapping[str, tuple[str, ...]]],
) -> Match:
    work, verdict, pair = source.work, source.comparison.verdict, source.comparison.pair
    match = Match(
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
        reasons=(*verdict.reasons, *_other_works(source), *_common_text_names(source), *source.attribution),
        passages=source.comparison.passages,
        matched_at=context.now(),
        same_characters=verdict.same_characters,
        variants=verdict.variants,
        same_sound=verdict.same_sound,
        also_in=source.also_in,
        common=(*_common_passages(source.comparison), *source.explained),
    )
    return count_match(match, pair.page_text, pair.work_text)


def _common_passages(comparison: Comparison) -> Iterator[CommonPassage]:
    for common in comparison.common:
        form = comparison.pair.is_same_form(common) or comparison.pair.is_common_language(common)
        yield CommonPassage(passage=common.passage, reason=CommonReason.FORM if form else CommonReason.SHARED)


def _other_works(source: Source) -> tuple[str, ...]:
    return (f"also_in:{len(source.also_in)}",) if source.also_in else ()


def _common_text_names(source: Source) -> Iterator[str]:
    """Yield a reason with the title of each common text that explains a shared passage."""
    titles = dict.fromkeys(text.title.strip("《》") for text in source.explained if text.title)
    return (f"common_text:{title}" for title in titles)


def choose_explained_text(context: Context, usual: str, other: str) -> str:
    """Return the reading that copied works explain better. If none does, the usual one stands."""
    readings = [TextReading(usual), TextReading(other)]
    candidates = find_candidate_works_of_all(context, readings)
    if not any(candidates):
        return usual
    explained = [
        sum(
            source.comparison.verdict.weight
            for source in compare_with_candidates(context, reading, ranked)
            if source.copied
        )
        for reading, ranked in zip(readings, candidates, strict=True)
    ]
    return other if explained[1] > explained[0] else usual
