"""Join characters that are split into their components (亻尔女子 or 女子 for 好). Tell which characters look alike.

Readers of Chinese understand split characters, word filters do not. A text with split characters has components that
occur nowhere else: radicals that are no characters, and 白勺 for 的. Each line is read in the way that costs the fewest
bits, where a character costs -log2 of its frequency. Components cost more than the character that they form.

A writer may substitute a look-alike (晴 for 睛, 未 for 末). Look-alikes differ in one component that is a radical or
itself looks alike, or in a stroke or two.
"""

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import SPLIT_TABLE_FILE, pad_with_ignored
from fingerprinter.compiled import compiled

_RADICALS = "亻讠氵扌忄纟钅饣衤礻犭疒彳冫艹宀囗辶阝刂攵灬"  # radicals that occur alone only in texts about characters
SPLIT_SIGNS = _RADICALS[:4] + "勺疋辵"  # every passage with split characters has one of these
_TRACES = re.compile(f"[{_RADICALS}]|白勺|[日曰]疋|辵")
_MIN_TRACES, _MIN_TRACE_KINDS = 3, 2  # in a text
_WHOLE_FORMS = str.maketrans("亻讠氵扌忄纟钅饣衤礻犭艹辶刂攵灬飠⺮釒訁糹", "人言水手心糸金食衣示犬艸辵刀攴火食竹金言糸")
_MIN_JOINED = 3  # joined characters of a line ...
_MIN_JOINED_SHARE = 1 / 10  # ... and their share of all characters read in it
_RARE_COST_BITS = 20.0  # cost of a character that is not in the frequency table
_MIN_SAVED_BITS = 4.0  # bits saved for each joined character, compared with its components
_CLAUSE = re.compile("[\u2e80-\u9fff\ue000-\uf8ff\U00020000-\U0003ffff]{2,}")


class SplitTable(NamedTuple):
    """Hold the split characters and the costs of all characters.

    characters: the character that each sequence of components forms, in their whole-character forms. costs: in bits.
    """

    characters: dict[str, str]
    costs: dict[str, float]
    longest: int


