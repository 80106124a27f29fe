"""Run an evaluation suite through the production path: import the library, look up suspects, return detections."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from matcher.paraphrase.suspicions import covered_portions, pair_passages
from wenhen.comparison.retold_surroundings import Detection, detected_span, find_retold_passages_of, join_with_retold
from wenhen.comparison.suspect_pages import suspects_as_pages
from wenhen.fingerprints.reading import TextReading
from wenhen.fingerprints.service import store_and_fingerprint
from wenhen.kit.errors import BadInput
from wenhen.kit.progress import OwnerKind
from wenhen.matching.comparison import Source
from wenhen.matching.index_rebuild import rebuild_index
from wenhen.matching.paraphrases import SuspectedWork, find_paraphrased_works
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_sources
from wenhen.works.model import COMMON_PREFIX, WorkDraft

Progress = Callable[[int, int], None]
COMMON_TEXTS_FILE = "common.jsonl"


def load_suite_library(app: App, suite: Path, progress: Progress | None = None) -> int:
    """Store, fingerprint and index the works of `library.jsonl`, with {id, title, text} in each line.

    The lines of `common.jsonl`, if the suite has it, are stored as common texts.

    Returns the number of works without the common texts.
    """
    rows = [("", row) for row in read_suite_rows(suite / "library.jsonl")]
    if (suite / COMMON_TEXTS_FILE).exists():
        rows += [(COMMON_PREFIX, row) for row in read_suite_rows(suite / COMMON_TEXTS_FILE)]
    drafts = (
        WorkDraft(id=f"{prefix}{row['id']}", title=row.get("title") or row["id"], text=row["text"], common=bool(prefix))
        for prefix, row in rows
    )
    store_and_fingerprint(app, drafts, (lambda done: progress(done, len(rows))) if progress else None)
    rebuild_index(app, OwnerKind.WORK)
    return sum(not prefix for prefix, _ in rows)


def detect_copies(app: App, suite: Path, progress: Progress | None = None) -> Iterator[Detection]:
    """Yield a detection for each passage that would open a case, for each suspect of `suspects.jsonl` {id, text}.

    Offsets are in code points. What many suspects share weighs little. Paraphrased passages follow if the settings ask
    for suspicions.
    """
    suite_rows = read_suite_rows(suite / "suspects.jsonl")
    pages = suspects_as_pages(row["text"] for row in suite_rows)
    for done, row in enumerate(suite_rows, 1):
        reading = TextReading(row["text"])
        copied = find_sources(app, reading, pages)
        retold = find_retold_passages_of(reading, copied) if app.settings.matcher.suspicions else {}
        yield from join_with_retold(copy_detections(row["id"], copied), retold)
        yield from suspicion_detections(row["id"], find_paraphrased_works(app, reading, copied, pages))
        if progress:
            progress(done, len(suite_rows))


def copy_detections(suspect: str, sources: Iterable[Source]) -> Iterator[Detection]:
    """Yield a detection for each copied passage. The score of a work is divided equally among its passages."""
    for source in sources:
        for passage in source.comparison.passages:
            yield {
                "suspect": suspect,
                "source": source.work.id,
                "suspect_start": passage.page_start,
                "suspect_end": passage.page_end,
                "source_start": passage.work_start,
                "source_end": passage.work_end,
                "score": source.comparison.verdict.weight / len(source.comparison.passages),
            }


def suspicion_detections(suspect: str, suspected_works: Iterable[SuspectedWork]) -> Iterator[Detection]:
    """Yield a detection for each passage that a suspect may paraphrase, marked as a suspicion."""
    for suspected in suspected_works:
        passages = pair_passages(suspected.page, suspected.suspicion)
        for sentences in passages:
            yield {
                "suspect": suspect,
                "source": suspected.work.id,
                **detected_span(*covered_portions(sentences)),
                "score": suspected.suspicion.evidence.score / len(passages),
                "suspicion": True,
            }


def read_suite_rows(path: Path) -> list[dict[str, Any]]:
    """Return the records {id, text, …} of a suite file. Raises BadInput."""
    try:
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except ValueError as error:
        raise BadInput("files.no_json_lines", path=path, error=error) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str) or not isinstance(row.get("text"), str):
            raise BadInput("lab.id_and_text", path=path, number=number)
    return rows
