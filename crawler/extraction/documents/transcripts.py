"""Read transcripts of recordings: SubRip, WebVTT, JSON of Whisper and whisper.cpp. Each line keeps its second."""

import math
import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any, Final

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.document import Document, DocumentPart, split_paragraphs
from crawler.extraction.documents.file_kinds import FileKind
from crawler.extraction.model import PartKind
from crawler.extraction.scrolling.json_responses import MAX_JSON_CHARACTERS, parse_json
from wenhen.kit.errors import Unreadable

_CLOCK: Final = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
_CUE_TIMES: Final = re.compile(rf"{_CLOCK} {{0,9}}--> {{0,9}}{_CLOCK}(?!\d)")
_TIMES_BEGINNING: Final = re.compile(r"[\d:.,]{1,20} {0,9}-->")
_MARKUP: Final = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,100}\}")  # WebVTT and SubRip tags, positions of SubStation
_MAX_SECONDS: Final = 999 * 3600  # of a recording


def read_transcript(content: bytes, kind: FileKind, charset: str | None = None) -> Document:
    """Read a transcript as one part a cue, numbered by the second at which it begins.

    Raises `Unreadable` for a time or a segment that cannot be read, with its line or number, and for one without cues.
    """
    decoded = decode_bytes(content, charset)
    cues = _read_segments(decoded.text) if kind is FileKind.WHISPER else _read_cues(decoded.text.splitlines())
    parts: list[DocumentPart] = []
    before: tuple[str, ...] = ()
    for second, text in cues:
        lines = split_paragraphs(unescape(_MARKUP.sub("", text)))
        new = lines[_count_repeated(before, lines) :]
        if new:
            parts.append(DocumentPart(PartKind.TIME, second, new))
        before = lines
    if not parts:
        raise Unreadable("transcripts.no_cue")
    return Document(tuple(parts), charset=decoded.charset)


def _count_repeated(before: Sequence[str], lines: Sequence[str]) -> int:
    """Count the first lines of a cue that end the cue before it: captions that roll show each line twice."""
    return next((size for size in range(len(lines), 0, -1) if tuple(before[-size:]) == tuple(lines[:size])), 0)


def _read_cues(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the second and text of each cue. Headers, notes and styles stand outside of cues."""
    second: int | None = None
    text: list[str] = []
    count = 0
    for number, line in enumerate(lines, 1):
        if _TIMES_BEGINNING.match(line := line.strip().lstrip("\ufeff")):
            if second is not None:
                yield second, "\n".join(text[:-1] if text and text[-1] == str(count + 1) else text)
            second, text, count = _parse_cue_start(line, number), [], count + 1
        elif not line:
            if second is not None:
                yield second, "\n".join(text)
            second = None
        elif second is not None:
            text.append(line)
    if second is not None:
        yield second, "\n".join(text)


def _parse_cue_start(line: str, number: int) -> int:
    times = _CUE_TIMES.match(line)
    if times is None:
        raise Unreadable("transcripts.bad_time", line=number)
    hours, minutes, seconds, parts, *end = times.groups()
    start, until = _seconds(hours, minutes, seconds, parts), _seconds(*end)
    if int(minutes) > 59 or int(seconds) > 59 or until < start:
        raise Unreadable("transcripts.bad_time", line=number)
    return int(start)


def _seconds(hours: str | None, minutes: str, seconds: str, parts: str | None) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{parts or 0}")


def _read_segments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the second and text of each segment."""
    if len(text) > MAX_JSON_CHARACTERS:
        raise Unreadable("transcripts.too_long", length=len(text), most=MAX_JSON_CHARACTERS)
    value = parse_json(text)
    value = value if isinstance(value, dict) else {}
    segments = value.get("segments", value.get("transcription"))
    if not isinstance(segments, list):
        raise Unreadable("transcripts.no_segments")
    for number, segment in enumerate(segments, 1):
        second, words = _read_segment(segment)
        if second is None or not isinstance(words, str):
            raise Unreadable("transcripts.bad_segment", number=number)
        yield second, words


def _read_segment(segment: Any) -> tuple[int | None, Any]:
    if not isinstance(segment, dict):
        return None, None
    offsets = segment.get("offsets")  # of whisper.cpp, in milliseconds
    start = offsets.get("from") if isinstance(offsets, dict) else segment.get("start")
    if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
        return None, None
    seconds = start / 1000 if isinstance(offsets, dict) else start
    return (int(seconds) if 0 <= seconds <= _MAX_SECONDS else None), segment.get("text")
