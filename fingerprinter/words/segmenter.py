"""Segment text into words exactly as jieba does, in compiled code, with words of the user.

A unigram model finds the most probable path through the words of jieba's dictionary. Remaining runs of single
characters are cut by its hidden Markov model with the states B, M, E, S (Viterbi 1967). Both use jieba's own tables
from the installed package. Sums are made in jieba's order, so that ties fall alike.
"""

from collections.abc import Sequence
from functools import cache
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.model import absorb_value, finalize_hash


class UserWord(NamedTuple):
    """A word of the user. frequency: occurrences in jieba's corpus, or None for just enough to be segmented."""

    word: str
    frequency: int | None = None
    tag: str | None = None  # part of speech


_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FD5  # jieba's range of Han characters
_LOG_ZERO = -3.14e100  # jieba's logarithm of zero
_PREFIX_MARK = 1.0  # in place of a logarithm: a prefix of words, but no word
_STATES = "BMES"
_SEED = 0x6A69656261
_SPACE, _LINE_FEED, _DIGIT_0 = 32, 10, 48  # code points
_PLACE_MASK = np.uint64(0xFFFF)  # bits of an entry with the index of its logarithm


class JiebaModel(NamedTuple):
    """The tables of jieba.

    keys: a hash table with open addressing, 0 if free. An entry holds 48 bits of the hash of a word or prefix, and 16
    of its index in `logs`. logs: logarithms of shares of all words. single: that of an unknown word. start: f8[4],
    change: f8[4, 4] (from, to), emit: f8[4, Han]: logarithms of the Markov model.
    """

    keys: NDArray[np.uint64]
    logs: NDArray[np.float64]
    single: float
    start: NDArray[np.float64]
    change: NDArray[np.float64]
    emit: NDArray[np.float64]


@cache
def jieba_model(user: tuple[UserWord, ...] = ()) -> JiebaModel:
    """Return jieba's Markov model, and its general dictionary with these words."""
    import jieba
    from jieba import finalseg

    if user:
        states, counts, total = _read_words_of_user(user)
    else:
        with jieba.get_dict_file() as lines:
            states, counts, total = _count_dictionary(character_codes(lines.read().decode()))
    whole = log(total)
    present = np.bincount(counts) > 0  # counts are below a million, so this is faster than a sort
    logs = np.array([log(count) - whole if count else _PREFIX_MARK for count in np.flatnonzero(present).tolist()])
    keys = _hash_words(states, (np.cumsum(present) - 1)[counts].astype(np.uint16))
    emit = np.full((4, _LAST_HAN - _FIRST_HAN + 1), _LOG_ZERO)
    change = np.full((4, 4), _LOG_ZERO)
    for row, state in enumerate(_STATES):
        chars = character_codes("".join(finalseg.emit_P[state])).astype(np.int64)
        values = np.fromiter(finalseg.emit_P[state].values(), np.float64, len(chars))
        is_han = (chars >= _FIRST_HAN) & (chars <= _LAST_HAN)
        emit[row, chars[is_han] - _FIRST_HAN] = values[is_han]
        for to, value in finalseg.trans_P[state].items():
            change[row, _STATES.index(to)] = value
    start = np.array([finalseg.start_P[state] for state in _STATES])
    return JiebaModel(keys, logs, log(1) - whole, start, change, emit)


def _read_words_of_user(user: Sequence[UserWord]) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Return the same as `_count_dictionary`, with the words of the user as jieba adds them."""
    import logging

    import jieba

    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    for word in user:
        tokenizer.add_word(*word)
    size = len(tokenizer.FREQ)
    states = _hash_strings(
        character_codes("".join(tokenizer.FREQ)), np.fromiter(map(len, tokenizer.FREQ), np.int64, size)
    )
    return states, np.fromiter(tokenizer.FREQ.values(), np.int64, size), tokenizer.total


def character_codes(text: str) -> NDArray[np.uint32]:
    """Return the characters of any string, u32[n]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)


@cache
def word_code_table() -> NDArray[np.bool_]:
    """Return whether a code point begins a word or a number, bool[code point]."""
    return np.char.isalnum(np.arange(0x110000, dtype="<u4").view("<U1"))


