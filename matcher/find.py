"""The way from a text to the works that it copies: look up and rank, then align and decide."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.production import query_features
from fingerprinter.letters import Letters
from matcher.alignment.align import Aligned, align, align_scattered
from matcher.alignment.recurring_insertions import without_furniture
from matcher.alignment.shuffled_clauses import is_shuffled
from matcher.index.port import Index
from matcher.ranking.formulae import NO_FORMULAE, Formulae, common_share
from matcher.ranking.rank import RANKED, RankedDocument, rank
from matcher.verdict.calibrate import MEASURED, Calibration
from matcher.verdict.compilation import compilation
from matcher.verdict.decide import Verdict, decide
from matcher.verdict.filled_in_forms import one_form
from matcher.verdict.petty_finds import is_petty, is_slight
from matcher.verdict.quotation import copies
from matcher.verdict.shared_with_others import Shared
from matcher.verdict.without_common_property import remaining
from store.records import Passage

THOROUGHLY = 16  # candidates, the likeliest, that are compared thoroughly
# Letters on either side of a passage whose words are scattered: more than a quotation with its surroundings.
SCATTERED = 56
_THIN = 0.7  # weight of passages for each letter that agrees, below which words may be scattered between them; ...
_MORE, _CLEARLY = 25.0, 0.5  # ... with those they weigh so much more, and more by this share: who retells comes near

_UNFRAMED = 0.875  # share of a text that is no furniture, up to which it is looked up without that, too

MOST_OF_A_WORK = 0.5  # share of a work that is never petty, whatever it is written in
_BEGINNING = 8_192  # letters that show how a text is written

TOLD = 0.05  # share of the evidence that was taken off for being common, from which the reasons say so


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A page and a work with their letters."""

    page_text: str
    page: Letters
    work_text: str
    work: Letters

    def verdict(
        self, aligned: Sequence[Aligned], calibration: Calibration = MEASURED
    ) -> tuple[Sequence[Aligned], Verdict]:
        """The passages that count, and what they amount to; there is at least one."""
        return decide(
            aligned,
            page_length=len(self.page_text),
            work_length=len(self.work_text),
            work_letters=len(self.work),
            calibration=calibration,
        )

    def one_form(self, one: Aligned) -> bool:
        """Whether both have filled in the same form."""
        return one_form(self.page_text, self.page, self.work_text, self.work, one)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and what they amount to.

    found: all that they share, quotations too. common: passages that were left out for being common property.
    """

    aligned: tuple[Aligned, ...]
    verdict: Verdict
    found: tuple[Aligned, ...] = field(repr=False)
    pair: Pair = field(repr=False)
    calibration: Calibration = MEASURED
    common: tuple[Aligned, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(one.passage for one in self.aligned)

    @property
    def accuse(self) -> bool:
        """Whether this would open a case."""
        return self.verdict.accuse


def candidates(letters: Letters, index: Index, *, documents: int, most: int = RANKED) -> list[RankedDocument]:
    """Documents of the index that a text may share a passage with, best first. documents: how many the index holds.

    A long owner stands in the index as several documents; the caller merges them. Raises what the index raises.
    """
    return candidates_of_all([letters], index, documents=documents, most=most)[0]


def candidates_of_all(
    texts: Sequence[Letters], index: Index, *, documents: int, most: int = RANKED
) -> list[list[RankedDocument]]:
    """The same for each of several texts, which are looked up together."""
    asked = list(map(_asked, texts))
    return [
        rank(
            hits,
            query_letters=letters,
            documents=documents,
            formulaic=common_share(hits, features, documents),
            most=most,
            asked=len(features),
        )
        for (features, letters), hits in zip(asked, index.look_up_all([one for one, _ in asked]), strict=True)
    ]


def _asked(letters: Letters) -> tuple[Features, int]:
    """The features that a text is looked up by, and how many letters they span.

    Behind them stand those of the text without its frames, where it has many: no feature may be whole with them.
    """
    features, count = query_features(letters), len(letters)
    kept = without_furniture(letters.codes)
    if kept is None or len(kept) > _UNFRAMED * count:
        return features, count
    bare = query_features(letters.only(kept))
    values = np.concatenate((features.values, bare.values))
    return Features(values, np.concatenate((features.positions, bare.positions + np.uint32(count)))), 2 * count


def formulaic_share(letters: Letters, index: Index, *, documents: int) -> float:
    """The share of a text's features, in [0, 1], that stand in very many documents; of a long one, of its beginning.

    Raises what the index raises.
    """
    asked = query_features(letters.part(0, _BEGINNING))
    return common_share(index.look_up(asked), asked, documents)


def compare(
    page_text: str,
    page: Letters,
    work_text: str,
    work: Letters,
    calibration: Calibration = MEASURED,
    *,
    thorough: bool = False,
    kept: NDArray[np.int64] | None = None,
) -> Comparison | None:
    """Compare two texts closely; None where they share no passage. page, work: the letters of the texts.

    thorough: look for copies under furniture, too, and where nothing was copied as it stands, clauses changed places
    or much differs, for such as have their words scattered; either doubles the time. kept: the places of the page's
    letters that are no furniture (`matcher.alignment.recurring_insertions.without_furniture`), where it has any.
    """
    found = plain = align(page_text, page, work_text, work)
    if thorough and kept is not None:
        found = max(found, align(page_text, page, work_text, work, kept=kept), key=_weight)
    if thorough and _may_be_scattered(found):
        again = align_scattered(page_text, page, work_text, work, plain)
        found = _clearer(found, [one for one in again if one.letters >= SCATTERED])
    if not found:
        return None
    pair = Pair(page_text, page, work_text, work)
    aligned, verdict = pair.verdict(found, calibration)
    return Comparison(tuple(aligned), verdict, tuple(found), pair, calibration)


def _may_be_scattered(found: Sequence[Aligned]) -> bool:
    """Whether words may have changed places or been replaced between what was found: it is little, shuffled or thin."""
    thin = _weight(found) < _THIN * sum(one.agreeing for one in found)
    return thin or _quoted(found) or _shuffled(found)


def _clearer(found: list[Aligned], scattered: list[Aligned]) -> list[Aligned]:
    """What was found with scattered words, where that is more; clearly more, if a copy was found without them."""
    if not scattered or _quoted(found):
        return scattered or found
    weight = _weight(found)
    more = 0.0 if _shuffled(found) else max(_MORE, _CLEARLY * weight)
    return scattered if _weight(scattered) > weight + more else found


def _quoted(aligned: Sequence[Aligned]) -> bool:
    return not any(copies(one) for one in aligned)


def _shuffled(aligned: Sequence[Aligned]) -> bool:
    return is_shuffled((one.agreed[:, 0], one.agreed[:, 1]) for one in aligned)


def _weight(aligned: Sequence[Aligned]) -> float:
    return sum(one.weight for one in aligned)


def settle(comparisons: Sequence[Comparison], formulae: Formulae = NO_FORMULAE) -> list[Comparison]:
    """The comparisons of one page with different works, each with what it amounts to in view of the others.

    What other works share, what is petty (`matcher.verdict.petty_finds`), and forms that were filled in anew, accuse
    nobody; what remains is weighed by itself. So is a small passage that another work explains better. Where nothing
    is left, many sentences of different works accuse the work that most was taken from, with the reason that they are
    a compilation.
    """
    settled = list(comparisons)
    if any(one.accuse for one in comparisons):
        works = [_shared(one, [] if _petty(one) else _without_forms(one)) for one in comparisons]
        left = remaining(works, lambda number: formulae.in_both(comparisons[number].pair.work))
        settled = [_settled(one, passages) for one, passages in zip(comparisons, left, strict=True)]
    return settled if any(one.accuse for one in settled) else _compiled(settled)


def _shared(comparison: Comparison, aligned: Sequence[Aligned]) -> Shared:
    pair = comparison.pair
    slight = [one.passage for one in aligned if comparison.accuse and is_slight(pair.work_text, one)]
    return Shared(aligned, pair.work.codes, comparison.accuse, frozenset(slight))


def _compiled(comparisons: list[Comparison]) -> list[Comparison]:
    """The same, where the page is compiled of them with that as their reason, and the first of them accused."""
    if not comparisons:
        return comparisons
    together = compilation([_shared(one, one.found) for one in comparisons])
    weight = sum(piece.weight for _, piece in together)
    for place, (number, piece) in enumerate(together):
        one = comparisons[number]
        verdict = one.pair.verdict([piece], one.calibration)[1]
        verdict = replace(
            verdict,
            accuse=not place,
            score=one.calibration.probability(weight),
            reasons=(*verdict.reasons, f"compilation:{len(together)}"),
        )
        comparisons[number] = replace(one, aligned=(piece,), verdict=verdict)
    return comparisons


def _without_forms(comparison: Comparison) -> list[Aligned]:
    return [one for one in comparison.found if not (comparison.accuse and comparison.pair.one_form(one))]


def _petty(comparison: Comparison) -> bool:
    """Whether all that a page shares with a work is petty, and little of the work."""
    pair = comparison.pair
    if not comparison.accuse or sum(one.agreeing for one in comparison.found) >= MOST_OF_A_WORK * len(pair.work):
        return False
    return all(is_petty(pair.page_text, pair.work_text, one) for one in comparison.found)


def _settled(comparison: Comparison, left: Sequence[Aligned]) -> Comparison:
    """The comparison by the passages that are left of it; where none is, it accuses nobody."""
    if not comparison.accuse:
        return comparison
    if not left:
        return replace(comparison, verdict=replace(comparison.verdict, accuse=False), common=comparison.aligned)
    aligned, verdict = comparison.pair.verdict(left, comparison.calibration)
    places = {one.passage for one in aligned}
    common = tuple(one for one in comparison.aligned if one.passage not in places)
    taken_off = 1 - verdict.weight / sum(one.weight for one in comparison.aligned)
    if taken_off >= TOLD:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"common:{taken_off:.2f}"))
    return replace(comparison, aligned=tuple(aligned), verdict=verdict, common=common)
