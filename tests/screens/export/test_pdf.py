"""The printed report, opened again: all of it can be read, the workbook lies in it, and nothing in it runs."""

import shutil
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import openpyxl
import pypdfium2
import pytest
import typst
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from pydantic import SecretStr
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext

from crawler.extraction.model import PartKind, TextPlace
from tests.support.drawn import drawn
from tests.support.seed import MIDDLE, NOW, OPENING, Seeder, move_case
from tests.support.servers.authority import make_authority
from tests.support.servers.authority import served as authority_at
from wenhen.cases.model import CaseStatus
from wenhen.cases.passages import FramedPicture
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput, Language, SetupError, TooLarge, Unavailable
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.model import Report, ReportedExhibit
from wenhen.reports.pdf.content import MAX_PRINTED_CASES, make_printed_content
from wenhen.reports.pdf.document import sign_pdf, to_pdf
from wenhen.reports.pdf.printable import printable_text
from wenhen.reports.pdf.timestamp import timestamp_pdf
from wenhen.reports.wording import written_in
from wenhen.settings.notices_and_reports import EvidenceSettings, ReportSettings

SETTINGS = ReportSettings()
LONG = "https://copies.example/" + "a" * 200 + '?x=<script>alert(1)</script>&y=#panic("typst")'
TITLE = '=HYPERLINK("http://evil") #import "x" $x$ *b* \\u{41} \u202egnp.exe 𠮷'


@pytest.fixture
def report(seed: Seeder, acting: Acting) -> Report:
    """One case with a title and an address that would like to be more than text."""
    seed.work()
    seed.case(LONG, page_title=TITLE)
    move_case(seed.store, "1", CaseStatus.CONFIRMED, by="沈", reason="整篇转载", at=NOW)
    gathered = gather(acting, status=CaseStatus.CONFIRMED)
    made = ReportedExhibit(
        id="e1", made_at=NOW, file_digest="f" * 64, manifest_digest="d" * 64, manifest=b'{"resources": []}'
    )
    gathered = replace(gathered, cases=[replace(one, exhibit=made) for one in gathered.cases])
    return replace(gathered, generated_at=NOW.replace(microsecond=123_456))  # a moment as a clock gives it


def read(pdf: bytes) -> str:
    """All text of all pages, lines joined."""
    document = pypdfium2.PdfDocument(pdf)
    text = "".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return text.replace("\r\n", "")


def test_a_report_is_printed_with_all_that_proves_it(report: Report) -> None:
    pdf = to_pdf(report, SETTINGS)
    text = read(pdf)
    for said in (OPENING, MIDDLE.replace("一点一点", "一点点"), LONG, report.cases[0].capture.body_digest):
        assert said in text
    assert "状态 Status：已确认 Confirmed" in text  # the filter, in words
    assert "2026-03-05 22:30:00 UTC+8" in text  # the capture
    assert "证据目录" in text
    assert TITLE.replace("\u202e", "⟨U+202E⟩") in text
    document = pypdfium2.PdfDocument(pdf)
    files = [document.get_attachment(at) for at in range(document.count_attachments())]
    inside = {one.get_name(): bytes(one.get_data()) for one in files}
    assert inside.pop("exhibit-1-e1-datapackage.json") == b'{"resources": []}'
    [workbook] = inside.values()
    assert "案件 Cases" in openpyxl.load_workbook(BytesIO(workbook)).sheetnames
    document.close()
    assert to_pdf(report, SETTINGS) == pdf


@pytest.mark.parametrize(
    ("language", "said", "other"), [("zh", "证据目录", "Evidence"), ("en", "Evidence", "证据目录")]
)
def test_a_report_is_in_one_language_when_asked(report: Report, language: Language, said: str, other: str) -> None:
    with written_in(language):
        text = read(to_pdf(report, SETTINGS))
    assert said in text
    assert other not in text


def test_a_single_case_takes_two_to_four_pages_under_the_letterhead_of_the_house(report: Report) -> None:
    house = ReportSettings(letterhead="渡口律师事务所\n北京市朝阳区 1 号", colophon="渡口律师事务所 · 010-1234567")
    with written_in("zh"):
        document = pypdfium2.PdfDocument(to_pdf(report, house))
    pages = [page.get_textpage().get_text_range() for page in document]
    document.close()
    assert 2 <= len(pages) <= 4
    assert pages[0].startswith("渡口律师事务所")
    assert all("010-1234567" in page for page in pages)
    assert not any("北京市朝阳区" in page for page in pages[1:])


