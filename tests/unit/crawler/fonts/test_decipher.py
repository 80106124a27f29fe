"""A page whose font shows other characters is read as its readers see it, by the outlines of the font."""

import base64
import random
from pathlib import Path

import pytest

from crawler.extraction.font_deobfuscation import collect_fonts, decipher_page, find_reference_font
from tests.support.fonts import NOTO, exchanging, subset_of

TEXT = (
    "渡船靠岸的时候天已经黑了，船夫把灯挂在桅杆上，等最后一个挑担的人走上石阶，才慢慢把缆绳收起来。"
    "那年的雪下得早，山路封了，送信的人在驿站里住了十一天，把每一封信的地址都背了下来，到后来连字迹的轻重也记得。"
    "桥头的铁匠铺一直开到半夜，火光映在河里，像有人在水底点了一盏灯，过路的孩子总要趴在栏杆上看一会儿。"
    "外婆说，从前河水比现在清，船到了下游还能看见沙底的石头，夏天的晚上大家都睡在船上，听着水声就睡着了。"
)
URL = "http://a.test/1"

pytestmark = pytest.mark.skipif(not NOTO.exists(), reason="no Noto Sans CJK on this machine")


@pytest.fixture(scope="module")
def subset() -> bytes:
    return subset_of("".join(sorted({one for one in TEXT if one > "\u4dff" and one < "\ua000"})))


def page_with(font: bytes, text: str) -> bytes:
    face = f"@font-face{{font-family:x;src:url('data:font/woff2;base64,{base64.b64encode(font).decode()}')}}"
    return f"<style>{face}</style><p>{text}</p>".encode()


@pytest.mark.parametrize("seed", range(20))
def test_of_twenty_fonts_at_least_98_of_100_characters_are_read_as_they_are_shown(subset: bytes, seed: int) -> None:
    font, written = exchanging(subset, seed, private=seed % 2 == 0, flavor=(None, "woff", "woff2")[seed % 3])
    body = page_with(font, TEXT.translate(written))
    found = decipher_page(body, (), URL, {}, NOTO)
    right = sum(one == other for one, other in zip(found.page.text, TEXT, strict=True))
    assert right >= 0.98 * len(TEXT)
    assert not found.page.lost
    again = decipher_page(body, (), URL, found.learned, Path("/no/font/is/asked/for"))
    assert (again.page, again.learned) == (found.page, {})


def test_a_page_that_reads_as_it_is_stays_so_whatever_its_font_says(subset: bytes) -> None:
    font, _ = exchanging(subset, 1, private=False, flavor=None)
    assert decipher_page(page_with(font, TEXT), (), URL, {}, NOTO).page.text == TEXT


@pytest.mark.parametrize("font", [b"", b"wOF2 broken", b"\0\1\0\0" * 20])
def test_a_broken_font_teaches_nothing(font: bytes) -> None:
    body = page_with(font, TEXT)
    assert [dict(one) for one in decipher_page(body, (), URL, {}, NOTO).learned.values()] == [{}] * len(
        collect_fonts(body)
    )


def test_a_page_is_read_whatever_is_broken_in_its_font(subset: bytes) -> None:
    chance = random.Random(1)
    for _ in range(40):
        font = bytearray(subset)
        for _ in range(5):
            font[chance.randrange(len(font))] = chance.randrange(256)
        assert len(decipher_page(page_with(bytes(font), TEXT), (), URL, {}, NOTO).page.text) == len(TEXT)


def test_the_machine_has_a_font_to_compare_with() -> None:
    assert find_reference_font(None) is not None
    assert find_reference_font(NOTO) == NOTO
