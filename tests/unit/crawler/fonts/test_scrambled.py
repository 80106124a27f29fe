"""A text that a font shows as another is told from prose, be it modern, classical, traditional, backwards or written in
homophones, and from any text that no font of the page can show as another.
"""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.fonts.detection import (
    MIN_SYLLABLE_AFFINITY,
    MIN_WORD_PAIR_SHARE,
    declares_font,
    detect_font_obfuscation,
)
from crawler.extraction.fonts.plausibility import syllable_affinity, word_pair_share
from crawler.extraction.page import extract_html

PROSE = (
    "渡船靠岸的时候天已经黑了，船夫把灯挂在桅杆上，等最后一个挑担的人走上石阶，才慢慢把缆绳收起来。"
    "那年的雪下得早，山路封了，送信的人在驿站里住了十一天，把每一封信的地址都背了下来，到后来连字迹的轻重也记得。"
    "桥头的铁匠铺一直开到半夜，火光映在河里，像有人在水底点了一盏灯，过路的孩子总要趴在栏杆上看一会儿。"
    "外婆说，从前河水比现在清，船到了下游还能看见沙底的石头，夏天的晚上大家都睡在船上，听着水声就睡着了。"
)
TRADITIONAL = (
    "那年的雪下得早，山路封了，送信的人在驛站裡住了十一天，把每一封信的地址都背了下來，到後來連字跡的輕重也記得。"
    "橋頭的鐵匠鋪一直開到半夜，火光映在河裡，像有人在水底點了一盞燈，過路的孩子總要趴在欄杆上看一會兒。"
    "外婆說，從前河水比現在清，船到了下游還能看見沙底的石頭，夏天的晚上大家都睡在船上，聽著水聲就睡著了。"
)
# PROSE, every character but a few replaced by one that sounds alike
HOMOPHONES = (
    "杜传考暗德石后添京嘿乐，传府八登挂宰危感尚，等嘴后衣各条单德任走尚十街，采漫漫巴蓝省首起莱。"
    "娜年德靴夏德枣，山鹿疯乐，宋信德人宰义占里注乐诗衣田，巴每衣逢信德弟之督被乐夏莱，道后莱莲自机德清重耶计德。"
    "桥投德铁将扑衣直开道半叶，获光映宰何里，象有人宰谁底点乐衣展登，过鹿德海子总药趴宰蓝赶尚看衣会而。"
    "外破硕，从前何谁比县宰清，传道乐夏游海能看见沙底德十投，夏田德碗尚大加督税宰传尚，听着谁生久税着乐。"
)
OWN_FONT = "<style>@font-face{font-family:x;src:url(/x.woff2)}</style>"
STYLED = '<link href="/site.css" rel="stylesheet">'


def exchanged(text: str, seed: int) -> str:
    characters = sorted({one for one in text if "\u4e00" <= one <= "\u9fff"})
    others = random.Random(seed).sample(characters, len(characters))
    return text.translate({ord(one): other for one, other in zip(characters, others, strict=True)})


@pytest.mark.parametrize(
    "text", [PROSE, TRADITIONAL, PROSE[::-1], HOMOPHONES, HOMOPHONES[::-1], PROSE[:60], "Plain words. " * 50, ""]
)
def test_what_reads_like_something_is_left_alone(text: str) -> None:
    assert detect_font_obfuscation(text, OWN_FONT) is None


@pytest.mark.parametrize("seed", range(10))
def test_characters_that_were_exchanged_read_like_nothing(seed: int) -> None:
    found = detect_font_obfuscation(exchanged(PROSE, seed), OWN_FONT)
    assert found
    assert found.code == "fonts.nonsense"


def test_only_a_page_that_may_have_a_font_of_its_own_is_told_of_one() -> None:
    text = f"<p>{exchanged(PROSE, 1)}</p>"
    told = [
        extract_html(f"{head}{text}".encode(), (), "http://a.test/1").lost
        for head in (OWN_FONT, STYLED, "<title>1</title>")
    ]
    assert [bool(one) for one in told] == [True, True, False]


WRITTEN_FONTS = st.sampled_from(
    [
        "@Font-Face",
        "@import",
        "FontFace(",
        "new FONTFACE(",
        "<link",
        "<LINK rel=",
        "stylesheet",
        "font",
        ">",
        " ",
        "字",
        "x",
    ]
)


@given(st.lists(WRITTEN_FONTS, max_size=8).map("".join))
def test_a_font_is_declared_where_one_expression_for_all_forms_finds_one(html: str) -> None:
    forms = r"@font-face|@import|\bFontFace\(|<link\b[^>]{0,2000}?\b(?:stylesheet|font)\b"
    assert declares_font(html) == (re.search(forms, html, re.IGNORECASE) is not None)


@given(st.integers(0, len(PROSE)), st.sampled_from(["", "a", "，", "\n"]))
def test_a_text_of_few_pairs_is_told_from_one_that_may_be_nonsense_as_by_the_whole_table(
    end: int, between: str
) -> None:
    text = between.join(exchanged(PROSE, 2)[:end])
    share = word_pair_share(text)
    told = share is not None and share < MIN_WORD_PAIR_SHARE and syllable_affinity(text) < MIN_SYLLABLE_AFFINITY
    assert (detect_font_obfuscation(text, OWN_FONT) is not None) == told


def test_private_characters_are_told_on_the_page_and_a_few_icons_are_not() -> None:
    hidden = PROSE.translate({ord(one): chr(0xE000 + at) for at, one in enumerate("的了在船上")})
    [told] = extract_html(f"<p>{hidden}</p>".encode(), (), "http://a.test/1").lost
    assert told.figures["count"] == sum(PROSE.count(one) for one in "的了在船上")
    assert not extract_html(f"<p>\ue001\ue002{PROSE}</p>".encode(), (), "http://a.test/1").lost
