"""What was put in between the characters of a text, or written in place of them, changes none of its letters."""

from collections.abc import Callable

import pytest

from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.character_shapes import join_split_characters
from fingerprinter.normalize.written_tags import blank_tags

STORY = (
    "渡口的老人说，今天的风太大，你们还是回去吧。我没有回答，只把船朝岸边推了推，等他先走了，才把缆绳解开。"
    "河边的芦苇是去年秋天种下的，现在已经比人还高，风一来就全部倒向水里，像是在找什么东西。"
)
WORDS = ["the", "river", "of", "window", "is", "bright", "with", "that", "answer", "from", "was", "quick"]


def letters(text: str) -> bytes:
    codes: bytes = to_initials(text).codes.tobytes()
    return codes


def put_behind(pieces: list[str], inserted: list[str]) -> str:
    return "".join(f"{piece} {inserted[at % len(inserted)]} " for at, piece in enumerate(pieces))


@pytest.mark.parametrize("width", [1, 2])
def test_english_words_behind_every_character_or_two_are_no_text(width: int) -> None:
    pieces = [STORY[at : at + width] for at in range(0, len(STORY), width)]
    assert letters(put_behind(pieces, WORDS)) == letters(STORY)


def test_particles_behind_every_few_characters_are_no_text() -> None:
    pieces = [STORY[at : at + 5] for at in range(0, len(STORY), 5)]
    assert letters(put_behind(pieces, ["the", "of", "is", "with", "that"])) == letters(STORY)


@pytest.mark.parametrize(("first", "step"), [(1, 1), (500, -1), (10, 5)])
@pytest.mark.parametrize("width", [1, 3, 12])
def test_numbers_that_count_are_no_text_wherever_they_stand(first: int, step: int, width: int) -> None:
    pieces = [STORY[at : at + width] for at in range(0, len(STORY), width)]
    if len(pieces) >= 8:
        assert letters("".join(f"{piece}{first + step * at}" for at, piece in enumerate(pieces))) == letters(STORY)


def test_the_code_behind_each_character_is_no_text() -> None:
    plain = "".join(character for character in STORY if character not in "，。")
    assert letters("\n".join(f"{character},{ord(character):04X}" for character in plain)) == letters(plain)


@pytest.mark.parametrize(
    "text",
    [
        "若 root 为空则返回 false，若 root 的权值等于 value 则返回 true，否则 left 小于 value 时在 left 里继续"
        "搜索 value，直到 leaf 为止，最后把 count 加到 total 上，再把 total 写进 store 里供 query 使用",
        "气温：周一12周二15周三9周四11周五14周六8周日10，下周一13下周二7下周三16",
        "营收 1203 万，利润 88 万，门店 412 家，员工 1999 人，单价 35 元，成本 21 元，税 9 元，余 5 元，欠 3 元",
    ],
)
def test_words_and_numbers_of_a_text_of_its_own_stay(text: str) -> None:
    wanted = sum(character.isascii() and character.isalnum() for character in text)
    assert sum(code > 20 for code in letters(text)) == wanted


@pytest.mark.parametrize(
    "form",
    [
        "<ruby>{0}<rt>{1}</rt></ruby>",
        "<ruby><rb>{0}</rb><rp>(</rp><rt>{1}</rt><rp>)</rp></ruby>",
        r"\xpinyin{{{0}}}{{{1}}}",
        r"\ruby[g]{{{0}}}{{{1}}}",
        r"{{\k20}}{0}",
        r"\emph{{{0}}}",
        "<0,200,0>{0}",
    ],
)
def test_readings_and_marks_of_documents_subtitles_and_lyrics_are_no_text(form: str) -> None:
    written = "".join(form.format(char, "du") if char not in "，。" else char for char in STORY)
    assert letters(written) == letters(STORY)
    assert len(blank_tags(written)) == len(written)


SPLIT = {"的": "白勺", "说": "言兑", "是": "日疋", "们": "人门", "好": "女子", "把": "手巴", "他": "人也", "时": "日寸"}


def test_characters_split_into_whole_characters_are_joined() -> None:
    text = "他说这是他们的船，把缆绳放好的时候要小心，这是最好的办法。"
    written = "".join(SPLIT.get(character, character) for character in text)
    joined = join_split_characters(written)
    assert joined.replace("\u200b", "") == text
    assert len(joined) == len(written)


@pytest.mark.parametrize(
    "text",
    [
        "女子日月不息，木石相依，十口之家，一言既出，山石不移，白勺一把，人言可畏。",
        "白勺、铜勺和木勺都放在架上，女子拿了白勺，又拿木勺，白勺是瓷的。",
        "部首有亻、氵、扌、讠、辶等，见于偏旁表。",
    ],
)
def test_characters_that_only_look_like_parts_stay(text: str) -> None:
    assert join_split_characters(text) == text


LONG_TEXT = (
    "渡口的老船工姓管，撑了一辈子篙，如今桥修好了，船就拴在柳树下面，成了孩子们写作业的地方。他不恼，还替他们钉了一排矮凳，"
    "说水上的事情总要有人记得，哪怕只是坐在船里背一篇课文。到了汛期，他照旧每天去看水尺，回来用粉笔在船板上写一个数字。"
)


def _behind_each(text: str, period: int, put: Callable[[int], str]) -> str:
    pieces = [text[begin : begin + period] for begin in range(0, len(text), period)]
    return "".join(piece + put(number) for number, piece in enumerate(pieces))


@pytest.mark.parametrize("period", [3, 5, 7])
@pytest.mark.parametrize(
    "put",
    [lambda n: str(n * n * 37 % 991 + 10), lambda n: f" {WORDS[n * 7 % len(WORDS)]} ", lambda n: "qingwei"],
    ids=["numbers", "words", "one name"],
)
def test_what_stands_inside_of_words_is_left_out_at_any_pace(period: int, put: Callable[[int], str]) -> None:
    read = to_initials(_behind_each(LONG_TEXT, period, put))
    assert read.codes.tolist() == to_initials(LONG_TEXT).codes.tolist()


@pytest.mark.parametrize("row", ["{0},{1:X}\n", "{0}\t{1}\n"])
def test_the_code_beside_each_character_of_a_table_is_left_out(row: str) -> None:
    read = to_initials("".join(row.format(character, ord(character)) for character in LONG_TEXT[:60]))
    assert read.codes.tolist() == to_initials(LONG_TEXT[:60]).codes.tolist()


def test_words_and_numbers_of_the_text_itself_stay() -> None:
    text = (
        "第一季度销售 482 台，退货 17 台，返修 35 台。"
        "第二季度销售 519 台，退货 22 台，返修 41 台。"
        "第三季度销售 634 台，退货 19 台，返修 28 台。第四季度销售 702 台，退货 31 台，返修 44 台。"
        "安装 Python 以后打开 Jupyter 新建笔记本，再用 Pandas 读取表格，"
        "用 Matplotlib 画图，最后由 Git 提交到 Gitea 的仓库，交给 Jenkins 运行测试。"
    )
    assert len(to_initials(text)) == sum(character.isalnum() for character in text)
