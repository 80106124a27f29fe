"""Look texts up in an index, rank and filter the documents found, and decide how many of them are compared.

Comparison ends behind some works in a row that share nothing. This holds for works whose hits gather on diagonals,
which are ranked by evidence. The works behind them are in no meaningful order. Of works that share only common text
with a page, enough are compared to have all of it. The ranking gives `MAX_WITNESSES` for a stretch, as some may share
something else, or less of it. Where only few works have some of the initials, each further work shows how common these
are.

A reading with blanks is looked up with the likeliest initials in place of its blanks. The index has contiguous grams
alone, so the query tries what may have stood there. This is a spaced seed on the side of the query (Ma, Tromp and Li,
"PatternHunter", 2002).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import LATIN_A, Initials
from fingerprinter.compiled import compiled
from fingerprinter.features.index_features import GRAM_LEAD, load_reference, query_features
from fingerprinter.features.model import (
    ANCHOR_RADIUS,
    GRAM_SEED,
    GRAM_UNITS,
    Features,
    absorb_value,
    finalize_hash,
    pair_hashes,
)
from matcher.index.protocol import Hits, Index
from matcher.retrieval.inserted_adverts import places_without_furniture
from matcher.retrieval.page_readings import BLANK, PageReading
from matcher.retrieval.ranking import MIN_RANKED_DOCUMENTS, RankedDocument, rank_documents, share_of_stop_features

_GRAM_LETTERS = GRAM_UNITS // 2  # Han letters of a gram
_MIN_TRIED, _MAX_TRIED = 5, 10  # initials that are tried in a blank, the most frequent: in half of all, in most
# Features of a reading whose six letters have one blank or two, from which about eight hits come on one diagonal. They
# limit the initials that are tried.
_MAX_FEATURES, _MAX_CERTAIN_FEATURES = (0, 250, 800), (0, 1_000, 4_000)
_ANCHOR_SHARE = 1 / 6  # share of the grams that may be anchored


def reading_features(reading: PageReading) -> Features:
    """Return the features by which the disguised letters of a reading are looked up."""
    begin, end = reading.begin, reading.end
    codes = reading.letters.codes[begin:end]
    if not reading.blank[begin:end].any():
        features = query_features(reading.letters.part(begin, end))
        return Features(features.values, features.positions + np.uint32(begin))
    most = (_MAX_CERTAIN_FEATURES if reading.certain else _MAX_FEATURES)[reading.max_blanks]
    wanted = (most / _ANCHOR_SHARE / len(codes)) ** (1 / reading.max_blanks)
    tried = _frequent_initials()[: int(min(max(wanted, _MIN_TRIED), _MAX_TRIED))]
    # The middle of a long stretch is enough.
    letters = int(most / (_ANCHOR_SHARE * len(tried) ** reading.max_blanks))
    first = max(0, (len(codes) - letters) // 2)
    values, positions = _blank_grams(codes[first : first + letters], tried, _pair_order(), reading.max_blanks, 2 * most)
    return Features(values, positions + np.uint32(begin + first))


@cache
def _frequent_initials() -> NDArray[np.uint8]:
    """Return the codes of the initials, the most frequent first: u8[20]."""
    return np.argsort(-load_reference().counts, kind="stable").astype(np.uint8)


@cache
def _pair_order() -> NDArray[np.uint16]:
    """Return u16[21, 21]: the hash of each pair of initials, by which anchors are chosen."""
    return np.array(
        [
            [pair_hashes(np.array((first, second), np.uint8))[0] for second in range(LATIN_A)]
            for first in range(LATIN_A)
        ],
        np.uint16,
    )


@compiled("b1(u1[::1], u2[:,::1])")
def _is_anchored(gram, order):  # type: ignore[no-untyped-def]  # compiled
    """Whether the pair behind the lead of a gram is the smallest of the pairs inside the gram."""
    here = order[gram[GRAM_LEAD], gram[GRAM_LEAD + 1]]
    for place in range(max(0, GRAM_LEAD - ANCHOR_RADIUS), min(len(gram) - 1, GRAM_LEAD + ANCHOR_RADIUS + 1)):
        other = order[gram[place], gram[place + 1]]
        if other < here or (place < GRAM_LEAD and other == here):
            return False
    return True


@compiled("Tuple((u8[::1], u4[::1]))(u1[::1], u1[::1], u2[:,::1], i8, i8)")
def _blank_grams(codes, tried, order, max_blanks, most):  # type: ignore[no-untyped-def]  # compiled
    """Return values and positions of the grams of letters with blanks, each blank filled in all ways."""
    values, positions = np.empty(most, np.uint64), np.empty(most, np.uint32)
    count = 0
    gram = np.empty(_GRAM_LETTERS, np.uint8)
    blanks = np.empty(_GRAM_LETTERS, np.int64)
    for begin in range(len(codes) - _GRAM_LETTERS + 1):
        blank_count = 0
        is_han = True
        for place in range(_GRAM_LETTERS):
            code = codes[begin + place]
            gram[place] = code
            if code == BLANK:
                blanks[blank_count] = place
                blank_count += 1
            elif code >= LATIN_A:
                is_han = False
        if not is_han or blank_count > max_blanks:
            continue
        for filling in range(len(tried) ** blank_count):
            rest = filling
            for blank in blanks[:blank_count]:
                gram[blank] = tried[rest % len(tried)]
                rest //= len(tried)
            if not _is_anchored(gram, order):
                continue
            if count == most:
                return values, positions
            state = np.uint64(GRAM_SEED)
            for code in gram:
                state = absorb_value(state, np.uint64(code))
            values[count], positions[count] = finalize_hash(state), begin
            count += 1
    return values[:count].copy(), positions[:count].copy()


# Candidates of one page. The setting `matcher.candidates` limits how many works are compared with it.


MAX_THOROUGH_CANDIDATES: Final = 16  # the likeliest candidates, which are compared thoroughly
_MAX_BARE_SHARE = 0.875  # share of a text outside furniture up to which it is also looked up without furniture
_MAX_LOOKED_UP_FEATURES = 16_384  # features of the readings that are looked up together
MIN_LIKELY_SCORE = 0.5  # of a document with more evidence than one of all has by chance
CERTAIN_SCORE = 0.99  # of a document that makes other readings of a text needless
_SAMPLE_INITIALS = 8_192  # initials that are sampled for stop features


def max_candidates(compared: int) -> int:
    """Return the number of documents that a look-up gives at most, for the number of works that are compared."""
    return max(MIN_RANKED_DOCUMENTS, compared)


def find_candidates(
    initials: Initials, index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[RankedDocument]:
    """Return documents of the index that a text may share a passage with, best first.

    documents: number of documents in the index. A long owner is several documents there, which the caller merges.
    Raises what the index raises.
    """
    return find_all_candidates([make_text_query(initials)], index, documents=documents, most=most)[0]


class TextQuery(NamedTuple):
    """The features by which a text is looked up, in any index, and how many initials they span."""

    features: Features
    letters: int


def find_all_candidates(
    queries: Sequence[TextQuery],
    index: Index,
    *,
    documents: int,
    most: int = MIN_RANKED_DOCUMENTS,
    compared: int | None = None,
    least: float = 0.0,
) -> list[list[RankedDocument]]:
    """Return the same for each of several texts in one look-up. compared, least: as for `rank_documents`."""
    return [
        rank_documents(
            hits,
            query_letters=query.letters,
            documents=documents,
            formulaic=share_of_stop_features(hits, query.features, documents),
            most=most,
            compared=compared,
            asked=len(query.features),
            least=least,
        )
        for query, hits in zip(queries, index.look_up_all([query.features for query in queries]), strict=True)
    ]


def find_disguised_candidates(
    readings: Sequence[PageReading], index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[RankedDocument]:
    """Return documents that a page may share a passage with under other readings, each with its best evidence.

    Documents without evidence against chance are left out. Raises what the index raises.
    """
    return find_all_disguised_candidates([readings], index, documents=documents, most=most)[0]


def find_all_disguised_candidates(
    many: Sequence[Sequence[PageReading]], index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[list[RankedDocument]]:
    """Return the same for the readings of each of several pages in few look-ups."""
    pages = [(readings, list(map(reading_features, readings))) for readings in many]
    ranked: list[list[RankedDocument]] = []
    for batch in group_by_size(pages, lambda page: sum(map(len, page[1])), _MAX_LOOKED_UP_FEATURES):
        hits = iter(index.look_up_all([features for _, queries in batch for features in queries]))
        ranked += [
            _rank_readings(readings, queries, islice(hits, len(queries)), documents, most)
            for readings, queries in batch
        ]
    return ranked


T = TypeVar("T")


def group_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Yield groups of successive items whose sizes sum up to `most` at most, or of one item that is larger."""
    group: list[T] = []
    total = 0
    for item in items:
        if group and total + size(item) > most:
            yield group
            group, total = [], 0
        group.append(item)
        total += size(item)
    if group:
        yield group


