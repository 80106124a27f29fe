"""Pasted addresses on their screen and in the API."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MakeCaller, post, post_and_follow
from tests.support.seed import NOW, Seeder
from wenhen.crawls.address_fetches import MAX_ADDRESSES
from wenhen.crawls.model import RunKind
from wenhen.kit.errors import Message
from wenhen.kit.progress import Subject
from wenhen.kit.rights import Role
from wenhen.steps.problems import CRAWL

COPY = "https://copies.example/1"


def test_pasted_addresses_are_queued_as_one_crawl_and_their_state_is_shown(client: FlaskClient, seed: Seeder) -> None:
    text = f"同事发来的：{COPY}，还有\nother.example/book/2"
    page = post_and_follow(client, "/addresses/", form_at="/addresses/", addresses=text).text
    assert "2 个网址，0 个有了结果" in page
    assert page.count("等待抓取") == 2
    assert "data-open" in page
    [run] = seed.store.runs.recent()
    assert run.addresses == (COPY, "https://other.example/book/2")
    assert [entry.action for entry in seed.store.audit.find()] == ["capture.fetch"] * 2
    assert "2 个网址" in client.get(f"/sites/runs/{run.id}").text


def test_the_outcome_of_each_is_told_in_words(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    case = seed.store.cases.get("1")
    before = case.capture.fetched_at - timedelta(minutes=1)
    seed.store.pages.put_capture(case.page_url, case.capture, site_id=None)
    gone = "https://copies.example/gone"
    run = seed.store.runs.start(
        RunKind.CRAWL, Subject.read("addresses:1f"), before, addresses=[case.page_url, gone, "https://late.example/"]
    )
    seed.store.problems.put(CRAWL, gone, Message("fetch.robots"), NOW, kind="robots", run=run.id)
    page = client.get(f"/addresses/?run={run.id}").text
    assert "3 个网址，1 个有了结果" in page
    assert [words in page for words in ("已抓取，正在比对", "没有抓到", "等待抓取")] == [True] * 3
    assert 'href="/cases/1"' in page
    seed.store.runs.end(run.id, NOW, {})
    assert "没有取到内容" in client.get(f"/addresses/?run={run.id}").text


@pytest.mark.parametrize(
    ("given", "words"),
    [("", "没有网址"), ("mailto:a@b.example", "请写全"), ("一句话\n另 一句", "第 2 行“另 一句”")],
)
def test_what_is_no_address_is_refused_and_stays_in_the_form(client: FlaskClient, given: str, words: str) -> None:
    answer = post(client, "/addresses/", form_at="/addresses/", addresses=given)
    assert answer.status_code == 400
    assert words in answer.text
    assert given in answer.text


def test_what_is_no_address_stays_in_the_form_and_the_others_are_fetched(client: FlaskClient, seed: Seeder) -> None:
    text = "\n".join(["a.example/1", *(f"胡说 {number}" for number in range(8)), "a.example/2"])
    page = post_and_follow(client, "/addresses/", form_at="/addresses/", addresses=text).text
    [run] = seed.store.runs.recent()
    assert run.addresses == ("https://a.example/1", "https://a.example/2")
    assert "第 2 行“胡说 0”、第 3 行“胡说 1”" in page
    assert "第 6 行“胡说 4”、另有 3 处。" in page
    assert "\n胡说 0\n胡说 1\n" in page


def test_many_long_lines_without_an_address_fit_into_the_address_that_leads_back(client: FlaskClient) -> None:
    text = "\n".join(["a.example/1", *(f"第{number}行，" + "没有网址的文字" * 9 for number in range(90))])
    answer = post(client, "/addresses/", form_at="/addresses/", addresses=text)
    assert answer.status_code == 303
    assert len(answer.headers["Location"]) < 2_000
    page = client.get(answer.headers["Location"]).text
    assert "前几行已留在框中" in page
    assert "第0行，没有网址" in page


def test_too_many_at_once_are_refused(client: FlaskClient) -> None:
    many = "\n".join(f"a.example/{number}" for number in range(MAX_ADDRESSES + 1))
    assert "请分次提交" in post(client, "/addresses/", form_at="/addresses/", addresses=many).text


def test_a_bookmark_opens_the_form_with_the_page_being_read(client: FlaskClient) -> None:
    page = client.get(f"/addresses/?url={COPY}?id=1").text
    assert f"{COPY}?id=1</textarea>" in page
    assert "javascript:void(open(&#39;http://localhost/addresses/?url=" in page


def test_who_may_not_crawl_sees_outcomes_and_no_form(caller: MakeCaller, seed: Seeder) -> None:
    call = caller(Role.LAWYER)
    assert call("POST", f"/captures?url={COPY}").status_code == 403
    assert call("POST", "/captures/addresses", json={"urls": [COPY]}).status_code == 403


def test_a_program_asks_for_one_or_many_and_learns_what_became_of_them(caller: MakeCaller, seed: Seeder) -> None:
    call = caller()
    answer = call("POST", f"/captures?url={COPY}")
    assert answer.status_code == 202, answer.text
    [one] = answer.get_json()["outcomes"]
    assert (one["url"], one["state"], one["cases"]) == (COPY, "waiting", [])
    answer = call("POST", "/captures/addresses", json={"urls": ["a.example/1", "a.example/2"], "follow": True})
    assert answer.status_code == 202
    runs = [outcome["run_id"] for outcome in answer.get_json()["outcomes"]]
    assert len(set(runs)) == 2
    later = call("GET", "/captures/addresses?" + "&".join(f"run={id}" for id in [one["run_id"], *runs]))
    assert [outcome["url"] for outcome in later.get_json()["outcomes"]] == [
        COPY,
        "https://a.example/1",
        "https://a.example/2",
    ]
    assert call("POST", "/captures/addresses", json={"urls": ["no address"]}).status_code == 400
    assert call("POST", f"/captures?url={COPY}&app=晨读").status_code == 400
    assert call("GET", "/captures/addresses?run=none").status_code == 404
