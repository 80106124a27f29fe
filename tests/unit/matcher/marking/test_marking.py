"""A marked copy reads as the original, and a text that stems from it names it and nobody else."""

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.tricks.catalogue import list_tricks
from fingerprinter.initials.to_initials import read_characters, to_initials
from matcher.marking.choices import MarkKind, load_choices
from matcher.marking.marks import (
    MarkedReference,
    MarkPlace,
    find_places,
    fold_characters,
    make_reference,
    read_marks,
    write_copy,
)
from matcher.marking.tracing import NO_READING, binomial_tail, make_codeword, needed_places, trace_copies
from matcher.model import MAX_FALSE_NAMING
from wenhen.demo.articles import load_works

TEXT = "\n".join(draft.text for draft in load_works().values())
PLACES = find_places(TEXT)
REFERENCE = make_reference(TEXT, PLACES)
SECRET = bytes(range(32))
COPIES = 1000
KEPT = (
    *("common_character_between", "zero_width_space_between", "comma_between", "advert_between_sentences"),
    *("traditional_characters", "variant_characters", "narrow_punctuation", "split_characters"),
    *("halves_exchanged", "padded_between_sentences", "reversed_whole", "subtitles", "html_tags_as_text"),
    *("decimal_references", "base64_of_runs", "utf8_read_as_latin"),
)


def copy_of(number: int) -> str:
    return write_copy(TEXT, PLACES, make_codeword(SECRET, str(number), len(PLACES)))


def named(suspect: str, reference: MarkedReference = REFERENCE, places: Sequence[MarkPlace] = PLACES) -> list[str]:
    readings = read_marks(read_characters(suspect), reference)
    words = ((str(number), make_codeword(SECRET, str(number), len(places))) for number in range(COPIES))
    return [copy.copy for copy in trace_copies(readings, words) if copy.is_named]


@pytest.mark.parametrize("number", [0, 17, 512])
def test_the_right_copy_of_a_thousand_is_named_from_two_thousand_characters_on(number: int) -> None:
    begin = random.Random(number).randrange(len(TEXT) - 2500)
    assert named(copy_of(number)[begin : begin + 2000]) == [str(number)]


@pytest.mark.parametrize("name", KEPT)
def test_disguises_that_keep_the_characters_keep_the_marks(name: str) -> None:
    trick = next(trick for trick in list_tricks() if trick.name == name)
    assert named(trick.apply(copy_of(7)[3000:6000], 1, random.Random(1))) == ["7"]


def test_excerpts_of_two_copies_name_both() -> None:
    mixed = copy_of(3)[:5000] + copy_of(4)[5000:10000]
    assert sorted(named(mixed)) == ["3", "4"]


def test_the_unmarked_text_and_other_texts_name_nobody() -> None:
    assert named(TEXT) == []
    assert named("".join(reversed(TEXT))[:3000]) == []
    assert named("春眠不觉晓，处处闻啼鸟。" * 200) == []
    assert named("") == []


def test_a_copy_differs_at_places_alone_and_has_as_many_characters_as_before() -> None:
    copy = copy_of(1)
    assert len(PLACES) > 300
    assert abs(len(copy) - len(TEXT)) < len(TEXT) / 50
    assert copy.count("\n") == TEXT.count("\n")
    done = shift = 0
    for place, second in zip(PLACES, make_codeword(SECRET, "1", len(PLACES)), strict=True):
        assert copy[done + shift : place.start + shift] == TEXT[done : place.start]
        done, shift = place.end, shift + len(place.readings[int(second)]) - (place.end - place.start)
    assert copy[done + shift :] == TEXT[done:]


def test_every_kind_can_be_left_out() -> None:
    assert {place.kind for place in PLACES} == set(MarkKind)
    for kind in MarkKind:
        assert {place.kind for place in find_places(TEXT, {kind})} == {kind}


@pytest.mark.parametrize(
    ("sentence", "changed"),
    [
        ("他的脸很突然地红了。", "突然"),
        ("如果下雨了的话就好，他就不会出门去钓鱼了。", "，他"),
        ("这个突然的消息让人吃惊。", "突然"),
    ],
)
def test_what_would_read_wrong_is_left_alone(sentence: str, changed: str) -> None:
    assert all(changed not in sentence[place.start : place.end + 1] for place in find_places(sentence))


def test_no_entry_of_the_table_stands_for_itself() -> None:
    words = load_choices().words
    assert len(words) > 300
    assert all(word != choice.other and len(word) < 6 and choice.other for word, choice in words.items())


@given(st.text(alphabet="他她说：“”，。如果但是突然没有里面之后山水走了\n a", max_size=200), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(text: str, seed: int) -> None:
    places = find_places(text)
    assert all(first.end <= second.start for first, second in pairwise(places))
    for place in places:
        assert text[place.start : place.end] in place.readings
        assert place.readings[0] != place.readings[1]
    original = np.array([text[p.start : p.end] == p.readings[1] for p in places], np.bool_)
    assert write_copy(text, places, original) == text
    code = np.random.default_rng(seed).integers(0, 2, len(places)).astype(np.bool_)
    readings = read_marks(write_copy(text, places, code), make_reference(text, places))
    assert len(readings) == len(places)


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_marks(read_characters(text), REFERENCE)
    fold_characters(text)
    assert len(to_initials(text).codes) >= 0


@given(st.integers(1, 200), st.integers(0, 200))
@settings(max_examples=80, deadline=None)
def test_the_tail_is_that_of_a_fair_coin(flips: int, heads: int) -> None:
    tail = binomial_tail(flips, heads)
    assert 0 <= tail <= 1
    assert tail >= binomial_tail(flips, heads + 1)
    if heads <= flips:
        rest = sum(binomial_tail(flips, k) - binomial_tail(flips, k + 1) for k in range(heads, flips + 1))
        assert rest == pytest.approx(tail, rel=1e-6)


def test_uninvolved_copies_are_named_no_more_often_than_stated() -> None:
    readings = np.random.default_rng(5).integers(0, 2, 60).astype(np.int8)
    words = [(str(n), make_codeword(SECRET, f"x{n}", 60)) for n in range(20_000)]
    traced = trace_copies(readings, words)
    assert not any(copy.is_named for copy in traced)
    share = sum(binomial_tail(60, copy.agreeing) <= 0.05 for copy in traced) / len(traced)
    assert 0.01 < share <= 0.056


def test_few_readings_name_nobody_however_well_they_agree() -> None:
    word = make_codeword(SECRET, "a", needed_places(1) - 1)
    assert not trace_copies(word.astype(np.int8), [("a", word)])[0].is_named
    word = make_codeword(SECRET, "a", needed_places(1))
    assert trace_copies(word.astype(np.int8), [("a", word)])[0].chance <= MAX_FALSE_NAMING
    assert trace_copies(np.full(5, NO_READING, np.int8), [("a", word[:5])])[0].chance == 1.0
