"""The segmenter cuts as jieba does, character for character."""

import logging
from functools import cache

import jieba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprinter.words.segmenter import UserWord, segment_words
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
