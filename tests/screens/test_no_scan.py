"""No question that a screen or the API puts to MongoDB makes it read a whole collection."""

from dataclasses import fields

import pymongo
import pytest
from flask import Flask

from dashboard.frame.context import ACCOUNT_BLUEPRINTS, TABS
from dashboard.frame.security import PROBE_ENDPOINTS
from tests.support.browsing.every_screen import NO_SCREENS, PLACES, SCREENS, fill_every_screen
from tests.support.people import add_token, add_user, signed_in
from tests.support.screens import MakeApp
from tests.support.seed import Seeder
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseOrder
from wenhen.kit.mongo.codec import Document
from wenhen.kit.rights import Role
from wenhen.runtime.wiring import App

# A value for each condition that a list of cases may be asked for by.
CONDITIONS = {
    "status": "lead",
    "q": "七秒",
    "host": "copies.example",
    "site": "copies",
    "work": "dock",
    "holder": "河岸文艺社",
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
# Screens that are asked for otherwise than `tests.support.browsing.every_screen` does.
FURTHER = (
    "/search/?q=copies.example",
    "/search/?q=copies.example/a",
    "/suspects/?fold=site",
    "/suspects/?fold=work&status=confirmed&q=example",
    "/suspects/?assignee=me&since=2026-01-01&until=2026-12-31",
    "/suspects/?present=no&licensed=yes&counted=confirmed",
    "/suspects/?q=。",
    "/cases/1?status=lead&order=largest",
    "/works/?q=七秒",
    "/works/?q=example",
    "/works/?q=。",
    "/works/?series=海岸线&q=七秒",
    "/analysis/?host=copies.example&level=light",
    "/analysis/?work=dock&confirmed=1&pace=month",
    "/analysis/?holder=河岸文艺社",
    "/notices/?holder=河岸文艺社",
    "/licences/?holder=河岸文艺社",
    "/sites/?tag=x",
    "/pages/?host=copies.example",
    "/pages/?title=老船匠",
    "/pages/?charset=utf-8&status=200",
    "/pages/?since=2026-01-01&until=2026-12-31",
    "/discoveries/?status=refused",
    "/audit/?who=沈&action=case.decide&since=2026-01-01&until=2026-12-31",
    "/audit/?subject=case:1",
    "/audit/?action=case.decide",
    "/audit/?token=0123456789ab",
)
API = (
    "/me",
    "/analysis?host=copies.example",
    "/cases/1",
    "/captures/addresses?run={fetch}",
    "/cases/1/captures",
    "/cases/1/captures/{moment}/changes",
    "/cases/1/comments",
    "/cases/1/amounts",
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
    "/links",
    "/reports/{report}",
    "/reports/{report}/file",
    "/reports/cases.xlsx?counted=copies",
    "/pages?host=copies.example&title=老&charset=utf-8&status=200",
    "/pages/{page}",
    "/pages/{page}/near",
    "/pages/{page}/posts",
    "/pages/{page}/raw",
    "/pages/{page}/captures",
    "/pages/{page}/regions",
    "/cases/1/regions",
    "/cases/1/marks",
    "/pages/{page}/captures/{moment}/changes",
    "/clusters",
    "/clusters/c1",
    "/discoveries?status=pending",
    "/discoveries/continuations?series=潮汐簿",
    "/discoveries?work=dock",
    "/discoveries/searches",
    "/filters",
    "/holders",
    "/holders/one/lacks?id=河岸文艺社",
    "/holders/one/papers/{paper}/file?id=河岸文艺社",
    "/notices",
    "/notices?sent=true",
    "/notices?case=1",
    "/notices/2026-0001",
    "/notices/2026-0001/addresses.csv",
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
    "/common",
    "/common?q=七秒",
    "/works",
    "/works?q=七秒",
    "/works/one?id=dock",
    "/marks",
    "/marks/{marked}/copies",
)
# What asks nothing of a collection that grows, and what only a person on the way in sees.
OTHERS = {
    "static",
    "assets.file",
    *PROBE_ENDPOINTS,
    "openapi",
    "account.picture",
    "pictures.show",  # a case and its capture by their ids, as the case asks
    "sign_in.show",
    "sign_in.code",
    *("provider.begin", "provider.back"),  # they lead to another server, and back from it
    "session.state",  # whether the session lives, as scripts ask
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
    places = fill_every_screen(seed, product)
    screens = [*SCREENS.values(), *FURTHER, *lists("/suspects/")]
    api = [f"/api/v1{address}" for address in (*API, *lists("/cases"))]
    token = token_of(seed)
    client = signed_in(app, "chief")
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as server:
        # By itself it keeps the last megabyte.
        server[database].create_collection("system.profile", capped=True, size=256 * 2**20)
        server[database].command("profile", 2)
        for address in (*screens, *NO_SCREENS, *api):
            headers = {"Authorization": f"Bearer {token}"} if address.startswith("/api/") else {}
            answer = client.get(address.format(**places), headers=headers)
            assert answer.status_code == 200, (address, answer.text[:300])
            assert address not in NO_SCREENS or b"<html" not in answer.data, address
        server[database].command("profile", 0)
        asked = list(server[database]["system.profile"].find({"planSummary": {"$exists": True}}))
    assert len(asked) > 1000, "the profiler saw the questions"
    assert [(one["ns"], one["command"]) for one in asked if "COLLSCAN" in one["planSummary"]] == []


def test_no_condition_no_screen_and_nothing_of_the_api_is_left_out(app: Flask) -> None:
    assert set(CONDITIONS) == {field.name for field in fields(Filter)} - {"order", "fold"}
    places = dict.fromkeys(PLACES, "1")
    adapter = app.url_map.bind("localhost")

    def views(*addresses: str) -> set[str]:
        paths = (address.format(**places).split("?", maxsplit=1)[0] for address in addresses)
        return {adapter.match(path)[0] for path in paths}

    seen = views(*SCREENS.values(), *NO_SCREENS, *(f"/api/v1{address}" for address in (*API, "/cases")))
    every = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert every - seen - OTHERS - PRINTED == set()
    assert views(*FURTHER) <= views(*SCREENS.values()), "each is walked in a browser"
    behind = {name for view, others in TABS.values() for name in (view.partition(".")[0], *others)} | {
        *ACCOUNT_BLUEPRINTS
    }
    shown = {view.partition(".")[0] for view in views(*SCREENS.values())}
    assert shown - behind == {"password", "search", "help", "shared"}, "each marks its tab"


def lists(address: str) -> list[str]:
    """A list of cases by each condition in each order."""
    return [f"{address}?{name}={value}&order={order}" for name, value in CONDITIONS.items() for order in CaseOrder] + [
        f"{address}?order={order}" for order in CaseOrder
    ]


def token_of(seed: Seeder) -> str:
    """What an administrator's program shows."""
    return add_token(seed.store, add_user(seed.store, "chief", Role.ADMINISTRATOR))[1]
