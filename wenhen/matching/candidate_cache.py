"""Fetch the candidate works of a batch of texts together, with their texts."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from fingerprinter.features.model import SEGMENT_LETTERS
from matcher.attribution.calibration import Calibration
from matcher.model import Candidate
from matcher.retrieval.early_termination import MIN_WITNESSES
from matcher.retrieval.ranking import RankedDocument
from wenhen.cases.calibration import current_calibration
from wenhen.fingerprints.reading import TextReading, cache_reading, load_readings
from wenhen.kit.progress import OwnerKind
from wenhen.matching.candidates import candidate_sort_key, find_candidate_works, merge_pieces, rank_pieces
from wenhen.matching.short_candidates import add_short_candidates
from wenhen.product.context import Context
from wenhen.works.model import Work

MAX_CACHED_LETTERS = 4_000_000  # of works that are fetched at a time
_MAX_WORKS_PER_QUERY = 8  # works that are asked for by one question
_STRETCH_LETTERS = 256  # letters that have witnesses of their own
_LONG_TEXT_LETTERS = 20_000  # characters of a text that is fetched only once it is read


class CandidateCache:
    """The candidates of some texts as they are now, without works that were removed.

    calibration: by which they are compared; the present one, which is asked for, where none is given. works: the
    candidates' works by their ids, where they were fetched already, with texts as far as these will be read.
    """

    def __init__(
        self,
        context: Context,
        ranked: Iterable[Sequence[Candidate]],
        calibration: Calibration | None = None,
        works: Mapping[str, Work] | None = None,
    ) -> None:
        self._context = context
        self.calibration = calibration or current_calibration(context)
        found = works
        if found is None:
            found = context.store.works.many({one.owner_id for one in chain.from_iterable(ranked)})
        self._works = {id: work for id, work in found.items() if work.removed_at is None}
        if works is None and sum(work.length for work in self._works.values()) <= MAX_CACHED_LETTERS:
            load_readings(context, {work.text_digest for work in self._works.values()})

    def read(self, ranked: Sequence[Candidate]) -> Iterator[tuple[Candidate, Work, Callable[[], TextReading]]]:
        """The candidates of one text with their works, and how to read each: those that are not at hand are fetched
        with as many behind them as the memory bears.
        """
        there = [(one, self._works[one.owner_id]) for one in ranked if one.owner_id in self._works]
        waiting = deque(work for _, work in there)
        fetched: dict[str, TextReading] = {}

        def read(digest: str) -> TextReading:
            nonlocal fetched
            if digest not in fetched:
                fetched = self._context.recent_texts.some([digest]) or load_readings(
                    self._context, _texts_within_memory(waiting)
                )
            return fetched[digest]

        for candidate, work in there:
            yield candidate, work, partial(read, work.text_digest)
            waiting.popleft()


def _texts_within_memory(works: Iterable[Work]) -> set[str]:
    """The texts of the first of these works, as many as the memory bears."""
    some, letters = set[str](), 0
    for work in works:
        letters += work.length
        if some and letters > MAX_CACHED_LETTERS:
            break
        some.add(work.text_digest)
    return some


def find_works_with_cache(
    context: Context, reading: TextReading, calibration: Calibration
) -> tuple[list[Candidate], CandidateCache]:
    """What `find_candidate_works` gives, and the library to compare the text with them."""
    if len(reading.letters) > SEGMENT_LETTERS:  # that may be many works
        ranked = add_short_candidates(context, reading, find_candidate_works(context, reading))
        return ranked, CandidateCache(context, [ranked], calibration)
    (pieces,) = rank_pieces(context, OwnerKind.WORK, [reading])
    found = [one for piece in pieces for one in piece]
    owners, works = (_fetch_few if len(found) <= _MAX_WORKS_PER_QUERY else _fetch_many)(context, found)
    ranked = merge_pieces(pieces, owners, context.settings.matcher.candidates)
    with_short = add_short_candidates(context, reading, ranked)
    if len(with_short) > len(ranked):
        return with_short, CandidateCache(context, [with_short], calibration)
    return ranked, CandidateCache(context, [], calibration, works)


_FetchedWorks = tuple[
    Mapping[int, tuple[str, int]], Mapping[str, Work]
]  # whose numbers are, and the works by their ids


def _fetch_few(context: Context, found: Sequence[RankedDocument]) -> _FetchedWorks:
    """With their texts at hand, but for long ones."""
    told = context.store.fingerprints.works([one.number for one in found])
    for _, work, text in told.values():
        if text is not None:
            cache_reading(context, work.text_digest, TextReading(text))
    owners = {number: (work.id, version) for number, (version, work, _) in told.items()}
    return owners, {work.id: work for _, work, _ in told.values()}


def _fetch_many(context: Context, found: Sequence[RankedDocument]) -> _FetchedWorks:
    """With those texts at hand, but for long ones, that will be read."""
    owners = context.store.fingerprints.names(OwnerKind.WORK, [one.number for one in found])
    works = context.store.works.many({id for id, _ in owners.values()})
    wanted = (works.get(owners[number][0]) for number in _find_needed_numbers(context, found) if number in owners)
    load_readings(context, {work.text_digest for work in wanted if work and work.length <= _LONG_TEXT_LETTERS})
    return owners, works


def _find_needed_numbers(context: Context, found: Sequence[RankedDocument]) -> Iterator[int]:
    """Of these the numbers of those whose texts will be wanted: of each common stretch as many as are enough."""
    witnesses: Counter[int] = Counter()
    for one in sorted(found[: context.settings.matcher.candidates], key=candidate_sort_key):
        stretch = None if one.common_at is None else one.common_at // _STRETCH_LETTERS
        if stretch is not None:
            witnesses[stretch] += 1
        if stretch is None or witnesses[stretch] <= MIN_WITNESSES:
            yield one.number
