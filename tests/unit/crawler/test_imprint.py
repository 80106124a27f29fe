"""Who runs a site and how to reach them is found in what its pages say, and nothing is taken for it that is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.extraction.imprint import MAX_CONTACTS, MAX_IMPRINT_CHARACTERS, extract_contacts, extract_imprint
from crawler.extraction.model import ContactKind, SiteContact

HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("粤ICP备00000001号-2", ContactKind.ICP, "粤ICP备00000001号-2"),
        ("备案：京 icp 证 000001 号", ContactKind.ICP, "京ICP证000001号"),
        ("浙公网安备 00000000000001号", ContactKind.POLICE, "浙公网安备00000000000001号"),
        ("主办单位：河口网络科技有限公司", ContactKind.OPERATOR, "河口网络科技有限公司"),
        ("© 2019-2026 潮汐文化工作室 保留权利", ContactKind.OPERATOR, "潮汐文化工作室"),
        ("版权所有 © 河口（海州）传媒集团", ContactKind.OPERATOR, "河口(海州)传媒集团"),
        ("版权所有：海州出版社有限公司", ContactKind.OPERATOR, "海州出版社有限公司"),
        ("投稿 Editor@Copies.Example。", ContactKind.MAIL, "editor@copies.example"),
        ("联系电话：010-0000 0000", ContactKind.TELEPHONE, "010-0000 0000"),
        ("客服QQ：100000001", ContactKind.QQ, "100000001"),
        ("地址：海州市河口区槐树路7号 邮编 000000", ContactKind.ADDRESS, "海州市河口区槐树路7号"),
    ],
)
def test_each_kind_is_found_in_one_form(text: str, kind: ContactKind, value: str) -> None:
    assert extract_contacts(text) == (SiteContact(kind, value),)


@pytest.mark.parametrize(
    "text",
    [
        "他打了三次电话，都没有人接。",
        "网站尚未备案，ICP备案号未知",
        "logo@2x.png",
        "本站最新地址：请收藏",
        "他忘了地址：只记得那条街",
        "QQ：12",
        "内容的版权所有者为各自公司",
        "他在公司门口等她，一直等到版权所有的字样熄灭。",
    ],
)
def test_what_only_looks_so_is_nothing(text: str) -> None:
    assert extract_contacts(text) == ()


def test_foot_and_links_of_a_page_are_read_across_its_tags_and_scripts_are_not() -> None:
    page = """<body><script>var mail = "hidden@copies.example"</script><p>正文</p>
    <div>主办单位：<b>河口网络科技有限公司</b></div><p>电话：<span>010-00000000</span></p>
    <a href="mailto:law%40copies.example?subject=x">来信</a><a href="tel:+86-10-00000002">拨打</a>
    <a href="https://wpa.qq.com/msgrd?v=3&amp;uin=100000001&amp;site=qq">在线客服</a>
    <a href="https://beian.example/">粤ICP备00000001号</a></body>"""
    assert {(one.kind.value, one.value) for one in extract_imprint(page.encode(), HEADERS)} == {
        ("operator", "河口网络科技有限公司"),
        ("telephone", "010-00000000"),
        ("telephone", "+86-10-00000002"),
        ("mail", "law@copies.example"),
        ("qq", "100000001"),
        ("icp", "粤ICP备00000001号"),
    }


@settings(max_examples=40)
@given(st.text(alphabet="电话QQ:：地址省路公司版权所有©京ICP备0123@.a \n", max_size=300))
def test_any_text_gives_each_thing_once_and_few(text: str) -> None:
    found = extract_contacts(text * 3)
    assert len(set(found)) == len(found) <= MAX_CONTACTS


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a@", "©", "©a", "版权所有中", "地址:中", "QQ", "京ICP备", "电话:1", " \n"]
)
def test_a_page_made_to_be_slow_is_read_to_its_bound_in_one_pass(piece: str) -> None:
    # A pattern that looked back over the text would not come to the end of this within the suite.
    assert len(extract_contacts(piece * (MAX_IMPRINT_CHARACTERS // len(piece)))) <= MAX_CONTACTS
