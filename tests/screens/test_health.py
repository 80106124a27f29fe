"""What was set aside is shown with its reason, and can be tried again."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from dashboard.frame.security import needs
from tests.support.acting import by
from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, post, post_and_follow, token_in
from tests.support.seed import NOW, Seeder
from tests.support.way import capture
from wenhen.alerts.alert_rules import create_alert_rule
from wenhen.alerts.model import AlertEvent
from wenhen.alerts.notifications import create_notifications
from wenhen.cases.filters import Filter
from wenhen.context.store_and_queue import WORKS_SHARE
from wenhen.crawls.model import Breakage, BreakKind, RunKind
from wenhen.kit.errors import BadInput, failure, message, plain_message
from wenhen.kit.progress import OwnerKind, Step, Subject, page_id
from wenhen.kit.rights import Right, Role
from wenhen.operations.health import check_health
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.wiring import App
from wenhen.steps.runner import DEADLY_STEP


@pytest.fixture
def aside(seed: Seeder) -> Seeder:
    """A work that the pipeline set aside."""
    seed.work()
    claim = seed.store.works.claim("dock", Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    seed.store.works.set_aside(claim, plain_message("the segment is damaged"))
    seed.store.problems.put("pipeline", "work:dock", plain_message("the segment is damaged"), NOW, Step.FINGERPRINT)
    return seed


def retry(client: FlaskClient, kind: str = "work", id: str = "dock") -> int:
    """Press the button; the status of the answer."""
    return post(client, "/health/retry", form_at="/health/", kind=kind, id=id).status_code


@pytest.mark.usefixtures("aside")
def test_servers_steps_and_problems_are_shown(client: FlaskClient) -> None:
    page = client.get("/health/?lang=en").text
    assert "6.0.5" in page
    assert "this index was never made, or not published yet" in page
    assert "这个索引还没有建立或尚未启用" in client.get("/health/?lang=zh").text
    assert page.count("the segment is damaged") == 3, "by itself, by its kind, and as a problem"


def test_a_failure_of_the_pipeline_is_told_in_chinese_by_the_name_of_its_record(
    seed: Seeder, client: FlaskClient
) -> None:
    seed.library()
    noted = failure(BadInput("importing.no_text"))
    seed.store.problems.put("pipeline", "work:dock", noted, NOW, Step.FINGERPRINT, kind="BadInput")
    seed.store.problems.put("pipeline", "page:gone", DEADLY_STEP, NOW, Step.EXTRACT)
    page = LexborHTMLParser(client.get("/health/").text)
    names = {cell.text() for cell in page.css("#problems ~ table th.wide bdi")}
    assert {seed.store.works.get("dock").title, "page:gone"} <= names
    assert {noted.text("zh"), DEADLY_STEP.text("zh")} <= {cell.text() for cell in page.css("td.problem")}


def test_english_inside_of_chinese_is_marked_as_english_and_cannot_be_markup(seed: Seeder, client: FlaskClient) -> None:
    seed.store.problems.put("import", "a.txt", failure(ValueError("<b>odd</b>")), NOW)
    seed.store.problems.put("import", "b.txt", message("webhooks.answered", status=500, said=plain_message("忙")), NOW)
    seed.store.problems.put("import", "old.epub", plain_message("<i>before there were codes</i>"), NOW)
    page = LexborHTMLParser(client.get("/health/").text)
    reasons = {cell.text(): cell for cell in page.css("td.problem")}
    [english] = reasons["程序出错（ValueError: <b>odd</b>）"].css("span")
    assert (english.attributes, english.text()) == ({"lang": "en"}, "ValueError: <b>odd</b>")
    assert reasons["对方应答 500：忙"].css("span") == []
    assert "<i>before there were codes</i>" in reasons
    assert not LexborHTMLParser(client.get("/health/?lang=en").text).css("td.problem span")


def test_a_message_that_names_a_document_links_to_its_help_page(
    seed: Seeder, client: FlaskClient, make_app: MakeApp
) -> None:
    said = message("settings.no_setting", where="docs/settings.md", setting="a<b>.c")
    seed.store.problems.put("import", "settings.txt", said, NOW)
    cell = LexborHTMLParser(client.get("/health/?lang=zh").text).css_first("td.problem")
    assert cell is not None
    assert [(link.attributes["href"], link.text()) for link in cell.css("a")] == [("/help/settings", "设置的帮助")]
    assert cell.text() == "docs/settings.md 中的 a<b>.c 不是设置（见 设置的帮助）", "what others name stays as it is"
    app = make_app(own=True)

    @app.get("/odd")
    @needs(Right.READ)
    def fail() -> str:
        raise BadInput("settings.no_setting", where="wenhen.toml", setting="a.b")

    page = app.test_client().get("/odd?lang=en").text
    assert "docs/" not in page
    assert 'href="/help/settings"' in page


@pytest.mark.parametrize(("queue", "minutes", "late"), [("text", 29, False), ("text", 31, True), ("crawl", 600, False)])
def test_health_says_when_the_oldest_task_of_a_queue_waits_too_long(
    product: App, queue: str, minutes: int, late: bool
) -> None:
    now, ahead = product.now(), timedelta(minutes=minutes)
    if queue == "crawl":
        product.queue.crawl("run")
    else:
        product.queue.step(OwnerKind.WORK, "dock", Step.FINGERPRINT, WORKS_SHARE)
    state = check_health(replace(product, now=lambda: now + ahead))["queues"]
    assert (state.answers, state.attention) == (True, late), state.detail
    assert ("more than half an hour" in state.detail) == late, state.detail
    assert "the oldest for" in state.detail


def test_trying_again_begins_where_it_failed(
    client: FlaskClient, aside: Seeder, enqueued: list[tuple[OwnerKind, str, Step]]
) -> None:
    assert retry(client) == 303
    assert aside.store.works.get("dock").progress.step is Step.FINGERPRINT
    assert enqueued == [(OwnerKind.WORK, "dock", Step.FINGERPRINT)]
    assert aside.store.problems.count() == 0


def test_a_record_that_is_under_way_is_left_alone(
    client: FlaskClient, aside: Seeder, enqueued: list[tuple[OwnerKind, str, Step]]
) -> None:
    page = client.get("/health/").text
    aside.store.works.restart("dock", Step.INDEX)
    client.post("/health/retry", data={"csrf_token": token_in(page), "kind": "work", "id": "dock"})
    assert aside.store.works.get("dock").progress.step is Step.INDEX
    assert enqueued == []


@pytest.mark.usefixtures("aside")
@pytest.mark.parametrize(("kind", "id", "status"), [("owner", "dock", 400), ("work", "nobody", 404)])
def test_an_unknown_record_is_refused(client: FlaskClient, kind: str, id: str, status: int) -> None:
    assert retry(client, kind, id) == status


def test_a_silent_queue_loses_nothing(make_app: MakeApp, aside: Seeder) -> None:
    app: Flask = make_app()
    services = app.extensions["wenhen"]
    silent = CeleryQueue("redis://127.0.0.1:1/0")  # nobody listens there
    app.extensions["wenhen"] = replace(services, product=replace(services.product, queue=silent))
    client = app.test_client()
    assert retry(client) == 303
    assert "队列恢复后自动重试" in client.get("/health/").text
    assert aside.store.works.get("dock").progress.step is Step.FINGERPRINT


def test_what_the_web_lacks_is_told_apart_from_what_somebody_has_to_do(seed: Seeder, client: FlaskClient) -> None:
    seed.store.problems.put("crawl", "http://a.test/robots.txt", plain_message("no robots.txt"), NOW, kind="no_robots")
    seed.store.problems.put("crawl", "http://b.test/", plain_message("a login wall"), NOW, kind="soft_block")
    page = LexborHTMLParser(client.get("/health/").text)
    assert [cell.text() for cell in page.css("#problems ~ table th.wide bdi")] == ["http://b.test/"]
    assert "另有 1 条由系统自行处理" in page.css("#problems ~ p")[-1].text()
    overview = LexborHTMLParser(client.get("/").text)
    assert [one.text() for one in overview.css(".tile.alarm b")] == ["1"]


def test_sites_whose_crawl_broke_are_listed_and_an_alert_leads_to_the_run(client: FlaskClient, product: App) -> None:
    create_alert_rule(replace(by(product), who="local"), "站点", Filter(), [AlertEvent.BROKEN])
    url = "http://a.test/1"
    capture(product, url, b"<p>x</p>", "a.test")
    run = product.store.runs.start(RunKind.CRAWL, Subject.read("a.test"), product.now())
    broken = Breakage(
        kind=BreakKind.LOGIN, count=12, url=url, page_id=page_id(url), good_at=product.now() - timedelta(days=1)
    )
    product.store.runs.end(run.id, product.now(), {"fetched": 3}, breakages=[broken])
    page = client.get("/health/").text
    assert "抓取出了问题的站点：1" in page
    assert "12 个原有正文的网页要求登录" in page
    assert f"/pages/{page_id(url)}" in page
    assert "pages that had a text ask for a login" in client.get("/health/?lang=en").text
    create_notifications(product)
    told = client.get("/alerts/?lang=zh").text
    assert f"/sites/runs/{run.id}" in told
    assert "12 个原有正文的网页要求登录" in told


def test_an_administrator_begins_a_backup_and_sees_how_far_it_is(
    make_app: MakeApp, product: App, seed: Seeder, tmp_path: Path
) -> None:
    client = make_app().test_client()
    assert 'action="/health/backup"' not in client.get("/health/").text, "no folder is set"
    assert "还没有设置备份文件夹" in post_and_follow(client, "/health/backup", form_at="/settings/").text
    post(client, "/settings/backup", form_at="/settings/", **{"backup.target": str(tmp_path), "backup.late_days": "8"})
    tried = post_and_follow(client, "/settings/backup/try", form_at="/settings/").text
    assert f"{tmp_path} 可以写入" in tried
    assert list(tmp_path.iterdir()) == []
    assert "已排队" in post_and_follow(client, "/health/backup", form_at="/settings/").text
    page = client.get("/health/").text
    assert "等待开始" in page
    assert 'action="/health/backup"' not in page
    assert [line.subject for line in product.store.audit.find(action="backup.begin")] == ["backup"]
    add_user(seed.store, role=Role.OPERATOR)
    operator = signed_in(make_app(sign_in=True))
    assert 'id="backup"' not in operator.get("/health/").text
    assert post(operator, "/health/backup", form_at="/account/").status_code == 403


def test_a_folder_for_backups_that_is_not_there_is_named(client: FlaskClient) -> None:
    form = {"backup.target": "/nowhere/at/all", "backup.late_days": "8"}
    post(client, "/settings/backup", form_at="/settings/", **form)
    answer = post(client, "/settings/backup/try", form_at="/settings/")
    assert (answer.status_code, "没有文件夹 /nowhere/at/all" in answer.text) == (400, True)
    refused = post(client, "/settings/backup", form_at="/settings/", **{**form, "backup.target": "beside"})
    assert refused.status_code == 400
    post(client, "/settings/backup", form_at="/settings/", **{**form, "backup.target": "s3://house/backups"})
    open_one = post(client, "/settings/backup/try", form_at="/settings/")
    assert (open_one.status_code, "backup.key" in open_one.text) == (400, True), "nothing leaves the house unsealed"