def _rank_readings(
    readings: Sequence[PageReading], queries: Sequence[Features], found: Iterable[Hits], documents: int, most: int
) -> list[RankedDocument]:
    best: dict[int, RankedDocument] = {}
    for reading, features, hits in zip(readings, queries, found, strict=True):
        for ranked in rank_documents(
            hits, query_letters=len(reading.letters), documents=documents, most=most, asked=len(features)
        ):
            known = best.get(ranked.number)
            if ranked.score >= MIN_LIKELY_SCORE and (known is None or ranked.score > known.score):
                best[ranked.number] = ranked
    return sorted(best.values(), key=lambda ranked: (-ranked.score, ranked.expected - ranked.hits))[:most]


def make_text_query(initials: Initials) -> TextQuery:
    """Return the features by which a text is looked up.

    For a text with much furniture, the features of the text without furniture follow, as furniture may break all
    features.
    """
    features, count = query_features(initials), len(initials)
    bare_offsets = places_without_furniture(initials.codes)
    if bare_offsets is None or len(bare_offsets) > _MAX_BARE_SHARE * count:
        return TextQuery(features, count)
    bare = query_features(initials.only(bare_offsets))
    values = np.concatenate((features.values, bare.values))
    positions = np.concatenate((features.positions, bare.positions + np.uint32(count)))
    return TextQuery(Features(values, positions), 2 * count)


