"""Time stamps, counters and adverts go; the text stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.words.text import clean_text
from tests.support.features.scheme_samples import texts


@pytest.mark.parametrize(
    "left_out",
    [
        "2024-03-05 08:12:33",
        "发布时间：2024年3月5日 08:12",
        "3小时前",
        "昨天 21:07",
        "阅读（1024）",
        "点赞：35 评论：4",
        "浏览量：1.2万次",
        "【一秒记住本站网址，最新章节抢先看】",
        "（手机用户请搜索本站同名小程序，免费无弹窗）",
        "——广告：正宗山泉水，满两箱包邮——",
        "（本页未完，请点下一页继续浏览）",
        "最新网址：www.example.com",
        "第 1 页 / 共 3 页",
        "（2/5）",
        "2024年3月5日 星期二 上午8:12",
        "2024-03-05T08:12:33+08:00",
        "2024-03-05T00:12:33Z",
        "Posted on 2024-03-05 08:12",
        "2024.03.05 08:12:33 来源：例报",
        "2024年3月5日08时12分",
        "08:12",
        "1.2万人浏览",
        "共 35 条评论",
        "阅读 10万+ 点赞 35 在看 12",
        "已有 1,024 人阅读",
        "本文共1234字，阅读约需3分钟",
        "分享到：微信 微博 QQ空间",
        "上一页 1 2 3 下一页",
        "上一章 目录 下一章",
        "责任编辑：某某",
        "【广告】",
        "长按识别二维码，关注我们",
        "打开APP阅读全文",
        "加V：abc123 进群",
        "微信：abc12345",
        "（未完待续）",
    ],
)
def test_what_sites_add_is_left_out(left_out: str) -> None:
    assert clean_text(f"渡口的灯亮着。\n{left_out}\n老人系紧了缆绳。").split() == ["渡口的灯亮着。", "老人系紧了缆绳。"]


@pytest.mark.parametrize(
    "kept",
    [
        "一九四九年十月一日，广场上站满了人。",
        "2024年3月5日，市里通过了这项办法，共12条。",
        "他阅读了三本书，评论说都不错。",
        "公众号这个词是后来才有的。",
        "火车8点半开，第3页上写着。",
        "他每周一去一次，带回三条消息。",
        "编辑：把文件打开，再存一次。",
        "扫描二维码登录之后，系统会问你的名字。",
        "目录里没有这一章，下一章才说到。",
    ],
)
def test_what_the_author_wrote_stays(kept: str) -> None:
    assert clean_text(kept) == kept


def test_hardly_anything_of_a_work_is_left_out() -> None:
    for text in texts():
        assert len(clean_text(text)) >= 0.995 * len(text)


@given(st.text(alphabet="阅读量广告：:12-年月日 刚刚\n（）【】包邮。www.a", max_size=60))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)
