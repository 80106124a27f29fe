"""One text at several addresses of its site, as it is printed, read on a telephone and served from a cache: one find."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from services.cases.folding import Fold, folded
from tests.support.way import capture, made_text, store_work, work_through
from wenhen.wiring import App

TEXT = made_text("forms", 900)
MENU = "".join(f"<li><a href=/c{n}>栏目{n}</a></li>" for n in range(12))


def page(body: str) -> bytes:
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>渡口</title></head><body>{body}</body></html>".encode()
    )


def paragraphs(tag: str = "p") -> str:
    return "".join(f"<{tag}>{line}</{tag}>" for line in TEXT.split("\n"))


FORMS = {
    "http://news.test/2023/1.html": f"<ul>{MENU}</ul><article><h1>渡口</h1>{paragraphs()}</article><footer>版权所有 河口网</footer>",
    "http://news.test/print.php?id=1": f"<p>河口网 - 打印版</p><hr><h2>渡口</h2>{paragraphs()}<hr><p>原文地址：http://news.test/2023/1.html</p>",
    "http://m.news.test/1": f"<div class=bar><a href=/>河口网</a></div><section><h1>渡口</h1>{paragraphs('div')}</section><div>打开App，查看更多精彩内容</div>",
    "http://news.test/amp/1": f"<amp-sidebar><ul>{MENU}</ul></amp-sidebar><article><h1>渡口</h1>{paragraphs()}</article><amp-user-notification><p>我们使用 Cookie 改善您的浏览体验。</p></amp-user-notification>",
}


def test_the_printed_mobile_and_amp_forms_of_a_page_are_one_row_of_the_queue(app: App) -> None:
    store_work(app, "ferry", TEXT)
    for url, body in FORMS.items():
        capture(app, url, page(body))
    work_through(app)
    keys = app.store.cases.keys(limit=10)
    assert len(keys) == len(FORMS)
    [row] = folded(keys, Fold.CLUSTER, {})
    assert sorted(row.numbers) == [1, 2, 3, 4]
    assert set(row.hosts) == {"news.test", "m.news.test"}
