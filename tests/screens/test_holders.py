"""Rights holders are kept by the form, and what was wrong is said."""

from flask.testing import FlaskClient

from store.records import Holder
from tests.support.seed import Seeder

FORM = {
    "name": "河岸文艺社",
    "contact": "沈，010-1234",
    "address": "河岸路 1 号",
    "sites": "hean.example\ndaily.example/hean",
}


def send(client: FlaskClient, path: str, **form: str) -> tuple[int, str]:
    page = client.get("/holders/").text
    token = page.split('name="csrf_token" value="')[1].split('"')[0]
    answer = client.post(path, data={"csrf_token": token, **form}, follow_redirects=True)
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
