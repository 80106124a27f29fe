"""Define user words and word weights (inverse document frequencies)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple


class UserWord(NamedTuple):
    """A word. frequency: occurrences in jieba's corpus; None for as many as let it be cut out."""

    word: str
    frequency: int | None = None
    tag: str | None = None  # part of speech


# What a word is worth: its inverse document frequency, from a general table or from a corpus of one's own.
#
# IDF(w) = ln(N / n(w)), N texts of which n(w) hold the word (Spärck Jones 1972). A general table does not fit every
# field: in a library of recipes 酱油 says nothing.


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Weights of words. name: which table it is, as fingerprints record it; unknown: the weight of any other word."""

    name: str
    table: Mapping[str, float] = field(repr=False)
    unknown: float

    def __getitem__(self, word: str) -> float:
        return self.table.get(word, self.unknown)

    def save(self, path: Path) -> None:
        """Write the table, a word and its weight a line, as `load_weights` and jieba read it."""
        lines = (f"{word} {weight:.6f}\n" for word, weight in sorted(self.table.items()))
        path.write_text("".join(lines), encoding="utf-8")


class WeightTableError(ValueError):
    """A line of a weight table has no number. The message is that of the parser."""


class WeightRangeError(ValueError):
    """A weight table is empty, or a weight is negative or not finite."""


class EmptyCorpus(ValueError):
    """There are no texts to learn weights from."""


@cache
def default_weights() -> WordWeights:
    """The general table that comes with jieba, read where it is installed; unknown words weigh its median."""
    from jieba.analyse.tfidf import DEFAULT_IDF

    return load_weights(Path(DEFAULT_IDF), name="jieba")


def load_weights(path: Path, *, name: str | None = None) -> WordWeights:
    """Load a table of words and weights, one a line, a space between.

    Raises OSError for a file that cannot be read, `WeightTableError` for a weight that is no number or none at all,
    and `WeightRangeError` for one that is negative or not finite.
    """
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    try:
        table = {
            word: float(weight) for line in lines if line.strip() for word, _, weight in [line.strip().rpartition(" ")]
        }
    except ValueError as error:
        raise WeightTableError(str(error)) from error
    if not table or not all(math.isfinite(weight) and weight >= 0 for weight in table.values()):
        raise WeightRangeError
    return WordWeights(name or path.stem, table, sorted(table.values())[len(table) // 2])


def learn_weights(name: str, texts: Iterable[Sequence[str]]) -> WordWeights:
    """The weights of the words of a corpus, each text given as its words; a word unknown there is as rare as can be.

    ln((N + 1) / n(w)), so that a word of every text keeps a little weight. Raises `EmptyCorpus` for no texts.
    """
    holding: Counter[str] = Counter()
    count = 0
    for words in texts:
        holding.update(set(words))
        count += 1
    if not count:
        raise EmptyCorpus
    return WordWeights(name, {word: math.log((count + 1) / n) for word, n in holding.items()}, math.log(count + 1))


def tf_idf(words: Sequence[str], weights: WordWeights) -> dict[str, float]:
    """Each word's share of the text times its weight."""
    return {word: count / len(words) * weights[word] for word, count in Counter(words).items()}
