"""Segment text into words exactly as jieba does, in compiled code.

The most probable path through the words of jieba's dictionary (a unigram model); runs of single characters that this
leaves are cut by its hidden Markov model with the states B, M, E, S (Viterbi 1967). Both are jieba's own tables, read
where jieba is installed. All sums are made in jieba's order, so that ties fall as they do there.
"""

from functools import cache
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.hashing import absorb_value, finalize_hash
from fingerprinter.words.dictionaries import UserWord

_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FD5  # of the characters that jieba takes for Han
_LOG_ZERO = -3.14e100  # jieba's logarithm of zero
_PREFIX_MARK = 1.0  # in place of a logarithm: longer words begin so, but this is none
_STATES = "BMES"
_SEED = 0x6A69656261
_PLACE_MASK = np.uint64(0xFFFF)  # the bits of an entry that hold the place of its logarithm


class JiebaModel(NamedTuple):
    """keys: a hash table (open addressing, 0 is empty); an entry holds 48 bits of the hash of a word or prefix and 16
    of its place in logs: the logarithms of shares of all words. single: that of a word unknown there. start:
    f8[4], change: f8[4, 4] (from, to), emit: f8[4, Han]: logarithms of the Markov model.
    """

    keys: NDArray[np.uint64]
    logs: NDArray[np.float64]
    single: float
    start: NDArray[np.float64]
    change: NDArray[np.float64]
    emit: NDArray[np.float64]


@cache
def jieba_model(user: tuple[UserWord, ...] = ()) -> JiebaModel:
    """Jieba's Markov model, and its general dictionary with these words."""
    import logging

    import jieba
    from jieba import finalseg

    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    for word in user:
        tokenizer.add_word(*word)
    whole = log(tokenizer.total)
    place = {count: number for number, count in enumerate(sorted(set(tokenizer.FREQ.values())))}
    logs = np.array([log(count) - whole if count else _PREFIX_MARK for count in place])
    lengths = np.fromiter(map(len, tokenizer.FREQ), np.int64, len(tokenizer.FREQ))
    places = np.fromiter((place[count] for count in tokenizer.FREQ.values()), np.uint16, len(lengths))
    keys = _hash_words(character_codes("".join(tokenizer.FREQ)), lengths, places)
    emit = np.full((4, _LAST_HAN - _FIRST_HAN + 1), _LOG_ZERO)
    change = np.full((4, 4), _LOG_ZERO)
    for row, state in enumerate(_STATES):
        for char, value in finalseg.emit_P[state].items():
            if _FIRST_HAN <= ord(char) <= _LAST_HAN:
                emit[row, ord(char) - _FIRST_HAN] = value
        for to, value in finalseg.trans_P[state].items():
            change[row, _STATES.index(to)] = value
    start = np.array([finalseg.start_P[state] for state in _STATES])
    return JiebaModel(keys, logs, log(1) - whole, start, change, emit)


def character_codes(text: str) -> NDArray[np.uint32]:
    """u32[n]: the characters of a text, for any str."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)


@cache
def word_code_table() -> NDArray[np.bool_]:
    """bool[code point]: whether what begins with it is a word or a number, not punctuation or white space."""
    return np.char.isalnum(np.arange(0x110000, dtype="<u4").view("<U1"))


def segment_words(text: str, user: tuple[UserWord, ...] = ()) -> list[str]:
    """The words and numbers of a text in their order; punctuation and white space are left out. user: words that jieba
    does not know.
    """
    codes = character_codes(text)
    begins, ends = _cut_codes(codes, *jieba_model(user))
    told = word_code_table()[codes[begins]]
    return [text[begin:end] for begin, end in zip(begins[told].tolist(), ends[told].tolist(), strict=True)]


class WordSpans(NamedTuple):
    """Where words begin and end, i64[n] each, and f8[n] the logarithm of each one's share of all words; 0: unknown."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    logs: NDArray[np.float64]


def word_spans(codes: NDArray[np.uint32]) -> WordSpans:
    """The words of a text, and every other character by itself. codes: its code points."""
    model = jieba_model()
    begins, ends = _cut_codes(codes, *model)
    return WordSpans(begins, ends, _word_logs(codes, begins, ends, model.keys, model.logs))


@compiled("u8(u8, u4)")
def _extend_hash(state, code):  # type: ignore[no-untyped-def]  # compiled
    """The hash of a word with one more character."""
    return absorb_value(state, np.uint64(code))


@compiled("u8[::1](u4[::1], i8[::1], u2[::1])")
def _hash_words(codes, lengths, places):  # type: ignore[no-untyped-def]  # compiled
    size = 1
    while size < 2 * len(lengths):
        size *= 2
    keys = np.zeros(size, np.uint64)
    begin = 0
    for number in range(len(lengths)):
        state = np.uint64(_SEED)
        for place in range(begin, begin + lengths[number]):
            state = _extend_hash(state, codes[place])
        begin += lengths[number]
        slot = finalize_hash(state) & np.uint64(size - 1)
        while keys[slot]:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        keys[slot] = state & ~_PLACE_MASK | np.uint64(places[number])
    return keys


