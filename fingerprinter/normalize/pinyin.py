"""Read pinyin that replaces or annotates characters, and remove stray letters between them."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, INITIALS, LATIN_A, NO_INITIAL, character_table
from fingerprinter.compiled import compiled

# Pinyin in place of characters (我们zhong国, 我们zhong1国), and stray letters and digits between characters.
#
# A run of Latin letters between two Han letters is read as pinyin if it splits into whole syllables. So are many
# syllables in succession anywhere. Spaces, punctuation, tone digits and invisible characters inside or around a run
# make no difference. So every copy of a sentence reads a word that happens to be pinyin (can, debian) the same way.
# Pinyin behind the very characters that it spells, as in brackets, carries no information. Nor do frequent single
# letters and digits between characters (我a们b在1).


MAX_RUN = 24  # letters and tone digits between two Han letters: four to eight syllables
MAX_WORD = 240  # letters of pinyin text without spaces
MIN_SYLLABLES = 8  # syllables in succession that exclude any other language ...
MIN_BROKEN_SYLLABLES = 16  # ... and where spaces and hyphens break syllables
TONE_COUNT = 5
STRAY_REACH = 12  # letters on either side ...
MIN_STRAYS = 4  # ... among which so many single ones between Han letters are no text,
MIN_STRAYS_THROUGHOUT = 7  # and so many leave no other text in ...
MAX_STRAY_RUN = 4  # ... up to so many together, as in place of punctuation
MAX_SYLLABLE = 6  # zhuang
_UNREACHABLE = 1_000
_ENDINGS = sum(1 << (ord(letter) - ord("a")) for letter in "aeiounrg")  # last letters of syllables, as bits

_Letters = tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]


def read_pinyin_runs(
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
) -> _Letters:
    """Replace each run of pinyin by one letter a syllable. Each letter spans its whole syllable."""
    read = (np.empty_like(codes), np.empty_like(starts), np.empty_like(ends))
    count = _replace_runs(codes, starts, ends, syllable_tree(), initial_codes(), *read)
    return (codes, starts, ends) if count < 0 else (read[0][:count], read[1][:count], read[2][:count])


@cache
def syllable_tree() -> NDArray[np.int16]:
    """Return the trie, i16[states, 27]: the next state by letter (0: none). Column 26 is 1 where a syllable ends."""
    rows = [[0] * 27]
    for syllable in character_table().syllables:
        state = 0
        for letter in syllable:
            column = ord(letter) - ord("a")
            if not rows[state][column]:
                rows.append([0] * 27)
                rows[state][column] = len(rows) - 1
            state = rows[state][column]
        rows[state][26] = 1
    return np.array(rows, np.int16)


@cache
def initial_codes() -> NDArray[np.uint8]:
    """Return u8[26]: the code of a syllable by its first letter."""
    places = (INITIALS.find(chr(ord("a") + n)) for n in range(26))
    return np.array([place if place >= 0 else NO_INITIAL for place in places], np.uint8)


@compiled("i8(u1[::1], i8, i8, i2[:,::1], i2[::1], i1[::1])")
def _cut_syllables(
    codes: NDArray[np.uint8],
    begin: int,
    end: int,
    tree: NDArray[np.int16],
    fewest: NDArray[np.int16],
    first: NDArray[np.int8],
) -> int:
    """Split [begin, end) into the fewest syllables, the earlier ones longest. Return their number, 0 if impossible.

    first[i] becomes the length of the syllable that starts at begin + i.
    """
    length = end - begin
    if not (_ENDINGS >> (codes[end - 1] - LATIN_A)) & 1:
        return 0
    fewest[length] = 0
    for place in range(length - 1, -1, -1):
        fewest[place] = _UNREACHABLE
        state = 0
        for step in range(min(MAX_SYLLABLE, length - place)):
            state = tree[state, codes[begin + place + step] - LATIN_A]
            if state == 0:
                break
            rest = fewest[place + step + 1]
            if tree[state, 26] and rest < _UNREACHABLE and rest + 1 <= fewest[place]:
                fewest[place] = rest + 1
                first[place] = step + 1
    return 0 if fewest[0] == _UNREACHABLE else fewest[0]


@compiled("b1(u1[::1], i8)")
def _stands_alone(codes: NDArray[np.uint8], place: int) -> bool:
    """Tell whether a single Latin letter or digit is between two Han letters."""
    return (
        0 < place < len(codes) - 1
        and codes[place] >= LATIN_A
        and codes[place - 1] < LATIN_A
        and codes[place + 1] < LATIN_A
    )


@compiled("i8(u1[::1])")
def count_single(codes: NDArray[np.uint8]) -> int:
    """Count the single Latin letters and digits between two Han letters. It runs at memory speed."""
    count = max(0, len(codes) - 2)
    before, current, behind = codes[:count], codes[1 : count + 1], codes[2:]
    singles = 0
    for place in range(count):
        singles += (current[place] >= LATIN_A) & (before[place] < LATIN_A) & (behind[place] < LATIN_A)
    return singles


@compiled("i8(u1[::1])")
def _count_before_latin(codes: NDArray[np.uint8]) -> int:
    """Count the Han letters before the first Latin letter or digit."""
    count = 0
    for code in codes:
        if code >= LATIN_A:
            break
        count += 1
    return count


@compiled("b1(u1[::1], i8, i8)")
def _is_stray(codes: NDArray[np.uint8], begin: int, end: int) -> bool:
    """Tell whether [begin, end) is one of many single letters, or a short run where nearly all runs are such."""
    singles = 0
    if begin > 0 and end < len(codes) and end - begin <= MAX_STRAY_RUN:
        for near in range(max(0, begin - STRAY_REACH), min(len(codes), end + STRAY_REACH)):
            singles += _stands_alone(codes, near)
    return singles >= (MIN_STRAYS if end - begin == 1 else MIN_STRAYS_THROUGHOUT)


@compiled("i8(u1[::1], u4[::1], u4[::1], i8)")
def _word_end(codes: NDArray[np.uint8], starts: NDArray[np.uint32], ends: NDArray[np.uint32], place: int) -> int:
    """Return the end of the Latin letters and digits that follow each other with nothing between."""
    end = place + 1
    while end < len(codes) and codes[end] >= LATIN_A and starts[end] <= ends[end - 1]:
        end += 1
    return end


@compiled("i8(u1[::1], i8, i8, u1[::1], i8[::1])")
def _strip_tones(
    codes: NDArray[np.uint8], begin: int, end: int, latin: NDArray[np.uint8], places: NDArray[np.int64]
) -> int:
    """Fill `latin` and `places` with the Latin letters of [begin, end). Return how many, 0 if a digit is no tone."""
    count = 0
    for place in range(begin, end):
        if codes[place] < DIGIT_0:
            latin[count] = codes[place]
            places[count] = place
            count += 1
        elif place == begin or codes[place - 1] >= DIGIT_0 or codes[place] > DIGIT_0 + TONE_COUNT:
            return 0
    return count


@compiled("i8(i8, i1[::1], i8[::1], i8[:,::1])")
def _fill_syllables(
    letters: int, first: NDArray[np.int8], places: NDArray[np.int64], spelled: NDArray[np.int64]
) -> int:
    """Fill `spelled` with the first and last position of each syllable. Return the number of syllables."""
    count = 0
    letter = 0
    while letter < letters:
        width = first[letter]
        spelled[count, 0] = places[letter]
        spelled[count, 1] = places[letter + width - 1]
        count += 1
        letter += width
    return count


@compiled("i8(u1[::1], i8, i8)")
def _count_latin(codes: NDArray[np.uint8], begin: int, end: int) -> int:
    """Count the Latin letters at the start of [begin, end)."""
    place = begin
    while place < end and codes[place] < DIGIT_0:
        place += 1
    return place - begin


@compiled("i8(u1[::1], i8, i8, i2[:,::1], i2[::1], i1[::1], i8[:,::1])")
def _cut_broken(
    codes: NDArray[np.uint8],
    begin: int,
    letters: int,
    tree: NDArray[np.int16],
    fewest: NDArray[np.int16],
    last: NDArray[np.int8],
    spelled: NDArray[np.int64],
) -> int:
    """Fill `spelled` with the syllables of the longest prefix that splits into syllables across spaces. Return their
    number.

    last[i] becomes the length of the syllable that ends before begin + i.
    """
    fewest[: letters + 1] = _UNREACHABLE
    fewest[0] = 0
    reached = 0
    for place in range(letters):
        if place > reached + MAX_SYLLABLE:
            break
        if fewest[place] == _UNREACHABLE:
            continue
        state = 0
        for step in range(min(MAX_SYLLABLE, letters - place)):
            state = tree[state, codes[begin + place + step] - LATIN_A]
            if state == 0:
                break
            behind = place + step + 1
            if tree[state, 26] and fewest[place] + 1 < fewest[behind]:
                fewest[behind] = fewest[place] + 1
                last[behind] = step + 1
                reached = max(reached, behind)
    count = int(fewest[reached])
    place = reached
    for syllable in range(count - 1, -1, -1):
        spelled[syllable, 0] = begin + place - last[place]
        spelled[syllable, 1] = begin + place - 1
        place -= last[place]
    return count


@compiled("b1(u1[::1], u4[::1], u4[::1], u1[::1], u4[::1], u4[::1])")
def _copy_all(
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    out_codes: NDArray[np.uint8],
    out_starts: NDArray[np.uint32],
    out_ends: NDArray[np.uint32],
) -> bool:
    """Copy the letters unchanged and return True."""
    for place in range(len(codes)):
        out_codes[place] = codes[place]
        out_starts[place] = starts[place]
        out_ends[place] = ends[place]
    return True


@compiled("i8(u1[::1], u4[::1], u4[::1], i2[:,::1], u1[::1], u1[::1], u4[::1], u4[::1])")
def _replace_runs(  # noqa: PLR0912, PLR0915  split into five it took 1.1 to 1.7 times as long
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    tree: NDArray[np.int16],
    initials: NDArray[np.uint8],
    out_codes: NDArray[np.uint8],
    out_starts: NDArray[np.uint32],
    out_ends: NDArray[np.uint32],
) -> int:
    """Copy the letters with pinyin replaced and strays dropped. Return the number written, -1 if nothing changes.

    Copying begins at the first change: most texts have Latin words, and few have pinyin.
    """
    fewest = np.empty(MAX_WORD + 1, np.int16)
    first = np.empty(MAX_WORD + 1, np.int8)
    latin = np.empty(MAX_WORD, np.uint8)
    places = np.empty(MAX_WORD, np.int64)
    spelled = np.empty((len(codes) + 1, 2), np.int64)
    count = len(codes)
    written = 0
    place = 0
    run_end = 0  # end of the run of Latin letters and digits that holds `place`
    changed = False
    while place < count:
        if not changed:
            place += _count_before_latin(codes[place:])
            written = place
        if place == count:
            break
        if codes[place] < LATIN_A:
            if changed:
                out_codes[written] = codes[place]
                out_starts[written] = starts[place]
                out_ends[written] = ends[place]
            written += 1
            place += 1
            continue
        if place >= run_end:
            run_end = place + 1
            while run_end < count and codes[run_end] >= LATIN_A:
                run_end += 1
        end = run_end
        if _is_stray(codes, place, end):
            changed = changed or _copy_all(codes, starts, ends, out_codes, out_starts, out_ends)
            place = end
            continue
        syllables = 0
        if place > 0 and codes[place - 1] < LATIN_A and end < count and end - place <= MAX_RUN:
            letters = _strip_tones(codes, place, end, latin, places)
            if letters and _cut_syllables(latin, 0, letters, tree, fewest, first) > 0:
                syllables = _fill_syllables(letters, first, places, spelled)
                apart = starts[place] > ends[place - 1] and starts[end] > ends[end - 1]
                if apart and syllables <= written:
                    same = True
                    before = out_codes if changed else codes
                    for syllable in range(syllables):
                        spoken = initials[codes[spelled[syllable, 0]] - LATIN_A]
                        same &= before[written - syllables + syllable] == spoken
                    if same:
                        changed = changed or _copy_all(codes, starts, ends, out_codes, out_starts, out_ends)
                        place = end
                        continue
        if not syllables:
            # Consecutive whole words of pinyin.
            end = place
            while end < run_end:
                word_end = min(_word_end(codes, starts, ends, end), run_end)
                letters = 0
                if word_end - end <= MAX_WORD:
                    letters = _strip_tones(codes, end, word_end, latin, places)
                if not letters or _cut_syllables(latin, 0, letters, tree, fewest, first) == 0:
                    break
                syllables += _fill_syllables(letters, first, places, spelled[syllables:])
                end = word_end
            if syllables < MIN_SYLLABLES:
                syllables, whole_end = 0, end
                letters = _count_latin(codes, place, min(run_end, place + MAX_WORD))
                if letters >= MIN_BROKEN_SYLLABLES:
                    syllables = _cut_broken(codes, place, letters, tree, fewest, first, spelled)
                if syllables >= MIN_BROKEN_SYLLABLES:
                    end = spelled[syllables - 1, 1] + 1
                else:
                    syllables = 0
                    end = max(whole_end, min(_word_end(codes, starts, ends, place), run_end))
        if syllables and not changed:
            changed = _copy_all(codes, starts, ends, out_codes, out_starts, out_ends)
        for syllable in range(syllables):
            begins, last = spelled[syllable]
            out_codes[written] = initials[codes[begins] - LATIN_A]
            out_starts[written] = starts[begins]
            out_ends[written] = ends[last]
            written += 1
        if not syllables:
            if changed:
                for copied in range(end - place):
                    out_codes[written + copied] = codes[place + copied]
                    out_starts[written + copied] = starts[place + copied]
                    out_ends[written + copied] = ends[place + copied]
            written += end - place
        place = end
    return written if changed else -1


# Pinyin behind each character without punctuation between (你nǐ 好hǎo), as above or below the lines of a primer.
#
# It adds nothing to the characters. In brackets, `read_pinyin_runs` handles each reading by itself.


_MIN_ANNOTATED = 6  # characters in succession with their reading behind them


def remove_annotations(codes: NDArray[np.uint8], starts: NDArray[np.uint32], ends: NDArray[np.uint32]) -> _Letters:
    """Drop the readings behind their characters. codes: u8[n]. starts, ends: u32[n], as in `Initials`."""
    if _count_annotated(codes, initial_codes()) < _MIN_ANNOTATED:
        return codes, starts, ends
    kept = _mark_characters(codes, initial_codes())
    return codes[kept], starts[kept], ends[kept]


@compiled("i8(u1[::1], u1[::1])")
def _count_annotated(codes, initials):  # type: ignore[no-untyped-def]  # compiled
    """Count the characters that may have their reading behind them."""
    count = 0
    for place in range(1, len(codes)):
        if LATIN_A <= codes[place] < DIGIT_0 and codes[place - 1] < LATIN_A:
            count += initials[codes[place] - LATIN_A] == codes[place - 1]
    return count


@compiled("b1[::1](u1[::1], u1[::1])")
def _mark_characters(codes, initials):  # type: ignore[no-untyped-def]  # compiled
    """Mark the letters that are not readings."""
    kept = np.ones(len(codes), np.bool_)
    first = read = place = 0  # start of the succession, and its number of readings
    while place < len(codes) - 1:
        end = place + 1
        while end < len(codes) and end - place <= MAX_SYLLABLE + 1 and codes[end] >= LATIN_A:
            end += 1
        letters = end - place - 1
        spelled = 0 < letters <= MAX_SYLLABLE and codes[place + 1] < DIGIT_0
        if codes[place] < LATIN_A and spelled and initials[codes[place + 1] - LATIN_A] == codes[place]:
            first = first if read else place
            read += 1
            if read >= _MIN_ANNOTATED:
                since = first if read == _MIN_ANNOTATED else place
                for offset in range(since, end):
                    kept[offset] = codes[offset] < LATIN_A
        else:
            read = 0
        place = end if codes[place] < LATIN_A and letters else place + 1
    return kept
