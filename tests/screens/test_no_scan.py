"""No question that a screen or the API puts to MongoDB makes it read a whole collection."""

from dataclasses import fields, replace
from datetime import timedelta

import pymongo
import pytest
from flask import Flask

from dashboard.frame.permissions import PROBES
from services.alerts import rules as alert_rules
from services.cases import triage_rules
from services.cases.case_filter import Filter
from services.evidence import keeping, receipts
from services.evidence.wanting import name_of
from services.holders import papers
from services.notices import sending, writing
from services.reporting import kept_reports
from services.webhooks import registry
from store.mongo.engine.codec import Document
from store.records import (
    AlertEvent,
    AnswerKind,
    CaseOrder,
    CaseStatus,
    Cluster,
    Member,
    OwnerKind,
    PaperKind,
    Role,
    RuleAct,
    RunKind,
    SentBy,
    Subject,
)
from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.people import add_token, add_user, signed_in
from tests.support.screens import MakeApp
from tests.support.seed import NOW, Seeder
from tests.support.servers.mails import put_mail
from tests.support.servers.registry import put_registration
from wenhen.wiring import App

# A value for each condition that a list of cases may be asked for by.
CONDITIONS = {
    "status": "lead",
    "q": "七秒",
    "host": "copies.example",
    "site": "copies",
    "work": "dock",
    "on": "{page}",
    "cluster": "c1",
    "counted": "copies",
    "level": "light",
    "band": "uncertain",
    "licensed": "no",
    "licence": "l1",
    "credited": "no",
    "present": "no",
    "removal": "yes",
    "returned": "yes",
    "asked": "me",
    "assignee": "none",
    "score_from": "0.2",
    "score_to": "0.9",
    "share_from": "0.2",
    "share_to": "0.9",
    "since": "2026-01-01",
    "until": "2026-12-31",
}
SCREENS = (
    "/",
    "/search/?q=老船匠",
    "/search/?q=copies.example",
    "/search/?q=copies.example/a",
    "/suspects/?fold=site",
    "/suspects/?fold=work&status=confirmed&q=example",
    "/suspects/?assignee=me&since=2026-01-01&until=2026-12-31",
    "/suspects/?present=no&licensed=yes&counted=confirmed",
    "/suspects/?q=。",
    "/suspects/preview/1?status=lead",
    "/suspects/rules/?rule={rule}",
    "/cases/1",
    "/cases/1?status=lead&order=largest",
    "/cases/1/captures/{moment}",
    "/cases/1/notice",
    "/cases/1/report.json",
    "/cases/exhibits/{exhibit}.wacz",
    "/cases/exhibits/{exhibit}/manifest.json",
    "/cases/exhibits/{exhibit}/receipts/{receipt}",
    "/reports/",
    "/reports/cases.xlsx?counted=copies",
    "/reports/kept/",
    "/reports/kept/{report}",
    "/works/",
    "/works/?q=七秒",
    "/works/?q=example",
    "/works/?q=。",
    "/works/?series=海岸线&q=七秒",
    "/works/series",
    "/works/new",
    "/works/edit?id=dock",
    "/works/details/",
    "/works/details/works.csv",
    "/works/one?id=dock",
    "/works/import/",
    "/holders/",
    "/holders/?name=河岸文艺社",
    "/holders/papers/file?name=河岸文艺社&id={paper}",
    "/notices/",
    "/notices/2026-0001",
    "/notices/2026-0001/answers/0",
    "/replies/{mail}.eml",
    "/notices/2026-0001/notice.docx",
    "/platforms/templates/notice.docx",
    "/platforms/",
    "/analysis/",
    "/analysis/?host=copies.example&level=light",
    "/analysis/?work=dock&confirmed=1&pace=month",
    "/analysis/analysis.xlsx",
    "/check/",
    "/check/fingerprints/",
    "/sites/",
    "/sites/?tag=x",
    "/sites/sites.csv",
    "/sites/of/copies",
    "/sites/dossier/copies",
    "/sites/dossier/registration/{registration}.json",
    "/sites/runs/going",
    "/sites/runs/{run}",
    "/sites/runs/{run}/waiting?pattern=/tag/",
    "/pages/",
    "/pages/?host=copies.example",
    "/pages/?title=老船匠",
    "/pages/?charset=utf-8&status=200",
    "/pages/?since=2026-01-01&until=2026-12-31",
    "/pages/{page}",
    "/pages/{page}/captures/{moment}",
    "/licences/",
    "/discoveries/",
    "/discoveries/?status=refused",
    "/health/",
    "/account/",
    "/account/api/",
    "/analysis/map/",
    "/users/",
    "/audit/",
    "/audit/?who=沈&action=case.decide&since=2026-01-01&until=2026-12-31",
    "/audit/?subject=case:1",
    "/audit/?action=case.decide",
    "/audit/?token=0123456789ab",
    "/alerts/",
    "/alerts/rules/{alert}",
    "/webhooks/",
    "/webhooks/{hook}",
)
API = (
    "/me",
    "/analysis?host=copies.example",
    "/cases/1",
    "/cases/1/captures",
    "/cases/1/captures/{moment}/changes",
    "/cases/1/comments",
    "/cases/1/exclusions",
    "/cases/1/site",
    "/cases/1/exclusions/proposed",
    "/cases/1/exhibits",
    "/rules",
    "/search?q=老船匠",
    "/rules/{rule}/preview",
    "/exhibits/{exhibit}/file",
    "/exhibits/{exhibit}/masked",
    "/exhibits/{exhibit}/manifest",
    "/exhibits/{exhibit}/receipts/{receipt}/file",
    "/cases/1/report.json",
    "/cases/1/report.xlsx",
    "/cases/1/report.csv",
    "/cases/1/report.html",
    "/reports/cases.json?status=lead",
    "/reports/cases.csv?counted=copies",
    "/reports",
    "/reports/{report}",
    "/reports/{report}/file",
    "/reports/cases.xlsx?counted=copies",
    "/pages?host=copies.example&title=老&charset=utf-8&status=200",
    "/pages/{page}",
    "/pages/{page}/near",
    "/pages/{page}/raw",
    "/pages/{page}/captures",
    "/pages/{page}/captures/{moment}/changes",
    "/clusters",
    "/clusters/c1",
    "/discoveries?status=pending",
    "/discoveries?work=dock",
    "/filters",
    "/holders",
    "/holders/one/lacks?id=河岸文艺社",
    "/holders/one/papers/{paper}/file?id=河岸文艺社",
    "/notices",
    "/notices?sent=true",
    "/notices?case=1",
    "/notices/2026-0001",
    "/notices/2026-0001/word/evidence",
    "/notices/2026-0001/answers/0/file",
    "/replies",
    "/replies/{mail}/file",
    "/tasks",
    "/platforms",
    "/licences",
    "/mirrors",
    "/users",
    "/tokens",
    "/sites",
    "/sites/copies",
    "/sites/copies/dossier",
    "/sites/registrations/{registration}",
    "/sites/copies/reading",
    "/sites/copies/access",
    "/runs",
    "/runs?kind=crawl&subject=copies",
    "/runs/{run}",
    "/runs/{run}/missed",
    "/runs/{run}/waiting?pattern=/tag/",
    "/sites/export",
    "/analysis/map",
    "/health",
    "/failures",
    "/problems",
    "/audit?who=沈&action=case.decide",
    "/audit?token=0123456789ab",
    "/alerts",
    "/alert-rules",
    "/alert-rules/{alert}/letters",
    "/webhooks",
    "/webhooks/{hook}",
    "/webhooks/{hook}/deliveries",
    "/works",
    "/works?q=七秒",
    "/works/one?id=dock",
)
# What asks nothing of a collection that grows, and what only a person on the way in sees.
OTHERS = {
    "static",
    "assets.file",
    *PROBES,
    "openapi",
    "account.picture",
    "pictures.show",  # a case and its capture by their ids, as the case asks
    "sign_in.show",
    "sign_in.code",
    "api-system.report_schema",
}
# They ask what their workbooks ask, and take seconds to be set.
PRINTED = {"notices.bundle", "api-notices.bundle", "api-system.printed", "api-system.case_printed"}


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    """The dashboard."""
    return make_app(sign_in=True)


