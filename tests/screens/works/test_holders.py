"""Rights holders are kept by the form, and what was wrong is said."""

from io import BytesIO

from flask.testing import FlaskClient

from tests.support.screens import MakeCaller, post_and_follow
from tests.support.seed import Seeder
from wenhen.holders.model import Holder
from wenhen.kit.rights import Role

FORM = {
    "name": "河岸文艺社",
    "contact": "沈，010-1234",
    "address": "河岸路 1 号",
    "sites": "hean.example\ndaily.example/hean",
}


def send(client: FlaskClient, path: str, **form: object) -> tuple[int, str]:
    answer = post_and_follow(client, path, form_at="/holders/", **form)
    return answer.status_code, answer.text


def test_a_holder_is_kept_listed_and_audited(client: FlaskClient, seed: Seeder) -> None:
    status, page = send(client, "/holders/", **FORM)
    assert status == 200
    assert seed.store.holders.all() == [
        Holder(
            id="河岸文艺社", contact="沈，010-1234", address="河岸路 1 号", sites=("hean.example", "daily.example/hean")
        )
    ]
    assert "daily.example/hean" in page
    assert [entry.action for entry in seed.store.audit.find()] == ["holder.put"]


def test_a_known_holder_fills_the_form(client: FlaskClient, seed: Seeder) -> None:
    send(client, "/holders/", **FORM)
    assert 'value="沈，010-1234"' in client.get("/holders/", query_string={"name": "河岸文艺社"}).text


def test_a_changed_name_renames_the_holder_of_the_form(client: FlaskClient, seed: Seeder) -> None:
    for name in ("河岸社", "别社"):
        seed.store.holders.put(Holder(id=name))
    status, _ = send(client, "/holders/", id="河岸社", name="河岸文化", contact="沈")
    assert status == 200
    assert [holder.id for holder in seed.store.holders.all()] == ["别社", "河岸文化"]
    status, page = send(client, "/holders/", id="河岸文化", name="别社")
    assert status == 400
    assert "已有名为 别社 的权利人" in page


def test_a_site_that_is_none_is_refused_and_what_was_written_stays(client: FlaskClient, seed: Seeder) -> None:
    status, page = send(client, "/holders/", **{**FORM, "sites": "/only/a/path"})
    assert status == 400
    assert "不是 河岸文艺社 的网站" in page
    assert 'value="河岸文艺社"' in page
    assert seed.store.holders.all() == []


def test_a_holder_can_be_forgotten(client: FlaskClient, seed: Seeder) -> None:
    send(client, "/holders/", **FORM)
    status, page = send(client, "/holders/remove", id="河岸文艺社")
    assert status == 200
    assert "还没有登记权利人" in page


def test_papers_are_kept_with_their_days_and_taken_away_as_they_came(client: FlaskClient, seed: Seeder) -> None:
    send(client, "/holders/", **FORM)
    given = {"id": FORM["name"], "kind": "authority", "valid_from": "2026-01-01", "valid_until": "2026-03-05"}
    status, page = send(client, "/holders/papers/", **given, file=(BytesIO(b"<script>"), "../委托书.html"))
    assert (status, "不在有效期" in page) == (200, True)  # in Beijing it is the 6th
    [paper] = seed.store.holders.get("河岸文艺社").papers
    assert (paper.title, paper.file_name) == ("授权委托书", "委托书.html")
    file = client.get("/holders/papers/file", query_string={"name": "河岸文艺社", "id": paper.id})
    assert (file.data, file.mimetype) == (b"<script>", "application/octet-stream")
    assert file.headers["Content-Disposition"].startswith("attachment")
    status, page = send(client, "/holders/papers/", **{**given, "valid_until": "2025-12-31"})
    assert (status, 'value="2025-12-31"' in page) == (400, True)
    send(client, "/holders/papers/remove", id=f"河岸文艺社/{paper.id}")
    assert seed.store.holders.get("河岸文艺社").papers == ()


def test_two_holders_become_one(client: FlaskClient, seed: Seeder) -> None:
    send(client, "/holders/", **FORM)
    seed.store.holders.put(Holder(id="河岸社"))
    status, page = send(client, "/holders/merge", id="河岸社", into="河岸文艺社")
    assert (status, "已把 河岸社 并入 河岸文艺社" in page) == (200, True)
    assert [one.id for one in seed.store.holders.all()] == ["河岸文艺社"]


def test_programs_keep_papers_ask_what_is_lacking_and_merge(caller: MakeCaller, seed: Seeder) -> None:
    call = caller(Role.LAWYER)
    one = {"id": "河岸文艺社"}
    told = {"contact": "010", "address": "路", "identity": "9", "acts_itself": True}
    call("PUT", "/holders/one", query_string=one, json=told)
    lacking = call("GET", "/holders/one/lacks", query_string=one).get_json()
    assert [lack["what"] for lack in lacking] == ["paper_identity", "paper_proof"]
    given = {**one, "kind": "proof", "title": "登记", "valid_from": "2026-01-01"}
    large = BytesIO(bytes(100_000))  # more than a form may have
    kept = call("POST", "/holders/one/papers", query_string=given, data={"file": (large, "登记.pdf")})
    assert (kept.status_code, kept.get_json()["size"]) == (201, 100_000)
    call("POST", "/holders/one/papers", query_string={**given, "kind": "identity"}, data={})
    assert call("GET", "/holders/one/lacks", query_string=one).get_json() == []
    path = f"/holders/one/papers/{kept.get_json()['id']}"
    assert len(call("GET", f"{path}/file", query_string=one).data) == 100_000
    assert call("DELETE", path, query_string=one).status_code == 204
    seed.store.holders.put(Holder(id="河岸社"))
    assert (
        call("POST", "/holders/one/merge", query_string={"id": "河岸社"}, json={"into": one["id"]}).status_code == 200
    )
    assert [holder.id for holder in seed.store.holders.all()] == [one["id"]]
    renamed = call("POST", "/holders/one/rename", query_string=one, json={"name": "河岸文化"})
    assert (renamed.status_code, renamed.get_json()["id"], renamed.get_json()["contact"]) == (200, "河岸文化", "010")
    assert [holder.id for holder in seed.store.holders.all()] == ["河岸文化"]
    assert call("POST", "/holders/one/rename", query_string=one, json={"name": "河岸"}).status_code == 404
