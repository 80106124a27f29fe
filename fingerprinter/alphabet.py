"""Define the alphabet of pinyin initials, Latin letters and digits, and the table from code points to its codes."""

import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

REFERENCE_FILE = "reference.json"

LAST_ASCII = 0x7F


# The initials of a text, on which fingerprints, index and alignment work.
#
# The first twenty are the initials of Mandarin syllables. Their position here is their code.


# The twenty initials that a Mandarin syllable can start with; their place here is their code.
INITIALS = "bcdfghjklmnpqrstwxyz"
NO_INITIAL = 20  # a Han character whose syllable starts with a vowel (安 二 欧)
LATIN_A = 21  # 21..46: Latin letters a..z, a signal of their own
DIGIT_0 = 47  # 47..56: digits 0..9
LETTER_CODES = 57
CODE_BITS = 6  # bits of a code in packed grams


@dataclass(frozen=True, slots=True, eq=False)
class Initials:
    """The n initials of a normalized text, with their positions in the original.

    codes: u8[n], values below `LETTER_CODES`. starts, ends: u32[n], the code points of the original behind each
    initial, ends exclusive. A written syllable spans several, and the letters of a ligature share one. length: code
    points of the original. in_order: whether the original stands in reading order. Otherwise starts and ends descend in
    reversed text, and leap in columns.
    """

    codes: NDArray[np.uint8]
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    length: int
    in_order: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Return the code points of the original that initials [begin, end) cover. begin < end."""
        if self.in_order:
            return int(self.starts[begin]), int(self.ends[end - 1])
        return int(self.starts[begin:end].min()), int(self.ends[begin:end].max())

    def part(self, begin: int, end: int) -> "Initials":
        """Return the initials [begin, end), with their positions in the whole text."""
        return Initials(self.codes[begin:end], self.starts[begin:end], self.ends[begin:end], self.length)

    def only(self, places: NDArray[np.int64]) -> "Initials":
        """Return the initials at these ascending positions, as if the text had no others."""
        return Initials(self.codes[places], self.starts[places], self.ends[places], self.length, self.in_order)


# How the bounds of initials are stored. Nearly always each initial is one character, in the order of the text.
_MARKED = 0  # a bit for each code point says whether an initial is behind it
_LISTED = 1  # the steps between the starts, and the widths: i32[2, n], compressed
_LISTED_OUT_OF_ORDER = 2


def pack_bounds(initials: Initials) -> bytes:
    """Pack the starts and ends of initials."""
    starts, ends = initials.starts.astype(np.int64), initials.ends.astype(np.int64)
    steps, widths = np.diff(starts, prepend=-1), ends - starts
    if initials.in_order and (steps > 0).all() and (widths == 1).all():
        marks = np.zeros(initials.length, np.bool_)
        marks[starts] = True
        return bytes([_MARKED]) + np.packbits(marks).tobytes()
    listed = zlib.compress(np.stack((steps, widths)).astype("<i4").tobytes(), 1)
    return bytes([_LISTED if initials.in_order else _LISTED_OUT_OF_ORDER]) + listed


def unpack_initials(codes: NDArray[np.uint8], bounds: bytes | memoryview, length: int) -> Initials:
    """Return initials by copies of their codes, and their packed bounds. length: code points of the original."""
    if bounds[0] == _MARKED:
        marks = np.unpackbits(np.frombuffer(bounds, np.uint8, offset=1), count=length)
        starts = np.flatnonzero(marks.view(np.bool_)).astype(np.uint32)
        return Initials(codes.copy(), starts, starts + np.uint32(1), length)
    steps, widths = np.frombuffer(zlib.decompress(bounds[1:]), "<i4").reshape(2, -1)
    starts = (np.cumsum(steps, dtype=np.int64) - 1).astype(np.uint32)
    return Initials(codes.copy(), starts, starts + widths.astype(np.uint32), length, bounds[0] == _LISTED)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text as read-only u32[n], lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


IGNORED_POINT = 0x200B  # the code point in place of ignored characters


def pad_with_ignored(meant: str, written: str) -> str:
    """Return the meant text, padded to the length of the written one."""
    return meant + chr(IGNORED_POINT) * (len(written) - len(meant))


CODE_POINTS = 0x110000
EXPANDS = 254  # stands for the letters in `CharacterTable.expansions`
NO_LETTER = 255  # punctuation, spaces, invisible and combining characters, pictures
CHARACTER_TABLE_FILE = "characters.npz"
SPLIT_TABLE_FILE = "splits.npz"


@dataclass(frozen=True, slots=True, eq=False)
class CharacterTable:
    """The table from code points to codes.

    codes: u8[0x110000], a code, `EXPANDS` or `NO_LETTER`. expansions: the codes of expanding characters. syllables:
    pinyin without tone marks. common: the characters that make up nine in ten of a text, in both scripts. origin: the
    sources of the readings, and the date of the build.
    """

    codes: NDArray[np.uint8]
    expansions: dict[int, bytes]
    syllables: tuple[str, ...]
    common: str
    origin: str


def code_of_initial(initial: str) -> int:
    """Return the code of a syllable's first letter. Vowels (a e o) share one code."""
    place = INITIALS.find(initial)
    return place if place >= 0 else NO_INITIAL


def code_of_ascii(character: str) -> int:
    """Return the code of a letter a..z or a digit."""
    if character.isdigit():
        return DIGIT_0 + int(character)
    return LATIN_A + ord(character) - ord("a")


@cache
def character_table() -> CharacterTable:
    """Load the table of this package once."""
    with (
        resources.files("fingerprinter").joinpath("tables", CHARACTER_TABLE_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        codes = stored["codes"]
        codes.flags.writeable = False
        points, offsets, letters = stored["points"].tolist(), stored["offsets"].tolist(), stored["letters"].tobytes()
        return CharacterTable(
            codes=codes,
            expansions={p: letters[offsets[i] : offsets[i + 1]] for i, p in enumerate(points)},
            syllables=tuple(str(stored["syllables"]).split()),
            common=str(stored["common"]),
            origin=str(stored["origin"]),
        )
