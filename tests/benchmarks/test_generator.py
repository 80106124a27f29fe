"""Generated works: the same for the same seed, as long as asked, with the words and shared blocks of real libraries."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generator.language import CLAUSE_END, WORD_KINDS, load_vocabulary, transition_chances
from benchmarks.generator.writer import Habits, Writer, read_blocks
from fingerprinter.alphabet import INITIALS
from fingerprinter.features.index_features import load_reference
from fingerprinter.initials.polyphones_and_variants import word_frequencies
from fingerprinter.initials.to_initials import to_initials

MANY = 600


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [work.text for work in Writer().works(MANY)]


@given(first=st.integers(0, 2_000_000), count=st.integers(1, 4), seed=st.integers(0, 2**31))
def test_a_work_depends_on_its_number_and_the_seed_alone(first: int, count: int, seed: int) -> None:
    together = list(Writer(seed).works(count, first))
    alone = [next(Writer(seed).works(1, work.number)) for work in together]
    assert together == alone
    assert [work.number for work in together] == list(range(first, first + count))


def test_other_seeds_and_other_numbers_give_other_works() -> None:
    works = {work.text for seed in (1, 2) for work in Writer(seed).works(50)}
    assert len(works) == 100


def test_works_have_the_asked_length_and_more(texts: list[str]) -> None:
    lengths = [len(text) for text in texts]
    assert min(lengths) >= 1000
    assert 1100 < np.median(lengths) < 1500
    assert max(len(work.text) for work in Writer(length=200).works(50)) < 1200


def test_works_are_clean_text(texts: list[str]) -> None:
    for text in texts:
        text.encode("utf-8")
        assert "\0" not in text
        assert all(character == "\n" or character.isprintable() for character in text)


@pytest.mark.parametrize("kind", WORD_KINDS)
def test_words_of_a_kind_are_drawn_as_often_as_the_dictionary_counts_them(kind: str) -> None:
    words = load_vocabulary()
    begin, end = words.first[WORD_KINDS.index(kind)], words.first[WORD_KINDS.index(kind) + 1]
    keep, other = words.keep[begin:end].astype(float), words.other[begin:end] - begin
    chance = (keep + np.bincount(other, weights=1 - keep, minlength=end - begin)) / (end - begin)
    points, starts = words.words
    spelled = [points[starts[at] : starts[at + 1]].tobytes().decode("utf-32-le") for at in range(begin, end)]
    frequencies = word_frequencies()
    counts = np.array([max(1, frequencies[word]) for word in spelled])
    assert chance == pytest.approx(counts / counts.sum(), rel=1e-3, abs=1e-7)


def test_frequent_words_are_frequent_in_the_text(texts: list[str]) -> None:
    text = "".join(texts)
    assert text.count("中国") > 5 * text.count("渔民")
    assert text.count("了") > 5 * text.count("吗")


def test_letters_are_as_frequent_as_in_the_reference(texts: list[str]) -> None:
    codes = np.concatenate([to_initials(text).codes for text in texts])
    shares = np.bincount(codes, minlength=len(INITIALS))[: len(INITIALS)] / np.count_nonzero(codes <= len(INITIALS))
    assert np.abs(shares - load_reference().shares).max() < 0.02


def test_an_idiom_stands_in_most_works(texts: list[str]) -> None:
    idiom = WORD_KINDS.index("i")
    words = load_vocabulary()
    points, starts = words.words
    idioms = {
        points[starts[at] : starts[at + 1]].tobytes().decode("utf-32-le")
        for at in range(words.first[idiom], words.first[idiom + 1])
    }
    having = sum(any(text[at : at + 4] in idioms for at in range(len(text))) for text in texts[:50])
    assert having > 40


@pytest.mark.parametrize(("name", "least", "most"), [("licences.txt", 0.25, 0.45), ("adverts.txt", 0.1, 0.5)])
def test_licences_and_adverts_are_shared_by_many_works(texts: list[str], name: str, least: float, most: float) -> None:
    shared = Counter({block: sum(block in text for text in texts) for block in read_blocks(name)})
    assert least < sum(any(block in text for block in shared) for text in texts) / len(texts) < most
    assert shared.most_common(1)[0][1] > len(texts) * 0.03
    assert all(count >= 2 for count in shared.values())


def test_quotations_are_shared_by_some_works(texts: list[str]) -> None:
    quoted = Counter(part.partition("”")[0] for text in texts for part in text.split("：“")[1:])
    assert len(quoted) > 20
    assert quoted.most_common(1)[0][1] >= 2


def test_habits_turn_sharing_off() -> None:
    plain = Habits(phrase=0.0, quotation=0.0, advert=0.0, licence=0.0)  # of ints it would all be compiled anew
    shared = [*read_blocks("licences.txt"), *read_blocks("adverts.txt")]
    for work in Writer(habits=plain).works(100):
        assert "：“" not in work.text
        assert not any(block in work.text for block in shared)


def test_the_grammar_is_a_chain_of_chances_that_ends() -> None:
    table = transition_chances()
    assert table.shape == (len(WORD_KINDS) + 2, len(WORD_KINDS) + 1)
    assert (np.diff(table, axis=1) >= 0).all()
    assert (table[:, -1] == 1).all()
    # From every kind the end can be reached: its chance after many steps is one.
    steps = np.diff(np.concatenate((np.zeros((len(table), 1)), table), axis=1), axis=1)[: CLAUSE_END + 1]
    assert np.linalg.matrix_power(steps, 200)[:, CLAUSE_END] == pytest.approx(1)
