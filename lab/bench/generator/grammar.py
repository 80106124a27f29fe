"""Which kind of word follows which: the shape of a clause, roughly that of modern Chinese prose."""

import numpy as np
from numpy.typing import NDArray

# The kinds, by the first letter of jieba's tags: noun, verb, adjective, adverb, pronoun, preposition, conjunction,
# numeral, measure word, particle, time, place, idiom or set phrase, particle at the end. "." ends the clause.
KINDS = "nvadrpcmqutfiy"
END = len(KINDS)
START = END + 1
NOUN, VERB, NUMERAL = (KINDS.index(kind) for kind in "nvm")

# Tags of words that serve as another kind here; what is in neither is not used.
SAME_KIND = {"j": "n", "b": "a", "z": "d", "k": "u", "s": "f", "l": "i", "e": "y"}

_FOLLOWERS: dict[str, dict[str, float]] = {
    "n": {"v": 5, "u": 3, "d": 3, "n": 3, "f": 1.5, "c": 1, "p": 1.5, "a": 1, ".": 4},
    "v": {"n": 6, "u": 3, "r": 1.5, "m": 1.5, "v": 1.5, "a": 0.8, "p": 1, "i": 0.2, "y": 0.2, ".": 2},
    "a": {"n": 4, "u": 4, "v": 1, ".": 1.5},
    "d": {"v": 7, "a": 2.5, "d": 0.8, "p": 1},
    "r": {"v": 4, "n": 3, "d": 3, "u": 1.5, "q": 1, "p": 0.8},
    "p": {"n": 6, "r": 2, "t": 0.7, "f": 0.5},
    "c": {"n": 3, "r": 2.5, "v": 2, "d": 1.5},
    "m": {"q": 7, "n": 2},
    "q": {"n": 6, "v": 0.6, "a": 1.2, ".": 0.6},
    "u": {"n": 6, "v": 1.3, "a": 1.2, "m": 0.6, "i": 0.2, ".": 1.5},
    "t": {"r": 1.5, "n": 2.5, "d": 1.5, "v": 2, ".": 0.5},
    "f": {"v": 2.5, "n": 1.5, "d": 1, "u": 1, ".": 1.2},
    "i": {"u": 1.2, "n": 1, "v": 1, ".": 4},
    "y": {".": 1},
}
_FIRST = {"n": 4, "r": 4, "t": 2.2, "d": 1.8, "c": 1.8, "p": 2, "m": 1, "v": 1.8, "a": 0.8, "i": 0.5}


def chances() -> NDArray[np.float64]:
    """f64[kinds + 2, kinds + 1]: cumulative chances of the next kind, or of `END`, after each kind and at `START`."""
    rows: dict[str, dict[str, float]] = {**_FOLLOWERS, ".": {".": 1}, "^": _FIRST}
    weights = np.array([[rows[kind].get(follower, 0.0) for follower in KINDS + "."] for kind in KINDS + ".^"])
    cumulative: NDArray[np.float64] = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    cumulative[:, -1] = 1
    return cumulative
