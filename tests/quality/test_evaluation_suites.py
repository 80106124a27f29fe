"""The suites of real texts, where they are at hand: the same floors as for texts of our own, on more of them.

They are looked for in WENHEN_EVALUATION, else beside the repository. Of each suite so many suspects are taken that the
whole stays below a minute.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.detection_measures import Spot, pair_recall, passage_recall, plagdet, precision, share_error
from tests.support.quality.library import Library

SUITES = Path(os.environ.get("WENHEN_EVALUATION", Path(__file__).parents[2].parent / "shared" / "evaluation"))
OFFSETS = ("suspect_start", "suspect_end", "source_start", "source_end")
SUSPECTS = 150  # of each suite, evenly chosen


class Floors(NamedTuple):
    """The least that a suite must reach, None where its truth does not tell; and the most of what is wrong."""

    pairs: float
    found: float
    plagdet: float | None = None
    precision: float | None = None
    share_error: float | None = None
    accused: float = 0.0  # share of the suspects that copy nothing


FLOORS = {
    "dev-disguises": Floors(pairs=0.99, found=0.98, plagdet=0.97, precision=0.98, share_error=0.005),
    "dev-mosaic": Floors(pairs=0.995, found=0.99, plagdet=0.99, precision=0.99, share_error=0.003),
    "dev-genres": Floors(pairs=0.98, found=0.98, plagdet=0.96, precision=0.94, share_error=0.005, accused=0.03),
    # Other works share text that is not marked: whole documents are, and reuse of 40 characters and more.
    "dev-editions": Floors(pairs=0.98, found=0.98),
    "dev-nanshi": Floors(pairs=0.99, found=0.97, plagdet=0.87),
    "dev-taipingguangji": Floors(pairs=0.98, found=0.97, plagdet=0.92),
}


# Commentaries on a classic that the library's commentaries quote too. They copy nothing, and many are accused: the
# classic is no work of the library. They have a bound of their own, which may only fall.
COMMENTARY = "negative-commentary/"
MAX_ACCUSED_COMMENTARIES = 25  # of 40


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


@pytest.mark.parametrize("suite", FLOORS)
def test_copies_are_found_and_nobody_else_is_accused(suite: str) -> None:
    folder = SUITES / suite
    if not folder.is_dir():
        pytest.skip(f"no evaluation suite at {folder}: set WENHEN_EVALUATION to the folder that holds the suites")
    library = Library({row["id"]: row["text"] for row in rows(folder / "library.jsonl")})
    suspects = [row for row in rows(folder / "suspects.jsonl") if not row["id"].startswith(COMMENTARY)]
    chosen = {row["id"]: row["text"] for row in suspects[:: -(-len(suspects) // SUSPECTS)]}
    true = [
        Spot(one["suspect"], one["source"], *(one[column] for column in OFFSETS))
        for one in rows(folder / "truth.jsonl")
        if one["suspect"] in chosen
    ]
    detected = [
        Spot(name, source, one.page_start, one.page_end, one.work_start, one.work_end)
        for name, text in chosen.items()
        for source, comparison in library.accused(text).items()
        for one in comparison.passages
    ]
    floors = FLOORS[suite]
    innocent = chosen.keys() - {one.page for one in true}
    accused = sorted({(one.page, one.work) for one in detected if one.page in innocent})
    assert len({page for page, _ in accused}) <= floors.accused * len(innocent), accused
    assert pair_recall(true, detected) >= floors.pairs
    assert passage_recall(true, detected) >= floors.found
    if floors.plagdet is not None:
        assert plagdet(true, detected) >= floors.plagdet
    if floors.precision is not None:
        assert precision(true, detected) >= floors.precision
    if floors.share_error is not None:
        assert share_error(true, detected, {name: len(text) for name, text in chosen.items()}) <= floors.share_error


def test_of_commentaries_on_a_classic_no_more_are_accused_than_before() -> None:
    folder = SUITES / "dev-genres"
    if not folder.is_dir():
        pytest.skip(f"no evaluation suite at {folder}: set WENHEN_EVALUATION to the folder that holds the suites")
    library = Library({row["id"]: row["text"] for row in rows(folder / "library.jsonl")})
    commentaries = [row for row in rows(folder / "suspects.jsonl") if row["id"].startswith(COMMENTARY)]
    accused = [row["id"] for row in commentaries if library.accused(row["text"])]
    assert len(accused) <= MAX_ACCUSED_COMMENTARIES, accused