def segment_words(text: str, user: tuple[UserWord, ...] = ()) -> list[str]:
    """Return the words and numbers of a text in order, without punctuation and white space. user: words that jieba
    does not know.
    """
    codes = character_codes(text)
    begins, ends = _cut_codes(codes, *jieba_model(user))
    is_word = word_code_table()[codes[begins]]
    return [text[begin:end] for begin, end in zip(begins[is_word].tolist(), ends[is_word].tolist(), strict=True)]


class WordSpans(NamedTuple):
    """Begins and ends of words, i64[n] each, and the logarithms of their shares of all words, f8[n], 0 if unknown."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    logs: NDArray[np.float64]


def word_spans(codes: NDArray[np.uint32]) -> WordSpans:
    """Return the words of a text, and every other character by itself. codes: its code points."""
    model = jieba_model()
    begins, ends = _cut_codes(codes, *model)
    return WordSpans(begins, ends, _word_logs(codes, begins, ends, model.keys, model.logs))


@compiled("b1(u4)")
def _is_digit(code):  # type: ignore[no-untyped-def]  # compiled
    return 48 <= code <= 57


@compiled("u8(u8, u4)")
def _extend_hash(state, code):  # type: ignore[no-untyped-def]  # compiled
    """Return the hash of a word with one more character."""
    return absorb_value(state, np.uint64(code))


@compiled("u8[::1](u4[::1], i8[::1])")
def _hash_strings(codes, lengths):  # type: ignore[no-untyped-def]  # compiled
    states = np.empty(len(lengths), np.uint64)
    begin = 0
    for number in range(len(lengths)):
        state = np.uint64(_SEED)
        for place in range(begin, begin + lengths[number]):
            state = _extend_hash(state, codes[place])
        begin += lengths[number]
        states[number] = state
    return states


@compiled("Tuple((u8[::1], i8[::1], i8))(u4[::1])")
def _count_dictionary(codes):  # type: ignore[no-untyped-def]  # compiled
    """Read jieba's dictionary, which has a word, its count and its kind a line.

    Returns the hashes of words and of their prefixes, in the order in which jieba reads them, with their counts, 0 for
    a prefix that is no word, and the sum of the counts of all lines. Thus jieba's own tables need not be made, which
    takes a second in each process.
    """
    slots = np.zeros(1 << 16, np.int64)  # index of a hash plus 1
    states = np.empty(1 << 15, np.uint64)
    counts = np.empty(1 << 15, np.int64)
    known, total, begin = 0, 0, 0
    while begin < len(codes):
        end = begin
        while end < len(codes) and codes[end] != _SPACE:
            end += 1
        count = 0
        digit = end + 1
        while digit < len(codes) and _is_digit(codes[digit]):
            count = 10 * count + codes[digit] - _DIGIT_0
            digit += 1
        total += count
        if known + end - begin > len(states):
            states = np.concatenate((states, np.empty_like(states)))
            counts = np.concatenate((counts, np.empty_like(counts)))
            slots = _place_states(states[:known], 2 * len(states))
        # The word itself is read before its prefixes.
        state = np.uint64(_SEED)
        for place in range(begin, end):
            state = _extend_hash(state, codes[place])
        number = _find_state(state, slots, states)
        if number < 0:
            number, known = known, _add_state(state, slots, states, known)
        counts[number] = count
        state = np.uint64(_SEED)
        for place in range(begin, end):
            state = _extend_hash(state, codes[place])
            if _find_state(state, slots, states) < 0:
                counts[known] = 0
                known = _add_state(state, slots, states, known)
        while digit < len(codes) and codes[digit] != _LINE_FEED:
            digit += 1
        begin = digit + 1
    return states[:known].copy(), counts[:known].copy(), total


@compiled("i8(u8, i8[::1], u8[::1])")
def _find_state(state, slots, states):  # type: ignore[no-untyped-def]  # compiled
    """Return the index of a hash, or -1."""
    mask = np.uint64(len(slots) - 1)
    slot = finalize_hash(state) & mask
    while slots[slot]:
        if states[slots[slot] - 1] == state:
            return slots[slot] - 1
        slot = (slot + np.uint64(1)) & mask
    return -1


@compiled("i8(u8, i8[::1], u8[::1], i8)")
def _add_state(state, slots, states, known):  # type: ignore[no-untyped-def]  # compiled
    """Add a new hash behind the known ones. Return their number."""
    mask = np.uint64(len(slots) - 1)
    slot = finalize_hash(state) & mask
    while slots[slot]:
        slot = (slot + np.uint64(1)) & mask
    states[known] = state
    slots[slot] = known + 1
    return known + 1


@compiled("i8[::1](u8[::1], i8)")
def _place_states(states, size):  # type: ignore[no-untyped-def]  # compiled
    slots = np.zeros(size, np.int64)
    for number in range(len(states)):
        _add_state(states[number], slots, states, number)
    return slots


@compiled("u8[::1](u8[::1], u2[::1])")
def _hash_words(states, places):  # type: ignore[no-untyped-def]  # compiled
    """Return the keys of `JiebaModel`. places: u2[n], index of the logarithm of each hash."""
    size = 1
    while size < 2 * len(states):
        size *= 2
    keys = np.zeros(size, np.uint64)
    for number in range(len(states)):
        slot = finalize_hash(states[number]) & np.uint64(size - 1)
        while keys[slot]:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        keys[slot] = states[number] & ~_PLACE_MASK | np.uint64(places[number])
    return keys


@compiled("f8(u8, u8[::1], f8[::1])")
def _look_up_log(state, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    """Return the logarithm of a word, `_PREFIX_MARK` for a prefix, or 0 for neither."""
    mask = np.uint64(len(keys) - 1)
    slot = finalize_hash(state) & mask
    while keys[slot]:
        if not (keys[slot] ^ state) & ~_PLACE_MASK:
            return logs[keys[slot] & _PLACE_MASK]
        slot = (slot + np.uint64(1)) & mask
    return 0.0


@compiled("b1(u4)")
def _is_han(code):  # type: ignore[no-untyped-def]  # compiled
    return _FIRST_HAN <= code <= _LAST_HAN


@compiled("b1(u4)")
def _is_latin(code):  # type: ignore[no-untyped-def]  # compiled
    return _is_digit(code) or 65 <= code <= 90 or 97 <= code <= 122


@compiled("b1(u4)")
def _is_block_code(code):  # type: ignore[no-untyped-def]  # compiled
    """Return whether jieba looks for words here: Han, Latin letters, digits and + # & . _ % -"""
    return _is_han(code) or _is_latin(code) or code in (43, 35, 38, 46, 95, 37, 45)


