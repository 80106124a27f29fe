"""What offices, shops and clinics reserve, told from what a text says of rights and duties."""

import pytest

from crawler.extraction.boilerplate.site_notices import is_disclaimer
from crawler.extraction.page import extract_html
from tests.support.pages.page_parts import FERRY, p, page


@pytest.mark.parametrize(
    "line",
    [
        "用户发布的评价仅反映其个人感受，不代表商家或平台的态度，请理性看待。",
        "本台節目之影音及文稿，非經本台同意，任何人不得擅自剪輯或上傳至其他平台。",
        "This article is for informational purposes only and should not be considered medical advice.",
    ],
)
def test_a_reservation_is_known_in_whatever_words_it_is_made(line: str) -> None:
    assert is_disclaimer(line)


@pytest.mark.parametrize(
    "line",
    [
        "他在公司里做了十年，后来才知道那份合同里写明了不得外传，可是谁也没有认真读过。",
        "我们不能代替医生，可是我们能陪着她，一夜一夜地坐到天亮。",
        "The commission took notice of the terms, and the river went on rising through the night.",
    ],
)
def test_prose_that_speaks_of_rights_and_duties_is_none(line: str) -> None:
    assert not is_disclaimer(line)


def test_in_the_middle_of_a_text_such_a_sentence_stays() -> None:
    lines = [
        *FERRY[:2],
        "墙上贴着一张纸：本馆图书仅供阅览，未经许可请勿带出，如有损坏，由借阅者自行承担责任。",
        *FERRY[4:],
    ]
    assert extract_html(page(f"<div>{p(lines)}</div>").encode(), [], "http://a.test/1.html").text.split("\n") == lines
