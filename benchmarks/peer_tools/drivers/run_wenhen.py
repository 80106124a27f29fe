"""Find shared passages with wenhen: import documents, freeze the library, run a bulk job."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import store_generated_works
from benchmarks.generator.writer import GeneratedWork
from wenhen.bulk.frozen_library import WORKS_INDEX_FOLDER, freeze_to_url
from wenhen.bulk.job import BulkJob, LocalEngine
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import throwaway_app


def main(documents: Path, answer: Path, folder: Path) -> None:
    """Find all passages that two documents share, in one process beside the servers."""
    library, job = folder / "library", folder / "job"
    with throwaway_app(Settings()) as app:
        store_generated_works(app, _read_documents(documents), 0)
        freeze_to_url(app, str(library))
    matches_file = Path(BulkJob(LocalEngine(), str(library), str(job)).works().file)
    with matches_file.open(encoding="utf-8") as lines:
        matches = [json.loads(line) for line in lines]
    pairs = [[int(match[side].rpartition("/")[2]) for side in ("page_id", "work_id")] for match in matches]
    kept = sum(path.stat().st_size for path in (library / WORKS_INDEX_FOLDER).rglob("*") if path.is_file())
    answer.write_text(json.dumps({"groups": pairs, "kept": kept}), encoding="utf-8")


def _read_documents(documents: Path) -> Iterator[GeneratedWork]:
    with documents.open(encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            yield GeneratedWork(document["id"], document["text"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