@compiled("f8(u8, u8[::1], f8[::1])")
def _look_up_log(state, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    """The logarithm of a word, `_PREFIX_MARK`, or 0 where no word begins so."""
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
def _is_digit(code):  # type: ignore[no-untyped-def]  # compiled
    return 48 <= code <= 57


@compiled("b1(u4)")
def _is_latin(code):  # type: ignore[no-untyped-def]  # compiled
    return _is_digit(code) or 65 <= code <= 90 or 97 <= code <= 122


@compiled("b1(u4)")
def _is_block_code(code):  # type: ignore[no-untyped-def]  # compiled
    """Whether jieba looks for words here: Han, Latin letters, digits and + # & . _ % -"""
    return _is_han(code) or _is_latin(code) or code in (43, 35, 38, 46, 95, 37, 45)


@compiled("i8(u4[::1], i8, i8, i8[:, ::1], i8, f8[::1], f8[:, ::1], f8[:, ::1])")
def _cut_by_states(codes, begin, end, out, count, start, change, emit):  # type: ignore[no-untyped-def]  # compiled
    """Cut a run of Han by the Markov model; states B 0, M 1, E 2, S 3. Each follows one of two."""
    n = end - begin
    worth = np.empty((n, 4))
    back = np.zeros((n, 4), np.int8)
    before = ((2, 3), (0, 1), (0, 1), (2, 3))  # of equally probable ones the second wins, as by their letters
    for state in range(4):
        worth[0, state] = start[state] + emit[state, codes[begin] - _FIRST_HAN]
    for t in range(1, n):
        for state in range(4):
            told = emit[state, codes[begin + t] - _FIRST_HAN]
            one, other = before[state]
            first = worth[t - 1, one] + change[one, state] + told
            second = worth[t - 1, other] + change[other, state] + told
            if first > second:
                worth[t, state], back[t, state] = first, one
            else:
                worth[t, state], back[t, state] = second, other
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
    """Cut a run of single characters: Han by the model; Latin and digits with their decimals and % as one; the rest."""
    at = begin
    while at < end:
        to = at
        if _is_han(codes[at]):
            while to < end and _is_han(codes[to]):
                to += 1
            count = _cut_by_states(codes, at, to, out, count, start, change, emit)
            at = to
            continue
        if _is_latin(codes[at]):
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
        out[count, 0], out[count, 1] = at, to
        count += 1
        at = to
    return count


@compiled("void(u4[::1], i8, i8, f8[::1], i8[::1], u8[::1], f8[::1], f8)")
def _find_best_path(codes, begin, end, worth, words_end, keys, logs, single):  # type: ignore[no-untyped-def]  # compiled
    """For each place of a block the end of the word that begins there on the most probable path to the block's end."""
    worth[end] = 0.0
    for at in range(end - 1, begin - 1, -1):
        best, best_end = 0.0, 0
        state = np.uint64(_SEED)
        for to in range(at + 1, end + 1):
            state = _extend_hash(state, codes[to - 1])
            known = _look_up_log(state, keys, logs)
            if known == 0.0:
                break
            if known != _PREFIX_MARK and (best_end == 0 or known + worth[to] >= best):
                best, best_end = known + worth[to], to
        if best_end == 0:
            best, best_end = single + worth[at + 1], at + 1
        worth[at], words_end[at] = best, best_end


@compiled("b1(u4[::1], i8, i8, u8[::1], f8[::1])")
def _is_word(codes, begin, end, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    state = np.uint64(_SEED)
    for at in range(begin, end):
        state = _extend_hash(state, codes[at])
    return _look_up_log(state, keys, logs) < 0.0


@compiled("UniTuple(i8[:], 2)(u4[::1], u8[::1], f8[::1], f8, f8[::1], f8[:, ::1], f8[:, ::1])")
def _cut_codes(codes, keys, logs, single, start, change, emit):  # type: ignore[no-untyped-def]  # compiled
    """Where each word, or other character, begins and ends."""
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
        at = begin
        while at < end:
            # A run of single characters, and the word behind it.
            to = at
            while to < end and words_end[to] == to + 1:
                to += 1
            if to - at > 1 and not _is_word(codes, at, to, keys, logs):
                count = _cut_unknown(codes, at, to, out, count, start, change, emit)
            else:
                for single_one in range(at, to):
                    out[count, 0], out[count, 1] = single_one, single_one + 1
                    count += 1
            if to < end:
                out[count, 0], out[count, 1] = to, words_end[to]
                count += 1
                to = words_end[to]
            at = to
        begin = end
    return out[:count, 0], out[:count, 1]


@compiled("f8[::1](u4[::1], i8[:], i8[:], u8[::1], f8[::1])")
def _word_logs(codes, begins, ends, keys, logs):  # type: ignore[no-untyped-def]  # compiled
    found = np.zeros(len(begins), np.float64)
    for number in range(len(begins)):
        state = np.uint64(_SEED)
        for at in range(begins[number], ends[number]):
            state = _extend_hash(state, codes[at])
        up_log = _look_up_log(state, keys, logs)
        found[number] = up_log if up_log != _PREFIX_MARK else 0.0
    return found
