"""Suites of known copies: `library.jsonl`, `suspects.jsonl` and the truth about them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lab.detecting import Detection, rows
from store.errors import BadInput

TRUTH = "truth.jsonl"


@dataclass(frozen=True)
class Suite:
    """A folder with the three files; `truth.jsonl` names each copied passage as a detection does, with its `kind`."""

    path: Path

    @property
    def name(self) -> str:
        """The folder's."""
        return self.path.name

    @cached_property
    def suspects(self) -> dict[str, str]:
        """Texts by id."""
        return {row["id"]: row["text"] for row in rows(self.path / "suspects.jsonl")}

    @cached_property
    def truth(self) -> list[dict[str, Any]]:
        """The copied passages."""
        try:
            with (self.path / TRUTH).open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines if line.strip()]
        except (OSError, ValueError) as error:
            raise BadInput("lab.bad_lines", path=self.path / TRUTH, error=error) from error

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """Who copied from whom."""
        return {(one["suspect"], one["source"]) for one in self.truth}

    @cached_property
    def negatives(self) -> set[str]:
        """Suspects that copied nothing."""
        return set(self.suspects) - {suspect for suspect, _ in self.pairs}

    def found_passages(self, detections: Iterable[Detection]) -> list[bool]:
        """For each passage of the truth, whether a detection with its source touches it on both sides."""
        of_pair = defaultdict(list)
        for one in detections:
            of_pair[one["suspect"], one["source"]].append(one)
        return [any(_touch(true, one) for one in of_pair[true["suspect"], true["source"]]) for true in self.truth]


def suites_in(paths: Sequence[Path]) -> list[Suite]:
    """The suites that these folders are, or hold. Raises BadInput where there is none."""
    found = [Suite(folder) for path in paths for folder in (path, *sorted(path.glob("*"))) if (folder / TRUTH).exists()]
    if not found:
        raise BadInput("lab.no_suite", file=TRUTH, places=", ".join(map(str, paths)))
    return found


def share(found: Iterable[object]) -> float | None:
    """How many of these are true, in [0, 1]; None of nothing."""
    flags = [bool(one) for one in found]
    return sum(flags) / len(flags) if flags else None


def _touch(one: Detection, other: Detection) -> bool:
    return all(
        min(one[f"{side}_end"], other[f"{side}_end"]) > max(one[f"{side}_start"], other[f"{side}_start"])
        for side in ("suspect", "source")
    )
