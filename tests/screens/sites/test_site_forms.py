"""Sites and licences are added, removed and set in motion by forms."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.screens import MARKUP, Foreign, post
from tests.support.seed import Seeder
from wenhen.crawls.model import RunKind
from wenhen.runtime.wiring import App

SITE = {"urls": "https://new.example/ https://www.new.example/list", "every": "12", "max_pages": "50", "max_depth": "3"}


def send(client: FlaskClient, address: str, **form: str) -> TestResponse:
    """Send a form of the list of sites."""
    return post(client, address, form_at="/sites/", **form)


def test_a_site_is_added_with_its_hosts_and_limits(client: FlaskClient, product: App) -> None:
    assert send(client, "/sites/", **SITE, name="新站").status_code == 303
    (site,) = product.store.sites.all()
    assert (site.name, site.hosts) == ("新站", ("new.example", "www.new.example"))
    assert (site.interval_hours, site.max_pages, site.max_depth, site.internal) == (12, 50, 3, False)
    assert "已添加站点 新站" in client.get("/sites/").text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"urls": "ftp://new.example/"}, "不是可以抓取的地址"),
        ({"urls": "javascript:alert(1)"}, "不是可以抓取的地址"),
        ({"urls": "http://[broken"}, "不是可以抓取的地址"),
        ({"urls": " "}, "站点需要一个起始地址"),
        ({"every": "0"}, "间隔（小时） — 0 不在 0.1 到 8,760 之间。"),
        ({"every": "nan"}, "间隔（小时） — nan 不在 0.1 到 8,760 之间。"),
        ({"max_pages": "1000001"}, "每次最多网页数 — 1000001 不在 1 到 1,000,000 之间。"),
        ({"max_depth": "x"}, "链接深度 — x 不是整数。"),
    ],
)
def test_a_site_that_cannot_be_crawled_is_refused_and_the_form_keeps_what_was_written(
    client: FlaskClient, product: App, wrong: dict[str, str], said: str
) -> None:
    answer = send(client, "/sites/", **{**SITE, "name": "留着我", **wrong})
    assert answer.status_code == 400
    assert said in answer.text
    assert 'value="留着我"' in answer.text
    assert product.store.sites.all() == []


def test_a_site_that_is_there_is_not_written_over(client: FlaskClient, product: App) -> None:
    send(client, "/sites/", **SITE, name="先来")
    assert send(client, "/sites/", **SITE, name="后到").status_code == 400
    assert [site.name for site in product.store.sites.all()] == ["先来"]


def test_a_site_is_crawled_now_once(client: FlaskClient, product: App, seed: Seeder) -> None:
    seed.library()
    begun = send(client, "/sites/crawl", id="copies").headers["Location"]
    assert "抄书网 已排队抓取。" in client.get(begun).text
    assert send(client, "/sites/crawl", id="copies").headers["Location"] == begun
    assert "抄书网 正在抓取中。" in client.get(begun).text
    assert len([run for run in product.store.runs.recent(kind=RunKind.CRAWL) if run.ended_at is None]) == 1
    assert product.queue.count_waiting()["crawl"] == 1


def test_a_removed_site_is_watched_no_longer_and_its_cases_stay(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    assert send(client, "/sites/remove", id="copies").status_code == 303
    assert seed.store.sites.all() == []
    assert seed.store.cases.count(host="copies.example") == 2


def test_a_licence_is_added_for_days_in_beijing_and_withdrawn(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    form = {"licensee": "晨读网", "prefix": "morning.example/a", "work": "dock", "from": "2026-03-06", "until": ""}
    assert send(client, "/licences/", **form).status_code == 303
    (licence,) = seed.store.licences.all()
    assert (licence.licensee, licence.url_prefix, licence.work_id) == ("晨读网", "morning.example/a", "dock")
    assert (licence.valid_from, licence.valid_until) == (datetime(2026, 3, 5, 16, tzinfo=UTC), None)
    page = client.get("/licences/").text
    assert "修船的老人" in page
    assert "有效" in page
    send(client, "/licences/remove", id=licence.id)
    assert seed.store.licences.all() == []


def test_the_last_day_of_a_licence_counts_and_is_named_everywhere(client: FlaskClient, seed: Seeder) -> None:
    form = {"licensee": "晨读网", "prefix": "morning.example/a", "from": "2026-03-06", "until": "2026-03-06"}
    assert send(client, "/licences/", **form).status_code == 303
    (licence,) = seed.store.licences.all()
    assert (licence.valid_until, licence.last_day) == (datetime(2026, 3, 6, 16, tzinfo=UTC), date(2026, 3, 6))
    assert 'data-label="最后一天">2026-03-06<' in client.get("/licences/").text
    refused = send(client, "/licences/", **{**form, "until": "2026-03-05"})
    assert "最后一天不能早于第一天" in refused.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"prefix": "https://morning.example"}, "不要写 http://"),
        ({"prefix": "a:b:c"}, "不是地址"),
        ({"work": "nowhere"}, "nowhere"),
        ({"licensee": " "}, "请填写被许可方和域名。"),
        ({"until": "2026-13-01"}, "2026-13-01 不是日期"),
        ({"from": "0001-01-01"}, "0001-01-01 不是日期"),
    ],
)
def test_a_licence_that_says_nothing_is_refused(
    client: FlaskClient, seed: Seeder, wrong: dict[str, str], said: str
) -> None:
    answer = send(client, "/licences/", **{"licensee": "晨读网", "prefix": "morning.example", **wrong})
    assert answer.status_code == 400
    assert said in answer.text
    assert seed.store.licences.all() == []


def test_a_licence_marks_the_copies_that_were_found_before_and_says_which_lack_the_attribution(
    client: FlaskClient, seed: Seeder
) -> None:
    seed.library()  # number 3 is an essay of morning.example
    send(client, "/licences/remove", id="l1")
    assert seed.store.cases.count(licensed=True) == 0
    form = {"licensee": "晨读网", "prefix": "morning.example", "attribution": "来源：河岸文艺社"}
    send(client, "/licences/", **form)
    found = seed.store.cases.find(credited=False)
    assert [(one.number, one.credited) for one in found] == [(3, False)]
    assert seed.store.cases.count(licensed=True) == 0, "it is a copy until it names its source"
    page = client.get("/licences/").text
    assert "1 件未署名" in page
    assert "未署名" in client.get("/cases/3").text
    text = seed.store.blobs.get_text(seed.store.cases.get("3").page_text_digest)
    named = replace(seed.store.cases.get("3"), page_text_digest=seed.store.blobs.put_text(text + "来源: 河岸文艺社"))
    seed.store.cases.open_or_update(named)
    send(client, "/licences/", **form)
    assert seed.store.cases.get("3").credited
    send(client, "/licences/remove", id=seed.store.cases.get("3").licence_id or "")
    assert (seed.store.cases.get("3").licence_id, seed.store.cases.get("3").credited) == (None, None)


@pytest.mark.parametrize("address", ["/sites/crawl", "/sites/remove", "/licences/remove"])
def test_what_is_not_there_is_not_found(client: FlaskClient, address: str) -> None:
    assert send(client, address, id=MARKUP).status_code == 404


@pytest.mark.parametrize("address", ["/sites/", "/sites/crawl", "/sites/remove", "/licences/", "/licences/remove"])
def test_a_forged_form_is_refused(client: FlaskClient, seed: Seeder, address: str) -> None:
    seed.library()
    form = {**SITE, "id": "copies", "licensee": "x", "prefix": "x.example"}
    assert client.post(address, data=form).status_code == 400
    assert (len(seed.store.sites.all()), len(seed.store.licences.all())) == (1, 1)


def test_markup_in_a_refused_form_stays_text(client: FlaskClient) -> None:
    for address, form in (
        ("/sites/", {"urls": f"</textarea>{MARKUP}", "name": MARKUP, "every": MARKUP}),
        ("/licences/", {"licensee": MARKUP, "prefix": f"https://{MARKUP}", "work": MARKUP, "from": MARKUP}),
    ):
        answer = send(client, address, **form)
        assert answer.status_code == 400
        assert Foreign(answer.text).found == []


def test_an_address_without_a_scheme_is_taken_and_what_was_typed_stays(client: FlaskClient, seed: Seeder) -> None:
    assert send(client, "/sites/", urls="书库.example/list").status_code == 303
    assert [site.start_urls for site in seed.store.sites.all()] == [("https://书库.example/list",)]
    page = client.get("/sites/").text
    assert 'type="url"' not in page, "a browser would refuse it before it is sent"
    refused = send(client, "/sites/find", url="10.0.0.1/书")
    assert refused.status_code == 400
    assert "https://10.0.0.1/书 在本机或内网" in refused.text
    assert 'value="10.0.0.1/书"' in refused.text
    assert 'value="词典"' in send(client, "/sites/find", url="词典").text
    assert "ftp://a.example</textarea>" in send(client, "/sites/", urls="ftp://a.example").text
