"""Word files of notices: filled from templates in a sandbox, a user's template looked at before it is used."""

import json
import subprocess
import zipfile
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import docx
import pytest

from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from wenhen.cases.decisions import assign_cases, decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.evidence.exhibit_creation import make_exhibit_now
from wenhen.holders.model import PaperKind
from wenhen.holders.service import add_rights_document
from wenhen.kit.errors import BadInput, Forbidden, Language, NotFound, Unreadable
from wenhen.kit.rights import Right
from wenhen.notices.drafting import write_notices
from wenhen.notices.model import NoticeLaw
from wenhen.notices.platforms import get_platform, set_platform
from wenhen.notices.word_templates import WordKind, find_template, reset_template, set_template
from wenhen.reports import notice_files
from wenhen.reports.model import Report
from wenhen.reports.notice_files import gather_mail_parts, write_notice_bundle, write_notice_word
from wenhen.reports.shared_links import find_open_link
from wenhen.reports.wording import report_languages
from wenhen.runtime.wiring import App

HOSTILE = "{{ 7*7 }} <w:p>&\x00\u202e盗版"


@pytest.fixture
def written(product: App) -> App:
    """A notice about two copies, the title of whose work means harm."""
    product = replace(product, now=lambda: NOW)
    seed = Seeder(product.store)
    seed.work(title=HOSTILE)
    for url in ("https://copies.example/1", "https://copies.example/2"):
        seed.case(url)
    ready_holder(product.store)
    decide_cases(by(product), [1, 2], CaseStatus.CONFIRMED)
    write_notices(by(product), 1)
    return product


