"""Every scheme's published worked example."""

import numpy as np
import pytest

from fingerprinter.schemes.indexes import InvertedIndex
from fingerprinter.schemes.jaccard import CharacterShingles, band_keys, character_shingles, min_hashes, word_shingles
from fingerprinter.schemes.scheme import SchemeFingerprint
from fingerprinter.schemes.substrings import SifAll, longest_sentences, rolling_hashes, split_sentences
from fingerprinter.schemes.vector_space import bit_votes, simhash_value, weight_levels
from fingerprinter.words.text import cut_words
from tests.support.oracles import cosine_similarity


def test_simhash_of_two_words_with_weights_4_and_5() -> None:
    """Weights 4 and 5 with the hashes 100101 and 101011 give 101011."""
    assert simhash_value([0b100101, 0b101011], [4, 5], 6) == 0b101011


def test_simhash_of_eight_bits_sums_the_votes_before_it_takes_their_signs() -> None:
    """12306(5) and 服务器(4) sum to 1 -1 -1 9 1 9 -9 -1."""
    hashes = [0b10011100, 0b01110101]
    assert bit_votes(hashes, [5, 4], 8).tolist() == [1, -1, -1, 9, 1, 9, -9, -1]
    assert simhash_value(hashes, [5, 4], 8) == 0b10011100


def test_weights_fall_into_five_levels_of_the_greatest() -> None:
    assert weight_levels([1.0, 0.81, 0.8, 0.41, 0.2, 0.001]) == [5, 5, 4, 3, 1, 1]
    weights = np.random.default_rng(7).random(2_000)  # of which some, times five and divided by itself, come to more
    assert {level for one in weights.tolist() for level in weight_levels([one])} == {5}


def test_cosine_of_the_television_and_the_cinema() -> None:
    """我喜欢看电视，不喜欢看电影。 and 我不喜欢看电视，也不喜欢看电影。: 13 / (√12 · √16) = 93.8 %."""
    one = {"我": 1.0, "喜欢": 2.0, "看": 2.0, "电视": 1.0, "电影": 1.0, "不": 1.0}
    other = {"我": 1.0, "喜欢": 2.0, "看": 2.0, "电视": 1.0, "电影": 1.0, "不": 2.0, "也": 1.0}
    assert round(cosine_similarity(one, other), 3) == 0.938


def test_a_rose_is_a_rose_is_a_rose_has_three_shingles_of_four_words() -> None:
    """Broder 1997."""
    assert len(word_shingles(cut_words("a rose is a rose is a rose"), 4)) == 3


def test_abcdabd_has_five_shingles_of_two_characters() -> None:
    """Leskovec, Rajaraman, Ullman, example 3.3: ab, bc, cd, da, bd."""
    pieces = [character_shingles(piece, 2).item() for piece in ("ab", "bc", "cd", "da", "bd")]
    assert set(character_shingles("abcdabd", 2).tolist()) == set(pieces)


def test_jaccard_of_three_elements_in_common_among_eight() -> None:
    """Leskovec, Rajaraman, Ullman, example 3.1: 3 / 8."""
    scheme = CharacterShingles()

    def of(*keys: int) -> SchemeFingerprint:
        parts = (scheme.name, scheme.version, scheme.parameters, len(keys))
        return SchemeFingerprint(*parts, np.array(keys, np.uint64))

    assert scheme.similarity(of(1, 2, 3, 4, 5), of(3, 4, 5, 6, 7, 8)) == 3 / 8


def test_minhash_signatures_of_four_sets_under_two_hash_functions() -> None:
    """Leskovec, Rajaraman, Ullman, example 3.8: x + 1 mod 5 and 3x + 1 mod 5 over the rows of each set."""
    sets = [[0, 3], [2], [1, 3, 4], [0, 2, 3]]
    identity = np.array([1], np.uint32), np.array([0], np.uint32)

    def least(rows: list[int], factor: int) -> int:
        return int(min_hashes(np.array([(factor * row + 1) % 5 for row in rows], np.uint32), *identity)[0])

    assert [[least(rows, 1), least(rows, 3)] for rows in sets] == [[1, 0], [3, 2], [0, 0], [1, 0]]


def test_signatures_fall_into_one_bucket_where_all_rows_of_a_band_agree() -> None:
    one, other = np.array([1, 3, 0, 2, 1, 5], np.uint32), np.array([1, 3, 9, 2, 1, 5], np.uint32)
    shared = [a == b for a, b in zip(band_keys(one, 3), band_keys(other, 3), strict=True)]
    assert shared == [True, False, True]


def test_sif_hashes_a_substring_as_a_polynomial_and_rolls_on() -> None:
    """Manber 1993: F1 = t1 p^49 + … + t50, F2 = p F1 + t51 - t1 p^50, all mod 2^30."""
    content = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。".encode()
    p, modulus = 1_000_003, 2**30
    straight = [
        sum(byte * pow(p, 49 - place, modulus) for place, byte in enumerate(content[at : at + 50])) % modulus
        for at in range(len(content) - 49)
    ]
    assert rolling_hashes(np.frombuffer(content, np.uint8).copy()).tolist() == straight


def test_an_estimate_of_sif_may_pass_one_hundred_percent() -> None:
    """Where a text keeps more of its substrings than chance would."""
    scheme = SifAll()
    keys = np.arange(10, dtype=np.uint32)
    made = SchemeFingerprint(scheme.name, scheme.version, scheme.parameters, 1_000, keys)
    assert scheme.similarity(made, made) == pytest.approx(10 * (255 + 50) / 1_000)


def test_inverted_index_of_three_documents() -> None:
    """1 → [a, b, c, d], 2 → [b, e, f], 3 → [a, c, g] gives a → [1, 3], b → [1, 2] and so on."""
    scheme = CharacterShingles()
    index = InvertedIndex(scheme)
    for number, held in {1: "abcd", 2: "bef", 3: "acg"}.items():
        keys = np.array([ord(char) for char in held], np.uint64)
        index.add(number, SchemeFingerprint(scheme.name, scheme.version, scheme.parameters, len(held), keys))
    found = {char: index.documents(ord(char)) for char in "abcdefgh"}
    assert found == {"a": [1, 3], "b": [1, 2], "c": [1, 3], "d": [1], "e": [2], "f": [2], "g": [3], "h": []}


def test_sentences_end_at_full_stops_and_line_ends() -> None:
    text = "他来了。她走了吗？\n走了！\n没有人，说话"
    assert split_sentences(text) == ["他来了", "她走了吗", "走了", "没有人说话"]
    assert longest_sentences(text, 2) == ["没有人说话", "她走了吗"]
