"""From text to letters: any string, at memory speed, with the way back to the original's code points."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import DIGIT_0, LATIN_A, LETTER_CODES, Letters
from fingerprinter.normalize.character_table import EXPANDS, NO_LETTER, CharacterTable, character_table
from fingerprinter.normalize.code_points import code_points
from fingerprinter.normalize.doubled_characters import without_doubles
from fingerprinter.normalize.entities import unescaped_in_place
from fingerprinter.normalize.line_frames import without_frames
from fingerprinter.normalize.misread_encoding import reread_in_place
from fingerprinter.normalize.pinyin_annotations import without_readings
from fingerprinter.normalize.pinyin_for_characters import STRAYS, count_single, read_pinyin_runs
from fingerprinter.normalize.reading_order import reading_order
from fingerprinter.normalize.separators import without_separators
from fingerprinter.normalize.split_characters import joined_in_place
from fingerprinter.normalize.timestamps import without_timestamps
from fingerprinter.normalize.which_disguises import (
    BARE_BYTES,
    DOUBLED,
    FRAMES,
    REORDERED,
    SEPARATORS,
    TIMES,
    WRITTEN_OTHERWISE,
    glance,
)
from fingerprinter.normalize.written_bytes import bare_bytes_in_place, escaped_bytes_in_place
from fingerprinter.normalize.written_tags import without_tags

_EXPANDS_SEEN = 1
_LATIN_SEEN = 2  # letters or digits
_RUNS_SEEN = 4  # of them what may be pinyin, or stray


def read_letters(text: str) -> Letters:
    """The letters of a text, for any str (lone surrogates too).

    Width and compatibility forms, variants and look-alikes give the letter of what they stand for; punctuation, spaces,
    invisible and combining characters, emoji, other scripts, and timestamps of subtitles, lyrics and chats give none.
    Pinyin between Han characters is read as the characters that it replaces, and so are character references (&nbsp;
    &#20013;), and what was read in the wrong encoding. What is written backwards or in columns is read in its order.
    """
    points = code_points(text)
    seen = glance(points)
    if seen & WRITTEN_OTHERWISE:
        read = joined_in_place(reread_in_place(without_tags(escaped_bytes_in_place(unescaped_in_place(text)))))
        if read is not text:
            text, points = read, code_points(read)
            seen = glance(points)
    if seen & (BARE_BYTES | SEPARATORS | FRAMES | TIMES | DOUBLED):
        points = _without_additions(text, points, seen)
        seen |= REORDERED  # as it may show now
    order = reading_order(points) if seen & REORDERED else None
    codes, starts, ends = _letters(points if order is None else points[order])
    if order is not None:
        starts, ends = _as_written(starts, ends, order)
    return Letters(codes=codes, starts=starts, ends=ends, length=len(points), in_order=order is None)


def _without_additions(text: str, points: NDArray[np.uint32], seen: int) -> NDArray[np.uint32]:
    """The code points of a text, with one that gives no letter for each that was only put in between.

    seen: what the text may have.
    """
    if seen & BARE_BYTES:
        points = code_points(bare_bytes_in_place(text))
    if seen & DOUBLED:
        points = without_doubles(points)
    if seen & SEPARATORS:
        points = without_separators(points)
    if seen & FRAMES:
        points = without_frames(points, character_table().codes)
    return without_timestamps(points)


def _letters(points: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """The letters of code points in the order in which they are read: codes, starts and ends."""
    table = character_table()
    codes = np.empty(len(points), np.uint8)
    starts, ends = np.empty(len(points), np.uint32), np.empty(len(points), np.uint32)
    count, seen = _look_up(points, table.codes, codes, starts, ends)
    codes, starts, ends = codes[:count], starts[:count], ends[:count]
    if seen & _EXPANDS_SEEN:
        codes, starts = _expand(points, codes, starts, table)
        ends = starts + np.uint32(1)
    if seen & _LATIN_SEEN and seen & (_RUNS_SEEN | _EXPANDS_SEEN):
        codes, starts, ends = without_readings(codes, starts, ends)
    if seen & (_RUNS_SEEN | _EXPANDS_SEEN):
        codes, starts, ends = read_pinyin_runs(codes, starts, ends)
    return codes, starts, ends


def _as_written(
    starts: NDArray[np.uint32], ends: NDArray[np.uint32], order: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Where letters of the reordered text stand in the original one."""
    first, last = order[starts], order[ends - 1]
    return np.minimum(first, last).astype(np.uint32), np.maximum(first, last).astype(np.uint32) + np.uint32(1)


@compiled(
    "UniTuple(i8, 2)(Array(u4, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), u1[::1], u4[::1], u4[::1])"
)
def _look_up(
    points: NDArray[np.uint32],
    table: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
) -> tuple[int, int]:
    """Fill codes, starts and ends with the letters, `EXPANDS` kept as a code; how many, and what was seen."""
    count = 0
    for place in range(len(points)):
        code = table[points[place]]
        codes[count] = code
        starts[count] = place
        # Written always and counted when wanted: no branch to mispredict.
        count += code != NO_LETTER
    for letter in range(count):  # several at once, as the loop above cannot
        ends[letter] = starts[letter] + 1
    expands = digits = latin = False
    for code in codes[:count]:
        expands |= code == EXPANDS
        latin |= (code >= LATIN_A) & (code < DIGIT_0)
        digits |= (code >= DIGIT_0) & (code < LETTER_CODES)
    runs = latin or (digits and count_single(codes[:count]) >= STRAYS)
    return count, expands * _EXPANDS_SEEN + (latin or digits) * _LATIN_SEEN + runs * _RUNS_SEEN


def _expand(
    points: NDArray[np.uint32], codes: NDArray[np.uint8], starts: NDArray[np.uint32], table: CharacterTable
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Put in place of each code `EXPANDS` the codes that its character stands for; all of them start there."""
    places = np.flatnonzero(codes == EXPANDS)
    written = [table.expansions[point] for point in points[starts[places]].tolist()]
    widths = np.ones(len(codes), np.int64)
    widths[places] = [len(letters) for letters in written]
    expanded = np.repeat(codes, widths)
    expanded[np.repeat(codes == EXPANDS, widths)] = np.frombuffer(b"".join(written), np.uint8)
    return expanded, np.repeat(starts, widths)
