"""Weights of words: a general table, or one's own."""

import math
from pathlib import Path

import pytest

from fingerprinter.schemes.vector_space import Simhash
from fingerprinter.words.text import SchemeText, default_weights, learn_weights, load_weights, tf_idf
from tests.support.features.scheme_samples import texts
from wenhen.comparison.measurement import learn_weight_table, load_weight_table
from wenhen.kit.errors import BadInput


def test_common_words_weigh_less_than_rare_ones() -> None:
    weights = default_weights()
    assert weights["我们"] < weights["渡口"]
    assert weights["从来没有这样的词"] == weights.unknown


def test_a_corpus_teaches_which_of_its_words_are_rare() -> None:
    weights = learn_weights("recipes", [["酱油", "葱"], ["酱油", "姜"], ["酱油", "姜", "姜"]])
    assert weights["酱油"] == pytest.approx(math.log(4 / 3))
    assert weights["姜"] == pytest.approx(math.log(4 / 2))
    assert weights["葱"] == weights["八角"] == pytest.approx(math.log(4))


def test_a_saved_table_is_read_as_it_was(tmp_path: Path) -> None:
    learnt = learn_weights("own", [SchemeText(text).words for text in texts()])
    learnt.save(tmp_path / "own.txt")
    read = load_weights(tmp_path / "own.txt")
    assert read.name == "own"
    assert read.table == pytest.approx(learnt.table, abs=1e-6)


@pytest.mark.parametrize("content", ["", "渡口 远\n", "渡口 -1\n", "渡口 nan\n"])
def test_what_is_no_table_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.txt").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match="table of weights"):
        load_weight_table(tmp_path / "bad.txt")


def test_a_missing_table_and_an_empty_corpus_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_weight_table(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="no texts"):
        learn_weight_table("none", [])


def test_tf_idf_is_the_share_of_a_word_times_its_weight() -> None:
    weights = learn_weights("two", [["灯"], ["船"]])
    assert tf_idf(["灯", "灯", "桥"], weights) == pytest.approx({"灯": 2 / 3 * math.log(3), "桥": math.log(3) / 3})


def test_fingerprints_name_the_table_that_weighed_them() -> None:
    own = learn_weights("own", [SchemeText(text).words for text in texts()])
    made = Simhash(weights=own).fingerprint(SchemeText(texts()[0]))
    assert made is not None
    assert made.parameters["weights"] == "own"
    general = Simhash().fingerprint(SchemeText(texts()[0]))
    assert general is not None
    with pytest.raises(ValueError, match="make it again"):
        Simhash().similarity(made, general)
