"""Agreement with the packages that others use, on real texts."""

import numpy as np
import pytest

from fingerprinter.schemes.indexes import HammingTables
from fingerprinter.schemes.jaccard import band_keys, character_shingles, minhash_signature, remove_space
from fingerprinter.schemes.scheme import MemoryBuckets, SchemeFingerprint, word_hashes
from fingerprinter.schemes.vector_space import Simhash, simhash_value, top_words, weight_levels
from fingerprinter.words.text import SchemeText, cut_words, default_weights, remove_stop_words, tf_idf
from tests.support.features.scheme_samples import edited, texts


def _chosen(text: str) -> tuple[list[str], list[float]]:
    words, worth = zip(*top_words(SchemeText(text).words, default_weights(), 200), strict=True)
    return list(words), weight_levels(worth)


@pytest.mark.parametrize("bits", [32, 64])
def test_simhash_is_that_of_the_package_simhash_bit_for_bit(bits: int) -> None:
    package = pytest.importorskip("simhash")
    for text in texts():
        words, weights = _chosen(text)
        theirs = package.Simhash(list(zip(words, map(int, weights), strict=True)), f=bits)
        made = Simhash(bits=bits).fingerprint(SchemeText(text))
        assert made is not None
        assert int(made.keys[0]) == theirs.value == simhash_value(word_hashes(words), weights, bits)


def test_tables_find_what_the_index_of_simhash_finds() -> None:
    package = pytest.importorskip("simhash")
    values = {}
    for number, text in enumerate(texts()):
        for variant, form in enumerate((text, edited(text, 200), edited(text, 50), edited(text, 20))):
            words, weights = _chosen(form)
            values[number * 4 + variant] = simhash_value(word_hashes(words), weights)
    theirs = package.SimhashIndex([(str(n), package.Simhash(v)) for n, v in values.items()], k=3)
    ours = HammingTables(MemoryBuckets(), bits=64, distance=3)
    for number, value in values.items():
        ours.add(number, SchemeFingerprint("simhash-64", 1, {}, 0, np.array([value], np.uint64)))
    found = {n: {match.number for match in ours.within(v).matches} for n, v in values.items()}
    assert found == {n: set(map(int, theirs.get_near_dups(package.Simhash(v)))) for n, v in values.items()}
    assert any(len(near) > 1 for near in found.values())


def test_signatures_are_those_of_datasketch_value_for_value() -> None:
    datasketch = pytest.importorskip("datasketch")
    for text in texts():
        hashes = character_shingles(text, 5).astype(np.uint32)
        theirs = datasketch.MinHash(num_perm=128, seed=1, hashfunc=int)
        theirs.update_batch(hashes.tolist())
        assert minhash_signature(hashes, 128, 1).tolist() == theirs.hashvalues.tolist()


def test_bands_find_what_the_lsh_of_datasketch_finds() -> None:
    datasketch = pytest.importorskip("datasketch")
    forms = [form for text in texts() for form in (text, edited(text, 40), edited(text, 12))]
    made = [minhash_signature(character_shingles(form, 5).astype(np.uint32)) for form in forms]
    lsh = datasketch.MinHashLSH(num_perm=128, params=(32, 4))
    for number, values in enumerate(made):
        lsh.insert(number, datasketch.MinHash(hashvalues=values, scheme="affine32", permutations=None))
    keys = [set(band_keys(values, 32)) for values in made]
    for number, values in enumerate(made):
        theirs = lsh.query(datasketch.MinHash(hashvalues=values, scheme="affine32"))
        assert {other for other in range(len(made)) if keys[number] & keys[other]} == set(theirs)


def test_estimates_lie_near_those_of_rensa_and_the_true_coefficient() -> None:
    rensa = pytest.importorskip("rensa")
    for text in texts():
        forms = [text, edited(text, 25)]
        sets = [character_shingles(form, 5) for form in forms]
        true = len(np.intersect1d(sets[0], sets[1])) / len(np.union1d(sets[0], sets[1]))
        ours = np.mean(np.equal(*(minhash_signature(keys.astype(np.uint32), 512) for keys in sets)))
        theirs = []
        for form in forms:
            said = remove_space(form)
            other = rensa.RMinHash(num_perm=512, seed=42)
            other.update([said[at : at + 5] for at in range(len(said) - 4)])
            theirs.append(other)
        assert ours == pytest.approx(true, abs=0.12)  # five standard errors of 512 places
        assert theirs[0].jaccard(theirs[1]) == pytest.approx(float(ours), abs=0.15)


def test_words_are_those_that_jieba_weighs() -> None:
    """The default weights are jieba's own: its keywords and ours are the same words in the same order."""
    import jieba.analyse

    weights = default_weights()
    for text in texts():
        kept = [word for word in remove_stop_words(cut_words(text)) if len(word) > 1]
        ours = sorted(tf_idf(kept, weights).values(), reverse=True)
        theirs = [weight for _, weight in jieba.analyse.extract_tags(" ".join(kept), topK=None, withWeight=True)]
        assert ours[:5] == pytest.approx(theirs[:5], rel=0.15)
