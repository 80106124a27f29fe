"""Whether an exhibit's file is as it was made: nothing is needed but its bytes.

Each finding is one thing that holds, or does not, or that somebody should know. Run through `crawler.isolated`.
"""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from services.evidence.package.manifest import FURTHER, INDEX, MANIFEST, PAGES, WARC, digest
from services.evidence.package.signature import SIGNATURE, key_of, written
from services.evidence.package.zip_file import unzipped, zipped
from services.evidence.stamps.token import certificates, verified
from store.errors import BadInput
from store.messages import Message, message

_NEEDED: Final = (WARC, INDEX, PAGES, MANIFEST, SIGNATURE)
CASE, PASSAGES, PAGE_TEXT, WORK_TEXT = "case.json", "passages.json", "page.txt", "work.txt"


class Standing(StrEnum):
    """What a finding amounts to."""

    HOLDS = "holds"
    FAILS = "fails"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    standing: Standing
    what: Message


def check(content: bytes, roots: str = "", key: str | None = None) -> list[Finding]:
    """Everything that can be known from the file. roots: certificates of authorities that are trusted, PEM; key: the
    fingerprint that the signature is to have.
    """
    try:
        members = unzipped(content)
    except BadInput as error:
        return [Finding(Standing.FAILS, error.message)]
    if missing := [name for name in _NEEDED if name not in members]:
        return [Finding(Standing.FAILS, message("evidence.member_missing", name=name)) for name in missing]
    try:
        manifest, signature = (_object(members[name]) for name in (MANIFEST, SIGNATURE))
        return [
            *_contents(manifest, members),
            *_signature(manifest, signature, members, key),
            _form(content, members),
            *_stamp(signature, roots),
            *_texts(members),
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        return [Finding(Standing.FAILS, message("evidence.unread", error=f"{type(error).__name__}: {error}"))]


def holds(findings: Sequence[Finding]) -> bool:
    """Whether nothing fails."""
    return not any(one.standing is Standing.FAILS for one in findings)


def _contents(manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> Iterator[Finding]:
    """Every member is in the manifest with its digest and size, and everything in the manifest is there."""
    listed = {str(one["path"]): one for one in manifest["resources"]}
    wrong = 0
    for path, one in listed.items():
        content = members.get(path)
        if content is None:
            yield Finding(Standing.FAILS, message("evidence.member_missing", name=path))
        elif (one["hash"], one["bytes"]) != (digest(content), len(content)):
            yield Finding(Standing.FAILS, message("evidence.member_changed", name=path))
        else:
            continue
        wrong += 1
    for path in members.keys() - listed.keys() - {MANIFEST, SIGNATURE}:
        wrong += 1
        yield Finding(Standing.FAILS, message("evidence.member_added", name=path))
    if not wrong:
        yield Finding(Standing.HOLDS, message("evidence.members_hold", count=len(listed)))


def _signature(
    manifest: Mapping[str, Any], signature: Mapping[str, Any], members: Mapping[str, bytes], key: str | None
) -> Iterator[Finding]:
    data, hash = signature["signedData"], digest(members[MANIFEST])
    signer = key_of(signature)
    told = all(data[name] == manifest[name] for name in ("created", "software"))
    of_this = signature["path"] == MANIFEST and hash == signature["hash"] == data["hash"]
    if signer is None or not of_this or not told or written(signature) != members[SIGNATURE]:
        yield Finding(Standing.FAILS, message("evidence.signature_broken"))
        return
    yield Finding(
        Standing.HOLDS,
        message("evidence.signature_holds", key=signer, created=data["created"], software=data["software"]),
    )
    if key is None:
        yield Finding(Standing.NOTE, message("evidence.key_unknown"))
    elif key.replace(":", "").lower() != signer:
        yield Finding(Standing.FAILS, message("evidence.other_key", key=key))
    else:
        yield Finding(Standing.HOLDS, message("evidence.key_holds"))


def _form(content: bytes, members: Mapping[str, bytes]) -> Finding:
    """Bytes that no member holds (of the zip file itself) are as they are written, too."""
    if zipped(members) == content:
        return Finding(
            Standing.HOLDS, message("evidence.form_holds", digest=sha256(content).hexdigest(), size=len(content))
        )
    return Finding(Standing.FAILS, message("evidence.form_changed"))


def _stamp(signature: Mapping[str, Any], roots: str) -> Iterator[Finding]:
    data = signature["signedData"]
    if "timeSignature" not in data:
        yield Finding(Standing.NOTE, message("evidence.no_stamp"))
        return
    try:
        stamp = verified(
            b64decode(data["timeSignature"], validate=True),
            data["signature"],
            roots=certificates(roots),
            chain=certificates(data["timestampCert"]),
        )
    except BadInput as error:
        yield Finding(Standing.FAILS, error.message)
        return
    yield Finding(Standing.HOLDS, message("evidence.stamp_holds", at=stamp.at.isoformat(), signer=stamp.signer))
    if stamp.trusted:
        yield Finding(Standing.HOLDS, message("evidence.root_trusted", name=stamp.root_name))
    elif roots.strip():
        yield Finding(Standing.FAILS, message("evidence.root_other", name=stamp.root_name, root=stamp.root))
    else:
        yield Finding(Standing.NOTE, message("evidence.root_untold", name=stamp.root_name, root=stamp.root))


def _texts(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """Both texts have the digests that the case names, and the passages stand where it says."""
    names = [f"{FURTHER}{name}" for name in (CASE, PASSAGES, PAGE_TEXT, WORK_TEXT)]
    if not all(name in members for name in names):
        yield Finding(Standing.NOTE, message("evidence.no_texts"))
        return
    case, page, work = _object(members[names[0]]), members[names[2]], members[names[3]]
    passages = json.loads(members[names[1]])
    texts = {"page": page.decode("utf-8", "surrogatepass"), "work": work.decode("utf-8", "surrogatepass")}
    same = (sha256(page).hexdigest(), sha256(work).hexdigest()) == (case["page_text_sha256"], case["work_text_sha256"])
    quoted = all(
        texts[side][one[f"{side}_start"] : one[f"{side}_end"]] == one[f"{side}_text"]
        for one in passages
        for side in texts
    )
    if same and quoted:
        yield Finding(Standing.HOLDS, message("evidence.texts_hold", count=len(passages)))
    else:
        yield Finding(Standing.FAILS, message("evidence.texts_differ", count=len(passages)))


def _object(content: bytes) -> dict[str, Any]:
    found = json.loads(content)
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found