def stop_feature_share(initials: Initials, index: Index, *, documents: int) -> float:
    """Return the share of a text's features, in [0, 1], that are stop features. A long text is sampled.

    Raises what the index raises.
    """
    features = query_features(initials.part(0, _SAMPLE_INITIALS))
    return share_of_stop_features(index.look_up(features), features, documents)


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """A filter of candidates by size and kind.

    size_within: the most that the longer text may be as a multiple of the shorter one, 0 for no limit. same_kind: texts
    of different kinds (news, novel ...) are not compared, where both kinds are known. A page of any size may hold a
    passage of a work, so a size limit serves only a search for whole copies.
    """

    size_within: float = 0.0
    same_kind: bool = False

    def __bool__(self) -> bool:
        return self.same_kind or bool(self.size_within)

    def allows(self, length: int, kind: str | None, other_length: int, other_kind: str | None) -> bool:
        """Whether two texts of these lengths and kinds are compared."""
        if self.same_kind and kind and other_kind and kind != other_kind:
            return False
        return not self.size_within or max(length, other_length) <= self.size_within * min(length, other_length)


# Works in a row without a passage. None of 3,500 copies among 3,000 to 20,000 works stood behind more than one.
MAX_FRUITLESS: Final = 8


class RankingCutoff:
    """Decide which works of one ranking are compared. Ask and report in its order."""

    def __init__(self) -> None:
        self._fruitless = 0

    def wants(self, *, gathered: bool) -> bool:
        """Whether the next work is worth comparing. gathered: its hits gather on diagonals."""
        return not gathered or self._fruitless < MAX_FRUITLESS

    def note(self, *, shares: bool) -> None:
        """Record whether the compared work shares a passage."""
        self._fruitless = 0 if shares else self._fruitless + 1


# Works that have an initial of the page. Eight others remove all its weight
# (`matcher.attribution.text_of_several_works`), and one more may be an edition of one of them.
MIN_WITNESSES: Final = 10
_MIN_UNWITNESSED = 16  # initials of fewer works that prevent termination, as ends of a stretch agree by chance
_MAX_UNSHARED = 16  # initials of no work, beyond which another stretch begins


class WitnessCounts:
    """The number of compared works that have each initial of a page."""

    def __init__(self, initials: int) -> None:
        self._works = np.zeros(initials, np.int32)

    def wants(self, common_at: int | None) -> bool:
        """Whether a work is worth comparing that shares only common text with the page.

        common_at: an initial of that text, None for a work that may share more.
        """
        return common_at is None or common_at >= len(self._works) or not _is_common_initial(self._works, common_at)

    def note(self, agreed: NDArray[np.int32]) -> None:
        """Record the page's initials of a compared work."""
        self._works[agreed] += 1


@compiled("b1(i4[::1], i8)")
def _is_common_initial(works, center):  # type: ignore[no-untyped-def]  # compiled
    """Whether enough works have this initial, and nearly all shared initials around it."""
    if works[center] < MIN_WITNESSES:
        return False
    fewer = 0
    for step in (-1, 1):
        index = center
        unshared = 0
        while 0 <= index < len(works) and unshared <= _MAX_UNSHARED and fewer < _MIN_UNWITNESSED:
            unshared = 0 if works[index] else unshared + 1
            fewer += 0 < works[index] < MIN_WITNESSES
            index += step
    return fewer < _MIN_UNWITNESSED
