"""Align two texts by like sentences, where one retells, translates or sums up the other.

The method is that of Sanchez-Perez, Sidorov and Gelbukh (2014), the best of PAN's text alignment. Seeds are pairs of
sentences with a high cosine and Dice coefficient. Clusters join seeds whose gaps are small on either side. A cluster
whose two sides are not alike as a whole is shrunk with smaller gaps. Of clusters that overlap on the page the likest
remains. Two settings of the gap are tried: the wide one is for summaries, whose source is much longer.

Two things are ours. A weak seed at the end of a cluster, behind a gap, is dropped. A summary needs more than a long
source: where passages of equal length explain the page, a few like sentences far away made the source long. And each
of its sentences stands for one or two of the source, as one that is like many is like the source's formulae.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fingerprinter.compiled import compiled
from matcher.paraphrase.evidence import Portion, weigh_evidence
from matcher.paraphrase.plain_characters import Background, PlainText
from matcher.paraphrase.sentence_vectors import (
    F64,
    SentenceText,
    SentenceVectors,
    TermCounts,
    make_vectors,
    shared_words,
    split_sentences,
)
from matcher.paraphrase.suspicions import AlignedSentences, Suspicion, original_portion

MIN_SEED_COSINE, MIN_SEED_DICE = 0.30, 0.33  # of two sentences; both are the paper's
_MIN_CLUSTER_COSINE = 0.34  # of the two sides of a cluster
_MAX_GAP, _MIN_GAP = 4, 2  # sentences without a seed inside a cluster, at first and at last
_SUMMARY_MAX_GAP, _SUMMARY_MIN_GAP = 24, 0
_MIN_PASSAGE_CHARACTERS = 160  # characters of either side of a passage
_MIN_EDGE_COSINE = 0.45  # of a seed at the end of a cluster, behind a gap
_SUMMARY_RATIO = 3  # times that the sources of a summary are longer than it
_EQUAL_RATIO = 2  # times that one side is longer than the other in passages of equal length
_MAX_EQUAL_SHARE = 0.7  # share of a summary that such passages may explain
_MAX_SENTENCE_SEEDS = 2  # mean like sentences of the source of one sentence of a summary, which has fewer


class Seed(NamedTuple):
    """Two like sentences: their numbers, and their cosine."""

    page: int
    work: int
    cosine: float


def _number(seed: Seed, side: int) -> int:
    """Return the number of a seed's sentence: of the page for side 0, of the work for 1."""
    return seed.work if side else seed.page


class AlignedSentencePassage(NamedTuple):
    """Stretches of both texts that tell the same, in plain characters, their cosine, and the like sentences."""

    page: Portion
    work: Portion
    cosine: float
    seeds: tuple[Seed, ...]


class _Cluster(NamedTuple):
    """Seeds that belong together. page, work: their sentences [begin, end)."""

    seeds: Sequence[Seed]
    page: Portion
    work: Portion
    cosine: float


def align_sentences(page: SentenceText, work: SentenceText) -> list[AlignedSentencePassage]:
    """Return the passages of a page that tell the same as passages of a work, in the order of the page."""
    if not len(page.terms) or not len(work.terms):
        return []
    vectors = make_vectors(page, work)
    pages, works, cosines = _find_seeds(*vectors.page, *vectors.work, vectors.rarity, MIN_SEED_COSINE, MIN_SEED_DICE)
    seeds = [Seed(*each) for each in zip(pages.tolist(), works.tolist(), cosines.tolist(), strict=True)]
    if not seeds:
        return []
    equal = _align(page, work, vectors, seeds, (_MAX_GAP, _MIN_GAP), _trim_weak_ends)
    summary = _align(page, work, vectors, seeds, (_SUMMARY_MAX_GAP, _SUMMARY_MIN_GAP), lambda some: some)
    return summary if _is_summary(summary, equal) else equal


def _align(
    page: SentenceText,
    work: SentenceText,
    vectors: SentenceVectors,
    seeds: Sequence[Seed],
    gaps: tuple[int, int],
    trim: Callable[[Sequence[Seed]], Sequence[Seed]],
) -> list[AlignedSentencePassage]:
    """Return the passages by one setting of the gap, at first and at last."""
    clusters = (_make_cluster(trim(shrunk.seeds), shrunk.cosine) for shrunk in _shrink_clusters(vectors, seeds, *gaps))
    passages = [
        AlignedSentencePassage(
            _characters_of(page, cluster.page), _characters_of(work, cluster.work), cluster.cosine, tuple(cluster.seeds)
        )
        for cluster in _resolve_overlaps(clusters)
    ]
    return [passage for passage in passages if min(map(_length, passage[:2])) >= _MIN_PASSAGE_CHARACTERS]


