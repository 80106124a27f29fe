"""What pirates put around and between what they copy gives no letters, and what an author wrote does."""

import pytest

from fingerprinter.alphabet import LATIN_A
from fingerprinter.initials.to_initials import to_initials

CLAUSES = ("门前的老槐树又落了一地碎花", "扫街的人把它们拢成小小一堆", "孩子捧起来撒向井台", "说这是今年下的第一场雪")
PLAIN = to_initials("\n".join(CLAUSES))

FRAMED = {
    "subtitles": "{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{clause}",
    "subtitles with styles": "Dialogue: 0,0:00:0{n}.00,0:00:0{n}.90,Default,,0,0,0,,{clause}",
    "positioned subtitles": "00:0{n}.000 --> 00:0{n}.900 align:start position:0%\n{clause}",
    "chat": "张三 20:15:3{n}\n{clause}",
    "chat in lines": "[2024-05-01 20:1{n}] 小明: {clause}",
    "thread": "{n}楼 夜雨 发表于 2024-5-{n} 20:15\n{clause}",
    "table": "| {n} | {clause} | 2024-05-0{n} |",
    "table of who spoke": "| {n} | 00:00:1{n} | 小明 | {clause} |",
    "table of who spoke when": "| 夜雨 | 00:00:1{n} | {clause} |",
    "names before times": "User_88 20:15:3{n} {clause}",
    "names in Latin letters": "[20:1{n}] User_88: {clause}",
    "values separated by commas": '{n},"{clause}",2024/5/{n},12.5',
    "numbers of lines": "{n}  {clause}",
    "tags": '<p class="c{n}">{clause}</p>',
    "tags of a forum": "[url=http://www.example.com/{n}]{clause}[/url]",
}


@pytest.mark.parametrize("frame", FRAMED)
def test_what_frames_each_clause_gives_no_letter(frame: str) -> None:
    framed = "\n".join(FRAMED[frame].format(n=number, clause=clause) for number, clause in enumerate(CLAUSES, 1))
    letters = to_initials(framed)
    assert letters.codes.tolist() == PLAIN.codes.tolist()
    assert "".join(framed[at] for at in letters.starts) == "".join(CLAUSES)


def test_a_table_of_short_cells_keeps_them() -> None:
    rows = [("红苹果", "甜"), ("野山楂", "酸甜"), ("老苦瓜", "苦"), ("小辣椒", "太辣"), ("白开水", "淡")]
    read = to_initials("\n".join(f"| {n} | {name} | {taste} |" for n, (name, taste) in enumerate(rows, 1)))
    assert int((read.codes < LATIN_A).sum()) == sum(len(name + taste) for name, taste in rows)


def test_a_reading_behind_each_character_gives_no_letter() -> None:
    read = to_initials("门mén前qián的de老lǎo槐huái树shù又yòu落luò了le一yī地dì碎suì花huā")
    assert read.codes.tolist() == to_initials(CLAUSES[0]).codes.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "2019年他进了城，2020年成了家，2021年得了子，2022年又回来。",
        "北京 2154 3.5\n上海 2424 2.8\n广州 1868 4.1\n深圳 1756 5.2\n",
        "早上 8:15\n中午 12:30\n下午 3:45\n晚上 9:00\n",
        "用 <b> 标出粗体，用 </b> 结束。List<String> names = new ArrayList<>();",
    ],
)
def test_figures_and_code_that_an_author_wrote_stay(text: str) -> None:
    alone = [line for line in text.split("\n") if line]
    assert len(to_initials(text)) == sum(len(to_initials(line)) for line in alone)


@pytest.mark.parametrize("separator", "丨口十の")
def test_a_character_between_all_others_is_no_letter(separator: str) -> None:
    assert to_initials(separator.join(CLAUSES[0])).codes.tolist() == to_initials(CLAUSES[0]).codes.tolist()


def test_a_laugh_is_no_separator() -> None:
    assert len(to_initials("哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈")) == 20


@pytest.mark.parametrize(
    "written",
    [
        "".join(f"%{byte:02X}" for byte in "".join(CLAUSES).encode("gb18030")),
        "".join(f"\\x{byte:02x}" for byte in "".join(CLAUSES).encode()),
        "".join(f"\\{byte:03o}" for byte in "".join(CLAUSES).encode()),
        "".join(CLAUSES).encode().hex(),
        "".join(f"\\u{{{ord(char):x}}}" for char in "".join(CLAUSES)),
        "".join(f"&#{ord(char)}" for char in "".join(CLAUSES)),
        "".join(f"&amp;#{ord(char)};" for char in "".join(CLAUSES)),
        "".join(f"U+{ord(char):04X} " for char in "".join(CLAUSES)),
    ],
)
def test_what_is_written_as_numbers_is_read(written: str) -> None:
    assert to_initials(written).codes.tolist() == PLAIN.codes.tolist()
