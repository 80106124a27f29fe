"""From text to letters: any string, at memory speed, with the way back to the original's code points."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import LATIN_A, LETTER_CODES, Letters
from fingerprinter.normalize.character_table import EXPANDS, NO_LETTER, CharacterTable, character_table
from fingerprinter.normalize.code_points import code_points
from fingerprinter.normalize.entities import unescaped_in_place
from fingerprinter.normalize.frames import without_frames
from fingerprinter.normalize.glance import glance
from fingerprinter.normalize.markup import without_tags
from fingerprinter.normalize.misread import reread_in_place
from fingerprinter.normalize.order import reading_order
from fingerprinter.normalize.pinyin_behind import without_readings
from fingerprinter.normalize.pinyin_runs import read_pinyin_runs
from fingerprinter.normalize.separators import without_separators
from fingerprinter.normalize.split_characters import joined_in_place
from fingerprinter.normalize.timestamps import without_timestamps
from fingerprinter.normalize.written_bytes import bare_bytes_in_place, escaped_bytes_in_place

_EXPANDS_SEEN = 1
_LATIN_SEEN = 2


def read_letters(text: str) -> Letters:
    """The letters of a text, for any str (lone surrogates too).

    Width and compatibility forms, variants and look-alikes give the letter of what they stand for; punctuation, spaces,
    invisible and combining characters, emoji, other scripts, and timestamps of subtitles, lyrics and chats give none.
    Pinyin between Han characters is read as the characters that it replaces, and so are character references (&nbsp;
    &#20013;), and what was read in the wrong encoding. What is written backwards or in columns is read in its order.
    """
    table = character_table()
    text = joined_in_place(reread_in_place(without_tags(escaped_bytes_in_place(unescaped_in_place(text)))))
    points = code_points(text)
    seen_at_once = glance(points)
    if seen_at_once.written_bytes:
        text = bare_bytes_in_place(text)
        points = code_points(text)
    if seen_at_once.separators:
        points = without_separators(points)
    if seen_at_once.frames:
        points = without_frames(points, table.codes)
    points = without_timestamps(text, points)
    order = reading_order(points)
    if order is not None:
        points = points[order]
    codes = np.empty(len(points), np.uint8)
    starts = np.empty(len(points), np.uint32)
    count, seen = _look_up(points, table.codes, codes, starts)
    codes, starts = codes[:count], starts[:count]
    if seen & _EXPANDS_SEEN:
        codes, starts = _expand(points, codes, starts, table)
    if seen & _LATIN_SEEN:
        codes, starts = without_readings(codes, starts)
    ends = starts + np.uint32(1)
    if seen & (_LATIN_SEEN | _EXPANDS_SEEN):
        codes, starts, ends = read_pinyin_runs(codes, starts, ends)
    if order is not None:
        starts, ends = _as_written(starts, ends, order)
    return Letters(codes=codes, starts=starts, ends=ends, length=len(points), in_order=order is None)


def _as_written(
    starts: NDArray[np.uint32], ends: NDArray[np.uint32], order: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Where letters of the reordered text stand in the original one."""
    first, last = order[starts], order[ends - 1]
    return np.minimum(first, last).astype(np.uint32), np.maximum(first, last).astype(np.uint32) + np.uint32(1)


@compiled("Tuple((i8, i8))(Array(u4, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), u1[::1], u4[::1])")
def _look_up(
    points: NDArray[np.uint32], table: NDArray[np.uint8], codes: NDArray[np.uint8], starts: NDArray[np.uint32]
) -> tuple[int, int]:
    """Fill codes and starts with the letters, `EXPANDS` kept as a code; how many, and what was seen."""
    count = 0
    latin = 0
    expands = 0
    for place in range(len(points)):
        code = table[points[place]]
        codes[count] = code
        starts[count] = place
        # Written always and counted when wanted: no branch to mispredict.
        count += code != NO_LETTER
        latin |= (code >= LATIN_A) & (code < LETTER_CODES)
        expands |= code == EXPANDS
    return count, expands * _EXPANDS_SEEN + latin * _LATIN_SEEN


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
