"""An exhibit's file made of nothing but values."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec

from crawler.warc.reader import HttpExchange
from tests.support.seed import OPENING, PAGE_TEXT, WORK_TEXT
from wenhen.evidence.wacz import (
    MANIFEST_MEMBER,
    SIGNATURE_MEMBER,
    PackageInfo,
    add_timestamp,
    package_members,
    sign_manifest,
    signature_bytes,
    unzip_members,
    zip_members,
)
from wenhen.evidence.warc import ExchangeContext, mask_exchange, write_warc

KEY: Final = ec.derive_private_key(20_260_305, ec.SECP256R1())
SESSION: Final = "7f5e0c55a1b2"
AT: Final = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)
BODY: Final = f"<html><body><p>{PAGE_TEXT}</p></body></html>".encode()
EXCHANGE: Final = HttpExchange(
    request=f"GET /a/1.html HTTP/1.1\r\nHost: copies.example\r\nCookie: sid={SESSION}; theme=dark\r\n\r\n".encode(),
    response=(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Set-Cookie: sid={SESSION}; Path=/; HttpOnly\r\nX-Visitor: {SESSION}\r\n\r\n"
    ).encode()
    + BODY,
)


def made_file() -> bytes:
    """Signed, without a time stamp."""
    page, work = PAGE_TEXT.encode(), WORK_TEXT.encode()
    places = {"page": PAGE_TEXT.index(OPENING), "work": WORK_TEXT.index(OPENING)}
    passage = {f"{side}_start": at for side, at in places.items()}
    passage |= {f"{side}_end": at + len(OPENING) for side, at in places.items()}
    case = {"page_text_sha256": sha256(page).hexdigest(), "work_text_sha256": sha256(work).hexdigest()}
    front = PackageInfo(
        title="修船的老人",
        description="wenhen case 1",
        page_url="https://copies.example/a/1.html",
        page_title="老船匠的故事",
        at=AT,
        created=AT,
        software="wenhen",
    )
    seen = ExchangeContext(url=front.page_url, at=AT, server_address="198.51.100.7", about={"software": "wenhen"})
    further = {
        "case.json": json.dumps(case).encode(),
        "passages.json": json.dumps([{**passage, "page_text": OPENING, "work_text": OPENING}]).encode(),
        "page.txt": page,
        "work.txt": work,
    }
    members = package_members(front, write_warc(mask_exchange(EXCHANGE).exchange, seen), further)
    return zip_members({**members, SIGNATURE_MEMBER: signature_bytes(sign_manifest(KEY, members[MANIFEST_MEMBER]))})


def stamped_file(content: bytes, answer: bytes, chain: str) -> bytes:
    """The same with a time stamp."""
    members = unzip_members(content)
    return zip_members(
        {
            **members,
            SIGNATURE_MEMBER: signature_bytes(add_timestamp(json.loads(members[SIGNATURE_MEMBER]), answer, chain)),
        }
    )


def signature_of(content: bytes) -> str:
    """What its time stamp is of."""
    return str(json.loads(unzip_members(content)[SIGNATURE_MEMBER])["signedData"]["signature"])
