"""Convert any text to its initials, with their code points in the text."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import (
    DIGIT_0,
    EXPANDS,
    LATIN_A,
    LETTER_CODES,
    NO_LETTER,
    CharacterTable,
    Initials,
    character_table,
    code_points,
)
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_shapes import join_split_characters
from fingerprinter.normalize.insertions import mark_insertions
from fingerprinter.normalize.line_decoration import remove_frames, remove_timestamps
from fingerprinter.normalize.misread_encoding import fix_encoding, unwind_misreading
from fingerprinter.normalize.notations import decode_bare_bytes, decode_escaped_bytes, read_lists, unescape_in_place
from fingerprinter.normalize.obfuscation import (
    BARE_BYTES,
    DOUBLED,
    ESCAPED,
    FRAMES,
    LISTED,
    MISREAD,
    REORDERED,
    SEPARATORS,
    TAGGED,
    TIMES,
    detect_obfuscation,
    read_marks,
    remove_doubles,
    remove_separators,
)
from fingerprinter.normalize.pinyin import (
    MIN_STRAYS,
    count_single,
    read_pinyin_runs,
    remove_annotations,
    syllable_tree,
)
from fingerprinter.normalize.reading_order import reading_order
from fingerprinter.normalize.romanisation import read_romanisations
from fingerprinter.normalize.written_tags import blank_tags, blank_word_tags

_EXPANDS_SEEN = 1
_LATIN_SEEN = 2  # letters or digits
_RUNS_SEEN = 4  # runs that may be pinyin, or stray letters


def to_initials(text: str) -> Initials:
    """Return the initials of any string, lone surrogates included.

    Width forms, compatibility forms, variants and look-alikes give the letter that they stand for. Punctuation, spaces,
    invisible and combining characters, emoji, other scripts and timestamps give none. Pinyin between Han characters
    reads as the characters that it replaces. So do character references (&nbsp; &#20013;) and text in a wrong encoding.
    Reversed text and columns are read in their order.
    """
    points, order = _read_points(text)
    codes, starts, ends = _look_up_initials(points if order is None else points[order])
    if order is not None:
        starts, ends = _original_bounds(starts, ends, order)
    return Initials(codes=codes, starts=starts, ends=ends, length=len(points), in_order=order is None)


def read_characters(text: str) -> str:
    """Return the characters of a text as it is read: escapes resolved, insertions blanked, in reading order.

    >>> read_characters("&#20013;国")[:1]
    '中'
    """
    points, order = _read_points(text)
    return (points if order is None else points[order]).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _read_points(text: str) -> tuple[NDArray[np.uint32], NDArray[np.int64] | None]:
    """Return the code points of a text without its disguise, and the order in which they are read if it differs."""
    points = code_points(text)
    seen = detect_obfuscation(points)
    if seen & (ESCAPED | LISTED | MISREAD | TAGGED):
        read = _read_meant(text, seen)
        if read is not text:
            text, points = read, code_points(read)
            seen = detect_obfuscation(points)
    if seen & (BARE_BYTES | SEPARATORS | FRAMES | TIMES | DOUBLED):
        points = _remove_insertions(text, points, seen)
        seen |= REORDERED  # removals may reveal it
    order = reading_order(points) if seen & REORDERED else None
    return points, order


def _read_meant(text: str, seen: int) -> str:
    """Return the text with escapes and misread encodings resolved, each character at its written position."""
    if seen & MISREAD:
        text = unwind_misreading(text)
    if seen & LISTED:
        text = read_lists(text)
    if seen & TAGGED:
        text = blank_word_tags(text)
    if seen & ESCAPED:
        text = decode_escaped_bytes(unescape_in_place(text))
        text = join_split_characters(read_marks(fix_encoding(blank_tags(text))))
    return text


def _remove_insertions(text: str, points: NDArray[np.uint32], seen: int) -> NDArray[np.uint32]:
    """Return the code points of a text with its insertions ignored. seen: the obfuscation that the text may have."""
    if seen & BARE_BYTES:
        points = code_points(decode_bare_bytes(text))
    if seen & DOUBLED:
        points = remove_doubles(points)
    if seen & SEPARATORS:
        points = remove_separators(points)
    if seen & FRAMES:
        points = remove_frames(points, character_table().codes)
    return remove_timestamps(points)


def _look_up_initials(points: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return codes, starts and ends of code points in reading order."""
    table = character_table()
    codes = np.empty(len(points), np.uint8)
    starts, ends = np.empty(len(points), np.uint32), np.empty(len(points), np.uint32)
    count, seen = _fill_codes(points, table.codes, codes, starts, ends)
    codes, starts, ends = codes[:count], starts[:count], ends[:count]
    if seen & _EXPANDS_SEEN:
        codes, starts = _expand_codes(points, codes, starts, table)
        ends = starts + np.uint32(1)
    if seen & _LATIN_SEEN and seen & _RUNS_SEEN:
        codes, starts, ends = read_romanisations(points, codes, starts, ends)
    if seen & _LATIN_SEEN and (kept := mark_insertions(codes, starts, ends, points, syllable_tree())) is not None:
        codes, starts, ends = codes[kept], starts[kept], ends[kept]
    if seen & _LATIN_SEEN and seen & (_RUNS_SEEN | _EXPANDS_SEEN):
        codes, starts, ends = remove_annotations(codes, starts, ends)
    if seen & (_RUNS_SEEN | _EXPANDS_SEEN):
        codes, starts, ends = read_pinyin_runs(codes, starts, ends)
    return codes, starts, ends


def _original_bounds(
    starts: NDArray[np.uint32], ends: NDArray[np.uint32], order: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the bounds of the letters of a reordered text in the original."""
    first, last = order[starts], order[ends - 1]
    return np.minimum(first, last).astype(np.uint32), np.maximum(first, last).astype(np.uint32) + np.uint32(1)


@compiled(
    "UniTuple(i8, 2)(Array(u4, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), u1[::1], u4[::1], u4[::1])"
)
def _fill_codes(
    points: NDArray[np.uint32],
    table: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
) -> tuple[int, int]:
    """Fill codes, starts and ends, with `EXPANDS` as a code. Return their number, and what was seen."""
    count = 0
    for place in range(len(points)):
        code = table[points[place]]
        codes[count] = code
        starts[count] = place
        # Written always, and counted only if wanted: there is no branch to mispredict.
        count += code != NO_LETTER
    for letter in range(count):  # vectorized, unlike the loop above
        ends[letter] = starts[letter] + 1
    expands = digits = latin = False
    for code in codes[:count]:
        expands |= code == EXPANDS
        latin |= (code >= LATIN_A) & (code < DIGIT_0)
        digits |= (code >= DIGIT_0) & (code < LETTER_CODES)
    runs = latin or (digits and count_single(codes[:count]) >= MIN_STRAYS)
    return count, expands * _EXPANDS_SEEN + (latin or digits) * _LATIN_SEEN + runs * _RUNS_SEEN


def _expand_codes(
    points: NDArray[np.uint32], codes: NDArray[np.uint8], starts: NDArray[np.uint32], table: CharacterTable
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Replace each `EXPANDS` by the codes of its character. All of them start at the character."""
    places = np.flatnonzero(codes == EXPANDS)
    written = [table.expansions[point] for point in points[starts[places]].tolist()]
    widths = np.ones(len(codes), np.int64)
    widths[places] = [len(letters) for letters in written]
    expanded = np.repeat(codes, widths)
    expanded[np.repeat(codes == EXPANDS, widths)] = np.frombuffer(b"".join(written), np.uint8)
    return expanded, np.repeat(starts, widths)
