"""Define user words and word weights (inverse document frequencies)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple


class UserWord(NamedTuple):
    """A word of the user. frequency: occurrences in jieba's corpus, or None for just enough to be segmented."""

    word: str
    frequency: int | None = None
    tag: str | None = None  # part of speech


# Word weights: inverse document frequencies, from a general table or from an own corpus.
#
# IDF(w) = ln(N / n(w)) for N texts, of which n(w) contain the word (Spärck Jones 1972). A general table does not fit
# every field: in a library of recipes 酱油 says nothing.


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Weights of words. name: of the table, which fingerprints record. unknown: the weight of any other word."""

    name: str
    table: Mapping[str, float] = field(repr=False)
    unknown: float

    def __getitem__(self, word: str) -> float:
        return self.table.get(word, self.unknown)

    def save(self, path: Path) -> None:
        """Write the table, a word and its weight a line, in the form of `load_weights` and jieba."""
        lines = (f"{word} {weight:.6f}\n" for word, weight in sorted(self.table.items()))
        path.write_text("".join(lines), encoding="utf-8")


class WeightTableError(ValueError):
    """A line of a weight table has no number. The message is the parser's."""


class WeightRangeError(ValueError):
    """A weight table is empty, or a weight is negative or not finite."""


class EmptyCorpus(ValueError):
    """There are no texts to learn weights from."""


@cache
def default_weights() -> WordWeights:
    """Return jieba's general table from the installed package. Unknown words get its median."""
    from jieba.analyse.tfidf import DEFAULT_IDF

    return load_weights(Path(DEFAULT_IDF), name="jieba")


def load_weights(path: Path, *, name: str | None = None) -> WordWeights:
    """Load a table of words and weights, one a line, separated by a space.

    Raise OSError for an unreadable file, `WeightTableError` for a missing or invalid weight, `WeightRangeError` for a
    negative or infinite one.
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
    """Return the weights of the words of a corpus. Each text is given as its words. Unknown words get the greatest
    weight.

    ln((N + 1) / n(w)) leaves a little weight to a word of every text. Raise `EmptyCorpus` for no texts.
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
    """Return each word's share of the text times its weight."""
    return {word: count / len(words) * weights[word] for word, count in Counter(words).items()}
