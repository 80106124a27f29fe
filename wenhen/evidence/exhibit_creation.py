"""Create exhibits from captures, at once or in the background."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from crawler.capture import Capture
from crawler.rendering.browser_page import MAX_SCREENSHOT_PIXELS, Screenshot, take_screenshot
from crawler.warc.capture_environment import describe_environment
from crawler.warc.reader import HttpExchange, read_environment, read_exchange
from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.job import warc_folders
from wenhen.crawls.reading_audit import document_to_render
from wenhen.evidence.exhibit_contents import (
    SOFTWARE,
    MissingParts,
    exhibit_members,
    missing_parts_text,
    regional_answers,
)
from wenhen.evidence.exhibits import exhibit_stamp_id, want_exhibit
from wenhen.evidence.model import Exhibit, ExhibitReason
from wenhen.evidence.signing import load_signing_key, request_due_stamps, want_stamp
from wenhen.evidence.wacz import (
    MANIFEST_MEMBER,
    SIGNATURE_MEMBER,
    PackageInfo,
    package_members,
    sign_manifest,
    signature_bytes,
    to_stable_json,
    unzip_members,
    zip_members,
)
from wenhen.evidence.warc import ExchangeContext, MaskedExchange, mask_exchange, write_warc
from wenhen.kit.clock import EVIDENCE_BACKOFF
from wenhen.kit.errors import Message, NotFound, WenhenError, failure, message
from wenhen.kit.rights import Right
from wenhen.pages.service import find_full_capture
from wenhen.sites.model import Site

# Sources of an exhibit on this machine: the HTTP exchange, the environment and a screenshot.


_MAX_BODY_BYTES: Final = 64 << 20  # limit of screenshot and MHTML together
_CODING_HEADERS: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))


def load_exchange(product: Product, capture: Capture, lacks: MissingParts) -> HttpExchange:
    """Load the HTTP exchange from the WARC file, or else build the response from the capture record.

    Missing parts are added to `lacks`. Raises `NotFound` if the body is lost as well, and `Unavailable` if the store of
    WARC files does not answer.
    """
    for folder in warc_folders(product.settings):
        with suppress(NotFound):
            if capture.warc is None:
                break
            exchange = read_exchange(folder, capture.warc)
            if exchange.connection is None:
                lacks.note(Message("evidence.lacks_connection"))
            if exchange.name is None:
                lacks.note(Message("evidence.lacks_dns"))
            return exchange
    lacks.note(Message("evidence.lacks_archive"))
    lacks.note(Message("evidence.lacks_dns"))
    try:
        body = product.store.blobs.get(capture.body_digest)
    except NotFound as error:
        raise NotFound("evidence.no_body") from error
    return HttpExchange(response=_response_head(capture).encode("latin-1", "replace") + body)


def load_environment(product: Product, capture: Capture, software: str, lacks: MissingParts) -> bytes:
    """Return the environment of the capturing machine from its WARC file, or else of this machine."""
    for folder in warc_folders(product.settings):
        with suppress(NotFound):
            if capture.warc is not None and (state := read_environment(folder, capture.warc)) is not None:
                return state
    lacks.note(Message("evidence.lacks_machine"))
    settings = product.settings.evidence
    return describe_environment(
        software=software,
        host_map=product.settings.crawler.host_map,
        time_servers=settings.ntp,
        public_address=settings.public_address,
    )


def take_page_picture(product: Product, capture: Capture, site: Site | None, lacks: MissingParts) -> Screenshot | None:
    """Return a screenshot of the page, or None without a browser or after an error."""
    rules = product.settings.crawler
    try:
        return take_screenshot(
            document_to_render(product, capture, site),
            browser=rules.browser,
            seconds=rules.browser_seconds,
            most_bytes=_MAX_BODY_BYTES,
        )
    except WenhenError as error:
        lacks.note(message("evidence.lacks_picture", error=error))
        return None


def _response_head(capture: Capture) -> str:
    """Return the response head for a decoded body: headers of content coding are left out."""
    headers = [(name, value) for name, value in capture.headers if name.lower() not in _CODING_HEADERS]
    try:
        phrase = HTTPStatus(capture.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {capture.status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join((*lines, f"Content-Length: {capture.body_size}", "", ""))


# Creation of an exhibit: gather, mask, pack and sign its parts, store the file, and request a time stamp.


_WARC_INFO: Final = {"software": SOFTWARE, "format": "WARC File Format 1.1"}


def make_exhibit(product: Product, exhibit: Exhibit) -> Exhibit:
    """Create and store the file of an exhibit, and return the exhibit.

    Raises `NotFound` if the case or the body of its capture is missing.
    """
    case = product.store.cases.get(str(exhibit.case_number))
    capture = find_full_capture(product.store, case.page_id, case.capture)
    lacks = MissingParts()
    masked = mask_exchange(load_exchange(product, capture, lacks))
    further = _further_members(product, case, capture, exhibit, masked, lacks)
    regional = [*_regional_exchanges(product, case)]
    seen = ExchangeContext(
        url=capture.url, at=capture.fetched_at, server_address=capture.server_address, about=_WARC_INFO
    )
    made_at = product.now()
    front = PackageInfo(
        title=f"{case.work_title}: {case.page_url}",
        description=f"wenhen case {case.number}",
        page_url=capture.url,
        page_title=case.page_title or case.page_url,
        at=capture.fetched_at,
        created=made_at,
        software=SOFTWARE,
    )
    warc = write_warc(masked.exchange, seen, ((each.exchange, each_seen) for each, each_seen in regional))
    heads = [head for each in (masked, *(each for each, _ in regional)) for head in each.heads]
    members = package_members(front, warc, further)
    signature = sign_manifest(load_signing_key(product), members[MANIFEST_MEMBER])
    file = zip_members({**members, SIGNATURE_MEMBER: signature_bytes(signature)})
    digest = product.store.blobs.put(file)
    want_stamp(product, exhibit_stamp_id(exhibit.id), signature["signedData"]["signature"])
    return replace(
        exhibit,
        due=None,
        problem=None,
        made_at=made_at,
        file_digest=digest,
        manifest_digest=product.store.blobs.put(members[MANIFEST_MEMBER]),
        size=len(file),
        missing=tuple(lacks.told),
        sealed=product.seal.seal(json.dumps(heads), exhibit_stamp_id(exhibit.id)) if heads else None,
    )


def _regional_exchanges(product: Product, case: Case) -> Iterator[tuple[MaskedExchange, ExchangeContext]]:
    """Yield the archived answers of the page in several regions. `regions.json` names those that are lost."""
    for shown in regional_answers(product, case):
        assert shown.capture is not None
        with suppress(NotFound):
            masked = mask_exchange(load_exchange(product, shown.capture, MissingParts()))
            yield (
                masked,
                ExchangeContext(
                    url=shown.capture.url,
                    at=shown.capture.fetched_at,
                    server_address=shown.capture.server_address,
                    about=_WARC_INFO,
                ),
            )


MARK_METHOD: Final = (
    "Each copy has a code: a fair bit for each place at which copies differ, made from a secret and the recipient. "
    "`chance` is that any uninvolved copy of this text agrees at so many places, times the number of copies. "
    "A copy is named from one in a million down. It tells the copy, not the person."
)


def _further_members(
    product: Product, case: Case, capture: Capture, exhibit: Exhibit, masked: MaskedExchange, lacks: MissingParts
) -> dict[str, bytes]:
    members = exhibit_members(product, case, capture, exhibit, masked, lacks)
    members["machine.json"] = load_environment(product, capture, SOFTWARE, lacks)
    if capture.rendered_digest is not None:
        try:
            members["rendered.html"] = product.store.blobs.get(capture.rendered_digest)
        except NotFound:
            lacks.note(Message("evidence.lacks_rendered"))
    if capture.assets_digest is not None:
        try:
            members["assets.zip"] = product.store.blobs.get(capture.assets_digest)
        except NotFound:
            lacks.note(Message("evidence.lacks_assets"))
    if page_picture := take_page_picture(product, capture, _watched_site(product, case), lacks):
        about = {
            "taken_at": product.now().isoformat(),
            "browser": page_picture.browser,
            "document_sha256": capture.body_digest,
        }
        members |= {
            "page.png": page_picture.png,
            "page.mhtml": page_picture.mhtml,
            "picture.json": to_stable_json(about),
        }
        if page_picture.cut:
            lacks.note(message("evidence.picture_cut", pixels=MAX_SCREENSHOT_PIXELS))
    if statement := product.store.marked_texts.statements([case.number]).get(case.number):
        members["marks.json"] = to_stable_json(
            {**asdict(statement), "allowed_at": statement.allowed_at.isoformat(), "method": MARK_METHOD}
        )
    return {**members, "missing.json": missing_parts_text(lacks)}


def _watched_site(product: Product, case: Case) -> Site | None:
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    if page is None or page.site_id is None:
        return None
    try:
        return product.store.sites.get(page.site_id)
    except NotFound:
        return None


# Exhibits are created at once on request, or in the background with retries.


_MAKING_LEASE: Final = timedelta(minutes=10)  # longer than the creation of one exhibit
_MAX_EXHIBITS_PER_TASK: Final = 10
_MAX_ERROR_CHARACTERS: Final = 200  # characters of an error message


def make_due_exhibits(product: Product) -> None:
    """Create the due exhibits, then request the due time stamps."""
    for _ in range(_MAX_EXHIBITS_PER_TASK):
        now = product.now()
        exhibit = product.store.exhibits.claim(now, now + _MAKING_LEASE)
        if exhibit is None:
            break
        make_claimed_exhibit(Acting(product, exhibit.by, frozenset()), exhibit)
    request_due_stamps(product)


@audited("exhibit.make")
def make_exhibit_now(acting: Acting, number: int) -> ChangeResult[Exhibit]:
    """Create an exhibit now, in this process.

    Raises `NotFound`, also if the body of the capture is missing, and `Forbidden`.
    """
    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    exhibit = make_exhibit(acting.product, want_exhibit(acting.product, case, ExhibitReason.ASKED, acting.who))
    acting.product.store.exhibits.add(exhibit)
    return change_result(
        exhibit, AuditLine(f"case:{case.number}", new={"exhibit": exhibit.id, "sha256": exhibit.file_digest})
    )


@audited("exhibit.make")
def make_claimed_exhibit(acting: Acting, exhibit: Exhibit) -> ChangeResult[None]:
    """Create a claimed exhibit. A failure is retried later, up to `worker.max_tries` times."""
    product = acting.product
    try:
        done = make_exhibit(product, exhibit)
    except Exception as error:  # noqa: BLE001  a failure must not prevent other exhibits
        last = exhibit.tries >= product.settings.worker.max_tries
        problem = error.message if isinstance(error, WenhenError) else failure(error, _MAX_ERROR_CHARACTERS)
        due = None if last else product.now() + EVIDENCE_BACKOFF.after(exhibit.tries)
        product.store.exhibits.put(replace(exhibit, due=due, problem=problem))
        return change_result(None)
    product.store.exhibits.put(done)
    return change_result(
        None, AuditLine(f"case:{done.case_number}", new={"exhibit": done.id, "sha256": done.file_digest})
    )


# Exhibits created before an authority was configured get their time stamp later.


def request_missing_stamps(product: Product) -> None:
    """Request a time stamp for each exhibit without one, if authorities are configured."""
    if not product.settings.evidence.authorities:
        return
    for exhibit_id, digest in product.store.exhibits.files():
        name = exhibit_stamp_id(exhibit_id)
        if name in product.store.stamps.many([name]):
            continue
        try:
            signature = json.loads(unzip_members(product.store.blobs.get(digest))[SIGNATURE_MEMBER])
        except NotFound:  # the file is lost, which `export_exhibit` reports
            continue
        want_stamp(product, name, signature["signedData"]["signature"])
