"""What a forum's program writes around and into its posts is no part of the text; what people write there stays."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.page import extract_html
from crawler.extraction.posts.forum_markup import detect_forum_software, remove_post_furniture
from tests.support.pages.threads import THREAD, THREADS, Said

URL = "http://bbs.test/thread-7-1-1.html"
KNOWN = [name for name in THREADS if name not in ("json_ld", "unknown")]
# What looks like a program's words, and is a person's: a post says it.
OWN = (
    "本帖最后由谁来编辑，我们争了一个晚上，谁也不肯让步，到天亮才散。",
    "2#",
    "支持",
    "他在那条消息下面写：“本帖最后由 老秦 于 2023-4-5 10:00 编辑”，然后就下线了，再没有上来过。",
)


@pytest.mark.parametrize("name", KNOWN)
def test_floors_times_and_names_around_posts_are_no_part_of_the_text(name: str) -> None:
    lines = extract_html(THREADS[name](THREAD).encode(), [], URL).text.split("\n")
    for line in (line for one in THREAD for line in one.lines):
        assert line in lines
    for one in THREAD:
        for furniture in (one.author, f"{one.floor}#", f"{one.floor}楼", f"{one.author} {one.floor}", "楼主"):
            assert furniture not in lines
    assert not any("编辑" in line or line.startswith("发表于") for line in lines)


@pytest.mark.parametrize("name", KNOWN)
def test_a_post_that_writes_such_words_itself_keeps_them(name: str) -> None:
    first, *rest = THREAD
    own = Said(2, "渔火", "2023-04-01 21:30", OWN)
    lines = extract_html(THREADS[name]([first, own, *rest[1:]]).encode(), [], URL).text.split("\n")
    for line in OWN:
        assert line in lines


@pytest.mark.parametrize("said", ["沙发", "支持", "昨天刚去过那座窑。"])
def test_what_others_say_below_a_post_stays_however_short(said: str) -> None:
    below = f'<div id="comment_900" class="cm"><div class="pstl"><a>秦</a><div class="psti">{said}</div></div></div>'
    end = "</td></tr></table></div></div></td>"
    html = THREADS["discuz"](THREAD).replace(end, f"</td></tr></table>{below}</div></div></td>", 1)
    tree = LexborHTMLParser(html)
    remove_post_furniture(tree, detect_forum_software(tree, html, html.encode()))
    assert [one.text() for one in tree.css(".psti")] == [said]
    assert tree.css_first(".authi") is None


def test_an_article_that_quotes_a_forum_keeps_every_word() -> None:
    line = "本帖最后由 老秦 于 2023-4-5 10:00 编辑"
    article = "".join(f"<p>{one}</p>" for one in (*THREAD[0].lines, line, "2#", *THREAD[2].lines))
    text = extract_html(f"<html><body><article><h1>窑</h1>{article}</article></body></html>".encode(), [], URL).text
    assert line in text.split("\n")
