"""Measure marked copies: how often the right copy is named among many, and how often a wrong one."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.report import BenchReport
from benchmarks.tricks.catalogue import STRENGTHS, Trick
from crawler.extraction.page import extract_html
from fingerprinter.initials.to_initials import read_characters
from matcher.marking.marks import MarkPlace, find_places, make_reference, read_marks, write_copy
from matcher.marking.tracing import make_codeword, trace_copies
from matcher.model import TracedCopy
from wenhen.demo.articles import OWN_TEXTS_DIR, load_works

SEED = 20_261
LENGTHS = (2_000, 5_000, 20_000)  # characters of the leaked excerpt


@dataclass(frozen=True, slots=True)
class _Trial:
    text: str
    places: list[MarkPlace]
    copies: int

    def codeword(self, copy: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return make_codeword(SEED.to_bytes(32, "big"), str(copy), len(self.places))


def measure_copy_tracing(copies: int, repeats: int, tricks: Sequence[Trick]) -> BenchReport:
    """Return the shares of excerpts whose copy was named, and whose copy was wrongly named.

    repeats: excerpts of each trick, strength and length.
    """
    texts = [draft.text for draft in load_works().values()]
    texts += [path.read_text(encoding="utf-8") for path in sorted(OWN_TEXTS_DIR.glob("*.txt"))]
    text = "\n".join(texts)
    trial = _Trial(text, find_places(text), copies)
    report = BenchReport("marks", rows=[])
    plain = _measure_rows(trial, "none", [lambda leaked, _: leaked], repeats * 5)
    report.rows += plain
    for trick in tricks:
        changes = [_change_by(trick, strength) for strength in STRENGTHS]
        report.rows += _measure_rows(trial, trick.name, changes, repeats)
    unmarked = [_trace(trial, text[begin : begin + length]) for length in LENGTHS for begin in (0, len(text) // 3)]
    report.figures = {
        "characters": len(text),
        "places": len(trial.places),
        "copies": copies,
        "unmarked named": sum(any(copy.is_named for copy in traced) for traced in unmarked),
        "unmarked asked": len(unmarked) * copies,
        "wrong copies named": sum(int(row["wrong"]) for row in report.rows),
    }
    return report


def _change_by(trick: Trick, strength: int) -> Callable[[str, random.Random], str]:
    def change(leaked: str, draw: random.Random) -> str:
        changed = trick.apply(leaked, strength, draw)
        return extract_html(changed.encode(), [], "http://page.test/1.html").text if trick.page else changed

    return change


def _measure_rows(
    trial: _Trial, name: str, changes: Sequence[Callable[[str, random.Random], str]], repeats: int
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for length in LENGTHS:
        shares, wrong = [], 0
        for change in changes:
            right = 0
            for number in range(repeats):
                draw = random.Random(f"{SEED}/{name}/{length}/{number}")
                copy = draw.randrange(trial.copies)
                written = write_copy(trial.text, trial.places, trial.codeword(copy))
                begin = draw.randrange(max(1, len(written) - length))
                named = [
                    each.copy for each in _trace(trial, change(written[begin : begin + length], draw)) if each.is_named
                ]
                right += named == [str(copy)]
                wrong += any(each != str(copy) for each in named)
            shares.append(f"{right / repeats:.2f}")
        rows.append({"trick": name, "characters": length, "named": " ".join(shares), "wrong": wrong})
    return rows


def _trace(trial: _Trial, suspect: str) -> list[TracedCopy]:
    readings = read_marks(read_characters(suspect), make_reference(trial.text, trial.places))
    return trace_copies(readings, ((str(copy), trial.codeword(copy)) for copy in range(trial.copies)))
