"""Which sentences of a work a search engine is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.words.text import WordWeights
from tests.support.features.scheme_samples import texts
from wenhen.discovery.service import MAX_QUERY_CHARACTERS, MIN_QUERY_CHARACTERS, distinctive_queries, spread_queries

PLAIN = "他说他知道了，我也知道了。"
RARE = "鏖战之后鲥鱼贩子收起桅灯，咿呀摇橹去了芦荡深处。"


def test_sentences_of_rare_words_come_first() -> None:
    assert distinctive_queries(f"{PLAIN}{RARE}今天天气很好，我们一起出去走走吧。")[0] == RARE.rstrip("。")


def test_own_weights_decide_what_is_rare() -> None:
    weights = WordWeights("mine", {"知道": 50.0}, 0.1)
    assert distinctive_queries(f"{RARE}{PLAIN}", weights)[0] == PLAIN.rstrip("。")


def test_a_long_sentence_is_asked_for_by_its_first_clauses() -> None:
    clause = "老人把缆绳又系紧了一道"
    assert distinctive_queries("，".join([clause] * 9) + "。") == ["，".join([clause] * 3)]
    assert distinctive_queries("一" * 100) == ["一" * MAX_QUERY_CHARACTERS]


def test_quotation_marks_and_furniture_are_no_part_of_a_question() -> None:
    assert distinctive_queries("发布时间：2024年3月5日 08:12\n“渡口的灯还亮着，”摆渡的老人说。") == [
        "渡口的灯还亮着，摆渡的老人说"
    ]


@pytest.mark.parametrize("text", texts())
def test_what_is_asked_for_stands_in_the_work(text: str) -> None:
    bare = "".join(char for char in text if char not in ' \n　"“”‘’「」『』《》（）()【】[]—\t')
    for one in distinctive_queries(text):
        assert MIN_QUERY_CHARACTERS <= len(one) <= MAX_QUERY_CHARACTERS
        assert one in bare


def test_questions_come_from_all_over_the_text() -> None:
    text = "".join(f"{number:03d}号船今夜不开往对岸的渡口。" for number in range(100))
    asked = spread_queries([f"{number:03d}号船今夜不开往对岸的渡口" for number in (1, 2, 3, 30, 60, 90)], text, 4)
    assert asked == [f"{number:03d}号船今夜不开往对岸的渡口" for number in (1, 30, 60, 90)]


@given(st.lists(st.text("甲乙丙丁", min_size=3, max_size=9), unique=True, max_size=8), st.integers(1, 6))
def test_as_many_as_wanted_are_asked_where_there_are_so_many(questions: list[str], count: int) -> None:
    asked = spread_queries(questions, "。".join(questions), count)
    assert len(asked) == min(count, len(questions))
    assert len(set(asked)) == len(asked)
    assert set(asked) <= set(questions)