def test_every_question_of_a_screen_or_of_the_api_has_an_index(
    app: Flask, seed: Seeder, product: App, mongo_url_and_db: tuple[str, str]
) -> None:
    places = filled(seed, product)
    screens = [*SCREENS, *lists("/suspects/")]
    api = [f"/api/v1{address}" for address in (*API, *lists("/cases"))]
    token = token_of(seed)
    client = signed_in(app, "chief")
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as server:
        # By itself it keeps the last megabyte.
        server[database].create_collection("system.profile", capped=True, size=256 * 2**20)
        server[database].command("profile", 2)
        for address in (*screens, *api):
            headers = {"Authorization": f"Bearer {token}"} if address.startswith("/api/") else {}
            answer = client.get(address.format(**places), headers=headers)
            assert answer.status_code == 200, (address, answer.text[:300])
        server[database].command("profile", 0)
        asked = list(server[database]["system.profile"].find({"planSummary": {"$exists": True}}))
    assert len(asked) > 1000, "the profiler saw the questions"
    assert [(one["ns"], one["command"]) for one in asked if "COLLSCAN" in one["planSummary"]] == []


def test_no_condition_no_screen_and_nothing_of_the_api_is_left_out(app: Flask) -> None:
    assert set(CONDITIONS) == {field.name for field in fields(Filter)} - {"order", "fold"}
    names = (
        "moment",
        "run",
        "hook",
        "exhibit",
        "receipt",
        "page",
        "paper",
        "report",
        "alert",
        "rule",
        "mail",
        "registration",
    )
    places = dict.fromkeys(names, "1")
    adapter = app.url_map.bind("localhost")
    addresses = (*SCREENS, "/suspects/", *(f"/api/v1{address}" for address in (*API, "/cases")))
    seen = {adapter.match(address.format(**places).split("?", maxsplit=1)[0])[0] for address in addresses}
    every = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert every - seen - OTHERS - PRINTED == set()