def _shrink_clusters(vectors: SentenceVectors, seeds: Sequence[Seed], gap: int, min_gap: int) -> Iterator[_Cluster]:
    """Yield the clusters whose sides are alike, those that are not in smaller ones."""
    for cluster_seeds in _split_by_gaps(seeds, gap, 0):
        cluster = _make_cluster(cluster_seeds, 0.0)
        first = _sum_terms(vectors.page, cluster.page, vectors)
        second = _sum_terms(vectors.work, cluster.work, vectors)
        lengths = float(np.sqrt((first @ first) * (second @ second)))
        cosine = float(first @ second) / lengths if lengths else 0.0
        if cosine >= _MIN_CLUSTER_COSINE:
            yield cluster._replace(cosine=cosine)
        elif gap > min_gap:
            yield from _shrink_clusters(vectors, cluster_seeds, gap - 1, min_gap)


def _split_by_gaps(seeds: Sequence[Seed], gap: int, side: int, *, whole: bool = False) -> Iterator[Sequence[Seed]]:
    """Yield clusters without a larger gap on either side. whole: whether the other side has none."""
    ordered = sorted(seeds, key=lambda seed: _number(seed, side))
    numbers = np.array([_number(seed, side) for seed in ordered])
    cuts = (np.flatnonzero(np.diff(numbers) > gap + 1) + 1).tolist()
    if not cuts and whole:
        yield ordered
        return
    for begin, end in zip([0, *cuts], [*cuts, len(ordered)], strict=True):
        yield from _split_by_gaps(ordered[begin:end], gap, 1 - side, whole=not cuts)


def _trim_weak_ends(seeds: Sequence[Seed]) -> Sequence[Seed]:
    """Drop the seeds of an end sentence that is only weakly like another, and stands behind a gap."""
    for side in (0, 1):
        while len(rows := sorted({_number(seed, side) for seed in seeds})) > 1:
            ends = ((rows[0], rows[1] - rows[0]), (rows[-1], rows[-1] - rows[-2]))
            weak = next(
                (row for row, gap in ends if gap > 1 and _best_cosine(seeds, side, row) < _MIN_EDGE_COSINE), None
            )
            if weak is None:
                break
            seeds = [seed for seed in seeds if _number(seed, side) != weak]
    return seeds


def _best_cosine(seeds: Sequence[Seed], side: int, row: int) -> float:
    return max(seed.cosine for seed in seeds if _number(seed, side) == row)


def _resolve_overlaps(clusters: Iterator[_Cluster]) -> list[_Cluster]:
    """Return the clusters that overlap no liker one on the page, in the order of the page."""
    remaining: list[_Cluster] = []
    for cluster in sorted(clusters, key=lambda cluster: -cluster.cosine):
        if all(
            min(cluster.page.end, other.page.end) <= max(cluster.page.begin, other.page.begin) for other in remaining
        ):
            remaining.append(cluster)
    return sorted(remaining, key=lambda cluster: cluster.page)


def _is_summary(summary: Sequence[AlignedSentencePassage], equal: Sequence[AlignedSentencePassage]) -> bool:
    """Whether the source is much longer, few of its sentences are like each of the page's, and passages of equal length
    do not explain most of the page's text.
    """
    sentences = {seed.page for passage in summary for seed in passage.seeds}
    if sum(len(passage.seeds) for passage in summary) >= _MAX_SENTENCE_SEEDS * len(sentences):
        return False
    length = sum(_length(passage.page) for passage in summary)
    if not length or sum(_length(passage.work) for passage in summary) < _SUMMARY_RATIO * length:
        return False
    explained = sum(
        _length(passage.page) for passage in equal if _length(passage.work) < _EQUAL_RATIO * _length(passage.page)
    )
    return explained < _MAX_EQUAL_SHARE * length


def _make_cluster(seeds: Sequence[Seed], cosine: float) -> _Cluster:
    sides = [
        Portion(min(_number(seed, side) for seed in seeds), max(_number(seed, side) for seed in seeds) + 1)
        for side in (0, 1)
    ]
    return _Cluster(seeds, sides[0], sides[1], cosine)


def _sum_terms(counts: TermCounts, sentences: Portion, vectors: SentenceVectors) -> F64:
    inside = slice(counts.bounds[sentences.begin], counts.bounds[sentences.end])
    return np.bincount(counts.terms[inside], counts.counts[inside], len(vectors.rarity)) * vectors.rarity


def _characters_of(text: SentenceText, sentences: Portion) -> Portion:
    return Portion(int(text.begins[sentences.begin]), int(text.ends[sentences.end - 1]))


def _length(portion: Portion) -> int:
    return portion.end - portion.begin


