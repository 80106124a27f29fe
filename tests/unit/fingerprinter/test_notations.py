"""Characters that are written as numbers, as bytes, or misread, give the letters of the text that they stand for."""

import base64
import gzip
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.character_statistics import familiar_share, familiar_shares
from fingerprinter.normalize.misread_encoding import unwind_misreading
from fingerprinter.normalize.notations import (
    LISTS,
    NOTATIONS,
    Notation,
    decode_bare_bytes,
    decode_escaped_bytes,
    read_lists,
    unescape_in_place,
)

STORY = (
    "渡口的老人说，今天的风太大，你们还是回去吧。我没有回答，只把船朝岸边推了推，等他先走了，才把缆绳解开。"
    "河边的芦苇是去年秋天种下的，现在已经比人还高，风一来就全部倒向水里，像是在找什么东西。"
)
SENTENCES = st.lists(st.sampled_from(STORY.split("，")), min_size=2, max_size=12).map("，".join)


def without_padding(text: str) -> str:
    return text.replace("\u200b", "")


@pytest.mark.parametrize("notation", NOTATIONS, ids=lambda notation: notation.name)
@given(text=SENTENCES)
def test_every_notation_of_the_table_is_read_as_it_is_written(notation: Notation, text: str) -> None:
    written = notation.write(text)
    read = unescape_in_place(f"前{written}后")
    assert len(read) == len(written) + 2
    assert without_padding(read) == f"前{text}后"


@pytest.mark.parametrize("notation", NOTATIONS, ids=lambda notation: notation.name)
@pytest.mark.parametrize("step", [2, 3, 5])
def test_single_numbers_between_other_characters_are_read_where_there_are_many(notation: Notation, step: int) -> None:
    written = "".join(
        notation.write(character) if place % step == 0 else character for place, character in enumerate(STORY)
    )
    read = unescape_in_place(written)
    assert len(read) == len(written)
    assert without_padding(read) == STORY


@pytest.mark.parametrize("notation", LISTS, ids=lambda notation: notation.name)
@given(text=SENTENCES)
def test_every_list_of_the_table_is_read_as_it_is_written(notation: Notation, text: str) -> None:
    written = notation.write(text)
    read = read_lists(written)
    assert len(read) == len(written)
    assert without_padding(read) == text


@pytest.mark.parametrize(
    "row",
    [
        "U+{code:04X} {character}\n",
        "U+{code:04X}\t{character}\n",
        "{character} U+{code:04X}\n",
        "{character}（U+{code:04X}）\n",
        "U+{code:04X} | {character} |\n",
        "&#{code}; {character}\n",
        "\\u{code:04x} {character}\n",
    ],
)
def test_a_table_of_characters_and_their_numbers_is_read_once(row: str) -> None:
    table = "".join(row.format(code=ord(character), character=character) for character in STORY)
    assert len(unescape_in_place(table)) == len(table)
    assert to_initials(table).codes.tolist() == to_initials(STORY).codes.tolist()


def test_a_number_beside_its_character_is_read_where_most_others_are_not() -> None:
    text = "看U+770B风U+98CE走U+8D70人U+4EBA" + "".join(f"U+{ord(character):04X} 的" for character in STORY[:20])
    assert without_padding(unescape_in_place(text)).startswith("看看风风走走人人")


@pytest.mark.parametrize("notation", [each for each in NOTATIONS if each.units], ids=lambda notation: notation.name)
def test_two_units_of_utf_16_are_one_character(notation: Notation) -> None:
    text = "渡口的老人𠀚说今天"
    assert without_padding(unescape_in_place(notation.write(text))) == text


@pytest.mark.parametrize(
    "text",
    [
        r"C:\2020\1999 的文件夹",
        r"存在 D:\2011\稿、D:\2012\稿、D:\2013\稿、D:\2014\稿、D:\2015\稿、D:\2016\稿、D:\2017\稿、D:\2018\稿 里",
        "邮编 100871, 200433, 310058, 510275, 430072, 210093, 710049, 610065 都在表里",
        "年份 1949 1956 1966 1976 1978 1984 1992 1997 2001 2008 依次排列",
        "电话 +8613800138000 与 +862164252000",
        "温度 ~{约} 五度",
    ],
)
def test_figures_that_are_no_characters_stay(text: str) -> None:
    assert read_lists(decode_escaped_bytes(unescape_in_place(text))) == text


