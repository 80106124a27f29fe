"""What a site says in its own voice: one look at a line finds whatever the several looks would."""

import importlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.boilerplate.dated_rows import _TIME_SIGN
from crawler.extraction.boilerplate.site_notices import (
    _ANY_NOTICE,
    _INVITATION,
    _SITE_VOICE,
    _TELLING_WORD,
    FOOTER_NOTICE,
    RIGHTS_NOTICE,
    is_invitation,
    is_legal_notice,
    is_site_notice,
)
from crawler.extraction.page import extract_page

_compiler: Any = importlib.import_module("re._compiler")  # Python documents neither; a change would show below
_parser: Any = importlib.import_module("re._parser")
WORDS = """
版权所有 版權所有者 ICP备 Powered powered © 免责声明 网友上传 本站 本网 您 网站 转载 授权 侵权 删除 协议
隐私政策 关注我们 公众号 扫码关注 随意打赏 请随意赞赏 文章对您有帮助吗 暂无评论 原标题： 上一篇：没有了
（转自人民日报） END 全文完 渡口 的灯 ， 。 著作權 責任 轉載
"""
PIECES = st.sampled_from((*WORDS.split(), " By", " by"))
ASKED_OF_ALL = {
    "FOOT": FOOTER_NOTICE,
    "RIGHTS": RIGHTS_NOTICE,
    "_SITE": _SITE_VOICE,
    "_INVITATION": _INVITATION,
    "_ANY": _ANY_NOTICE,
    "_TELLING": _TELLING_WORD,
    "_SIGN": _TIME_SIGN,
}


@given(st.lists(PIECES, max_size=8), st.integers(0, 420))
def test_a_line_is_the_sites_if_it_is_words_of_the_law_or_an_invitation_and_never_else(
    pieces: list[str], more: int
) -> None:
    for text in ("".join(pieces), "".join(pieces) + "渡" * more):
        assert is_site_notice(text) == (is_legal_notice(text) or is_invitation(text))


@pytest.mark.parametrize(
    "line",
    [
        "【纠错】",
        "点击进入专题：河口渡船停航",
        "点击查看更多",
        "推荐阅读：渡口的灯为什么灭了",
        "延伸閱讀：渡口的燈",
        "更多精彩内容请关注河口晚报微信",
        "更多精彩，敬请关注",
    ],
)
def test_what_a_site_writes_under_its_articles_is_no_text(line: str) -> None:
    story = [f"第{number}天，老船匠把缆绳又系紧了一道，等雾散了才肯开船，岸上的人都看着他。" for number in "一二三四"]
    page = "".join(f"<p>{text}</p>" for text in [*story, line])
    html = f"<html><body><article><h1>渡口</h1>{page}</article></body></html>"
    assert extract_page(html.encode(), (), "https://a.test/1").text.splitlines()[-4:] == story


@pytest.mark.parametrize(
    "line",
    ["推荐阅读的书他一本也没看。", "点击进入之后，屏幕黑了，专题没有打开。", "更多精彩的戏在后头，请关上门看。"],
)
def test_sentences_with_these_words_are_text(line: str) -> None:
    assert not is_site_notice(line)


@pytest.mark.parametrize("name", ASKED_OF_ALL)
def test_each_way_in_what_is_asked_of_every_line_begins_with_one_letter(name: str) -> None:
    pattern: re.Pattern[str] = ASKED_OF_ALL[name]
    assert _compiler._get_charset_prefix(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)
