"""Compile what is compiled at first use, and load what is read at first use: `python -m wenhen.warm` at set-up.

numba keeps its machine code beside the source; without this the first worker of the first run would spend its time
on it.
"""

from fingerprinter.packing import pack
from fingerprinter.production import query_features
from fingerprinter.reading import read_letters
from matcher.find import compare

_SAMPLE = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。" * 20


def warm() -> None:
    """Send a short text through the core once."""
    letters = read_letters(_SAMPLE)
    pack(letters)
    query_features(letters)
    compare(_SAMPLE, letters, _SAMPLE, letters)


if __name__ == "__main__":
    warm()
