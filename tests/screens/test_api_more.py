"""The API: the analysis, discoveries, clusters, captures, saved filters and mirrors, as on the screens."""

from dataclasses import replace
from datetime import timedelta
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from matcher.clusters import Cluster, Member
from matcher.model import Level
from tests.support.holders import ready_holder
from tests.support.screens import MakeCaller
from tests.support.seed import MIDDLE, NOW, OPENING, WORK_TEXT, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.discovery.model import Discovery, DiscoveryStatus
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import OwnerKind
from wenhen.kit.rights import Role


def test_the_analysis_answers_the_question_of_the_screen(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    move_case(seed.store, "2", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    call = caller()
    found = call("GET", "/analysis").get_json()
    assert found["question"]["last"] == "2026-03-06"  # in Beijing
    assert (found["copies"], sum(found["levels"].values())) == (3, 3)  # one of the four is licensed
    assert found["levels"]["verbatim"] == 1
    assert sum(sum(one["cases"].values()) for one in found["periods"]) == 4
    assert set(found["shares"]) == {"share_of_page", "share_of_work", "similarity"}
    assert sum(one["cases"] for one in found["shares"]["similarity"]) == 3
    assert found["sites"][0]["host"] == "copies.example"
    assert {one["work_id"] for one in found["works"]} == {"dock", "lamp"}
    one = call("GET", "/analysis?host=%20Mirror.example&confirmed=1&pace=month&since=2026-01-01").get_json()
    assert (one["question"]["host"], one["question"]["confirmed"], one["copies"]) == ("mirror.example", True, 1)
    assert [period["start"] for period in one["periods"]] == ["2026-01-01", "2026-02-01", "2026-03-01"]
    assert call("GET", "/analysis?since=2026-03-02&until=2026-03-01").status_code == 400
    assert call("GET", "/analysis?pace=year").status_code == 422


def test_answers_hold_chinese_as_it_is_written(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    assert "修船的老人".encode() in caller()("GET", "/works").data


def test_amounts_of_a_case_are_recorded_listed_summed_and_removed(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call, amount = caller(), {"kind": "paid", "amount": "8000", "currency": "cny", "day": "2026-03-01", "note": "首期"}
    added = call("POST", "/cases/2/amounts", json=amount)
    assert added.status_code == 201
    told = added.get_json()
    assert (told["amount"], told["currency"], told["day"], told["kind"]) == (8000.0, "CNY", "2026-03-01", "paid")
    assert call("GET", "/cases/2/amounts").get_json() == [told]
    [month] = call("GET", "/analysis").get_json()["money"]
    assert (month["month"], month["currency"], month["paid"], month["claimed"]) == ("2026-03-01", "CNY", 8000.0, 0)
    for wrong in (
        {"amount": "-1"},
        {"amount": "NaN"},
        {"amount": "1.005"},
        {"currency": "元元元"},
        {"day": "2126-01-01"},
    ):
        assert call("POST", "/cases/2/amounts", json=amount | wrong).status_code == 400, wrong
    assert call("DELETE", f"/cases/1/amounts/{told['id']}").status_code == 404, "it is of another case"
    assert call("DELETE", f"/cases/2/amounts/{told['id']}").status_code == 204
    assert call("GET", "/cases/2/amounts").get_json() == []
    assert caller(Role.OPERATOR)("POST", "/cases/2/amounts", json=amount).status_code == 403


def test_the_analysis_is_sent_again_only_when_it_changed(caller: MakeCaller, seed: Seeder) -> None:
    now = [NOW]
    seed.library()
    call = caller(clock=lambda: now[0])
    tag = call("GET", "/analysis").headers["ETag"]
    now[0] += timedelta(minutes=1)
    assert call("GET", "/analysis", headers={"If-None-Match": tag}).status_code == 304


@pytest.fixture
def searched(seed: Seeder) -> Store:
    """Three addresses for one work."""
    seed.work()
    for at in range(3):
        seed.store.discoveries.add(
            Discovery(
                id=f"d{at}",
                work_id="dock",
                url=f"https://copies.example/{at}",
                title="老船匠",
                sentences=(OPENING,),
                engine="searxng",
                found_at=NOW - timedelta(hours=at),
            )
        )
    return seed.store


def test_discoveries_are_listed_page_by_page_accepted_and_refused(caller: MakeCaller, searched: Store) -> None:
    call = caller()
    first = call("GET", "/discoveries?status=pending&limit=2").get_json()
    second = call("GET", f"/discoveries?status=pending&limit=2&cursor={first['next']}").get_json()
    assert [[one["id"] for one in page["items"]] for page in (first, second)] == [["d0", "d1"], ["d2"]]
    assert call("POST", "/discoveries/accept", json={"ids": ["d0", "d0", "d1"]}).status_code == 202
    assert call("POST", "/discoveries/refuse", json={"ids": ["d2"]}).status_code == 202
    assert {one.id for one in searched.discoveries.find(status=DiscoveryStatus.ACCEPTED)} == {"d0", "d1"}
    assert [one["id"] for one in call("GET", "/discoveries?status=refused&work=dock").get_json()["items"]] == ["d2"]
    assert len(searched.runs.recent()) == 1
    assert [(entry.action, entry.new) for entry in searched.audit.find()][:2] == [
        ("discovery.refused", "d2"),
        ("discovery.accepted", "d0 d1"),
    ]


def test_a_decision_about_an_address_that_nobody_found_changes_nothing(caller: MakeCaller, searched: Store) -> None:
    call = caller()
    assert call("POST", "/discoveries/accept", json={"ids": ["d0", "x"]}).status_code == 404
    assert call("POST", "/discoveries/accept", json={"ids": []}).status_code == 422
    assert caller(Role.LAWYER)("POST", "/discoveries/refuse", json={"ids": ["d0"]}).status_code == 403
    assert len(searched.discoveries.find(status=DiscoveryStatus.PENDING)) == 3
    assert {entry.action for entry in searched.audit.find()} == {"token.make"}


def test_clusters_are_listed_with_their_members_and_found_by_the_ids_of_merged_ones(
    caller: MakeCaller, seed: Seeder
) -> None:
    seed.work()
    page = seed.case().page_id
    clusters = seed.store.clusters
    for id, hours in (("old", 2), ("young", 1)):
        clusters.found_all([Cluster(id=id, founded=NOW - timedelta(hours=hours))])
    clusters.merge("young", "old")
    for at, (kind, owner) in enumerate(((OwnerKind.WORK, "dock"), (OwnerKind.PAGE, page))):
        seen = NOW + timedelta(minutes=at)
        member = Member(
            id=f"{kind}:{owner}",
            kind=kind,
            owner_id=owner,
            owner_version=1,
            dated=seen,
            seen=seen,
            cluster_id="old",
        )
        clusters.enter_all([member])
    call = caller()
    assert [(one["id"], one["works"], one["pages"]) for one in call("GET", "/clusters").get_json()["items"]] == [
        ("old", 1, 1)
    ]
    for id in ("old", "young"):
        members = call("GET", f"/clusters/{id}").get_json()["members"]
        assert [(one["kind"], one["title"]) for one in members] == [
            ("work", "修船的老人"),
            ("page", "https://copies.example/a/1.html"),
        ]
    assert call("GET", "/clusters/none").status_code == 404


def test_captures_are_listed_and_any_two_are_compared(caller: MakeCaller, seed: Seeder) -> None:
    seed.work()
    case = seed.case()
    for hours, text in ((1, MIDDLE), (2, MIDDLE + "完"), (3, "删")):
        body = f"<html><body><article><p>{OPENING}</p><p>{text}</p></article></body></html>".encode()
        capture = replace(
            case.capture,
            fetched_at=case.capture.fetched_at + timedelta(hours=hours),
            body_digest=seed.store.blobs.put(body),
            headers=(),
        )
        seed.store.pages.put_capture(case.page_url, capture, site_id=None)
    call = caller()
    found = call("GET", "/cases/1/captures").get_json()
    assert [(one["body_changed"], one["shown"]) for one in found] == [(True, False)] * 3 + [(None, True)]
    assert len(call("GET", "/cases/1/captures?limit=2").get_json()) == 2
    third, second, first, oldest = (one["moment"] for one in found)

    def changed(moment: int, query: str = "") -> list[tuple[str, str]]:
        answer = call("GET", f"/cases/1/captures/{moment}/changes{query}").get_json()
        assert answer["before"]["fetched_at"] < answer["after"]["fetched_at"]
        return [(one["kind"], one["text"]) for one in answer["parts"] if one["kind"] != "same"]

    assert changed(second) == [("inserted", "完")]
    assert changed(third, f"?with={first}") == changed(first, f"?with={third}")
    assert "deleted" in {kind for kind, _ in changed(third, f"?with={first}")}
    assert call("GET", f"/cases/1/captures/{oldest}/changes").status_code == 404
    assert call("GET", f"/cases/1/captures/{third}/changes?with=7").status_code == 404
    assert call("GET", "/cases/1/captures/7/changes").status_code == 404
    assert call("GET", "/cases/9/captures").status_code == 404


def test_saved_filters_are_those_of_the_screen_and_each_users_own(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call, other = caller(), caller(Role.REVIEWER)
    chosen = {"status": "lead", "level": "verbatim", "score_from": 0.5, "since": "2026-03-01", "q": "修船"}
    saved = call("PUT", "/filters/one?name=原文", json=chosen).get_json()
    assert call("GET", "/filters").get_json() == [saved]
    assert other("GET", "/filters").get_json() == []
    assert [one["number"] for one in call("GET", f"/cases?{saved['query']}").get_json()["items"]] == [2]
    again = call("PUT", "/filters/one?name=原文", json={"level": Level.VERBATIM, "fold": "site"}).get_json()
    assert (again["id"], again["query"]) == (saved["id"], "level=verbatim&fold=site")
    assert call("PUT", "/filters/one?name=%20", json={}).status_code == 400
    assert call("PUT", "/filters/one?name=x", json={"level": "all"}).status_code == 422
    assert other("DELETE", f"/filters/{saved['id']}").status_code == 404
    assert call("DELETE", f"/filters/{saved['id']}").status_code == 204
    assert call("DELETE", f"/filters/{saved['id']}").status_code == 404
    assert call("GET", "/filters").get_json() == []


def test_mirrors_are_listed_with_the_host_that_they_are_counted_as(caller: MakeCaller, store: Store) -> None:
    store.mirrors.join("m.copies.example", "copies.example", pages=12, moment=NOW)
    assert [(one["id"], one["main"], one["pages"]) for one in caller()("GET", "/mirrors").get_json()] == [
        ("m.copies.example", "copies.example", 12)
    ]


def transcripts() -> dict[str, list[tuple[BytesIO, str]]]:
    return {"files": [(BytesIO("渡船靠岸".encode()), "2.txt"), (BytesIO("天已经黑了".encode()), "10.txt")]}


def test_what_was_seen_in_an_app_is_brought_and_shown_with_its_circumstances(
    caller: MakeCaller, client: FlaskClient, seed: Seeder
) -> None:
    answer = caller()("POST", "/captures?url=https://app.example/7&app=晨读&device=手机", data=transcripts())
    brought = answer.get_json()["capture"]["brought"]
    assert (brought["files"], brought["app"], brought["device"]) == (["2.txt", "10.txt"], "晨读", "手机")
    seed.work()
    seed.case(capture=seed.store.pages.get(answer.get_json()["id"]).capture)
    shown = client.get("/cases/1").text
    assert all(word in shown for word in ("晨读", "手机", "10.txt", "取证人"))
    assert caller(Role.LAWYER)("POST", "/captures?url=https://app.example/7", data=transcripts()).status_code == 403


def test_what_is_brought_may_be_as_large_as_pictures_of_a_book(caller: MakeCaller) -> None:
    story = "他沿着河边走了很久，水声一直跟着。\n"
    large = {"files": [(BytesIO(story.encode() * 60_000), "book.txt")]}  # 3 MB
    assert caller()("POST", "/captures?url=https://app.example/8", data=large).status_code == 200


def test_the_number_of_a_chapter_is_one_that_an_import_takes(caller: MakeCaller, store: Store) -> None:
    call = caller()
    work = {"title": "第几章", "text": WORK_TEXT}
    for chapter in (-5, 10**9):
        assert call("PUT", "/works/one?id=w", json=work | {"chapter": chapter}).status_code == 422
        assert call("PATCH", "/works/one?id=w", json={"chapter": chapter}).status_code == 422
    assert call("PUT", "/works/one?id=w", json=work | {"chapter": 7}).status_code == 200
    assert store.works.get("w").chapter == 7


def test_a_table_of_details_may_be_as_large_as_on_the_screen(caller: MakeCaller, seed: Seeder) -> None:
    seed.work()
    table = b"id,author\ndock," + b"x" * 50 + b"\n" + b"nobody,x\n" * 150_000
    assert len(table) > 1_100_000
    answer = caller()("POST", "/works/details?preview=true", data={"file": (BytesIO(table), "works.csv")})
    assert answer.status_code == 200
    assert [one["id"] for one in answer.get_json()["edited"]] == ["dock"]


def test_notices_about_a_case_are_those_that_were_sent_or_not(caller: MakeCaller, seed: Seeder, store: Store) -> None:
    seed.work()
    seed.case(status=CaseStatus.CONFIRMED)
    ready_holder(store)
    call = caller()
    [draft] = call("POST", "/notices", json={"case": 1}).get_json()
    asked = {sent: call("GET", f"/notices?case=1&sent={sent}").get_json() for sent in ("true", "false")}
    assert {sent: [one["id"] for one in found] for sent, found in asked.items()} == {"true": [], "false": [draft["id"]]}


def test_an_absent_case_says_why_and_since_when(caller: MakeCaller, seed: Seeder) -> None:
    seed.library()
    call, store = caller(), seed.store
    assert call("GET", "/cases/1").get_json()["absent"] is None
    first, second, fourth = (store.cases.get(number) for number in "124")
    store.cases.mark_absent([first.id, fourth.id], NOW)
    store.cases.mark_absent([second.id], NOW, common=True)
    assert call("GET", "/cases/4").get_json()["absent"] == {
        "why": "copy_gone",
        "since": None,
        "said": "the page does not contain the copy any more",
    }
    store.pages.mark_gone(fourth.page_id, NOW, plain_message("HTTP 410"))
    removed = store.works.remove("dock").removed_at
    assert removed is not None
    told = {one["number"]: one for one in call("GET", "/cases").get_json()["items"]}
    assert [told[number]["present"] for number in (1, 2, 3, 4)] == [False, False, True, False]
    assert [(told[number]["absent"] or {}).get("why") for number in (1, 2, 3, 4)] == [
        "work_removed",
        "work_removed",
        None,
        "page_gone",
    ]
    assert told[1]["absent"]["since"].startswith(f"{removed:%Y-%m-%dT%H:%M:%S}")
    assert told[1]["absent"]["said"] == "the work was removed, and the page is not compared with it any more"
    assert told[4]["absent"]["since"].startswith(f"{NOW:%Y-%m-%dT%H:%M:%S}")
    assert call("GET", "/cases/1").get_json()["absent"] == told[1]["absent"]
    by_worth = call("GET", "/cases?order=worth").get_json()["items"]
    assert {one["number"]: one["absent"] for one in by_worth} == {n: one["absent"] for n, one in told.items()}
