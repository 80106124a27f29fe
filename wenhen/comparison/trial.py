"""Read the library, the suspects and the ground truth of a comparison."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wenhen.comparison.disguises import DISGUISES, disguise_text
from wenhen.kit.errors import BadInput
from wenhen.works.importers.drafts import Refused
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import WorkDraft


def read_json_lines(path: Path, *fields: str) -> list[dict[str, Any]]:
    """Read the records of a file.

    Raises BadInput, with the file and the number of the record, if a record lacks one of the fields as text.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except ValueError as error:
        raise BadInput("files.no_json_lines", path=path, error=error) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(field), str) for field in fields):
            raise BadInput("lab.fields_needed", path=path, number=number, fields=" and ".join(fields))
    return rows


# A trial: a library, suspects, and the ground truth of which suspect copies which work.


_HELD_OUT_PERIOD = 5  # every fifth text of a folder is held out of the library, as a suspect that copies nothing
_MIN_TEXTS = 2


@dataclass(frozen=True, slots=True)
class Suspect:
    """A text to look up.

    - sources: kind of disguise, by id of the work that it copies.
    - category: news, novel ...
    """

    id: str
    text: str = field(repr=False)
    sources: dict[str, str]
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A library, suspects and their sources.

    - library: id and text of each work.
    - refused: what could not be read, and why.
    - categories: category of works, by id.
    """

    library: tuple[tuple[str, str], ...] = field(repr=False)
    suspects: tuple[Suspect, ...] = field(repr=False)
    refused: tuple[str, ...] = ()
    categories: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def pairs(self) -> int:
        """Return the number of true pairs of suspect and source."""
        return sum(len(suspect.sources) for suspect in self.suspects)

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of disguise, sorted by name."""
        return sorted({kind for suspect in self.suspects for kind in suspect.sources.values()})


def read_trial(path: Path, *, sample: int = 100, seed: int = 1) -> Trial:
    """Read a suite (a folder with library.jsonl, suspects.jsonl and truth.jsonl), or files and folders of texts.

    Of plain texts, every fifth is held out of the library. `sample` of the others are disguised in every way. The same
    seed gives the same suspects. Raises BadInput for too few texts.
    """
    if (path / "library.jsonl").exists():
        return _read_suite(path)
    return _read_folder(path, sample, seed)


def _read_suite(path: Path) -> Trial:
    works = read_json_lines(path / "library.jsonl", "id", "text")
    library = tuple((row["id"], row["text"]) for row in works)
    sources: dict[str, dict[str, str]] = {}
    for row in read_json_lines(path / "truth.jsonl", "suspect", "source"):
        sources.setdefault(row["suspect"], {})[row["source"]] = str(row.get("kind") or "copy")
    suspects = tuple(
        Suspect(row["id"], row["text"], sources.get(row["id"], {}), row.get("category"))
        for row in read_json_lines(path / "suspects.jsonl", "id", "text")
    )
    unknown = {source for each in sources.values() for source in each} - {work for work, _ in library}
    unknown |= sources.keys() - {suspect.id for suspect in suspects}
    if unknown:
        raise BadInput("lab.stray_name", path=path / "truth.jsonl", name=repr(min(unknown)))
    return Trial(library, suspects, categories={row["id"]: row["category"] for row in works if row.get("category")})


def _read_folder(path: Path, sample: int, seed: int) -> Trial:
    drafts, refused = [], []
    for text in read_paths([path]):
        if isinstance(text, Refused):
            refused.append(f"{text.what}: {text.reason}")
        else:
            drafts.append(text)
    if len(drafts) < _MIN_TEXTS:
        raise BadInput("lab.too_few", path=path, count=len(drafts), least=_MIN_TEXTS)
    source = random.Random(seed)
    source.shuffle(drafts)
    held_out, works = drafts[: len(drafts) // _HELD_OUT_PERIOD], drafts[len(drafts) // _HELD_OUT_PERIOD :]
    honest = (Suspect(draft.id, draft.text, {}, draft.kind) for draft in held_out)
    return Trial(
        tuple((draft.id, draft.text) for draft in works),
        (*_disguised_copies(works[:sample], seed), *honest),
        tuple(refused),
        {draft.id: draft.kind for draft in works if draft.kind},
    )


def _disguised_copies(works: Sequence[WorkDraft], seed: int) -> Iterator[Suspect]:
    for draft in works:
        for kind in DISGUISES:
            text = disguise_text(draft.text, kind, f"{seed}/{draft.id}")
            if text is not None:
                yield Suspect(f"{kind}/{draft.id}", text, {draft.id: kind}, draft.kind)
