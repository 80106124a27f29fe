"""The segmenter cuts as jieba does, character for character."""

import logging
from collections import Counter
from functools import cache
from math import log

import jieba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprinter.words.segmenter import UserWord, jieba_model, segment_words
from fingerprinter.words.text import cut_words
from tests.support.features.scheme_samples import texts


@cache
def _jieba() -> jieba.Tokenizer:
    jieba.setLogLevel(logging.ERROR)
    return jieba.Tokenizer()


def by_jieba(text: str) -> list[str]:
    return [word for word in _jieba().cut(text) if word[0].isalnum()]


@pytest.mark.parametrize("text", texts())
def test_works_are_cut_as_by_jieba(text: str) -> None:
    assert segment_words(text) == by_jieba(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "。",
        "我喜欢看电视，不喜欢看电影。",
        "他来到了网易杭研大厦",  # 杭研 is in no dictionary: the Markov model finds it
        "升级到iOS 17.4.1后续航降了12.5%，C++与C#、AT&T的a_b-c都在",
        "臧榖亡羊，𠮷野家㐂寿司；ｆｕｌｌ　ｗｉｄｔｈ１２３",
        "龘靐齉爩" * 30,
        "\r\n\t a\u00a0b \ud800 é ё ア 1.",
    ],
)
def test_what_is_odd_is_cut_as_by_jieba(text: str) -> None:
    assert segment_words(text) == by_jieba(text)


# The 3,755 commonest characters, as the first plane of GB 2312 has them, and some that are rare.
HAN = [bytes((row, cell)).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFF)] + [*"鏖饕餮龘"]
MIXED = st.text(st.one_of(st.sampled_from(HAN), st.sampled_from("aZ09.%+#&_- ，。\n"), st.characters()), max_size=60)


@given(MIXED)
@settings(max_examples=300)
def test_any_text_is_cut_as_by_jieba(text: str) -> None:
    assert segment_words(text) == by_jieba(text)


def test_the_dictionary_has_the_words_and_prefixes_of_jieba_with_their_weights() -> None:
    _jieba().check_initialized()
    model, whole = jieba_model(), log(_jieba().total)
    entries = model.keys[model.keys > 0]
    ours = Counter(model.logs[(entries & np.uint64(0xFFFF)).astype(np.int64)].tolist())
    assert ours == Counter(log(count) - whole if count else 1.0 for count in _jieba().FREQ.values())


def test_a_word_of_the_user_leaves_the_rest_of_the_dictionary_as_it_is() -> None:
    word = UserWord("渡口的灯", 9)
    both = jieba_model(), jieba_model((word,))
    added, prefixes = len(word.word), 1  # 渡口 and 渡 are known, 渡口的 is a new prefix
    assert np.count_nonzero(both[1].keys) - np.count_nonzero(both[0].keys) == prefixes + 1 < added
    assert segment_words("渡口的灯亮了", (word,)) == ["渡口的灯", "亮", "了"]


def test_words_are_in_lower_case_and_equal_ones_are_one_object() -> None:
    made = cut_words("Linux 内核 LINUX 内核")
    assert made == ("linux", "内核", "linux", "内核")
    assert made[1] is made[3]


def test_words_of_a_users_own_are_cut_as_by_jieba() -> None:
    own = (UserWord("杭研大厦", 900, "n"), UserWord("缆绳又系"), UserWord("iOS 17"))
    tokenizer = jieba.Tokenizer()
    for word in own:
        tokenizer.add_word(*word)
    for text in ("他来到了网易杭研大厦，把缆绳又系紧了。", *texts()[:3]):
        assert segment_words(text, own) == [word for word in tokenizer.cut(text) if word[0].isalnum()]
    assert "杭研大厦" in segment_words("他来到了网易杭研大厦", own)
    assert "杭研大厦" not in segment_words("他来到了网易杭研大厦")
