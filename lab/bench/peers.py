"""The methods that ours are measured against; those that are not installed are told, and left out."""

import importlib
from collections.abc import Callable
from typing import Any

PERMUTATIONS = 128
SHINGLE = 5  # characters

Summary = Callable[[str], Any]


def peer(name: str, absent: list[str]) -> Any | None:
    """The package, or None, and then it is named among the absent."""
    try:
        return importlib.import_module(name)
    except ImportError:
        absent.append(name)
        return None


def shingles(text: str) -> list[str]:
    """The overlapping pieces of five characters that MinHash takes."""
    return [text[at : at + SHINGLE] for at in range(max(1, len(text) - SHINGLE + 1))]


def datasketch_minhash(datasketch: Any, text: str) -> Any:
    """A MinHash of datasketch, in its bulk form."""
    made = datasketch.MinHash(num_perm=PERMUTATIONS)
    made.update_batch([shingle.encode() for shingle in shingles(text)])
    return made


def rensa_minhash(rensa: Any, pieces: list[str]) -> Any:
    """A MinHash of rensa."""
    made = rensa.RMinHash(num_perm=PERMUTATIONS, seed=42)
    made.update(pieces)
    return made.digest()
