"""Tables that people upload are read in the charsets that other files are read in."""

from random import Random

import pytest

from wenhen.kit.errors import BadInput
from wenhen.works.importers.csv_rows import RefusedLine, decode_csv, read_csv_lines
from wenhen.works.importers.drafts import Refused, describe_source, id_from_origin
from wenhen.works.importers.tables import read_csv
from wenhen.works.model import WorkDraft

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


def test_a_row_behind_cells_with_line_breaks_is_named_as_a_spreadsheet_counts_too() -> None:
    table = 'id,title\n1,桥\n2,"两\r\n行"\n3,灯,多一格\n\n4,"三\n行\n题"\n5,船\n'
    lines = list(read_csv_lines(table, ["id", "title"], needed=["id"]))
    assert [(one.line, one.row) for one in lines] == [(2, None), (4, 3), (5, 4), (9, 6), (10, 7)]
    [refused] = [one for one in lines if isinstance(one, RefusedLine)]
    assert (str(refused.place), refused.place.text("zh")) == (
        "line 5, which is row 4 of a spreadsheet",
        "第 5 行（表格软件中为第 4 行）",
    )
    stated = list(read_csv_lines("sep=;\nid;title\n1;桥\n", ["id", "title"], needed=["id"]))
    assert [(one.line, one.row) for one in stated] == [(3, 2)], "Excel shows no row for its own first line"


def test_an_import_names_a_refused_row_both_ways_and_keeps_the_ids_of_works() -> None:
    text = "那天傍晚下着小雨，我沿着堤坝一直走，走到灯亮的地方。" * 4
    table = f'title,text\n桥,"{text}\n{text}"\n,{text}\n渡口,{text}\n'.encode()
    first, refused, last = read_csv(table, "upload/书目.csv")
    assert isinstance(refused, Refused)
    assert str(describe_source(refused.what)) == "书目.csv, line 4, which is row 3 of a spreadsheet"
    assert [draft.id for draft in (first, last) if isinstance(draft, WorkDraft)] == [
        id_from_origin(f"upload/书目.csv:{line}") for line in (3, 5)
    ]
