"""How far a passage was changed: verbatim, lightly changed or rewritten."""

from store.records import Change

_VERBATIM = 0.97  # share of letters and of characters that agree, from which a passage counts as unchanged
_LIGHT = 0.75  # share of the letters of the shorter side that agree, from which it counts as lightly changed


def change_of(similarity: float, kept: float, exactness: float) -> Change:
    """All shares in [0, 1].

    similarity: letters that agree, of both sides. kept: the same of the shorter side. exactness: of the letters that
    agree, those that are the same character.
    """
    if similarity >= _VERBATIM and exactness >= _VERBATIM:
        return Change.VERBATIM
    return Change.LIGHT if kept >= _LIGHT else Change.REWRITTEN
