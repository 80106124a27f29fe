"""A corpus with a part of speech behind each word reads as the text without them."""

import pytest

from fingerprinter.initials.to_initials import to_initials

WORDS = (
    "气象站/n 昨天/t 发布/v 预报/n ，/w 山口/n 一带/n 今夜/t 有/v 小雪/n ，/w 养路/v 工人/n 提前/v 撒/v 了/u 盐/n ，/w "
    "并且/c 在/p 弯道/n 立/v 了/u 木牌/n 。/w [山口/n 养路/vn 道班/n]nt 的/u 灯/n 亮/v 到/v 天明/t 。/w"
)
PLAIN = "气象站昨天发布预报，山口一带今夜有小雪，养路工人提前撒了盐，并且在弯道立了木牌。山口养路道班的灯亮到天明。"


@pytest.mark.parametrize(
    "text",
    [
        WORDS,
        WORDS.replace(" ", "  "),
        WORDS.replace(" ", "\n"),
        WORDS.replace("/", "_").upper(),
        f"20050311-02-004-001/m  {WORDS}",
    ],
    ids=["one blank", "two blanks", "lines", "underscores and capitals", "number of the text"],
)
def test_the_tags_of_a_corpus_are_no_letters(text: str) -> None:
    read = to_initials(text)
    assert read.codes.tolist() == to_initials(PLAIN).codes.tolist()
    assert [text[start] for start in read.starts.tolist()] == [c for c in PLAIN if c not in "，。"]


def test_addresses_and_fractions_of_a_text_stay() -> None:
    text = "目录 /usr/lib 与 /etc/ssl 之外，还有 a/b 和 c/d，年/月/日 的写法，km/h 与 m/s 的单位，见 x/y/z 一节。" * 6
    assert len(to_initials(text)) == sum(character.isalnum() for character in text)
