"""The works that a batch of texts is compared with, fetched together; or a single text, whose asker waits."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from fingerprinter.features.segments import SEGMENT_LETTERS
from matcher.ranking.enough_witnesses import ENOUGH
from matcher.ranking.rank import RankedDocument
from matcher.verdict.probability import Calibration
from pipeline.context import Context
from pipeline.matching.calibration import present_calibration
from pipeline.matching.candidates import likeliest, merged, ranked_pieces, works_like
from pipeline.matching.text_with_letters import Reading, keep_reading, readings
from store.records import Candidate, OwnerKind, Work

LETTERS_TOGETHER = 4_000_000  # of works that are fetched at a time
_FEW = 8  # works that are asked for by one question
_STRETCH = 256  # letters that have witnesses of their own
_LONG = 20_000  # characters of a text that is fetched only once it is read


class Library:
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
        self.calibration = calibration or present_calibration(context)
        found = works
        if found is None:
            found = context.store.works.many({one.owner_id for one in chain.from_iterable(ranked)})
        self._works = {id: work for id, work in found.items() if work.removed_at is None}
        if works is None and sum(work.length for work in self._works.values()) <= LETTERS_TOGETHER:
            readings(context, {work.text_digest for work in self._works.values()})

    def read(self, ranked: Sequence[Candidate]) -> Iterator[tuple[Candidate, Work, Callable[[], Reading]]]:
        """The candidates of one text with their works, and how to read each: those that are not at hand are fetched
        with as many behind them as the memory bears.
        """
        there = [(one, self._works[one.owner_id]) for one in ranked if one.owner_id in self._works]
        waiting = deque(work for _, work in there)
        fetched: dict[str, Reading] = {}

        def read(digest: str) -> Reading:
            nonlocal fetched
            if digest not in fetched:
                fetched = self._context.recent_texts.some([digest]) or readings(self._context, _together(waiting))
            return fetched[digest]

        for candidate, work in there:
            yield candidate, work, partial(read, work.text_digest)
            waiting.popleft()


def _together(works: Iterable[Work]) -> set[str]:
    """The texts of the first of these works, as many as the memory bears."""
    some, letters = set[str](), 0
    for work in works:
        letters += work.length
        if some and letters > LETTERS_TOGETHER:
            break
        some.add(work.text_digest)
    return some


def works_and_library_like(
    context: Context, reading: Reading, calibration: Calibration
) -> tuple[list[Candidate], Library]:
    """What `works_like` gives, and the library to compare the text with them."""
    if len(reading.letters) > SEGMENT_LETTERS:  # that may be many works
        ranked = works_like(context, reading)
        return ranked, Library(context, [ranked], calibration)
    (pieces,) = ranked_pieces(context, OwnerKind.WORK, [reading])
    found = [one for piece in pieces for one in piece]
    owners, works = (_few if len(found) <= _FEW else _many)(context, found)
    ranked = merged(pieces, owners, context.settings.matcher.candidates)
    return ranked, Library(context, [], calibration, works)


_Told = tuple[Mapping[int, tuple[str, int]], Mapping[str, Work]]  # whose numbers are, and the works by their ids


def _few(context: Context, found: Sequence[RankedDocument]) -> _Told:
    """With their texts at hand, but for long ones."""
    told = context.store.fingerprints.works([one.number for one in found])
    for _, work, text in told.values():
        if text is not None:
            keep_reading(context, work.text_digest, Reading(text))
    owners = {number: (work.id, version) for number, (version, work, _) in told.items()}
    return owners, {work.id: work for _, work, _ in told.values()}


def _many(context: Context, found: Sequence[RankedDocument]) -> _Told:
    """With those texts at hand, but for long ones, that will be read."""
    owners = context.store.fingerprints.names(OwnerKind.WORK, [one.number for one in found])
    works = context.store.works.many({id for id, _ in owners.values()})
    wanted = (works.get(owners[number][0]) for number in _to_be_read(context, found) if number in owners)
    readings(context, {work.text_digest for work in wanted if work and work.length <= _LONG})
    return owners, works


def _to_be_read(context: Context, found: Sequence[RankedDocument]) -> Iterator[int]:
    """Of these the numbers of those whose texts will be wanted: of each common stretch as many as are enough."""
    witnesses: Counter[int] = Counter()
    for one in sorted(found[: context.settings.matcher.candidates], key=likeliest):
        stretch = None if one.common_at is None else one.common_at // _STRETCH
        if stretch is not None:
            witnesses[stretch] += 1
        if stretch is None or witnesses[stretch] <= ENOUGH:
            yield one.number