@compiled("i8(u4[::1], i8, i8, i8[:, ::1], i8, f8[::1], f8[:, ::1], f8[:, ::1])")
def _cut_by_states(codes, begin, end, out, count, start, change, emit):  # type: ignore[no-untyped-def]  # compiled
    """Cut a run of Han by the Markov model with states B 0, M 1, E 2, S 3. Each has two predecessors."""
    n = end - begin
    worth = np.empty((n, 4))
    back = np.zeros((n, 4), np.int8)
    before = ((2, 3), (0, 1), (0, 1), (2, 3))  # the second wins ties, as by their letters in jieba
    for state in range(4):
        worth[0, state] = start[state] + emit[state, codes[begin] - _FIRST_HAN]
    for t in range(1, n):
        for state in range(4):
            emission = emit[state, codes[begin + t] - _FIRST_HAN]
            first_from, second_from = before[state]
            first = worth[t - 1, first_from] + change[first_from, state] + emission
            second = worth[t - 1, second_from] + change[second_from, state] + emission
            if first > second:
                worth[t, state], back[t, state] = first, first_from
            else:
                worth[t, state], back[t, state] = second, second_from
    states = np.empty(n, np.int8)
    states[n - 1] = 2 if worth[n - 1, 2] > worth[n - 1, 3] else 3
    for t in range(n - 1, 0, -1):
        states[t - 1] = back[t, states[t]]
    first_open, following = 0, 0
    for t in range(n):
        if states[t] == 0:
            first_open = t
        elif states[t] == 2 or states[t] == 3:
            out[count, 0] = begin + (first_open if states[t] == 2 else t)
            out[count, 1] = begin + t + 1
            count += 1
            following = t + 1
    if following < n:
        out[count, 0], out[count, 1] = begin + following, end
        count += 1
    return count


