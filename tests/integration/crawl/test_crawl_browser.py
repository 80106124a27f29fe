"""Sites whose text appears only by script, in a real Chromium, some of them out to harm it."""

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from crawler.extraction.page import extract_html
from crawler.rendering.browser import find_browser
from tests.support.crawls.crawling import missed, run
from tests.support.crawls.forward_proxy import ForwardProxy, proxying
from tests.support.crawls.serving import Handler, serving
from wenhen.kit.errors import SetupError

try:
    find_browser(None)
except SetupError as error:
    pytest.skip(f"no browser to test with: {error}", allow_module_level=True)

pytestmark = pytest.mark.browser
HOST = "http://app.wenhen-test.test"
STORY = "巷口的裁缝铺关了门，缝纫机的声音却还在夜里响，整条街的人都装作没有听见，只有狗抬起头来。"
SHELL = "<html><head><meta charset=gb2312><title>应用</title></head><body><div id=app>正在加载</div>"
FILL = """<script>
fetch('/data.json').then(answer => answer.json()).then(data => setTimeout(() => {
  document.getElementById('app').innerHTML = '<p>' + data.text + '</p><a href="/second">下一篇</a>';
}, 300));
</script>"""
DECOYS = """<script>
const sheet = new CSSStyleSheet();
sheet.replaceSync(
  'p { background: #eee } .a { color: #eee } .b { font-size: 1px } .c { opacity: 0 } .d { color: #c00 }'
);
document.adoptedStyleSheets = [sheet];
const decoys = ['<b class=a>甲</b>', '<b class=b>乙</b>', '<b class=c>丙</b>', '<b class=d>丁</b>'];
const words = Array.from('STORY').map((character, place) => character + decoys[place % 4]);
document.getElementById('app').innerHTML = '<p>' + words.join('') + '</p>';
</script>""".replace("STORY", STORY)
GATE = SHELL.replace("正在加载", "<p>请启用 JavaScript 后刷新本页。</p>" + "<p>首页 书库 排行</p>" * 12)
PROBE = """<script>
const tried = [];
const attempt = url =>
  fetch(url, {mode: 'no-cors'}).then(() => tried.push(url + ' reached'), () => tried.push(url + ' kept'));
Promise.all(URLS.map(attempt)).then(() => { document.getElementById('app').textContent = 'STORY' + tried.join(' '); });
</script>"""


def probed() -> list[str]:
    return [f"http://{App.inner}/", "http://localhost/", "http://rebind.test/", "file:///etc/passwd"]


class App(Handler):
    """Pages that scripts fill; `inner` is a server that nobody outside may reach."""

    inner = ""

    def page(self) -> None:
        pages = {
            "/robots.txt": "",
            "/": SHELL + FILL,
            "/second": SHELL + FILL.replace("data.json", "data2.json"),
            "/plain": f"<p>{STORY * 3}</p><script src=/counter.js></script>",
            **{f"/idle{n}": SHELL + "<script>fetch('/shown')</script>" for n in range(5)},
            "/gate": GATE + FILL,
            "/picture": SHELL + "<img src=/p.png><video src=/v.mp4></video>" + FILL,
            "/busy": SHELL + "<script>while (true) {}</script>",
            "/growing": SHELL + "<script>setInterval(() => document.body.append('字'.repeat(1000)), 50)</script>",
            "/huge": SHELL + "<script>document.body.append('字'.repeat(4000000))</script>",
            "/decoys": SHELL + DECOYS,
            "/onward": SHELL + "<script>setTimeout(() => { location.href = ['', 'plain'].join('/') }, 50)</script>",
            "/away": SHELL + "<script>setTimeout(() => { location.href = 'http://else' + 'where.test/' }, 50)</script>",
            "/probe": SHELL + PROBE.replace("STORY", STORY).replace("URLS", json.dumps(probed())),
        }
        if self.path in pages:
            self.reply(pages[self.path].encode("gb18030"), ("Content-Type", "text/html"))
        elif self.path.startswith("/data"):
            signed = "sid=7f" in self.headers.get("Cookie", "")
            agent = self.headers["User-Agent"]
            text = f"{STORY * 3} {self.path} {agent} {'已登录' if signed else '未登录'}"
            self.reply('{"text": "' + text + '"}', ("Content-Type", "application/json"))
        else:
            self.reply("", status=404)


@pytest.fixture
def target() -> Iterator[str]:
    with serving(App) as address:
        yield address


def rendered(target: str, *paths: str, **fields: Any) -> dict[str, Any]:
    job: dict[str, Any] = {
        "host_map": {"app.wenhen-test.test": target},
        "render": "always",
        "browser_seconds": 60,  # a page that settles takes about two seconds, and on a busy host ten times that
        "retries": 0,
    }
    return run(*[HOST + path for path in paths], **(job | fields))


def test_text_that_scripts_bring_is_read_and_its_links_are_followed_and_both_forms_are_kept(target: str) -> None:
    session = [{"name": "sid", "value": "7f", "domain": "app.wenhen-test.test"}]
    result = rendered(target, "/", cookies=session)
    assert set(result["pages"]) == {f"{HOST}/", f"{HOST}/second"}
    assert not missed(result)
    page = result["pages"][f"{HOST}/"]
    assert STORY in page["dom"]
    assert "wenhen/0.1 (+https://example.com/contact)" in page["dom"], "scripts ask under our own name"
    assert "已登录" in page["dom"], "and in the site's session"
    assert page["begin"].encode("latin-1").decode("gb18030") == SHELL + FILL, "what was sent stays what it was"
    assert page["server"] == "127.0.0.1"
    assert App.seen["/"] == 1, "the page is asked for once"
    assert "/p.png" not in App.seen


