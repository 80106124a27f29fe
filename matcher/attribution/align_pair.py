"""Align a page with a work and decide what their passages amount to."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from matcher.alignment.aligned_span import Wanted, count_text
from matcher.alignment.chaining import is_shuffled
from matcher.alignment.local_alignment import (
    AlignedPassage,
    align_look_alikes,
    align_reading,
    align_scattered,
    align_short,
    align_texts,
    find_shared_blocks,
)
from matcher.alignment.seed_and_extend import Blocks
from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from matcher.attribution.common_language import is_common_language, is_same_form
from matcher.attribution.explained_text import ExplainedPassage
from matcher.attribution.verdict import (
    MAX_QUOTATION_INITIALS,
    Verdict,
    decide_verdict,
    is_copy,
    protected_passages,
)
from matcher.model import Passage
from matcher.retrieval.page_readings import PageReading

MIN_SCATTERED_INITIALS = 56  # initials of a passage with scattered words: more than a quotation and its surroundings
_MAX_THIN_SHARE = 0.7  # weight for each agreeing initial, below which words may be scattered between passages
_MAX_SPARSE_SHARE = 0.7  # share of a passage's initials that agree, below which words may be scattered inside it
# Weight that scattered words must add beside a copy, and as a share of its weight, as retellings come near.
_MIN_WEIGHT_GAIN, _MIN_GAIN_SHARE = 25.0, 0.5


@dataclass(frozen=True, slots=True, eq=False)
class TextPair:
    """A page and a work with their initials. shortest: initials of the shortest passage that is no quotation."""

    page_text: str
    page: Initials
    work_text: str
    work: Initials
    shortest: int = MAX_QUOTATION_INITIALS

    def verdict(
        self, aligned: Sequence[AlignedPassage], calibration: Calibration = MEASURED_CALIBRATION
    ) -> tuple[Sequence[AlignedPassage], Verdict]:
        """Return the passages that count, at least one, and the verdict on them."""
        return decide_verdict(
            aligned,
            page=count_text(self.page_text),
            work=count_text(self.work_text),
            work_letters=len(self.work),
            calibration=calibration,
            shortest=self.shortest,
        )

    def is_same_form(self, passage: AlignedPassage) -> bool:
        """Whether both filled in the same form."""
        return is_same_form(self.page_text, self.page, self.work_text, self.work, passage)

    def is_common_language(self, passage: AlignedPassage) -> bool:
        """Whether both tell other facts in the words of their kind."""
        return is_common_language(self.page_text, self.page, self.work_text, self.work, passage)


@dataclass(frozen=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and the verdict.

    aligned: the passages that count. accuse: whether they would open a case. found: all shared passages, with
    quotations. stated: the verdict, if it is not that on what was found. common: passages that were removed as common
    text. explained: those that a registered common text explains.
    """

    aligned: tuple[AlignedPassage, ...]
    accuse: bool
    found: tuple[AlignedPassage, ...] = field(repr=False)
    pair: TextPair = field(repr=False)
    calibration: Calibration = MEASURED_CALIBRATION
    stated: Verdict | None = None
    common: tuple[AlignedPassage, ...] = ()
    explained: tuple[ExplainedPassage, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(passage.passage for passage in self.aligned)

    @property
    def weight(self) -> float:
        """The weight of the verdict."""
        return sum(passage.weight for passage in self.aligned) if self.stated is None else self.stated.weight

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict, measured when it is asked: of most texts that share a quotation, nobody asks."""
        verdict = self.stated or self.pair.verdict(self.found, self.calibration)[1]
        return verdict if verdict.accuse == self.accuse else replace(verdict, accuse=self.accuse)

    def with_verdict(self, aligned: Sequence[AlignedPassage], verdict: Verdict) -> "Comparison":
        """Return the comparison with this verdict on these passages."""
        return replace(self, aligned=tuple(aligned), accuse=verdict.accuse, stated=verdict)


def align_pair(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    calibration: Calibration = MEASURED_CALIBRATION,
    *,
    thorough: bool = False,
    kept: NDArray[np.int64] | None = None,
    shortest: int = MAX_QUOTATION_INITIALS,
    readings: Callable[[], Sequence[PageReading]] | None = None,
    blocks: Blocks | None = None,
) -> Comparison | None:
    """Compare two texts closely. Return None where they share no passage. page, work: initials of the texts.

    thorough: also look for copies under furniture, and for scattered words where no copy is verbatim, clauses are
    shuffled or much differs. Either doubles the time. kept: offsets of the page's initials outside furniture
    (`matcher.retrieval.inserted_adverts.places_without_furniture`), where it has any. shortest: initials
    of the shortest passage that is no quotation. If it is less than usual, short passages are looked for, too.
    readings: returns other ways to read the page. It is called for a thorough comparison that finds no copy. blocks:
    those of the two texts, if they are known (`matcher.alignment.screening`).
    """
    if blocks is None:
        blocks = find_shared_blocks(page, work)
    shared = plain = align_texts(page_text, page, work_text, work, blocks=blocks)
    if thorough and kept is not None:
        shared = max(shared, align_texts(page_text, page, work_text, work, kept=kept), key=_total_weight)
    if thorough and _may_be_scattered(shared):
        ways = _other_alignments(page_text, page, work_text, work, plain, blocks, readings)
        wanted = _wanted_beside(shared)
        for align in ways:
            clearer = _choose_clearer(shared, align(wanted), wanted)
            if clearer is not shared:
                shared, wanted = clearer, _wanted_beside(clearer)
    if shortest < MAX_QUOTATION_INITIALS:
        shared = _add_short(shared, align_short(page_text, page, work_text, work, shortest))
    if not shared:
        return None
    pair = TextPair(page_text, page, work_text, work, shortest)
    copied = protected_passages(shared, len(work), shortest)
    return Comparison(tuple(copied or shared), bool(copied), tuple(shared), pair, calibration)


def _other_alignments(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    plain: list[AlignedPassage],
    blocks: Blocks,
    readings: Callable[[], Sequence[PageReading]] | None,
) -> Iterator[Callable[[Wanted], list[AlignedPassage]]]:
    """Yield the other ways to align two texts."""
    yield partial(align_scattered, page_text, page, work_text, work, plain, blocks=blocks)
    if readings is not None:
        yield partial(align_look_alikes, page_text, page, work_text, work)
        for reading in readings():
            yield partial(align_reading, page_text, work_text, work, reading)


def _add_short(aligned: list[AlignedPassage], short: list[AlignedPassage]) -> list[AlignedPassage]:
    """Return the passages with those short ones that lie outside all of them on the page."""
    free = [
        passage
        for passage in short
        if not any(
            passage.passage.page_start < other.passage.page_end and other.passage.page_start < passage.passage.page_end
            for other in aligned
        )
    ]
    return sorted([*aligned, *free], key=lambda passage: passage.passage.page_start)


def _may_be_scattered(aligned: Sequence[AlignedPassage]) -> bool:
    """Whether words of the passages or between them may be moved or replaced.

    The passages are few, shuffled, thin, or much inside them differs.
    """
    agreeing = sum(passage.agreeing for passage in aligned)
    thin = _total_weight(aligned) < _MAX_THIN_SHARE * agreeing
    sparse = agreeing < _MAX_SPARSE_SHARE * sum(passage.letters for passage in aligned)
    return thin or sparse or _is_quotation(aligned) or _has_shuffled_clauses(aligned)


def _wanted_beside(aligned: Sequence[AlignedPassage]) -> Wanted:
    """Return what passages with scattered words, or those of another reading, need to be clearer than these.

    They weigh more, or clearly more beside a copy. Short ones may agree by chance.
    """
    if _is_quotation(aligned):
        return Wanted(0.0, MIN_SCATTERED_INITIALS)
    weight = _total_weight(aligned)
    gain = 0.0 if _has_shuffled_clauses(aligned) else max(_MIN_WEIGHT_GAIN, _MIN_GAIN_SHARE * weight)
    return Wanted(weight + gain, MIN_SCATTERED_INITIALS)


def _choose_clearer(
    aligned: list[AlignedPassage], others: list[AlignedPassage], wanted: Wanted
) -> list[AlignedPassage]:
    """Return the other passages if they are wanted beside these."""
    long = [passage for passage in others if passage.letters >= wanted.letters]
    return long if long and _total_weight(long) > wanted.weight else aligned


def _is_quotation(aligned: Sequence[AlignedPassage]) -> bool:
    return not any(is_copy(passage) for passage in aligned)


def _has_shuffled_clauses(aligned: Sequence[AlignedPassage]) -> bool:
    return is_shuffled((passage.agreed[:, 0], passage.agreed[:, 1]) for passage in aligned)


def _total_weight(aligned: Sequence[AlignedPassage]) -> float:
    return sum(passage.weight for passage in aligned)