@cache
def split_table() -> SplitTable:
    """Return the table of this package, loaded once."""
    with (
        resources.files("fingerprinter").joinpath("tables", SPLIT_TABLE_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        parts = str(stored["parts"]).split()
        characters = dict(zip(parts, str(stored["characters"]), strict=True))
        costs = dict(zip(str(stored["known"]), (stored["eighths"] / 8).tolist(), strict=True))
        return SplitTable(characters, costs, max(map(len, parts)))


def whole_forms(parts: str) -> str:
    """Return the components in their whole-character forms: 人 for 亻."""
    return parts.translate(_WHOLE_FORMS)


def join_split_characters(text: str) -> str:
    r"""Join the split characters of a text. Padding keeps each as long as its components, so that no offset changes.

    >>> join_split_characters("亻尔女子，亻也讠兑") == "你\u200b好\u200b，他\u200b说\u200b"
    True
    """
    if not any(sign in text for sign in SPLIT_SIGNS):
        return text
    traces = _TRACES.findall(text)
    if len(traces) < _MIN_TRACES or len(set(traces)) < _MIN_TRACE_KINDS:
        return text
    return "\n".join(_join_line(line) for line in text.split("\n"))


def _join_line(line: str) -> str:
    if not _TRACES.search(line):
        return line
    joined = read = 0
    pieces: list[str] = []
    end = 0
    for clause in _CLAUSE.finditer(line):
        characters = _read_clause(clause[0])
        joined += sum(len(written) > 1 for written, _ in characters)
        read += len(characters)
        pieces += [line[end : clause.start()], *(pad_with_ignored(meant, written) for written, meant in characters)]
        end = clause.end()
    if joined < max(_MIN_JOINED, _MIN_JOINED_SHARE * read):
        return line
    return "".join([*pieces, line[end:]])


def _read_clause(clause: str) -> list[tuple[str, str]]:
    """Return each character with its written form, in the reading with the fewest bits (Viterbi 1967)."""
    table = split_table()
    whole = whole_forms(clause)
    costs = [0.0] + [float("inf")] * len(clause)
    ways: list[tuple[int, str]] = [(0, "")] * (len(clause) + 1)  # by end: start of the last character, and it
    for begin in range(len(clause)):
        alone = costs[begin] + table.costs.get(clause[begin], _RARE_COST_BITS)
        if alone < costs[begin + 1]:
            costs[begin + 1], ways[begin + 1] = alone, (begin, clause[begin])
        for end in range(begin + 2, min(len(clause), begin + table.longest) + 1):
            character = table.characters.get(whole[begin:end])
            if character is None:
                continue
            cost = costs[begin] + table.costs.get(character, _RARE_COST_BITS) + _MIN_SAVED_BITS
            if cost < costs[end]:
                costs[end], ways[end] = cost, (begin, character)
    joined: list[tuple[str, str]] = []
    end = len(clause)
    while end > 0:
        begin, character = ways[end]
        joined.append((clause[begin:end], character))
        end = begin
    return joined[::-1]


LOOK_ALIKE_FILE = "look_alikes.npz"
PLANE_BITS = 16  # bits of a code point in the table: such texts do not use rarer characters


@cache
def look_alike_pairs() -> NDArray[np.uint32]:
    """Return u32[n], ascending: the lower code point of each pair << 16, and the higher one."""
    with (
        resources.files("fingerprinter").joinpath("tables", LOOK_ALIKE_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        pairs = np.cumsum(stored["steps"], dtype=np.uint32)
        pairs.flags.writeable = False
        return pairs


_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_PLANE = (1 << PLANE_BITS) - 1
_MARK_BITS = 20  # bits of a hash: one in sixteen has a pair
_MARK_SHIFT = np.uint64(64 - _MARK_BITS)


@cache
def look_alike_marks() -> NDArray[np.uint8]:
    """Return a bit for each hash that tells whether any pair may have it: u8[2**17]."""
    marks = np.zeros(1 << _MARK_BITS, np.bool_)
    marks[(look_alike_pairs().astype(np.uint64) * _HASH_FACTOR) >> _MARK_SHIFT] = True
    packed = np.packbits(marks, bitorder="little")
    packed.flags.writeable = False
    return packed


_BUCKETS = 64  # of code points, by their last bits


@cache
def look_alike_buckets() -> NDArray[np.uint64]:
    """Return a bit for each bucket in which a character has a look-alike: u64[2**16], by its code point."""
    pairs = look_alike_pairs()
    buckets = np.zeros(1 << PLANE_BITS, np.uint64)
    for mine, theirs in ((pairs >> PLANE_BITS, pairs & _PLANE), (pairs & _PLANE, pairs >> PLANE_BITS)):
        np.bitwise_or.at(buckets, mine, np.uint64(1) << (theirs % _BUCKETS).astype(np.uint64))
    buckets.flags.writeable = False
    return buckets


@compiled("u8[::1](Array(u4, 1, 'C', readonly=True), Array(u8, 1, 'C', readonly=True))")
def gather_buckets(points, buckets):  # type: ignore[no-untyped-def]  # compiled
    """Return the buckets of `look_alike_buckets` for each code point."""
    gathered = np.zeros(len(points), np.uint64)
    for place in range(len(points)):
        if points[place] < len(buckets):
            gathered[place] = buckets[points[place]]
    return gathered


@compiled("b1(u8, u4)")
def may_have_pair(buckets, theirs):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether a character with look-alikes in these buckets may have this one."""
    return (buckets >> np.uint64(theirs % _BUCKETS)) & np.uint64(1) != 0


def is_look_alike(mine: int, theirs: int) -> bool:
    """Tell whether two code points are a pair of the table."""
    return bool(has_pair(mine, theirs, look_alike_pairs(), look_alike_marks()))


@compiled("b1(u4, u4, Array(u4, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True))")
def has_pair(mine, theirs, pairs, marks):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether two code points are among these pairs. The marks refuse nearly all others at once."""
    if mine >= 1 << PLANE_BITS or theirs >= 1 << PLANE_BITS or mine == theirs:
        return False
    key = (min(mine, theirs) << PLANE_BITS) | max(mine, theirs)
    mark = (np.uint64(key) * _HASH_FACTOR) >> _MARK_SHIFT
    if not (marks[mark >> np.uint64(3)] >> (mark & np.uint64(7))) & np.uint64(1):
        return False
    place = np.searchsorted(pairs, np.uint32(key))
    return place < len(pairs) and pairs[place] == key
