"""wenhen: the documents imported as works on servers of their own, frozen, and looked up against each other."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.bench.generator import GeneratedWork
from lab.bench.library import store_works
from pipeline.bulk.freeze import WORKS
from wenhen.bulk.engine import ThisProcess
from wenhen.bulk.job import BulkJob
from wenhen.bulk.near_library import freeze_to
from wenhen.processes.throwaway_product import throwaway_app
from wenhen.settings import Settings


def main(documents: Path, answer: Path, folder: Path) -> None:
    """All passages that two documents share; one process beside the servers."""
    library, job = folder / "library", folder / "job"
    with throwaway_app(Settings()) as app:
        store_works(app, _read(documents), 0)
        freeze_to(app, str(library))
    found = Path(BulkJob(ThisProcess(), str(library), str(job)).works().file)
    with found.open(encoding="utf-8") as lines:
        matches = [json.loads(line) for line in lines]
    pairs = [[int(one[side].rpartition("/")[2]) for side in ("page_id", "work_id")] for one in matches]
    kept = sum(path.stat().st_size for path in (library / WORKS).rglob("*") if path.is_file())
    answer.write_text(json.dumps({"groups": pairs, "kept": kept}), encoding="utf-8")


def _read(documents: Path) -> Iterator[GeneratedWork]:
    with documents.open(encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            yield GeneratedWork(one["id"], one["text"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
