"""The suites of real texts, where they are at hand: the same floors as for texts of our own, on more of them.

They are looked for in WENHEN_EVALUATION, else beside the repository. Of each suite so many suspects are taken that the
whole stays below a minute.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.quality.library import Library
from tests.support.quality.measures import Spot, found, plagdet

SUITES = Path(os.environ.get("WENHEN_EVALUATION", Path(__file__).parents[2].parent / "shared" / "evaluation"))
OFFSETS = ("suspect_start", "suspect_end", "source_start", "source_end")
SUSPECTS = 150  # of each suite, evenly chosen
# Least share of the passages found, and least plagdet (none where other works share text that is not marked).
FLOORS = {
    "dev-disguises": (0.98, 0.97),
    "dev-editions": (0.98, None),
    "dev-nanshi": (0.97, 0.87),
    "dev-taipingguangji": (0.97, 0.92),
}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


@pytest.mark.parametrize("suite", FLOORS)
def test_copies_are_found_and_nobody_else_is_accused(suite: str) -> None:
    folder = SUITES / suite
    if not folder.is_dir():
        pytest.skip(f"no evaluation suite at {folder}: set WENHEN_EVALUATION to the folder that holds the suites")
    library = Library({row["id"]: row["text"] for row in rows(folder / "library.jsonl")})
    suspects = list(rows(folder / "suspects.jsonl"))
    chosen = {row["id"]: row["text"] for row in suspects[:: -(-len(suspects) // SUSPECTS)]}
    true = [
        Spot(one["suspect"], one["source"], *(one[column] for column in OFFSETS))
        for one in rows(folder / "truth.jsonl")
        if one["suspect"] in chosen
    ]
    copiers = {one.page for one in true}
    detected: list[Spot] = []
    for name, text in chosen.items():
        for source, comparison in library.accused(text).items():
            assert name in copiers, f"{name} copies nothing and is accused of copying {source}"
            detected.extend(
                Spot(name, source, one.page_start, one.page_end, one.work_start, one.work_end)
                for one in comparison.passages
            )
    least_found, least_plagdet = FLOORS[suite]
    assert found(true, detected) >= least_found
    if least_plagdet is not None:
        assert plagdet(true, detected) >= least_plagdet
