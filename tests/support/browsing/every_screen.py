"""Every screen of the dashboard by its address, and a store in which each has something to show.

An address that is added to the dashboard is added here: tests see to it, walk the screens in a browser and watch what
all of them ask of the database.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from crawler.capture import WarcPlace
from matcher.clusters import Cluster, Member
from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.people import add_token, add_user
from tests.support.seed import NOW, Seeder, move_case
from tests.support.servers.mails import put_mail
from tests.support.servers.registry import put_registration
from wenhen.accounts.users import LINK_LIFETIME, make_password_link
from wenhen.alerts.alert_rules import create_alert_rule
from wenhen.alerts.model import AlertEvent
from wenhen.cases.filters import Filter
from wenhen.cases.model import Case, CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RegionalCapture, RegionalCopy, RegionalState, RunKind
from wenhen.demo.articles import load_works
from wenhen.discovery.model import Discovery, PageListing
from wenhen.evidence.exhibit_creation import make_exhibit_now
from wenhen.evidence.exhibits import exhibit_stamp_id, store_receipt
from wenhen.holders.model import PaperKind
from wenhen.holders.service import add_rights_document
from wenhen.kit.errors import message
from wenhen.kit.progress import OwnerKind, Subject
from wenhen.kit.rights import Right, Role
from wenhen.marks.model import MarkStatement, StatedCopy
from wenhen.marks.service import mark_text
from wenhen.notices.drafting import write_notices
from wenhen.notices.model import AnswerKind, SentBy
from wenhen.notices.replies import read_address_states
from wenhen.notices.sending import record_answer, record_sent_notice
from wenhen.reports.service import make_due_reports, request_report
from wenhen.reports.shared_links import share_report
from wenhen.runtime.wiring import App
from wenhen.triage.model import RuleAct
from wenhen.triage.service import add_rule
from wenhen.webhooks.service import CASE_EVENTS, add_webhook

# Each screen once, by the name of its pictures.
SCREENS: Final = {
    "overview": "/",
    "search": "/search/?q=修船的老人",
    "suspects": "/suspects/",
    "rules": "/suspects/rules/?rule={rule}",
    "case": "/cases/1",
    "capture": "/cases/1/captures/{moment}",
    "notice": "/cases/1/notice",
    "works": "/works/",
    "series": "/works/series",
    "work": "/works/one?id=dock",
    "work-new": "/works/new",
    "work-edit": "/works/edit?id=dock",
    "common": "/works/common/",
    "details": "/works/details/",
    "import": "/works/import/",
    "holders": "/holders/",
    "holder": "/holders/?name=河岸文艺社",
    "check": "/check/",
    "addresses": "/addresses/?run={fetch}&url=https://copies.example/2",
    "fingerprints": "/check/fingerprints/",
    "analysis": "/analysis/",
    "map": "/analysis/map/",
    "reports": "/reports/",
    "reports-kept": "/reports/kept/",
    "links": "/reports/links/?case=1",
    "shared": "/shared/{shared}",
    "notices": "/notices/",
    "letter": "/notices/2026-0001",
    "platforms": "/platforms/",
    "sites": "/sites/",
    "site": "/sites/of/copies",
    "dossier": "/sites/dossier/copies",
    "run": "/sites/runs/{run}",
    "waiting": "/sites/runs/{run}/waiting?pattern=/tag/",
    "pages": "/pages/",
    "page": "/pages/{page}",
    "page-capture": "/pages/{page}/captures/{moment}",
    "page-region": "/pages/{page}/regions/{region}",
    "licences": "/licences/",
    "marks": "/works/marks/",
    "discoveries": "/discoveries/",
    "continuations": "/works/continuations?series=潮汐簿",
    "health": "/health/",
    "help": "/help/",
    "guide": "/help/start",
    "document": "/help/documents/cases",
    "account": "/account/",
    "api": "/account/api/",
    "forgot": "/sign-in/forgot",
    "choose": "/sign-in/set/{link}",
    "users": "/users/",
    "audit": "/audit/",
    "alerts": "/alerts/",
    "alert": "/alerts/rules/{alert}",
    "settings": "/settings/",
    "webhooks": "/webhooks/",
    "deliveries": "/webhooks/{hook}",
}
# Files, and parts of a screen that a script asks for.
NO_SCREENS: Final = (
    "/works/names?q=七秒",
    "/holders/names?q=河岸",
    "/sites/names?q=抄书",
    "/shared/{shared}/file",
    "/search/go?q=七秒",
    "/suspects/preview/1?status=lead",
    "/sites/runs/going",
    "/cases/1/report.json",
    "/cases/exhibits/{exhibit}.wacz",
    "/cases/exhibits/{exhibit}/manifest.json",
    "/cases/exhibits/{exhibit}/receipts/{receipt}",
    "/reports/cases.xlsx?counted=copies",
    "/reports/kept/{report}",
    "/works/details/works.csv",
    "/holders/papers/file?name=河岸文艺社&id={paper}",
    "/notices/2026-0001/addresses.csv",
    "/notices/2026-0001/answers/0",
    "/notices/2026-0001/notice.docx",
    "/replies/{mail}.eml",
    "/platforms/templates/notice.docx",
    "/analysis/analysis.xlsx",
    "/sites/sites.csv",
    "/sites/dossier/registration/{registration}.json",
    "/feeds/{feed}.ics",
    "/feeds/{feed}.atom",
)
PLACES: Final = (
    *("moment", "run", "fetch", "hook", "exhibit", "receipt", "page", "paper"),
    *("report", "alert", "rule", "mail", "registration", "feed", "link", "shared", "marked", "region"),
)


def put_regions(store: Store, case: Case) -> None:
    """Captures of the page of a case from regions: as everywhere, refused, and one whose proxy failed."""
    asked = RegionalCapture(
        id="r1", page_id=case.page_id, url=case.page_url, region=None, by="沈", asked_at=NOW - timedelta(hours=1)
    )
    capture = replace(case.capture, fetched_at=NOW, warc=WarcPlace(file="a.warc.gz", offset=1234, record_id="<urn:a>"))
    done = replace(
        asked,
        state=RegionalState.DONE,
        ended_at=NOW,
        status=200,
        capture=capture,
        title="七秒",
        text_digest=case.page_text_digest,
        page_text_digest=case.page_text_digest,
        share_of_page=1.0,
        copies=(
            RegionalCopy(
                work_id=case.work_id,
                work_title=case.work_title,
                case_number=case.number,
                share_of_work=0.93,
                passages=2,
                characters=1234,
            ),
        ),
    )
    refused = replace(
        done,
        id="r2",
        region="德国",
        status=451,
        capture=replace(capture, status=451),
        reason=message("fetch.answered", status=451),
        title="Unavailable For Legal Reasons",
        text_digest=store.blobs.put_text("此内容在你所在的地区不提供。"),
        share_of_page=0.0,
        copies=(),
    )
    failed = replace(
        asked,
        id="r3",
        region="us",
        state=RegionalState.FAILED,
        ended_at=NOW,
        reason=message("fetch.proxy_password", proxy="proxy.example:3128"),
    )
    before = replace(asked, id="r0", region="jp", asked_at=NOW - timedelta(days=1), state=RegionalState.FAILED)
    store.regional_captures.add_all((done, refused, failed, before))


def fill_every_screen(seed: Seeder, product: App) -> dict[str, str]:
    """Put records in, of the administrator chief among others; what the addresses name of them."""
    store = seed.store
    seed.library()
    move_case(store, "1", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    store.marks.set("reading:copies", {"at": NOW, "pages": [], "not_shown": 0})
    case = store.cases.get("1")
    run = store.runs.start(RunKind.CRAWL, Subject.read("copies"), NOW - timedelta(days=1))
    fetch = store.runs.start(
        RunKind.CRAWL,
        Subject.read("addresses:1f"),
        NOW - timedelta(days=1),
        addresses=[case.page_url, "https://a.test/"],
    )
    stated = StatedCopy(recipient="书店甲", sha256="c" * 64, agreeing=30, places=31, chance=1e-8)
    store.marked_texts.put_statement(
        MarkStatement(
            id="1",
            text_id="t1",
            title="修船的老人",
            page_text_sha256=case.page_text_digest,
            read=31,
            copies=(stated,),
            word="河岸文艺社，沈之遥，邮件",
            allowed_by="chief",
            allowed_at=NOW,
        )
    )
    hook = add_webhook(by(product), "https://receiver.example/", CASE_EVENTS)
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
    put_regions(store, case)
    store.clusters.found_all([Cluster(id="c1", founded=NOW)])
    store.clusters.enter_all([member])
    made = make_exhibit_now(without_browser(by(product)), case.number)
    sealed = product.seal.seal("[]", exhibit_stamp_id(made.id))
    store.exhibits.put(replace(made, sealed=sealed))
    receipt = store_receipt(by(product), made.id, "公证处", "公证书.pdf", b"%PDF")
    acting = by(replace(product, now=lambda: NOW))
    ready_holder(store)
    paper = add_rights_document(
        acting, "河岸文艺社", PaperKind.PROOF, "登记", valid_from=NOW.date(), file=("a.pdf", b"%PDF")
    )
    [notice] = write_notices(acting, case.number)
    record_sent_notice(acting, notice.id, SentBy.POST)
    read_address_states(acting, notice.id, f"{case.page_url},处理中".encode())
    record_answer(acting, notice.id, AnswerKind.OTHER, "", file=("b.pdf", b"%PDF"))
    alert_rule = create_alert_rule(by(product, "chief"), "提醒", Filter(), list(AlertEvent))
    kept = request_report(by(product), "三月", "json")
    make_due_reports(product, lambda *_: b"{}")
    _found_by_search(store, case)
    user = add_user(store, "蒋 远")
    [copy] = mark_text(acting, "炒茶人老陈", load_works()["炒茶人老陈"].text, ["编辑甲"])
    return {
        "feed": add_token(store, add_user(store, "reader", Role.LAWYER), {Right.FEED}, None)[1],
        "link": make_password_link(product, user, LINK_LIFETIME),
        "shared": share_report(acting, kept.id)[1],
        "paper": paper.id,
        "marked": copy.copy.text_id,
        "report": kept.id,
        "mail": put_mail(store),
        "registration": put_registration(store),
        "alert": alert_rule.id,
        "exhibit": made.id,
        "receipt": receipt.id,
        "page": case.page_id,
        "region": "r2",
        "run": run.id,
        "fetch": fetch.id,
        "hook": hook.id,
        "rule": add_rule(by(product), "七秒", RuleAct.DISMISS, work_id="lamp", site_id="copies").id,
        "moment": f"{moment.timestamp() * 1000:.0f}",
    }


def _found_by_search(store: Store, case: Case) -> None:
    """Two addresses that wait for somebody: a page of no case, and one that the engine no longer leads to."""
    days = [NOW - timedelta(days=ago) for ago in range(3)]
    gone = PageListing(case=case.number, looked_at=days[0], asked=("船",), seen_at=days[2], absent_since=days[1])
    for id, url, engine, listing in (
        ("d1", "https://forum.example/thread-120-1-1.html", "searxng", None),
        ("d2", case.page_url, "brave", gone),
    ):
        found = Discovery(
            id=id,
            work_id="dock",
            url=url,
            title="修船的老人（全文）",
            sentences=("他把船底的青苔一层一层刮下来，像在给一个老朋友刮胡子。",),
            engine=engine,
            found_at=days[2],
            found_by=("bing", "baidu") if engine == "searxng" else (),
            listing=listing,
        )
        store.discoveries.add(found)