def lists(address: str) -> list[str]:
    """A list of cases by each condition in each order."""
    return [f"{address}?{name}={value}&order={order}" for name, value in CONDITIONS.items() for order in CaseOrder] + [
        f"{address}?order={order}" for order in CaseOrder
    ]


def filled(seed: Seeder, product: App) -> dict[str, str]:
    """Put records in; what the addresses name of them."""
    store = seed.store
    seed.library()
    store.cases.decide("1", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    store.marks.set("reading:copies", {"at": NOW, "pages": [], "not_shown": 0})
    case = store.cases.get("1")
    run = store.runs.start(RunKind.CRAWL, Subject.read("copies"), NOW - timedelta(days=1))
    hook = registry.add(by(product), "https://receiver.example/", registry.TELLABLE)
    moment = NOW - timedelta(minutes=5)
    store.pages.put_capture(case.page_url, replace(case.capture, fetched_at=moment), site_id=None)
    member = Member(
        id=f"page:{case.page_id}",
        kind=OwnerKind.PAGE,
        owner_id=case.page_id,
        owner_version=1,
        dated=NOW,
        seen=NOW,
        cluster_id="c1",
    )
    store.clusters.found(Cluster(id="c1", founded=NOW))
    store.clusters.enter(member)
    made = keeping.make(without_browser(by(product)), case.number)
    sealed = product.seal.seal("[]", name_of(made.id))
    store.exhibits.put(replace(made, sealed=sealed))
    receipt = receipts.add(by(product), made.id, "公证处", "公证书.pdf", b"%PDF")
    acting = by(replace(product, now=lambda: NOW))
    ready_holder(store)
    paper = papers.add(acting, "河岸文艺社", PaperKind.PROOF, "登记", valid_from=NOW.date(), file=("a.pdf", b"%PDF"))
    [notice] = writing.write(acting, case.number)
    sending.note_sent(acting, notice.id, SentBy.POST)
    sending.answer(acting, notice.id, AnswerKind.OTHER, "", file=("b.pdf", b"%PDF"))
    alert_rule = alert_rules.add(by(product, "chief"), "提醒", Filter(), list(AlertEvent))
    kept = kept_reports.ask(by(product), "三月", "json")
    kept_reports.make_due(product, lambda *_: b"{}")
    return {
        "paper": paper.id,
        "report": kept.id,
        "mail": put_mail(store),
        "registration": put_registration(store),
        "alert": alert_rule.id,
        "exhibit": made.id,
        "receipt": receipt.id,
        "page": case.page_id,
        "run": run.id,
        "hook": hook.id,
        "rule": triage_rules.add(by(product), "七秒", RuleAct.DISMISS, work_id="lamp", site_id="copies").id,
        "moment": f"{moment.timestamp() * 1000:.0f}",
    }


def token_of(seed: Seeder) -> str:
    """What an administrator's program shows."""
    return add_token(seed.store, add_user(seed.store, "chief", Role.ADMINISTRATOR))[1]
