"""Works are made, edited and removed by hand, one or as a table; a wrong field keeps what was written."""

import html
import re
from io import BytesIO

from flask.testing import FlaskClient

from tests.support.screens import post_and_follow
from tests.support.seed import WORK_TEXT, Seeder


def send(client: FlaskClient, path: str, at: str, **form: object) -> tuple[int, str]:
    answer = post_and_follow(client, path, form_at=at, **form)
    return answer.status_code, answer.text


def test_a_work_is_written_down_edited_and_removed(client: FlaskClient, seed: Seeder) -> None:
    status, page = send(client, "/works/new", "/works/new", title="修船", owner="河岸社", text=WORK_TEXT)
    assert status == 200
    assert "作品已登记" in page
    [work] = seed.store.works.find()
    assert (work.title, work.owner) == ("修船", "河岸社")
    at = f"/works/edit?id={work.id}"
    status, page = send(client, "/works/edit", at, id=work.id, title="修船的人", published_at="昨天")
    assert status == 400
    assert "首次发表时间 —" in page
    assert 'value="修船的人"' in page
    status, page = send(client, "/works/edit", at, id=work.id, title="修船的人", published_at="2025-11-02")
    assert status == 200
    assert seed.store.works.get(work.id).title == "修船的人"
    assert 'value="2025-11-02"' in client.get(at).text
    status, page = send(client, "/works/remove", at, id=work.id)
    assert "已移除《修船的人》" in page
    assert client.get(at).status_code == 404


def test_a_work_without_title_or_text_is_refused(client: FlaskClient, seed: Seeder) -> None:
    status, page = send(client, "/works/new", "/works/new", title=" ", text=WORK_TEXT)
    assert (status, "标题不能为空" in page) == (400, True)
    status, page = send(client, "/works/new", "/works/new", title="空", text=" ")
    assert (status, "没有正文" in page) == (400, True)
    assert seed.store.works.find() == []


def test_a_table_is_looked_at_before_it_is_taken(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    table = client.get("/works/details/works.csv").data
    assert table.decode("utf-8-sig").startswith("编号,标题,作者,权利人,")
    file = (BytesIO("id,proof\ndock,登记第 7 号\n没有,x\n".encode()), "a.csv")
    _, page = send(client, "/works/details/preview", "/works/details/", file=file)
    assert "将修改的作品：1" in page
    assert "未采用的行（1）" in page
    assert seed.store.works.get("dock").proof is None
    content = html.unescape(re.findall(r"<textarea name=\"content\" hidden>\n(.*?)</textarea>", page, re.DOTALL)[0])
    _, page = send(client, "/works/details/", "/works/details/", content=content)
    assert "已修改的作品：1" in page
    assert seed.store.works.get("dock").proof == "登记第 7 号"
    english = client.get("/works/details/works.csv?lang=en").data
    assert english.decode("utf-8-sig").startswith("id,title,author,owner,")


def test_lists_show_holders_and_copies_also_of_series(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/works/").text
    assert "/suspects/?work=dock&amp;counted=copies" in page or "counted=copies&amp;work=dock" in page
    assert "河岸文艺社" in page
    row = client.get("/works/series").text.split("海岸线")[1].split("</tr>")[0]
    assert '<td class="figure" data-label="侵权副本">1</td>' in row
    assert "2026-03-06 01:30" in row


def test_a_kind_is_chosen_in_words_and_kept_as_other_works_have_it(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    assert 'name="kind" maxlength="60" value="散文"' in client.get("/works/edit?id=dock").text
    for said, kept in (("小说", "novel"), ("Essay", "essay"), ("剧本", "剧本")):
        send(client, "/works/edit", "/works/edit?id=dock", id="dock", title="修船的老人", kind=said)
        assert seed.store.works.get("dock").kind == kept
