"""Load and learn word weights, with errors that name the file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from fingerprinter.words.dictionaries import (
    EmptyCorpus,
    WeightRangeError,
    WeightTableError,
    WordWeights,
    learn_weights,
    load_weights,
)
from wenhen.kit.errors import BadInput


def load_weight_table(path: Path) -> WordWeights:
    """Load a table of words and weights. Raises `BadInput` if it cannot be read."""
    try:
        return load_weights(path)
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except WeightTableError as error:
        raise BadInput("schemes.bad_weights", path=path, error=error) from error
    except (WeightRangeError, UnicodeDecodeError) as error:
        raise BadInput("schemes.bad_weight", path=path) from error


def learn_weight_table(name: str, texts: Iterable[Sequence[str]]) -> WordWeights:
    """Learn the word weights of a corpus. Raises `BadInput` if it has no texts."""
    try:
        return learn_weights(name, texts)
    except EmptyCorpus as error:
        raise BadInput("schemes.no_texts") from error
