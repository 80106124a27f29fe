"""Why a page may be told after a work, as a panel of editors weighs it, and what speaks against.

Theme, material, structure, order and wording; then numbers that differ, words that belong to the subject, and another
work that is nearly as close.
"""

from collections.abc import Sequence

from matcher.suspicion.sentences import Drawn, in_order, told_again
from matcher.suspicion.suspect import Suspicion

_NAMED = 8  # words and numbers that a reason names


def reasons(pairs: Sequence[Drawn], found: Suspicion) -> tuple[str, ...]:
    """Message keys with their figures, such as ``structure:0.83``."""
    evidence = found.evidence
    words = dict.fromkeys(sorted((word for one in pairs for word in one.words), key=len, reverse=True))
    kept = sum(run.length for run in evidence.runs) / max(1, evidence.page.end - evidence.page.begin)
    told = [
        f"theme:{_listed(words)}",
        f"material:{_listed(evidence.shared)}" if evidence.shared else "",
        f"structure:{told_again(pairs, found.work, evidence):.2f}",
        f"order:{in_order(pairs):.2f}",
        f"wording:{kept:.2f}",
        f"differing:{_listed(evidence.different)}" if evidence.different else "",
        f"subject:{evidence.elsewhere / evidence.words:.2f}" if evidence.elsewhere else "",
        f"rival:{found.rival / evidence.score:.2f}" if found.rival else "",
    ]
    return tuple(one for one in told if one)


def _listed(words: Sequence[str] | dict[str, None]) -> str:
    return "、".join(list(words)[:_NAMED])
