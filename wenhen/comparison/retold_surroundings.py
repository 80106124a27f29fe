"""Join the copied passages of a page in an alphabetic script with the retold text around them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from matcher.paraphrase.plain_characters import to_plain_text
from matcher.paraphrase.retellings import find_retold_passages, split_page
from matcher.paraphrase.suspicions import covered_portions
from wenhen.fingerprints.reading import TextReading
from wenhen.matching.comparison import Source

Detection = dict[str, Any]
_SIDES = ("suspect", "source")
_MIN_COPIED_SHARE = 0.5  # of a retold passage; if a single copied passage covers as much, it is not extended

_MIN_ADDED_LENGTH = 240  # minimum code points of a retold passage that is added by itself
_MAX_PIECE_GAP = 40  # maximum code points of the page between the copied pieces of a summary


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
        if joined and passage["suspect_start"] - joined[-1]["suspect_end"] <= _MAX_PIECE_GAP:
            joined[-1] = _cover([joined[-1], passage])
        else:
            joined.append(passage)
    return joined


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
