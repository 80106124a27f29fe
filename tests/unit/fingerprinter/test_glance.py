"""The glance rules nothing out that is there: who looks for everything reads no other letters."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fingerprinter.alphabet import Initials, code_points
from fingerprinter.initials import to_initials as reading
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.obfuscation import (
    BARE_BYTES,
    DOUBLED,
    ESCAPED,
    FRAMES,
    REORDERED,
    SEPARATORS,
    TIMES,
    detect_obfuscation,
)

EVERYTHING = ESCAPED | SEPARATORS | BARE_BYTES | FRAMES | TIMES | REORDERED | DOUBLED
PIECES = (
    *"我们的中国在这里，。口|a1 \n\ud800𠀀①㎏",
    *("&#20013;", "&nbsp;", "%u4E2D", "\\u4e2d", "U+4E2D", "%E4%B8%AD%E6%96%87"),
    *("<b>", "[/b]", "ä¸\xad", "锛屼粬", "£¬µÄ", "亻尔", "女子", "讠兑", "亻也"),
    *("12:30", "00:01:02,345 --> 00:01:05\n", "1：05", "| 2024-05-01 20:15 | ", "们我", "候时", "经已", "你nǐ"),
    *("\u202e国中的们我\u202c", "我我们们", "的的", "哈哈哈"),
    *("我口们口", "口国口", "e4b8ade69687" * 5, "5Lit5paH" * 6, "zhongguo", "我a们b"),
)


def same(some: Initials, others: Initials) -> bool:
    pairs = ((some.codes, others.codes), (some.starts, others.starts), (some.ends, others.ends))
    return all(np.array_equal(*pair) for pair in pairs) and some.in_order == others.in_order


@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
@example("口".join("我们的中国在这里"))
@example("经已的候时，发们我展")
@example("\n".join(["我们中国", "的在这里"] * 3))
@example("5Lit5paH" * 12)
@example("我我们们的的中中国国在在这这里里很很大大我我们们的的船船来来了了")
def test_looking_for_every_disguise_reads_no_other_letters_than_looking_for_those_that_a_glance_shows(
    text: str,
) -> None:
    with patch.object(reading, "detect_obfuscation", lambda _: EVERYTHING):
        everything = to_initials(text)
    assert same(to_initials(text), everything)


@pytest.mark.parametrize(
    ("text", "bit"),
    [
        ("我们&nbsp;的", ESCAPED),
        ("亻尔们", ESCAPED),
        ("口".join("我们的中国在这里很大"), SEPARATORS),
        ("5Lit5paH" * 12, BARE_BYTES),
        ("| 1 | 2 | 3 |", FRAMES),
        ("他说：20", TIMES),
        ("经已的候时", REORDERED),
        ("我们中国\n" * 4, REORDERED),
        ("\u202e国中的们我", REORDERED),
        ("我我们们的的中中国国在在这这里里很很大大我我们们的的船船来来了了", DOUBLED),
    ],
)
def test_a_plain_text_has_nothing_to_look_for_and_each_disguise_shows(text: str, bit: int) -> None:
    assert detect_obfuscation(code_points(text)) & bit
    assert not detect_obfuscation(code_points("他们在河边坐了一整夜。第二天，船来了。\n“走吧！”老人说，哈哈哈！"))
