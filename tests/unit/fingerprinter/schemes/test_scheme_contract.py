"""What holds for every scheme."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprinter.schemes.registry import all_schemes
from fingerprinter.schemes.scheme import MemoryBuckets, PrefixedBuckets, Scheme, SchemeFingerprint
from fingerprinter.words.text import SchemeText
from tests.support.features.scheme_samples import edited, texts

NAMES = (
    *("checksum", "terms", "cosine", "random-projection", "random-hyperplanes", "simhash-64", "simhash-32"),
    *("longest-sentence", "nshash", "sif-anchors", "sif-all", "word-shingles", "character-shingles", "minhash"),
    *("frequency", "wenhen-1-features"),
)


@cache
def _schemes() -> dict[str, Scheme]:
    """Made when the first is asked for: the weights of words take long to read."""
    return {scheme.name: scheme for scheme in all_schemes()}


@pytest.fixture(scope="module", params=NAMES)
def scheme(request: pytest.FixtureRequest) -> Scheme:
    return _schemes()[request.param]


def _made(scheme: Scheme, text: str) -> SchemeFingerprint:
    made = scheme.fingerprint(SchemeText(text))
    assert made is not None
    return made


def test_names_are_different() -> None:
    assert tuple(scheme.name for scheme in all_schemes()) == NAMES


def test_every_work_is_found_as_a_copy_of_itself_and_first(scheme: Scheme) -> None:
    index = scheme.index(MemoryBuckets())
    made = [_made(scheme, text) for text in texts()]
    for number, fingerprint in enumerate(made, 7):
        index.add(number, fingerprint)
    assert len(index) == len(made)
    for number, fingerprint in enumerate(made, 7):
        answer = index.look_up(fingerprint)
        assert answer.matches[0].number == number
        assert answer.comparisons <= len(made)


def test_an_index_tells_the_similarity_that_the_scheme_tells(scheme: Scheme) -> None:
    index = scheme.index(MemoryBuckets())
    works = texts()
    made = [_made(scheme, text) for text in works]
    for number, fingerprint in enumerate(made):
        index.add(number, fingerprint)
    for text in works[:4]:
        query = _made(scheme, edited(text, 400))
        told = {match.number: match.score for match in index.look_up(query).matches}
        true = {number: scheme.similarity(query, other) for number, other in enumerate(made)}
        assert told == pytest.approx({n: s for n, s in true.items() if n in told}, abs=1e-5)
        if scheme.name != "minhash":  # whose bands find a similar text by chance, if a good one
            assert {n for n, s in true.items() if s >= scheme.threshold + 1e-5} <= set(told)


def test_similarity_is_symmetric_and_greatest_for_the_same_text(scheme: Scheme) -> None:
    one, other = (_made(scheme, text) for text in texts()[:2])
    assert scheme.similarity(one, other) == pytest.approx(scheme.similarity(other, one))
    assert scheme.similarity(one, one) >= max(scheme.threshold, scheme.similarity(one, other)) - 1e-6


def test_a_text_that_is_too_short_gets_no_answer(scheme: Scheme) -> None:
    text = texts()[0].replace("\n", "")
    assert scheme.fingerprint(SchemeText(text[: scheme.least - 1])) is None
    assert scheme.fingerprint(SchemeText("")) is None


def test_fingerprints_name_their_scheme_version_and_settings(scheme: Scheme) -> None:
    made = _made(scheme, texts()[0])
    assert (made.scheme, made.version, made.parameters) == (scheme.name, scheme.version, scheme.parameters)
    assert scheme.parameters
    assert made.nbytes > 0
    assert made.count >= 1


def test_fingerprints_of_other_settings_are_not_compared(scheme: Scheme) -> None:
    made = _made(scheme, texts()[0])
    other = SchemeFingerprint(made.scheme, made.version + 1, made.parameters, made.length, made.keys, made.weights)
    with pytest.raises(ValueError, match="make it again"):
        scheme.similarity(made, other)


def test_an_empty_index_finds_nothing(scheme: Scheme) -> None:
    answer = scheme.index(MemoryBuckets()).look_up(_made(scheme, texts()[0]))
    assert answer.matches == ()
    assert answer.comparisons == 0


def test_documents_may_come_after_a_look_up(scheme: Scheme) -> None:
    index = scheme.index(MemoryBuckets())
    first, second = (_made(scheme, text) for text in texts()[:2])
    index.add(3, first)
    index.look_up(second)
    index.add(5, second)
    assert index.look_up(second).matches[0].number == 5
    assert index.look_up(first).matches[0].number == 3


@settings(max_examples=25)
@given(st.text(max_size=700))
def test_any_text_gives_a_fingerprint_or_none(scheme: Scheme, text: str) -> None:
    made = scheme.fingerprint(SchemeText(text))
    assert made is None or np.all(np.isfinite(made.keys.astype(np.float64)))


def test_indexes_may_share_one_store() -> None:
    buckets = MemoryBuckets()
    for scheme in _schemes().values():
        index = scheme.index(PrefixedBuckets(buckets, scheme.name.encode()))
        made = [_made(scheme, text) for text in texts()[:3]]
        for number, fingerprint in enumerate(made):
            index.add(number, fingerprint)
        assert index.look_up(made[2]).matches[0].number == 2
