"""Threads on the screens, in the API, in reports and exhibits: who wrote what was copied, and when."""

import json
from dataclasses import replace

from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.pages.threads import THREAD, THREADS
from tests.support.screens import MakeCaller
from tests.support.way import capture, made_text, the_case, work_through
from wenhen.evidence.exhibit_contents import _passage_records
from wenhen.pages.service import posts_of_case
from wenhen.reports.contents import gather_report
from wenhen.reports.csv_and_json import to_json
from wenhen.reports.html import to_html
from wenhen.runtime.wiring import App
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

FIRST, SECOND = "http://bbs.test/thread-7-1-1.html", "http://bbs.test/thread-7-2-1.html"


def _thread(product: App) -> str:
    """A thread over two pages, whose third post copies a work and whose fourth quotes it; its first page's id."""
    copied = tuple(made_text("story", 400).splitlines())
    put_work(by(product), WorkDraft(id="story", title="作品", text="\n".join(copied)))
    taking = replace(THREAD[2], lines=copied, quotes=None)
    quoting = replace(THREAD[3], quotes=(taking.author, "<br>".join(copied)))
    write = THREADS["discuz"]
    on = f"<div class=pg><a href={SECOND}>下一页</a></div></body>"
    back = f"<div class=pg><a href={FIRST}>上一页</a></div></body>"
    id = capture(product, FIRST, write(THREAD[:2]).replace("</body>", on).encode())
    capture(product, SECOND, write((taking, quoting)).replace("</body>", back).encode())
    work_through(product)
    return id


def test_a_passage_in_a_thread_tells_who_wrote_it_and_when(
    client: FlaskClient, product: App, caller: MakeCaller
) -> None:
    page = _thread(product)
    case = the_case(product)
    assert case.page_id == page
    (told,) = posts_of_case(product, case).values()
    assert [(post.floor, post.author, post.quoted_from) for post in told] == [
        (3, THREAD[2].author, None),
        (4, THREAD[3].author, THREAD[2].author),
    ]
    shown = client.get(f"/cases/{case.number}").text
    assert THREAD[2].author in shown
    assert "3 楼" in shown
    assert f"引用 {THREAD[2].author} 的话" in shown
    posts = caller()("GET", f"/cases/{case.number}").get_json()["posts"]
    assert posts[0] == {
        "passage": 1,
        "floor": 3,
        "author": THREAD[2].author,
        "written_at": "2023-04-01T23:05:00+00:00",
        "precision": "minute",
        "quoted": False,
        "quoted_from": None,
    }


def test_reports_and_exhibits_tell_it_too(product: App) -> None:
    _thread(product)
    case = the_case(product)
    made = gather_report(by(product))
    assert json.loads(to_json(made))["cases"][0]["passages"][0]["posts"][0]["author"] == THREAD[2].author
    assert f"3 楼 · {THREAD[2].author} · 2023-04-02 07:05" in to_html(made).decode()
    page, work = (product.store.blobs.get_text(one) for one in (case.page_text_digest, case.work_text_digest))
    passages = _passage_records(product, case, page, work)
    assert passages[0]["posts"][0]["written_at"] == "2023-04-01T23:05:00.000Z"


def test_a_thread_over_several_pages_is_one_text_with_all_of_its_posts(
    client: FlaskClient, product: App, caller: MakeCaller
) -> None:
    page = _thread(product)
    shown = client.get(f"/pages/{page}").text
    assert "4 帖" in shown
    assert all(one.author in shown for one in THREAD)
    answer = caller()("GET", f"/pages/{page}/posts").get_json()
    assert [one["floor"] for one in answer] == [1, 2, 3, 4]
    assert [quote["author"] for quote in answer[3]["quotations"]] == [THREAD[2].author]
