"""The close comparison of two texts, against rapidfuzz and difflib; and how its time grows."""

import random
from collections.abc import Callable
from difflib import SequenceMatcher

import numpy as np
from rapidfuzz.distance import Levenshtein

from fingerprinter.normalize.read_letters import read_letters
from lab.bench.generator import Writer
from lab.bench.report import BenchReport, Limit
from lab.bench.statutes import statute
from lab.bench.timing import best_ms, one_core
from matcher.alignment.align import align
from matcher.compare import compare

SHORT, LONG = 3_000, 100_000
EDITS = 0.03  # share of characters that a copy changes
SIZES = (16_000, 32_000, 64_000, 128_000, 256_000)  # characters of both texts, for growth
ROUNDS = 3
LINEAR = 1.3  # exponent of growth: texts outgrow the caches, and where all meets all it would be 2


def measure(sizes: tuple[int, ...] = SIZES) -> BenchReport:
    """Milliseconds for a copy, and the exponent by which time grows with length on texts that tempt an aligner."""
    report = BenchReport("align")
    rng = random.Random(5)
    work = _prose(5, SHORT)
    page = edited(work, rng)
    other = _prose(6, LONG - SHORT)
    book = other[: len(other) // 2] + page + other[len(other) // 2 :]
    with one_core():
        for name, left in (("3k x 3k", page), ("100k x 3k", book)):
            _against_peers(report, name, left, work)
        for name, text in _TEMPTING.items():
            report.figures[f"growth, {name}"] = _growth(text, sizes)
            report.figures[f"{name}, {sizes[-1]:,} characters each, ms"] = _ours(*text(sizes[-1]))
    figures, peers = report.figures, report.peers
    report.limits += [
        Limit(
            f"rapidfuzz / ours, {name}", peers[f"rapidfuzz opcodes, {name}, ms"] / figures[f"{name}, ms"], least=least
        )
        for name, least in (("3k x 3k", 5), ("100k x 3k", 15))
    ]
    report.limits += [
        Limit(f"exponent of growth, {name}", figures[f"growth, {name}"], most=LINEAR) for name in _TEMPTING
    ]
    return report


def edited(text: str, rng: random.Random, share: float = EDITS) -> str:
    """A copy in which this share of the characters was replaced, left out or followed by another one."""
    out = []
    for character in text:
        if rng.random() >= share:
            out.append(character)
        else:
            out.append(rng.choice(("", rng.choice(text), character + rng.choice(text))))
    return "".join(out)


def _against_peers(report: BenchReport, name: str, page: str, work: str) -> None:
    report.figures[f"{name}, ms"] = _ours(page, work)
    report.figures[f"{name}, letters and verdict as well, ms"] = best_ms(
        lambda: compare(page, read_letters(page), work, read_letters(work))
    )
    report.peers[f"rapidfuzz opcodes, {name}, ms"] = best_ms(lambda: Levenshtein.opcodes(page, work), ROUNDS)
    report.peers[f"difflib, {name}, ms"] = best_ms(
        lambda: SequenceMatcher(None, page, work, autojunk=False).get_opcodes(), 1
    )


def _ours(page: str, work: str) -> float:
    """Passages to the character, from ready letters."""
    page_letters, work_letters = read_letters(page), read_letters(work)
    return best_ms(lambda: align(page, page_letters, work, work_letters), ROUNDS)


def _growth(texts: Callable[[int], tuple[str, str]], sizes: tuple[int, ...]) -> float:
    """The exponent e of time ~ length ** e, fitted over the sizes."""
    times = [_ours(*texts(size)) for size in sizes]
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def _prose(seed: int, size: int) -> str:
    texts = Writer(seed).works(1 + size // 1000)
    return "".join(work.text for work in texts)[:size]


_TEMPTING: dict[str, Callable[[int], tuple[str, str]]] = {
    "a copy": lambda size: (edited(_prose(5, size), random.Random(5)), _prose(5, size)),
    "unrelated": lambda size: (_prose(5, size), _prose(6, size)),
    "one character": lambda size: ("啊" * size, "啊" * size),
    "one sentence": lambda size: (
        ("天下大势分久必合合久必分。" * size)[:size],
        ("天下大势分久必合合久必分，" * size)[:size],
    ),
    "a statute against statutes": lambda size: (statute(1, size), statute(2, size)),
}
