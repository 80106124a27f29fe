"""The works that a batch of texts is compared with, fetched together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain

from matcher.verdict.probability import Calibration
from pipeline.context import Context
from pipeline.matching.calibration import present_calibration
from pipeline.matching.text_with_letters import Reading, readings
from store.records import Candidate, Work

LETTERS_TOGETHER = 4_000_000  # of works that are fetched at a time


class Library:
    """The candidates of some texts as they are now, without works that were removed.

    calibration: by which they are compared; the present one, which is asked for, where none is given. works: the
    candidates' works by their ids, where they were fetched already.
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
        if works is None:
            works = context.store.works.many({one.owner_id for one in chain.from_iterable(ranked)})
        self._works = {id: work for id, work in works.items() if work.removed_at is None}
        if sum(work.length for work in self._works.values()) <= LETTERS_TOGETHER:
            readings(context, {work.text_digest for work in self._works.values()})

    def read(self, ranked: Sequence[Candidate]) -> Iterator[tuple[Candidate, Work, Reading]]:
        """The candidates of one text with their works, as many texts at a time as the memory bears."""
        waiting = [(one, self._works[one.owner_id]) for one in ranked if one.owner_id in self._works]
        while waiting:
            ends = accumulate(work.length for _, work in waiting)
            count = max(1, sum(end <= LETTERS_TOGETHER for end in ends))
            texts = readings(self._context, {work.text_digest for _, work in waiting[:count]})
            for candidate, work in waiting[:count]:
                yield candidate, work, texts[work.text_digest]
            del waiting[:count]