def test_what_styles_hide_from_a_visitor_of_the_browser_is_not_read(target: str) -> None:
    rendering = rendered(target, "/decoys")["pages"][f"{HOST}/decoys"]["dom"]
    assert "甲" in rendering, "what the browser made of the page is kept"
    text = extract_html(rendering.encode(), [("content-type", "text/html; charset=utf-8")], HOST).text
    assert text == "".join(f"{character}丁" if place % 4 == 3 else character for place, character in enumerate(STORY))


def test_pages_that_hold_their_text_are_left_alone_unless_the_site_is_marked(target: str) -> None:
    never = rendered(target, "/", "/plain", render="never")
    assert {page["dom"] for page in never["pages"].values()} == {None}
    empty = rendered(target, "/", "/plain", "/picture", render="empty")
    assert {url for url, page in empty["pages"].items() if page["dom"]} == {
        f"{HOST}{x}" for x in ("/", "/picture", "/second")
    }
    assert App.seen["/counter.js"] == 0
    assert App.seen["/p.png"] == App.seen["/v.mp4"] == 0, "pictures and films are not fetched"


def test_a_crawl_finds_out_that_the_empty_pages_of_a_site_have_to_be_rendered(target: str) -> None:
    result = rendered(target, "/", "/plain", render="learn")
    assert {url for url, page in result["pages"].items() if page["dom"]} == {f"{HOST}/", f"{HOST}/second"}
    assert STORY in result["pages"][f"{HOST}/second"]["dom"], "a link that stands in the rendered page alone"
    assert result["in a browser"] == [f"{HOST}/"], "it is told once"
    assert App.seen["/counter.js"] == 0, "a page that holds its text is left alone"


@pytest.mark.parametrize("render", ["learn", "empty"])
def test_a_page_that_lets_browsers_alone_pass_is_rendered_whether_its_site_is_known_or_not(
    target: str, render: str
) -> None:
    result = rendered(target, "/gate", render=render)
    assert STORY in result["pages"][f"{HOST}/gate"]["dom"]
    assert not missed(result)
    assert result["in a browser"] == [f"{HOST}/gate"] * (render == "learn"), "it is told where it is news"


def test_where_nothing_shows_in_the_browser_either_no_more_than_a_few_pages_are_rendered(target: str) -> None:
    result = rendered(target, *(f"/idle{n}" for n in range(5)), render="learn")
    assert [(page["dom"], page["problems"]) for page in result["pages"].values()] == 5 * [(None, [])]
    assert (App.seen["/shown"], result["in a browser"]) == (3, [])


def test_a_page_that_never_ends_or_grows_without_end_costs_its_time_and_keeps_what_was_sent(target: str) -> None:
    result = rendered(target, "/busy", "/growing", "/huge", "/plain", browser_seconds=45, max_body_bytes=2_000_000)
    pages = result["pages"]
    assert set(pages) == {f"{HOST}{path}" for path in ("/busy", "/growing", "/huge", "/plain")}
    for path in ("/busy", "/growing", "/huge"):
        assert pages[HOST + path]["dom"] is None
        assert pages[HOST + path]["problems"][0].startswith("not rendered")
    assert STORY in pages[f"{HOST}/plain"]["dom"]
    assert result["seconds"] < 600, "what never ends is broken off"


def test_where_a_script_sends_its_visitor_is_followed_within_the_site(target: str) -> None:
    result = rendered(target, "/onward", "/away")
    assert set(result["pages"]) == {f"{HOST}/plain", f"{HOST}/away"}
    assert "elsewhere.test" not in result["hosts"]


def test_no_request_of_the_browser_reaches_a_private_address(target: str) -> None:
    """Loopback stands in for the internet: 127.0.0.1 counts as public, 127.0.0.2 and the rest as private."""

    class Inner(Handler):
        def page(self) -> None:
            self.reply("secret")

    Inner.seen = type(App.seen)()
    with ThreadingHTTPServer(("127.0.0.2", 0), Inner) as inner:
        threading.Thread(target=inner.serve_forever, daemon=True).start()
        App.inner = f"127.0.0.2:{inner.server_port}"
        result = rendered(
            target,
            "/probe",
            internal=False,
            host_map={"app.wenhen-test.test": target, "rebind.test": App.inner},
            test={"public": "127.0.0.1"},
        )
        inner.shutdown()
    dom = result["pages"][f"{HOST}/probe"]["dom"]
    assert STORY in dom
    assert not Inner.seen
    assert "file:///etc/passwd kept" in dom
    assert "root:" not in dom


def test_the_browser_goes_through_the_site_s_proxies_as_everything_does(target: str) -> None:
    proxy = ForwardProxy({"app.wenhen-test.test": target}, login="me:s3cret")
    with proxying(proxy):
        result = rendered(target, "/", "/onward", proxies=["127.0.0.1:9", f"http://me:s3cret@{proxy.address}"])
    assert set(result["pages"]) == {f"{HOST}/", f"{HOST}/second", f"{HOST}/plain"}
    assert STORY in result["pages"][f"{HOST}/"]["dom"]
    carried = {urlsplit(line.split(" ")[1]).path for line in proxy.carried}
    assert carried >= {"/", "/data.json", "/second", "/data2.json", "/counter.js"}
    assert sum(App.seen.values()) == len(proxy.carried), "nothing goes out directly"


def test_without_a_browser_the_crawl_says_what_to_install(target: str) -> None:
    with pytest.raises(AssertionError, match=r"/nowhere/chrome is not there: install one \(apt-get install chromium\)"):
        rendered(target, "/", browser="/nowhere/chrome")
