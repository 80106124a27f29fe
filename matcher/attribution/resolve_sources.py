"""Resolve which works a page is attributed to, among all that share text with it.

A whole sentence of one work on a page is a quotation. Sentences of many works together are a compilation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.abridged_passages import join_abridged
from matcher.attribution.align_pair import Comparison
from matcher.attribution.common_text import LetterSharing, WorkPassages, remove_common_text
from matcher.attribution.customary_words import is_customary
from matcher.attribution.explained_text import subtract_common_texts
from matcher.attribution.page_text import StoredPages, discount_page_text
from matcher.attribution.stock_text import MAX_NAMES_WEIGHT, is_proper_names, is_stock_text, is_technical_text
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.retrieval.stop_features import NO_STOP_FEATURES, StopFeatureShares

MIN_COMPILED_WORKS = 5  # works with a sentence each on a page, from which a person should decide
_MIN_SENTENCE_INITIALS = 30
_MIN_EXACT_SHARE = 0.97  # share of these that are the same characters
_MIN_OWN_SHARE = 0.999  # share of the sentence that is the work's own


def find_compilation(works: Sequence[WorkPassages]) -> list[tuple[int, AlignedPassage]]:
    """Return the works of which a page is compiled with the sentence of each, the longest first, if enough.

    Text of several works, and sentences that overlap on the page, count once at most.
    """
    pieces = [
        (number, piece) for number, work in enumerate(works) for piece in work.aligned if _is_exact_sentence(piece)
    ]
    if (
        len({number for number, _ in pieces}) < MIN_COMPILED_WORKS
        or _count_disjoint(piece for _, piece in pieces) < MIN_COMPILED_WORKS
    ):
        return []
    sharing = LetterSharing(works)
    own = [(number, piece) for number, piece in pieces if sharing.own_share(number, piece) >= _MIN_OWN_SHARE]
    chosen: dict[int, AlignedPassage] = {}
    for number, piece in sorted(own, key=lambda item: (-item[1].weight, item[0])):
        if number not in chosen and not any(_overlaps(piece, other) for other in chosen.values()):
            chosen[number] = piece
    return list(chosen.items()) if len(chosen) >= MIN_COMPILED_WORKS else []


def _is_exact_sentence(piece: AlignedPassage) -> bool:
    return piece.letters >= _MIN_SENTENCE_INITIALS and piece.exact >= _MIN_EXACT_SHARE * piece.letters


def _count_disjoint(pieces: Iterable[AlignedPassage]) -> int:
    """Count the most pieces of which none overlaps another. Sentences that many works share give few."""
    count = reach = 0
    for end, start in sorted((piece.passage.page_end, piece.passage.page_start) for piece in pieces):
        if start >= reach:
            count, reach = count + 1, end
    return count


def _overlaps(piece: AlignedPassage, other: AlignedPassage) -> bool:
    a, b = piece.passage, other.passage
    return a.page_start < b.page_end and b.page_start < a.page_end


MIN_SUBSTANTIAL_SHARE = 0.5  # share of a work that is never stock text
MIN_REPORTED_COMMON_SHARE = 0.05  # share of the evidence discounted as common text, from which the reasons state it


def resolve_sources(
    comparisons: Sequence[Comparison],
    stop_features: StopFeatureShares = NO_STOP_FEATURES,
    common_texts: Sequence[Comparison] = (),
    pages: StoredPages | None = None,
) -> list[Comparison]:
    """Return the comparisons of one page with different works, each with its verdict beside the others.

    Common text, stock text (`matcher.attribution.stock_text`) and newly filled forms accuse nobody. The rest is weighed
    by itself, and a small passage that another work explains better is removed. If nothing remains, many sentences of
    different works accuse the work with the most copied text, with the reason that they are a compilation. At last,
    passages between which the page shortens the work are joined.

    common_texts: comparisons of the page with registered common texts. What they explain is removed first. pages: the
    stored pages. What many unrelated ones have weighs less.
    """
    if common_texts:
        comparisons = [_remove_explained(comparison, common_texts) for comparison in comparisons]
    resolved = list(comparisons)
    if any(comparison.accuse for comparison in comparisons):
        works = [
            _passages_of_work(comparison, [] if _is_all_stock_text(comparison) else _drop_forms(comparison))
            for comparison in comparisons
        ]
        remaining = remove_common_text(works, lambda number: stop_features.in_both(comparisons[number].pair.work))
        resolved = [
            _apply_remaining(comparison, _drop_common_language(comparison, passages, pages))
            for comparison, passages in zip(comparisons, remaining, strict=True)
        ]
    if not any(comparison.accuse for comparison in resolved):
        return _mark_compilation(resolved)
    return [
        replace(comparison, aligned=join_abridged(comparison.aligned)) if comparison.accuse else comparison
        for comparison in resolved
    ]


def _passages_of_work(comparison: Comparison, aligned: Sequence[AlignedPassage]) -> WorkPassages:
    pair = comparison.pair
    slight = [
        passage.passage for passage in aligned if comparison.accuse and is_technical_text(pair.work_text, passage)
    ]
    return WorkPassages(aligned, pair.work.codes, comparison.accuse, frozenset(slight), pair.shortest)


def _mark_compilation(comparisons: list[Comparison]) -> list[Comparison]:
    """Accuse the first work of a compilation, and give all its works that reason."""
    if not comparisons:
        return comparisons
    pieces = find_compilation([_passages_of_work(comparison, comparison.found) for comparison in comparisons])
    weight = sum(piece.weight for _, piece in pieces)
    for rank, (number, piece) in enumerate(pieces):
        comparison = comparisons[number]
        verdict = comparison.pair.verdict([piece], comparison.calibration)[1]
        verdict = replace(
            verdict,
            accuse=not rank,
            score=comparison.calibration.probability(weight),
            reasons=(*verdict.reasons, f"compilation:{len(pieces)}"),
        )
        comparisons[number] = replace(comparison, aligned=(piece,), verdict=verdict)
    return comparisons


def _remove_explained(comparison: Comparison, common_texts: Sequence[Comparison]) -> Comparison:
    """Return the comparison by what no common text explains. Where nothing remains, it accuses nobody."""
    pair = comparison.pair
    remaining, explained = subtract_common_texts(
        pair.page_text,
        pair.page,
        pair.work_text,
        pair.work,
        comparison.found,
        [text.found for text in common_texts],
    )
    if not explained:
        return comparison
    if not remaining:
        verdict = replace(comparison.verdict, accuse=False)
        return replace(comparison, found=(), verdict=verdict, explained=tuple(explained))
    aligned, verdict = pair.verdict(remaining, comparison.calibration)
    return replace(
        comparison, aligned=tuple(aligned), verdict=verdict, found=tuple(remaining), explained=tuple(explained)
    )


def _drop_forms(comparison: Comparison) -> list[AlignedPassage]:
    return [
        passage for passage in comparison.found if not (comparison.accuse and comparison.pair.is_same_form(passage))
    ]


def _drop_common_language(
    comparison: Comparison, passages: Sequence[AlignedPassage], pages: StoredPages | None
) -> list[AlignedPassage]:
    """Return the passages that are no common language. Dropped earlier, they would not show what works share."""
    pair = comparison.pair
    if not comparison.accuse:
        return list(passages)
    left = [passage for passage in passages if not pair.is_common_language(passage)]
    is_phrase = pair.shortest >= MAX_QUOTATION_INITIALS and is_customary(pair, left)
    if is_phrase or pages is None:
        return [] if is_phrase else left
    return list(discount_page_text(pair, left, pages))


def _is_all_stock_text(comparison: Comparison) -> bool:
    """Whether all that a page shares with a work is stock text, and little of the work."""
    pair = comparison.pair
    if not comparison.accuse or sum(passage.agreeing for passage in comparison.found) >= MIN_SUBSTANTIAL_SHARE * len(
        pair.work
    ):
        return False
    has_names_only = sum(passage.weight for passage in comparison.found) <= MAX_NAMES_WEIGHT
    return all(
        is_stock_text(pair.page_text, pair.work_text, passage)
        or (has_names_only and is_proper_names(pair.work_text, pair.work, passage))
        for passage in comparison.found
    )


def _apply_remaining(comparison: Comparison, remaining: Sequence[AlignedPassage]) -> Comparison:
    """Return the comparison by its remaining passages. Without any, it accuses nobody."""
    if not comparison.accuse:
        return comparison
    if not remaining:
        return replace(comparison, verdict=replace(comparison.verdict, accuse=False), common=comparison.aligned)
    aligned, verdict = comparison.aligned, comparison.verdict
    if not _are_same_passages(remaining, comparison.found):
        counted, verdict = comparison.pair.verdict(remaining, comparison.calibration)
        aligned = tuple(counted)
    counted_passages = {passage.passage for passage in aligned}
    common = tuple(passage for passage in comparison.aligned if passage.passage not in counted_passages)
    discount = 1 - verdict.weight / sum(passage.weight for passage in comparison.aligned)
    if discount >= MIN_REPORTED_COMMON_SHARE:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"common:{discount:.2f}"))
    return replace(comparison, aligned=aligned, verdict=verdict, common=common)


def _are_same_passages(first: Sequence[AlignedPassage], second: Sequence[AlignedPassage]) -> bool:
    """Whether these are the very same passages, none of them weighed anew."""
    return len(first) == len(second) and all(passage is other for passage, other in zip(first, second, strict=True))
