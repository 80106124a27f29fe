"""What repeats across the pages of one host, told from what is copied as a whole."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.boilerplate.host_templates import (
    MIN_TEMPLATE_PAGES,
    HostText,
    required_template_pages,
)
from tests.support.pages.page_parts import FERRY, KILN, OTHERS, STARS

PATH = "选择“格式”菜单中的“段落”，然后打开“缩进与间距”选项卡。"
SIGNS = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往"
OWN = st.lists(st.text(SIGNS, min_size=12, max_size=40), min_size=8, max_size=20)
FEW = st.lists(st.text(SIGNS, min_size=12, max_size=16), min_size=4, max_size=8)  # of many pages


def counted(pages: list[str]) -> Counter[str]:
    return Counter(key for page in pages for key in HostText(page).line_keys)


def cleaned(pages: list[str]) -> list[str]:
    counts = counted(pages)
    return [HostText(page).strip_template(counts, len(pages)) for page in pages]


def test_a_sentence_that_many_pages_repeat_is_left_out_of_each() -> None:
    own = [f"第{n}页说的是另一件事，与别的页没有关系。\n{line}" for n, line in enumerate((*FERRY, *KILN, *STARS))]
    assert cleaned([f"{PATH}\n{text}" for text in own]) == own


def test_what_stands_on_few_pages_stays() -> None:
    pages = [f"{PATH}\n{line}{line}" if n < MIN_TEMPLATE_PAGES - 1 else line for n, line in enumerate((*KILN, *STARS))]
    assert cleaned(pages) == pages


def test_a_text_that_stands_as_a_whole_at_several_addresses_stays() -> None:
    copy = "\n".join((*FERRY, *KILN))
    mirrors = [f"镜像站点第{n}号，最近一次同步于今天早晨。\n{copy}" for n in range(8)]
    pages = mirrors + [f"{line}\n{PATH}" for line in (*STARS, *OTHERS)]
    assert cleaned(pages)[:8] == mirrors


def test_a_long_copy_within_different_pages_stays_unless_most_of_the_host_has_it() -> None:
    copy = "\n".join((*FERRY, *KILN))
    own = ["\n".join(f"{a}{b}{n}" for a in STARS for b in OTHERS for n in (page, -page)) for page in range(1, 41)]
    some = [f"{copy}\n{text}" if n < 8 else text for n, text in enumerate(own)]
    assert cleaned(some) == some
    everywhere = cleaned([f"{copy}\n{text}" for text in own])
    assert everywhere == [f"“不多。”\n{text}" for text in own], "what is too short to count stays"


def test_short_lines_stay_however_often_they_are_said() -> None:
    pages = [f"“好。”\n{line}" for line in (*FERRY, *KILN)]
    assert cleaned(pages) == pages


@given(st.lists(FEW, min_size=MIN_TEMPLATE_PAGES, max_size=12, unique_by=tuple), FEW)
def test_only_whole_lines_go_and_the_rest_keeps_its_order(own: list[list[str]], shared: list[str]) -> None:
    pages = ["\n".join((*lines, *shared[:2])) for lines in own]
    for page, clean in zip(pages, cleaned(pages), strict=True):
        rest = iter(page.split("\n"))
        assert all(line in rest for line in clean.split("\n") if line)


@given(OWN, st.integers(0, 5))
def test_identical_pages_are_never_emptied(lines: list[str], more: int) -> None:
    page = "\n".join(lines)
    assert cleaned([page] * (MIN_TEMPLATE_PAGES + more)) == [page] * (MIN_TEMPLATE_PAGES + more)


@given(st.integers(0, 10**7))
def test_the_larger_a_host_the_more_pages_must_share_a_line_up_to_a_bound(pages: int) -> None:
    assert MIN_TEMPLATE_PAGES <= required_template_pages(pages) <= required_template_pages(pages + 1) <= 50
