"""How much of what a page shows was read."""

from hypothesis import given
from hypothesis import strategies as st

from wenhen.crawls.reading_audit import GRAM_CHARACTERS, measure_read_share

LINES = (
    "河堤上的槐树开花的时候，修船的老人就把木凳搬到门外。",
    "他说船底最怕的不是石头，是没有人再去看它一眼。",
    "傍晚收工，他把凿子一把一把地擦干净，挂回墙上。",
)


def test_what_was_left_out_is_told_by_its_longest_stretch_and_menus_do_not_count() -> None:
    found = measure_read_share("\n".join(("首页 排行 书架 我的", *LINES)), "\n".join(LINES[:2]))
    assert (found.visible, found.read) == (sum(map(len, LINES)), len(LINES[0] + LINES[1]))
    assert found.unread == LINES[2]


def test_blanks_and_breaks_make_no_difference() -> None:
    assert measure_read_share("\n".join(LINES), "".join(" ".join(line) for line in LINES)).share == 1
    assert measure_read_share("", "").share == 1


@given(st.text("河堤槐树开花，。", max_size=120), st.text("河堤槐树开花，。", max_size=120))
def test_no_more_is_read_than_is_shown_and_a_text_is_read_from_itself(visible: str, text: str) -> None:
    found = measure_read_share(visible, text)
    assert 0 <= found.read <= found.visible <= len(visible)
    assert len(found.unread) <= found.visible - found.read
    itself = measure_read_share(visible, visible)
    assert itself.read == itself.visible or len(visible) < GRAM_CHARACTERS
