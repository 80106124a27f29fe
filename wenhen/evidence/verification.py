"""Verify the file of an exhibit from its bytes, in a sandboxed child process."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from crawler.sandbox.pool import read_in_child
from wenhen.evidence.timestamp_tokens import parse_certificates, verify_stamp
from wenhen.evidence.wacz import (
    EVIDENCE_FOLDER,
    INDEX_MEMBER,
    MANIFEST_MEMBER,
    PAGES_MEMBER,
    SIGNATURE_MEMBER,
    WARC_MEMBER,
    digest_member,
    signature_bytes,
    signing_fingerprint,
    unzip_members,
    zip_members,
)
from wenhen.kit.errors import BadInput, Message, TooLarge, message
from wenhen.kit.size_and_time_limits import EXHIBIT_BOUNDS, MAX_EXHIBIT_MB

# Verification of an exhibit needs only its bytes. Each finding is a check that passed or failed, or a note.


_REQUIRED_MEMBERS: Final = (WARC_MEMBER, INDEX_MEMBER, PAGES_MEMBER, MANIFEST_MEMBER, SIGNATURE_MEMBER)
CASE_FILE, PASSAGES_FILE, PAGE_TEXT_FILE, WORK_TEXT_FILE = "case.json", "passages.json", "page.txt", "work.txt"


class FindingState(StrEnum):
    """The result of a check."""

    HOLDS = "holds"
    FAILS = "fails"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """A result with its message."""

    standing: FindingState
    what: Message


def check_exhibit(content: bytes, roots: str = "", key: str | None = None) -> list[Finding]:
    """Check the file of an exhibit, and return all findings.

    roots: trusted certificates of authorities in PEM.
    key: expected fingerprint of the signing key.
    """
    try:
        members = unzip_members(content)
    except BadInput as error:
        return [Finding(FindingState.FAILS, error.message)]
    if missing := [name for name in _REQUIRED_MEMBERS if name not in members]:
        return [Finding(FindingState.FAILS, message("evidence.member_missing", name=name)) for name in missing]
    try:
        manifest, signature = (_parse_object(members[name]) for name in (MANIFEST_MEMBER, SIGNATURE_MEMBER))
        return [
            *_check_contents(manifest, members),
            *_check_signature(manifest, signature, members, key),
            _check_form(content, members),
            *_check_stamp(signature, roots),
            *_check_texts(members),
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        return [Finding(FindingState.FAILS, message("evidence.unread", error=f"{type(error).__name__}: {error}"))]


def _check_contents(manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> Iterator[Finding]:
    """Check that the manifest lists exactly the members, with their digests and sizes."""
    listed = {str(resource["path"]): resource for resource in manifest["resources"]}
    wrong = 0
    for path, resource in listed.items():
        content = members.get(path)
        if content is None:
            yield Finding(FindingState.FAILS, message("evidence.member_missing", name=path))
        elif (resource["hash"], resource["bytes"]) != (digest_member(content), len(content)):
            yield Finding(FindingState.FAILS, message("evidence.member_changed", name=path))
        else:
            continue
        wrong += 1
    for path in members.keys() - listed.keys() - {MANIFEST_MEMBER, SIGNATURE_MEMBER}:
        wrong += 1
        yield Finding(FindingState.FAILS, message("evidence.member_added", name=path))
    if not wrong:
        yield Finding(FindingState.HOLDS, message("evidence.members_hold", count=len(listed)))


def _check_signature(
    manifest: Mapping[str, Any], signature: Mapping[str, Any], members: Mapping[str, bytes], key: str | None
) -> Iterator[Finding]:
    data, hash = signature["signedData"], digest_member(members[MANIFEST_MEMBER])
    signer = signing_fingerprint(signature)
    is_same = all(data[name] == manifest[name] for name in ("created", "software"))
    of_this = signature["path"] == MANIFEST_MEMBER and hash == signature["hash"] == data["hash"]
    if signer is None or not of_this or not is_same or signature_bytes(signature) != members[SIGNATURE_MEMBER]:
        yield Finding(FindingState.FAILS, message("evidence.signature_broken"))
        return
    yield Finding(
        FindingState.HOLDS,
        message("evidence.signature_holds", key=signer, created=data["created"], software=data["software"]),
    )
    if key is None:
        yield Finding(FindingState.NOTE, message("evidence.key_unknown"))
    elif key.replace(":", "").lower() != signer:
        yield Finding(FindingState.FAILS, message("evidence.other_key", key=key))
    else:
        yield Finding(FindingState.HOLDS, message("evidence.key_holds"))


def _check_form(content: bytes, members: Mapping[str, bytes]) -> Finding:
    """Check the bytes outside of members: the zip file must equal what `zip_members` writes."""
    if zip_members(members) == content:
        return Finding(
            FindingState.HOLDS, message("evidence.form_holds", digest=sha256(content).hexdigest(), size=len(content))
        )
    return Finding(FindingState.FAILS, message("evidence.form_changed"))


def _check_stamp(signature: Mapping[str, Any], roots: str) -> Iterator[Finding]:
    data = signature["signedData"]
    if "timeSignature" not in data:
        yield Finding(FindingState.NOTE, message("evidence.no_stamp"))
        return
    try:
        stamp = verify_stamp(
            b64decode(data["timeSignature"], validate=True),
            data["signature"],
            roots=parse_certificates(roots),
            chain=parse_certificates(data["timestampCert"]),
        )
    except BadInput as error:
        yield Finding(FindingState.FAILS, error.message)
        return
    yield Finding(FindingState.HOLDS, message("evidence.stamp_holds", at=stamp.at.isoformat(), signer=stamp.signer))
    if stamp.trusted:
        yield Finding(FindingState.HOLDS, message("evidence.root_trusted", name=stamp.root_name))
    elif roots.strip():
        yield Finding(FindingState.FAILS, message("evidence.root_other", name=stamp.root_name, root=stamp.root))
    else:
        yield Finding(FindingState.NOTE, message("evidence.root_untold", name=stamp.root_name, root=stamp.root))


def _check_texts(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """Check that both texts match the digests of the case, and that they contain the passages at their offsets."""
    names = [f"{EVIDENCE_FOLDER}{name}" for name in (CASE_FILE, PASSAGES_FILE, PAGE_TEXT_FILE, WORK_TEXT_FILE)]
    if not all(name in members for name in names):
        yield Finding(FindingState.NOTE, message("evidence.no_texts"))
        return
    case, page, work = _parse_object(members[names[0]]), members[names[2]], members[names[3]]
    passages = json.loads(members[names[1]])
    texts = {"page": page.decode("utf-8", "surrogatepass"), "work": work.decode("utf-8", "surrogatepass")}
    same = (sha256(page).hexdigest(), sha256(work).hexdigest()) == (case["page_text_sha256"], case["work_text_sha256"])
    quoted = all(
        texts[side][passage[f"{side}_start"] : passage[f"{side}_end"]] == passage[f"{side}_text"]
        for passage in passages
        for side in texts
    )
    if same and quoted:
        yield Finding(FindingState.HOLDS, message("evidence.texts_hold", count=len(passages)))
    else:
        yield Finding(FindingState.FAILS, message("evidence.texts_differ", count=len(passages)))


def _parse_object(content: bytes) -> dict[str, Any]:
    value = json.loads(content)
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


# Verification in a child process with limited resources.


def verify_exhibit(path: Path, roots: Path | None = None, key: str | None = None) -> list[Finding]:
    """Verify the file of an exhibit and return the findings.

    roots: file with trusted root certificates in PEM.
    key: expected fingerprint of the signing key.

    Raises `TooLarge`, `BadInput`.
    """
    if path.stat().st_size > MAX_EXHIBIT_MB << 20:
        raise TooLarge("evidence.too_large", path=path, most=MAX_EXHIBIT_MB)
    try:
        trusted = roots.read_text(encoding="ascii") if roots else ""
    except UnicodeDecodeError as error:
        raise BadInput("evidence.no_certificates", error=error) from error
    findings: list[Finding] = read_in_child(
        "wenhen.evidence.verification:check_exhibit", path.read_bytes(), trusted, key, bounds=EXHIBIT_BOUNDS
    )
    return findings