@compiled("i8(u4[::1], i8, i8, i8[:, ::1], i8, f8[::1], f8[:, ::1], f8[:, ::1])")
def _cut_unknown(codes, begin, end, out, count, start, change, emit):  # type: ignore[no-untyped-def]  # compiled
    """Cut a run of single characters: Han by the model, Latin and digits with decimals and % as one, then the rest."""
    place = begin
    while place < end:
        to = place
        if _is_han(codes[place]):
            while to < end and _is_han(codes[to]):
                to += 1
            count = _cut_by_states(codes, place, to, out, count, start, change, emit)
            place = to
            continue
        if _is_latin(codes[place]):
            while to < end and _is_latin(codes[to]):
                to += 1
            if to + 1 < end and codes[to] == 46 and _is_digit(codes[to + 1]):
                to += 1
                while to < end and _is_digit(codes[to]):
                    to += 1
            if to < end and codes[to] == 37:
                to += 1
        else:
            while to < end and not _is_han(codes[to]) and not _is_latin(codes[to]):
                to += 1
        out[count, 0], out[count, 1] = place, to
        count += 1
        place = to
    return count


@compiled("void(u4[::1], i8, i8, f8[::1], i8[::1], u8[::1], f8[::1], f8)")
def _find_best_path(codes, begin, end, worth, words_end, keys, logs, single):  # type: ignore[no-untyped-def]  # compiled
    """Fill `words_end`: for each position the end of its word on the most probable path to the end of the block."""
    worth[end] = 0.0
    for place in range(end - 1, begin - 1, -1):
        best, best_end = 0.0, 0
        state = np.uint64(_SEED)
        for to in range(place + 1, end + 1):
            state = _extend_hash(state, codes[to - 1])
            known = _look_up_log(state, keys, logs)
            if known == 0.0:
                break
            if known != _PREFIX_MARK and (best_end == 0 or known + worth[to] >= best):
                best, best_end = known + worth[to], to
        if best_end == 0:
            best, best_end = single + worth[place + 1], place + 1
        worth[place], words_end[place] = best, best_end


@compiled("b1(u4[::1], i8, i8, u8[::1], f8[::1])")
def _is_word(codes, begin, end, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    state = np.uint64(_SEED)
    for place in range(begin, end):
        state = _extend_hash(state, codes[place])
    return _look_up_log(state, keys, logs) < 0.0


@compiled("UniTuple(i8[:], 2)(u4[::1], u8[::1], f8[::1], f8, f8[::1], f8[:, ::1], f8[:, ::1])")
def _cut_codes(codes, keys, logs, single, start, change, emit):  # type: ignore[no-untyped-def]  # compiled
    """Return the begins and ends of words and other characters."""
    out = np.empty((len(codes), 2), np.int64)
    worth = np.empty(len(codes) + 1, np.float64)
    words_end = np.empty(len(codes), np.int64)
    count, begin = 0, 0
    while begin < len(codes):
        end = begin
        while end < len(codes) and _is_block_code(codes[end]):
            end += 1
        if end == begin:
            out[count, 0], out[count, 1] = begin, begin + 1
            count += 1
            begin += 1
            continue
        _find_best_path(codes, begin, end, worth, words_end, keys, logs, single)
        place = begin
        while place < end:
            # A run of single characters, and the word after it.
            to = place
            while to < end and words_end[to] == to + 1:
                to += 1
            if to - place > 1 and not _is_word(codes, place, to, keys, logs):
                count = _cut_unknown(codes, place, to, out, count, start, change, emit)
            else:
                for character in range(place, to):
                    out[count, 0], out[count, 1] = character, character + 1
                    count += 1
            if to < end:
                out[count, 0], out[count, 1] = to, words_end[to]
                count += 1
                to = words_end[to]
            place = to
        begin = end
    return out[:count, 0], out[:count, 1]


@compiled("f8[::1](u4[::1], i8[:], i8[:], u8[::1], f8[::1])")
def _word_logs(codes, begins, ends, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    word_logs = np.zeros(len(begins), np.float64)
    for number in range(len(begins)):
        state = np.uint64(_SEED)
        for place in range(begins[number], ends[number]):
            state = _extend_hash(state, codes[place])
        up_log = _look_up_log(state, keys, logs)
        word_logs[number] = up_log if up_log != _PREFIX_MARK else 0.0
    return word_logs
