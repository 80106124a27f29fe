"""Speed from text to letters and features, against pypinyin's first letters: `python -m bench.letters [--json]`."""

import argparse
import json
import random
import time
from collections.abc import Callable

import jieba
import numpy as np
from pypinyin import Style, lazy_pinyin

from fingerprinter.character_table import character_table
from fingerprinter.initial_readings import word_frequencies
from fingerprinter.production import features
from fingerprinter.reading import read_letters
from fingerprinter.true_initials import true_initials

DOCUMENTS = 1000
CHARACTERS = 1000
PEER_SHARE = 20  # pypinyin reads one document in so many
ROUNDS = 5


def sample_texts(documents: int = DOCUMENTS, characters: int = CHARACTERS) -> list[str]:
    """Texts of real words in their real frequencies, with marks between; the same in every run."""
    frequencies = word_frequencies()
    rng = random.Random(1)
    words = rng.choices(list(frequencies), list(frequencies.values()), k=documents * characters)
    text = "".join(
        word + ("，" if place % 7 == 6 else "。\n" if place % 23 == 22 else "") for place, word in enumerate(words)
    )
    return [text[start : start + characters] for start in range(0, documents * characters, characters)]


def rate(work: Callable[[str], object], texts: list[str], rounds: int = ROUNDS) -> float:
    """Million characters a second, the best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for text in texts:
            work(text)
        best = min(best, time.perf_counter() - begin)
    return sum(map(len, texts)) / best / 1e6


def look_up_only(text: str) -> object:
    """The bare table look-up: the limit for anything that reads characters by table."""
    return character_table().codes[np.frombuffer(text.encode("utf-32-le"), np.uint32)]


def read_by_words(text: str) -> object:
    """The usual way to true readings: jieba's words, then pypinyin."""
    return lazy_pinyin(list(jieba.cut(text)), style=Style.FIRST_LETTER)


def measure() -> dict[str, float]:
    """Every rate in million characters a second, and the ratios that count."""
    texts = sample_texts()
    true_initials(texts[0])
    jieba.setLogLevel("WARNING")
    jieba.initialize()
    read = {text: read_letters(text) for text in texts}
    made = sum(len(features(letters)) for letters in read.values())
    rates = {
        "memcpy": rate(lambda text: bytearray(memoryview(text.encode("utf-32-le"))), texts),
        "table_look_up": rate(look_up_only, texts),
        "letters": rate(read_letters, texts),
        "features_from_letters": rate(lambda text: features(read[text]), texts),
        "letters_and_features": rate(lambda text: features(read_letters(text)), texts),
        "true_initials": rate(true_initials, texts),
        "jieba_pypinyin": rate(read_by_words, texts[::PEER_SHARE], 2),
        "pypinyin_first_letters": rate(
            lambda text: lazy_pinyin(text, style=Style.FIRST_LETTER), texts[::PEER_SHARE], 2
        ),
    }
    return {
        **rates,
        "times_pypinyin": rates["letters_and_features"] / rates["pypinyin_first_letters"],
        "true_times_jieba_pypinyin": rates["true_initials"] / rates["jieba_pypinyin"],
        "features_to_look_up": rates["features_from_letters"] / rates["table_look_up"],
        "features_per_1000_characters": 1000 * made / sum(map(len, texts)),
    }


def main() -> None:
    """Print the figures, as a table or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    figures = measure()
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:32}{figure:12,.2f}")


if __name__ == "__main__":
    main()
