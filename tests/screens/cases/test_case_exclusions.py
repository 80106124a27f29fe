"""On the case screen, and through the API, things are left out and taken back, by those who may."""

import pytest
from flask.testing import FlaskClient

from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, MakeCaller, post_and_follow, token_in
from tests.support.seed import OPENING, PASSAGES, Seeder
from wenhen.context.store_and_queue import Store
from wenhen.exclusions.model import ExclusionScope
from wenhen.kit.rights import Role

STRETCH = f"{PASSAGES[0].page_start}-{PASSAGES[0].page_end}"


@pytest.fixture
def one(seed: Seeder) -> Seeder:
    """One case."""
    seed.work()
    seed.case()
    return seed


def send(client: FlaskClient, address: str = "/cases/1/exclusions", **fields: str) -> str:
    """Send a form of the case page; the case page afterwards."""
    answer = post_and_follow(client, address, form_at="/cases/1", **fields)
    assert answer.status_code == 200
    return answer.text


@pytest.mark.usefixtures("one")
def test_a_passage_is_left_out_by_its_button_and_taken_back(client: FlaskClient, store: Store) -> None:
    assert f'value="{STRETCH}"' in client.get("/cases/1").text
    page = send(client, stretch=STRETCH, why="引用", scope="case")
    assert f'value="{STRETCH}"' not in page
    assert "已不计，1 个案件的数字随之更新。" in page
    assert OPENING in page
    assert "经人判定，不计" in page
    [made] = store.exclusions.find_covering([f"case:{store.cases.get('1').id}"])
    page = send(client, "/cases/1/exclusions/remove", id=made.id)
    assert f'value="{STRETCH}"' in page
    assert len(store.cases.get("1").match.passages) == 2


@pytest.mark.usefixtures("one")
def test_a_text_and_the_source_are_left_out_and_the_screen_still_stands(client: FlaskClient, store: Store) -> None:
    send(client, what="block", text=OPENING, why="公有领域的文字", scope="work")
    assert len(store.cases.get("1").match.passages) == 1
    page = send(client, what="source", why="同引一文", scope="site")
    assert store.cases.get("1").match.passages == ()
    assert "该站点的全部案件" in page


def test_what_was_left_out_of_one_case_is_proposed_in_the_next_and_left_out_of_all_by_its_button(
    client: FlaskClient, one: Seeder, store: Store
) -> None:
    one.case("https://other.example/2")
    send(client, stretch=STRETCH, why="固定格式", scope="case")
    made = store.exclusions.find_covering([f"case:{store.cases.get('1').id}"])[0].id
    assert f'value="everywhere:{made}" data-key="o"' in client.get("/cases/2").text
    assert "已不计，1 个案件的数字随之更新。" in send(client, "/cases/2/exclusions/alike", like=f"everywhere:{made}")
    assert len(store.cases.get("2").match.passages) == 1
    assert "everywhere:" not in client.get("/cases/2").text
    strange = {"csrf_token": token_in(client.get("/cases/2").text), "like": f"nowhere:{made}"}
    assert client.post("/cases/2/exclusions/alike", data=strange).status_code == 400


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"what": "source", "why": " "}, "请写明为什么不计"),
        ({"what": "block", "text": "短", "why": "x"}, "不计的文字须有"),
        ({"what": "source", "scope": "work", "why": "x"}, "请改为删除该作品"),
    ],
)
def test_what_is_refused_is_told_on_the_case(client: FlaskClient, fields: dict[str, str], told: str) -> None:
    assert told in send(client, **fields)


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("fields", [{}, {"stretch": "5"}, {"stretch": "a-b"}, {"what": "source", "scope": "all"}])
def test_a_form_that_nobody_sends_is_400(client: FlaskClient, fields: dict[str, str]) -> None:
    token = token_in(client.get("/cases/1").text)
    assert client.post("/cases/1/exclusions", data={"csrf_token": token, "why": "x", **fields}).status_code == 400


@pytest.mark.usefixtures("one")
def test_a_reviewer_is_offered_this_case_alone(make_app: MakeApp, store: Store) -> None:
    app = make_app(sign_in=True)
    add_user(store, "王", Role.REVIEWER)
    client = signed_in(app, "王")
    page = client.get("/cases/1").text
    offered = [scope for scope in ExclusionScope if f'<option value="{scope}">' in page]
    assert offered == [ExclusionScope.CASE]
    token = token_in(page)
    wide = {"csrf_token": token, "what": "source", "scope": "site", "why": "x"}
    assert client.post("/cases/1/exclusions", data=wide).status_code == 403


@pytest.mark.usefixtures("one")
def test_programs_leave_out_list_and_take_back(caller: MakeCaller, store: Store) -> None:
    call = caller()
    first = {"what": "passage", "start": PASSAGES[0].page_start, "end": PASSAGES[0].page_end, "why": "引用"}
    made = call("POST", "/cases/1/exclusions", json=first)
    assert (made.status_code, made.get_json()["cases"]) == (201, 1)
    assert len(call("GET", "/cases/1").get_json()["match"]["passages"]) == 1
    [held] = call("GET", "/cases/1/exclusions").get_json()
    assert held == made.get_json()["exclusion"]
    assert (held["text"], held["scope"], held["why"], "letters" in held) == (OPENING, "case", "引用", False)
    assert call("POST", "/cases/1/exclusions", json=first).status_code == 409
    assert call("POST", "/cases/1/exclusions", json={**first, "end": 10**6}).status_code == 400
    assert call("DELETE", f"/exclusions/{held['id']}").get_json()["cases"] == 1
    assert call("GET", "/cases/1/exclusions").get_json() == []
    assert call("DELETE", f"/exclusions/{held['id']}").status_code == 404
    assert len(store.cases.get("1").match.passages) == 2