@pytest.mark.parametrize(
    "written",
    [
        base64.b64encode(STORY.encode()).decode(),
        base64.urlsafe_b64encode(STORY.encode()).decode(),
        base64.b32encode(STORY.encode()).decode(),
        base64.b64encode(gzip.compress(STORY.encode())).decode(),
        STORY.encode("utf-16-be").hex(),
        STORY.encode("utf-16-le").hex(),
        STORY.encode("gb18030").hex(),
        STORY.encode("utf-7").decode(),
        STORY.encode("hz").decode(),
    ],
    ids=["base64", "url", "base32", "gzip", "utf-16-be", "utf-16-le", "gb18030", "utf-7", "hz"],
)
def test_bytes_are_read_in_every_form_and_move_nothing(written: str) -> None:
    read = decode_bare_bytes(decode_escaped_bytes(written))
    assert len(read) == len(written)
    assert without_padding(read) == STORY
    assert to_initials(written).codes.tolist() == to_initials(STORY).codes.tolist()


def test_a_bomb_of_compressed_bytes_gives_no_more_characters_than_it_is_written_in() -> None:
    written = base64.b64encode(gzip.compress(STORY.encode() * 10_000)).decode()
    assert len(decode_bare_bytes(written)) == len(written)


PAIRS = [
    (("utf-8", "cp1252"), ("utf-8", "cp1252")),
    (("utf-8", "latin-1"), ("utf-8", "latin-1"), ("utf-8", "latin-1")),
    (("utf-8", "koi8-r"),),
    (("utf-8", "cp932"),),
    (("utf-8", "gb18030"), ("utf-8", "cp1252")),
    (("gb18030", "big5hkscs"),),
    (("gb18030", "koi8-r"), ("utf-8", "latin-1")),
    (("gb18030", "cp932"),),
]


def misread(text: str, layers: tuple[tuple[str, str], ...]) -> str:
    """The text as programs show it that read it wrongly; Windows-1252 lets controls through, as browsers do."""
    for meant, read in layers:
        values = text.encode(meant, "replace")
        if read == "cp1252":
            text = "".join(bytes([value]).decode("cp1252", "ignore") or chr(value) for value in values)
        else:
            text = values.decode(read, "replace")
    return text


LINES = st.lists(st.text(st.sampled_from("的是一不了人在有ABc ，\u200b\ufffdÃ¤渡䶮\U00020bb7")))


@given(LINES)
def test_lines_are_as_familiar_together_as_each_alone(lines: list[str]) -> None:
    assert familiar_shares(lines) == [familiar_share(line) for line in lines]


@pytest.mark.parametrize("layers", PAIRS, ids=str)
def test_a_text_that_was_misread_up_to_three_times_is_read_as_it_was_meant(layers: tuple[tuple[str, str], ...]) -> None:
    written = misread(STORY * 2, layers)
    read = unwind_misreading(written)
    assert len(read) == len(written)
    letters, meant = to_initials(written).codes.tolist(), to_initials(STORY * 2).codes.tolist()
    assert SequenceMatcher(None, letters, meant, autojunk=False).ratio() > 0.94


def test_big5_that_was_read_as_gbk_is_read_as_it_was_meant() -> None:
    text = "渡口的老人說，今天的風太大，你們還是回去吧。我沒有回答，只把船朝岸邊推了推，等他先走了，才把纜繩解開。"
    read = unwind_misreading((text * 2).encode("big5").decode("gb18030", "replace"))
    assert without_padding(read).startswith(text[:20])


@pytest.mark.parametrize(
    "text",
    [
        "龘靐齉爩麤彠钃鸜麷鞻韽韾顟顠颥飍饢馫騳騿驫骦髗鬡鬰魕鱻鸞麣黸鼊齾龗龖" * 4,
        "これは港の小さな食堂の話です。毎朝五時に灯りがつき、魚を運ぶ人たちが集まってきます。" * 4,
        "Это рассказ о маленьком порте, где каждое утро собираются рыбаки." * 4,
        "항구의 작은 식당 이야기입니다. 매일 아침 다섯 시에 불이 켜집니다." * 4,
        "Ça coûte 3 €, déjà payé à l'hôtel naïve, où l'été fut très âpre." * 4,
    ],
)
def test_rare_characters_and_other_languages_stay(text: str) -> None:
    assert unwind_misreading(text) == text
