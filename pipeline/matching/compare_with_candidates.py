"""A text compared with its candidates (`pipeline.matching.candidates`): what works, pages and `scan` share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fingerprinter.letters import Letters
from matcher.alignment.recurring_insertions import without_furniture
from matcher.candidates import formulaic_share
from matcher.compare import THOROUGHLY, Comparison, compare
from matcher.ranking.enough_witnesses import WitnessedLetters
from matcher.ranking.formulae import Formulae
from matcher.ranking.how_far_followed import FollowedRanking
from matcher.verdict.attribution import attribution
from matcher.verdict.which_work_explains import also_in
from pipeline.context import Context
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import judged
from pipeline.matching.works_of_a_batch import Library
from store.records import Candidate, CommonPassage, CommonReason, Match, Owner, OwnerKind, Work
from store.rules.record_ids import copy_id, match_id


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text copies, and how."""

    work: Work
    candidate: Candidate
    comparison: Comparison
    copied: bool  # more than a quotation is shared with it, whoever else has that as well
    accuse: bool  # see `pipeline.matching.when_a_case_opens`
    attribution: tuple[str, ...]  # message keys: how far the text names the work as its source
    also_in: tuple[str, ...] = ()  # works that hold the same text; ids


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
    found, followed, witnessed = [], FollowedRanking(), WitnessedLetters(len(letters))
    for place, (candidate, work, read) in enumerate(library.read(ranked)):
        if not (followed.wants(gathered=candidate.expected > 0) and witnessed.wants(candidate.common_at)):
            continue
        theirs, thorough = read(), place < THOROUGHLY
        comparison = compare(
            text, letters, theirs.text, theirs.letters, library.calibration, thorough=thorough, kept=kept
        )
        followed.note(shares=comparison is not None)
        if comparison is not None:
            witnessed.note(np.concatenate([one.agreed[:, 0] for one in comparison.found]))
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
    documents = cache(lambda: context.sizes.of(context.store.fingerprints, OwnerKind.WORK))

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