def words(content: bytes) -> str:
    """What a Word file says, tables last."""
    document = docx.Document(BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def template(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def test_the_three_word_files_say_what_the_notice_says_and_nothing_in_it_is_a_tag(written: App) -> None:
    notice, authority, evidence = (words(write_notice_word(by(written), "2026-0001", kind)[1]) for kind in WordKind)
    title = HOSTILE.replace("\x00", "⟨U+0000⟩").replace("\u202e", "⟨U+202E⟩")
    assert "侵权通知书" in notice
    assert f"《{title}》" in notice
    assert "https://copies.example/2" in notice
    assert (f"《{title}》" in authority, "受托人：渡口律师事务所" in authority) == (True, True)
    assert evidence.count("https://copies.example/") == 2
    assert "{%" not in notice + authority + evidence


@pytest.mark.parametrize("typeset", [True, False])
def test_a_mailed_notice_brings_the_report_and_the_list_of_evidence_that_its_text_names_as_enclosed(
    written: App, monkeypatch: pytest.MonkeyPatch, typeset: bool
) -> None:
    def pdf(*_: object) -> bytes:
        if not typeset:
            raise BadInput("reports.no_chinese_font")
        return b"%PDF"

    monkeypatch.setattr(notice_files, "to_pdf", pdf)
    assert "附件：侵权报告与证据目录" in written.store.notices.get("2026-0001").text
    files = gather_mail_parts(by(written), "2026-0001").files
    assert list(files) == ["证据目录-2026-0001.docx", f"侵权报告-2026-0001.{'pdf' if typeset else 'xlsx'}"]
    assert words(files["证据目录-2026-0001.docx"]).count("https://copies.example/") == 2


def test_a_mail_brings_the_rights_documents_that_its_letter_names_under_their_titles(
    written: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_files, "to_pdf", lambda *_: b"%PDF")
    for title, until in (("营业执照/副本", None), ("过期的合同", NOW.date() - timedelta(days=1))):
        add_rights_document(
            by(written),
            "河岸文艺社",
            PaperKind.PROOF,
            title,
            valid_from=NOW.date() - timedelta(days=9),
            valid_until=until,
            file=("scan.PDF", b"%PDF"),
        )
    files = gather_mail_parts(by(written), "2026-0001").files
    assert "权利文件-2026-0001-1-营业执照-副本.pdf" in files
    assert not any("过期" in name for name in files)


def test_what_a_receiver_does_not_take_stands_behind_a_link_that_ends(
    written: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_files, "to_pdf", lambda *_: b"%PDF" * 400_000)  # 2.2 MB in a mail
    acting = by(written)
    assert gather_mail_parts(acting, "2026-0001").appendix == "", "ten megabytes are taken by default"
    plain = get_platform(written, written.store.notices.get("2026-0001").platform)
    set_platform(acting, replace(plain, mail_megabytes=1))
    with pytest.raises(BadInput, match=r"2\.\d MB.*1\.0 MB"):
        gather_mail_parts(acting, "2026-0001")
    addresses: list[str] = []

    def address(secret: str) -> str:
        addresses.append(secret)
        return f"https://house.example/shared/{secret}"

    parts = gather_mail_parts(acting, "2026-0001", address)
    assert list(parts.files) == ["证据目录-2026-0001.docx"]
    [secret] = addresses
    assert f"侵权报告-2026-0001.pdf：https://house.example/shared/{secret}" in parts.appendix
    link = find_open_link(written, secret)
    assert (link.about, link.size) == ("notice:2026-0001", 1_600_000)
    assert link.file_digest in parts.appendix
    with pytest.raises(NotFound):
        find_open_link(replace(written, now=lambda: NOW + timedelta(days=61)), secret)


def test_a_notice_under_foreign_law_brings_its_files_in_english(written: App, monkeypatch: pytest.MonkeyPatch) -> None:
    languages: list[tuple[str, ...]] = []

    def pdf(*_: object) -> bytes:
        languages.append(report_languages())
        return b"%PDF"

    monkeypatch.setattr(notice_files, "to_pdf", pdf)
    notice = written.store.notices.get("2026-0001")
    written.store.notices.change(notice, replace(notice, law=NoticeLaw.DMCA))
    assert "report-2026-0001.pdf" in gather_mail_parts(by(written), "2026-0001").files
    assert languages == [("en",)]
    assert report_languages() == ("zh", "en"), "the next report is in both again"


@pytest.mark.parametrize(
    ("language", "there", "not_there"),
    [
        (
            "zh",
            ("证据目录", "证明内容", "作品的内容"),
            ("List of evidence", "Source", "Submitted by", "The work's text"),
        ),
        (
            "en",
            ("List of evidence", "What it proves", "The work's text"),
            ("证据目录", "证明内容", "提交人", "作品的内容"),
        ),
    ],
)
def test_the_list_of_evidence_and_the_bundle_are_in_the_language_asked_for(
    written: App, language: Language, there: tuple[str, ...], not_there: tuple[str, ...]
) -> None:
    asked = words(write_notice_word(by(written), "2026-0001", WordKind.EVIDENCE, language=language)[1])
    with zipfile.ZipFile(BytesIO(write_notice_bundle(by(written), "2026-0001", language=language)[1])) as bundle:
        [name] = [name for name in bundle.namelist() if name.endswith(".docx") and "evidence" in name]
        enclosed = words(bundle.read(name))
        lacks = bundle.read("missing.txt").decode() if "missing.txt" in bundle.namelist() else ""
    for text in (asked, enclosed):
        assert [word in text for word in there] == [True] * len(there), text
        assert [word in text for word in not_there] == [False] * len(not_there), text
    assert ("没有" in lacks) <= (language == "zh")
    both = words(write_notice_word(by(written), "2026-0001", WordKind.EVIDENCE)[1])
    assert ("证据目录 List of evidence" in both, report_languages()) == (True, ("zh", "en"))


def test_a_word_file_is_fit_to_be_printed_and_names_no_program_that_made_it(written: App) -> None:
    document = docx.Document(BytesIO(write_notice_word(by(written), "2026-0001", WordKind.EVIDENCE)[1]))
    assert document.core_properties.comments == ""
    footer = document.sections[0].footer._element.xml
    assert ('w:instr="PAGE"' in footer, 'w:instr="NUMPAGES"' in footer) == (True, True)
    assert document.styles["Normal"].font.name == "Times New Roman", "Latin letters; Chinese ones have their own"


def test_a_template_of_ones_own_is_used_until_it_is_taken_back(written: App) -> None:
    set_template(by(written), WordKind.NOTICE, template("函 {{ number }} 致 {{ to }}"))
    assert words(write_notice_word(by(written), "2026-0001", WordKind.NOTICE)[1]).startswith(
        "函 2026-0001 致 copies.example"
    )
    reset_template(by(written), WordKind.NOTICE)
    assert "侵权通知书" in words(write_notice_word(by(written), "2026-0001", WordKind.NOTICE)[1])
    with pytest.raises(Forbidden, match="platforms"):
        set_template(by(written, rights={Right.PROCEED}), WordKind.NOTICE, template(""))


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for i in range(10**9) %}{% endfor %}",
        "{{ lines.append('x') }}",
        "{% if %}",
    ],
)
def test_a_template_that_reaches_out_is_refused_before_it_is_used(written: App, text: str) -> None:
    with pytest.raises(Unreadable, match=r"this file is no template.*take a \.docx file"):
        set_template(by(written), WordKind.NOTICE, template(text))
    with pytest.raises(Unreadable, match=r"this file is no template.*take a \.docx file"):
        set_template(by(written), WordKind.NOTICE, b"no Word file")
    assert find_template(written, WordKind.NOTICE)[1] is False


