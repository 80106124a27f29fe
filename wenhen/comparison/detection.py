"""Run an evaluation suite through the production path: import the library, look up suspects, return detections."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import Features, unpack_features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.text_on_many_pages import PageOrigin, StoredPages, look_up_pages
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.paraphrase.plain_characters import to_plain_text
from matcher.paraphrase.retellings import find_retold_passages, split_page
from matcher.paraphrase.suspicions import covered_portions, pair_passages
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

Detection = dict[str, Any]
_SIDES = ("suspect", "source")
_MIN_COPIED_SHARE = 0.5  # of a retold passage; if a single copied passage covers as much, it is not extended

_MIN_ADDED_LENGTH = 240  # minimum code points of a retold passage that is added by itself
_MAX_PIECE_GAP = 40  # maximum code points of the page between the copied pieces of a summary
_LONG_PIECE = 240  # code points of the page from which two pieces from different places of a work are two passages


def find_retold_passages_of(reading: TextReading, copied: Sequence[Source]) -> dict[str, list[Detection]]:
    """Return the passages that a page in an alphabetic script retells, by id of the copied work: spans of both."""
    page = split_page(reading.characters) if copied else None
    if page is None:
        return {}
    return {
        source.work.id: [
            detected_span(*covered_portions(sentences))
            for sentences in find_retold_passages(page, to_plain_text(source.comparison.pair.work_text))
        ]
        for source in copied
    }


def detected_span(page: tuple[int, int], work: tuple[int, int]) -> Detection:
    """Return the offsets of a detection."""
    return {
        f"{side}_{end}": offset
        for side, place in zip(_SIDES, (page, work), strict=True)
        for end, offset in zip(("start", "end"), place, strict=True)
    }


def join_with_retold(detections: Iterable[Detection], retold: Mapping[str, Sequence[Detection]]) -> Iterator[Detection]:
    """Yield the copied passages of a suspect. Pieces of one retold passage are joined and marked."""
    copied: dict[str, list[Detection]] = {}
    for detection in detections:
        copied.setdefault(detection["source"], []).append(detection)
    for source, passages in copied.items():
        joined = _join_passages(passages, retold.get(source, ()))
        yield from _join_pieces(joined) if source in retold else joined


def _join_passages(passages: list[Detection], retold: Sequence[Detection]) -> list[Detection]:
    first = passages[0]
    for span in sorted(retold, key=lambda span: span["suspect_start"]):
        inside = [passage for passage in passages if all(_overlap(passage, span, side) for side in _SIDES)]
        if not inside:
            length = _length(span, "suspect")
            shared = sum(_overlap(passage, span, "suspect") for passage in passages)
            if length >= _MIN_ADDED_LENGTH and 2 * shared < length:
                ids = {"suspect": first["suspect"], "source": first["source"]}
                passages = [*passages, ids | span | {"score": 0.0, "suspicion": True}]
            continue
        shared = sum(_overlap(passage, span, side) for passage in inside for side in _SIDES)
        if len(inside) == 1 and shared >= _MIN_COPIED_SHARE * sum(_length(span, side) for side in _SIDES):
            continue
        passages = [passage for passage in passages if passage not in inside] + [_cover([*inside, span])]
    return passages


def _join_pieces(passages: Sequence[Detection]) -> list[Detection]:
    """Join passages that are adjacent on the page, because a summary takes its pieces from all over the work."""
    joined: list[Detection] = []
    for passage in sorted(passages, key=lambda passage: int(passage["suspect_start"])):
        if joined and _belong_together(joined[-1], passage):
            joined[-1] = _cover([joined[-1], passage])
        else:
            joined.append(passage)
    return joined


def _belong_together(first: Detection, second: Detection) -> bool:
    """Whether a passage continues the one before it on the page. Two long ones also follow each other in the work."""
    if second["suspect_start"] - first["suspect_end"] > _MAX_PIECE_GAP:
        return False
    if min(_length(first, "suspect"), _length(second, "suspect")) < _LONG_PIECE:
        return True
    return bool(abs(second["source_start"] - first["source_end"]) < _LONG_PIECE)


def _cover(spans: Sequence[Detection]) -> Detection:
    """Return one detection that spans all of these, with the ids of the first."""
    joined = {"suspect": spans[0]["suspect"], "source": spans[0]["source"]}
    for side in _SIDES:
        joined[f"{side}_start"] = min(span[f"{side}_start"] for span in spans)
        joined[f"{side}_end"] = max(span[f"{side}_end"] for span in spans)
    return joined | {"score": sum(span.get("score", 0.0) for span in spans), "retold": True}


def _overlap(first: Detection, second: Detection, side: str) -> int:
    begin = max(int(first[f"{side}_start"]), int(second[f"{side}_start"]))
    return max(0, min(int(first[f"{side}_end"]), int(second[f"{side}_end"])) - begin)


def _length(span: Detection, side: str) -> int:
    return int(span[f"{side}_end"] - span[f"{side}_start"])


def suspects_as_pages(texts: Iterable[str]) -> StoredPages:
    """Return these texts as stored pages, each on a host of its own."""
    documents: list[tuple[int, Features]] = []
    owners: list[int] = []
    for owner, text in enumerate(texts):
        for segment in pack_text(to_initials(text)):
            documents.append((len(owners), unpack_features(segment.positions, segment.values)))
            owners.append(owner)
    index = MemoryIndex()
    index.create(postings=sum(len(features) for _, features in documents))
    index.load(documents)
    index.publish()

    def find_origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        return {number: PageOrigin(str(owners[number]), str(owners[number])) for number in numbers}

    return StoredPages(look_up_pages(index, lambda: len(owners)), find_origins)


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
