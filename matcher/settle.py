"""What the comparisons of one page with several works amount to together: which of the works it accuses."""

from collections.abc import Sequence
from dataclasses import replace

from matcher.alignment.align import Aligned
from matcher.compare import Comparison
from matcher.ranking.formulae import NO_FORMULAE, Formulae
from matcher.verdict.compilation import compilation
from matcher.verdict.petty_finds import is_petty, is_slight
from matcher.verdict.shared_with_others import Shared
from matcher.verdict.without_common_property import remaining

MOST_OF_A_WORK = 0.5  # share of a work that is never petty, whatever it is written in
TOLD = 0.05  # share of the evidence that was taken off for being common, from which the reasons say so


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
    aligned, verdict = comparison.aligned, comparison.verdict
    if not _the_same(left, comparison.found):
        counted, verdict = comparison.pair.verdict(left, comparison.calibration)
        aligned = tuple(counted)
    places = {one.passage for one in aligned}
    common = tuple(one for one in comparison.aligned if one.passage not in places)
    taken_off = 1 - verdict.weight / sum(one.weight for one in comparison.aligned)
    if taken_off >= TOLD:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"common:{taken_off:.2f}"))
    return replace(comparison, aligned=aligned, verdict=verdict, common=common)


def _the_same(some: Sequence[Aligned], others: Sequence[Aligned]) -> bool:
    """Whether these are the very same passages, none of them weighed anew."""
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
