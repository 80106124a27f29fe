"""A rule is made on the screen, and what it tells stands at the top of every screen until it is seen."""

from flask.testing import FlaskClient

from tests.support.screens import MakeCaller, token_in
from tests.support.seed import Seeder
from wenhen.alerts.model import AlertEvent, AlertPace
from wenhen.alerts.notifications import create_notifications
from wenhen.kit.rights import Role
from wenhen.runtime.wiring import App


def test_a_rule_of_a_filter_is_made_told_seen_and_removed(client: FlaskClient, seed: Seeder, product: App) -> None:
    page = client.get("/alerts/?host=copies.example").text
    form: dict[str, object] = {"csrf_token": token_in(page), "name": "转载站", "event": ["new", "gone"]}
    assert "host=copies.example" in page
    refused = client.post("/alerts/?host=copies.example", data={**form, "channel": "file:///etc/passwd"})
    assert refused.status_code == 400
    assert "无法使用这个发送地址" in refused.text
    page = client.post("/alerts/?host=copies.example", data=form, follow_redirects=True).text
    assert "规则已添加。" in page
    assert "转载站" in page
    [rule] = product.store.alerts.rules()
    product.store.alerts.put_rule(rule)
    seed.library()
    create_notifications(product)
    told = product.store.alerts.unseen(rule.user)
    assert told == product.store.cases.count(host="copies.example", since=rule.created_at)
    for act in ("pause", "seen", "remove"):
        page = client.post(f"/alerts/{act}", data={**form, "id": rule.id, "paused": "yes"}, follow_redirects=True).text
    assert "规则已删除。" in page


def test_a_rule_is_changed_on_the_screen_and_one_without_tls_says_so(client: FlaskClient, product: App) -> None:
    form: dict[str, object] = {"csrf_token": token_in(client.get("/alerts/").text), "name": "转载站", "event": ["new"]}
    plain = {**form, "channel": "json://127.0.0.1:9/hook", "pace": "daily"}
    page = client.post("/alerts/?host=copies.example", data=plain, follow_redirects=True).text
    assert "不经 TLS" in page
    [rule] = product.store.alerts.rules()
    address = f"/alerts/rules/{rule.id}"
    assert "host=copies.example" in client.get(address).text
    assert client.post(address, data={**form, "event": []}).status_code == 400
    kept = client.post(address, data={**form, "event": ["gone", "answered"], "pace": "weekly"}, follow_redirects=True)
    assert "规则已修改。" in kept.text
    [now] = product.store.alerts.rules()
    assert (now.events, now.pace) == ((AlertEvent.GONE, AlertEvent.ANSWERED), AlertPace.WEEKLY)
    assert (now.query, now.channel) == (rule.query, rule.channel), "what the form leaves open stays"
    client.post(f"{address}?anew=1&host=other.example", data={**form, "channel": "jsons://127.0.0.1:9/hook"})
    [now] = product.store.alerts.rules()
    assert (now.query, now.kind, now.unencrypted) == ("host=other.example", "jsons", False)
    client.post(address, data={**form, "bell_alone": "1"})
    [now] = product.store.alerts.rules()
    assert (now.query, now.channel) == ("host=other.example", None)


def test_programs_keep_rules_for_their_user(caller: MakeCaller) -> None:
    call = caller(Role.REVIEWER)
    made = call("POST", "/alert-rules", json={"name": "a", "events": ["new"], "filter": {"status": "lead"}})
    assert made.status_code == 201
    id = made.get_json()["id"]
    assert "channel" not in made.get_json()
    assert call("POST", f"/alert-rules/{id}/test").status_code == 400  # the bell alone
    assert call("PATCH", f"/alert-rules/{id}", json={"paused": True}).get_json()["paused_at"]
    changed = call(
        "PATCH", f"/alert-rules/{id}", json={"name": "b", "events": ["gone"], "filter": {"host": "a.example"}}
    )
    assert (changed.get_json()["query"], changed.get_json()["events"]) == ("host=a.example", ["gone"])
    assert changed.get_json()["paused_at"]
    assert [one["id"] for one in call("GET", "/alert-rules").get_json()] == [id]
    assert call("GET", "/alerts").get_json() == []
    assert caller(Role.LAWYER)("DELETE", f"/alert-rules/{id}").status_code == 403
    assert call("DELETE", f"/alert-rules/{id}").status_code == 204
