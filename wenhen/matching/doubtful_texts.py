"""Choose between two readings of a page with spans of which nobody can tell whether a reader sees them."""

from wenhen.fingerprints.reading import TextReading
from wenhen.matching.candidates import find_candidate_works_of_all
from wenhen.matching.comparison import compare_with_candidates
from wenhen.product.context import Context


def choose_explained_text(context: Context, usual: str, other: str) -> str:
    """Return the reading that copied works explain better. If none does, the usual one stands."""
    readings = [TextReading(usual), TextReading(other)]
    candidates = find_candidate_works_of_all(context, readings)
    if not any(candidates):
        return usual
    explained = [
        sum(
            source.comparison.verdict.weight
            for source in compare_with_candidates(context, reading, ranked)
            if source.copied
        )
        for reading, ranked in zip(readings, candidates, strict=True)
    ]
    return other if explained[1] > explained[0] else usual