def test_a_picture_that_a_passage_was_read_from_is_printed_with_what_it_shows(report: Report) -> None:
    pictures = (FramedPicture(2, drawn("渡口")),)
    quote = replace(report.cases[0].passages[0], place=TextPlace(PartKind.PAGE, 7, 3), pictures=pictures)
    pdf = to_pdf(replace(report, cases=(replace(report.cases[0], passages=(quote,)),)), SETTINGS)
    text = read(pdf)
    assert "第 7 页第 3 段 page 7, paragraph 3" in text
    assert "第 2 张图，第 1 段已框出 Picture 2, passage 1 framed" in text
    document = pypdfium2.PdfDocument(pdf)
    images = [one for page in document for one in page.get_objects() if one.type == pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]
    assert len(images) == 1
    document.close()


def test_a_character_that_no_font_has_is_named_and_nothing_is_made(report: Report) -> None:
    egyptian = replace(report.cases[0], work_title="𓀀之歌")
    with pytest.raises(BadInput, match=r"U\+13000"):
        to_pdf(replace(report, cases=(egyptian,)), SETTINGS)


def test_what_has_no_sign_is_printed_as_its_code_point_and_long_words_may_break() -> None:
    assert printable_text("a\x00b\tc\ue123\ud800") == "a⟨U+0000⟩b c⟨U+E123⟩⟨U+D800⟩"
    assert printable_text("x" * 30).replace("\u200b", "") == "x" * 30
    assert "\u200b" in printable_text("x" * 30)


def test_long_passages_are_cut_and_the_rest_is_counted(report: Report) -> None:
    quote = replace(report.cases[0].passages[0], page_text="河" * 400_000, work_text="河" * 400_000)
    (case,) = make_printed_content(replace(report, cases=(replace(report.cases[0], passages=(quote,)),)), SETTINGS)[
        "cases"
    ]
    assert len(case["passages"][0]["page"][0][1]) == 300_000
    assert "200,000" in case["left_out"]


def test_more_cases_than_fit_are_refused(report: Report) -> None:
    with pytest.raises(TooLarge, match="workbook"):
        make_printed_content(replace(report, cases=tuple(report.cases) * (MAX_PRINTED_CASES + 1)), SETTINGS)


@pytest.fixture
def key(tmp_path: Path) -> ReportSettings:
    """A key and its certificate in a PKCS#12 file."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "河岸文艺社")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(7)
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=3650))
        .sign(private, hashes.SHA256())
    )
    path = tmp_path / "seal.p12"
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(b"seal", private, certificate, None, BestAvailableEncryption(b"open"))
    )
    return ReportSettings(seal=str(path), seal_password=SecretStr("open"))


def intact(pdf: bytes) -> bool:
    """Whether the signature of a PDF fits its bytes, whoever made it."""
    (signature,) = PdfFileReader(BytesIO(pdf)).embedded_signatures
    return validate_pdf_signature(signature, ValidationContext(trust_roots=[signature.signer_cert])).intact


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to stamp with")
def test_behind_the_seal_an_authority_says_when_the_file_was_there(key: ReportSettings, tmp_path: Path) -> None:
    authority = make_authority(tmp_path / "authority")
    pdf = typst.Compiler(b"a report").compile(format="pdf")
    assert isinstance(pdf, bytes)
    with authority_at(authority.answer) as url, authority_at(lambda _: None) as silent:
        told = EvidenceSettings(authorities=[silent, url], roots=str(authority.roots))
        stamped = timestamp_pdf(sign_pdf(pdf, key), told)
        with pytest.raises(Unavailable, match="no authority gave the PDF a time stamp"):
            timestamp_pdf(pdf, EvidenceSettings(authorities=[silent]))
    [stamp] = PdfFileReader(BytesIO(stamped)).embedded_timestamp_signatures
    root, *issuers = load_certs_from_pemder(  # type: ignore[no-untyped-call]  # pyHanko's
        [str(authority.roots), str(authority.folder / "issuers.pem")]
    )
    found = validate_pdf_timestamp(stamp, ValidationContext(trust_roots=[root], other_certs=issuers))
    assert found.intact
    assert found.trusted
    assert found.coverage == SignatureCoverageLevel.ENTIRE_FILE
    assert stamped.startswith(sign_pdf(pdf, key)[:1_000])
    place = stamped.index(b"Typst")
    [changed] = PdfFileReader(BytesIO(stamped[:place] + b"Tapst" + stamped[place + 5 :])).embedded_timestamp_signatures
    assert not validate_pdf_timestamp(changed, ValidationContext(trust_roots=[root])).intact


def test_a_seal_holds_until_a_byte_is_changed_and_a_wrong_password_is_told(key: ReportSettings) -> None:
    pdf = typst.Compiler(b"a report").compile(format="pdf")
    assert isinstance(pdf, bytes)
    whole = sign_pdf(pdf, key)
    assert intact(whole)
    place = whole.index(b"Typst")
    assert not intact(whole[:place] + b"Tapst" + whole[place + 5 :])
    with pytest.raises(SetupError, match="seal"):
        sign_pdf(pdf, key.model_copy(update={"seal_password": SecretStr("wrong")}))