@compiled("Tuple((i8[::1], i8[::1], f8[::1]))(i8[::1], i8[::1], f8[::1], i8[::1], i8[::1], f8[::1], f8[::1], f8, f8)")
def _find_seeds(  # type: ignore[no-untyped-def]  # compiled
    page_bounds, page_terms, page_counts, work_bounds, work_terms, work_counts, rarity, min_cosine, min_dice
):
    """Return the like sentences: numbers of the page's and of the work's, and cosines. Two `TermCounts` are given."""
    works = len(work_bounds) - 1
    posting_bounds = np.zeros(len(rarity) + 1, np.int64)
    for term in work_terms:
        posting_bounds[term + 1] += 1
    posting_bounds = np.cumsum(posting_bounds)
    next_free = posting_bounds.copy()
    posting_sentences = np.empty(len(work_terms), np.int64)
    posting_weights = np.empty(len(work_terms), np.float64)
    squares = np.zeros(works, np.float64)
    for sentence in range(works):
        for index in range(work_bounds[sentence], work_bounds[sentence + 1]):
            term = work_terms[index]
            weight = work_counts[index] * rarity[term]
            posting_sentences[next_free[term]], posting_weights[next_free[term]] = sentence, weight
            next_free[term] += 1
            squares[sentence] += weight**2
    pages, sources, cosines = [np.int64(0)], [np.int64(0)], [0.0]
    products = np.zeros(works, np.float64)
    shared = np.zeros(works, np.int64)
    for sentence in range(len(page_bounds) - 1):
        products[:] = 0
        shared[:] = 0
        square = 0.0
        for index in range(page_bounds[sentence], page_bounds[sentence + 1]):
            term = page_terms[index]
            weight = page_counts[index] * rarity[term]
            square += weight**2
            for posting in range(posting_bounds[term], posting_bounds[term + 1]):
                products[posting_sentences[posting]] += weight * posting_weights[posting]
                shared[posting_sentences[posting]] += 1
        terms = page_bounds[sentence + 1] - page_bounds[sentence]
        for source in range(works):
            length = square * squares[source]
            if not shared[source] or length <= 0:
                continue
            cosine = products[source] / np.sqrt(length)
            dice = 2 * shared[source] / (terms + work_bounds[source + 1] - work_bounds[source])
            if cosine > min_cosine and dice > min_dice:
                pages.append(np.int64(sentence))
                sources.append(np.int64(source))
                cosines.append(cosine)
    return np.array(pages)[1:], np.array(sources)[1:], np.array(cosines)[1:]


_MIN_LETTER_SHARE = 0.5  # share of the characters of words that are letters, from which a text is one in letters
_MAX_WEIGHED_CHARACTERS = 1_000  # characters of either side in which evidence is weighed

Passages = tuple[tuple[AlignedSentences, ...], ...]


def split_page(text: PlainText) -> SentenceText | None:
    """Split a page into sentences, None where it is not in letters."""
    codes = text.codes[text.codes > 0]
    in_letters = int((codes < 0x2E80).sum()) if len(codes) else 0
    return split_sentences(text) if in_letters > _MIN_LETTER_SHARE * len(codes) else None


def find_retold_passages(page: SentenceText, work: PlainText) -> Passages:
    """Return the passages that a page retells, each as its pairs of like sentences in the order of the page."""
    source = split_sentences(work)
    return tuple(_pair_sentences(page, source, passage) for passage in align_sentences(page, source))


def suspect_retelling(page: SentenceText, id: str, work: PlainText, background: Background) -> Suspicion | None:
    """Return the suspicion that a page retells a work, None where it retells no passage. id: the work's."""
    source = split_sentences(work)
    aligned = align_sentences(page, source)
    if not aligned:
        return None
    best = max(aligned, key=lambda passage: (passage.cosine, passage.page))
    evidence = weigh_evidence(page.text, work, _clip(best.page), _clip(best.work), background)
    passages = tuple(_pair_sentences(page, source, passage) for passage in aligned)
    return Suspicion(id, work, evidence, 0.0, passages=passages)


def _clip(portion: Portion) -> Portion:
    return Portion(portion.begin, min(portion.end, portion.begin + _MAX_WEIGHED_CHARACTERS))


def _pair_sentences(
    page: SentenceText, work: SentenceText, passage: AlignedSentencePassage
) -> tuple[AlignedSentences, ...]:
    return tuple(
        AlignedSentences(
            original_portion(page.text, page.sentence(seed.page)),
            original_portion(work.text, work.sentence(seed.work)),
            shared_words(page, work, seed.page, seed.work),
        )
        for seed in sorted(passage.seeds)
    )


def join_passages(passages: Iterable[Sequence[AlignedSentences]]) -> list[AlignedSentences]:
    """Return the sentences of all passages in the order of the page."""
    return sorted(sentences for passage in passages for sentences in passage)