def test_counsels_bundle_holds_all_of_it_and_says_what_it_does_not_hold(written: App) -> None:
    make_exhibit_now(without_browser(by(written)), 1)
    name, content = write_notice_bundle(by(written), "2026-0001")
    with zipfile.ZipFile(BytesIO(content)) as bundle:
        names = bundle.namelist()
        missing = bundle.read("missing.txt").decode()
    assert [name for name in names if name.endswith(".docx")] == [f"wenhen-2026-0001-{kind}.docx" for kind in WordKind]
    assert {"notice.txt", "report.xlsx"} <= set(names)
    assert len([name for name in names if name.startswith("exhibits/wenhen-1-")]) == 1
    assert "#2" in missing
    assert ("report.pdf" in names) is ("report.pdf" not in missing)
    [left] = written.store.audit.find(sha256=sha256(content).hexdigest())
    assert (left.action, left.subject) == ("notice.bundle", "notice:2026-0001")
    assert json.loads(left.new or "")["file"] == name == "wenhen-2026-0001.zip"


def test_the_log_names_the_word_file_that_was_taken(written: App) -> None:
    _, content = write_notice_word(by(written), "2026-0001", WordKind.AUTHORITY)
    [left] = written.store.audit.find(sha256=sha256(content).hexdigest())
    assert json.loads(left.new or "")["file"] == "wenhen-2026-0001-authority.docx"


def test_counsels_bundle_is_checked_by_a_command_that_everybody_has(written: App, tmp_path: Path) -> None:
    with zipfile.ZipFile(BytesIO(write_notice_bundle(by(written), "2026-0001")[1])) as bundle:
        bundle.extractall(tmp_path)
        names = set(bundle.namelist()) - {"SHA256SUMS"}
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    told = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert {line.removesuffix(": OK") for line in told.splitlines()} == names
    (tmp_path / "report.xlsx").write_bytes(b"another")
    altered = subprocess.run(check, cwd=tmp_path, env={"LC_ALL": "C"}, capture_output=True, text=True, check=False)
    assert (altered.returncode, "report.xlsx: FAILED" in altered.stdout) == (1, True)


def test_what_the_house_says_of_a_case_is_not_mailed_to_whoever_copied(
    written: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_cases(by(written), [1], CaseStatus.DISMISSED, note="INTERNAL")
    assign_cases(by(written), [1], "chaos")
    reports: list[Report] = []

    def pdf(report: Report, *_: object) -> bytes:
        reports.append(report)
        return b"%PDF"

    monkeypatch.setattr(notice_files, "to_pdf", pdf)
    gather_mail_parts(by(written), "2026-0001")
    write_notice_bundle(by(written), "2026-0001")
    mailed, counsels = (next(case for case in report.cases if case.number == 1) for report in reports)
    assert (mailed.decision, mailed.decided_by, mailed.assignee) == (None, None, None)
    assert counsels.decision == "INTERNAL"
    assert mailed.passages == counsels.passages
