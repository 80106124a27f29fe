"""Tables that people upload are read in the charsets that other files are read in."""

from random import Random

import pytest

from wenhen.kit.errors import BadInput
from wenhen.works.importers.csv_rows import decode_csv

SIMPLIFIED = "编号,标题,正文\n1,渡口的灯,那天傍晚下着小雨，我沿着堤坝一直走。\n2,桥,水退了以后，大家都从桥上走。\n"
TRADITIONAL = "編號,標題,正文\n1,渡口的燈,那天傍晚下著小雨，我沿著堤壩一直走。\n2,橋,水退了以後，大家都從橋上走。\n"


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_table_is_read_in_its_charset(charset: str) -> None:
    assert decode_csv(SIMPLIFIED.encode(charset)) == SIMPLIFIED


def test_a_table_of_taiwan_is_read_as_big5() -> None:
    assert decode_csv(TRADITIONAL.encode("big5hkscs")) == TRADITIONAL


@pytest.mark.parametrize("table", ["id,title\n1,桥\n", "id,title\n1,渡口\n", "id,owner\n7,翟羿骉\n"])
@pytest.mark.parametrize("charset", ["utf-8", "gb18030"])
def test_a_table_of_few_chinese_characters_is_read_too(table: str, charset: str) -> None:
    assert decode_csv(table.encode(charset)) == table


def test_a_byte_that_is_wrong_costs_one_character() -> None:
    assert decode_csv(SIMPLIFIED.encode() + b"3,\xff,x\n").startswith(SIMPLIFIED)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadInput):
        decode_csv(Random(1).randbytes(4_000))
