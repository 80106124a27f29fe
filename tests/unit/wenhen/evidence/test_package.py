"""An exhibit: the same for the same contents, read by others, without secrets; and no bit of it can be changed."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from crawler.warc.reader import check_records
from tests.support.exhibits import EXCHANGE, KEY, SESSION, made_file
from tests.support.oracles import is_intact
from wenhen.evidence.verification import FindingState, check_exhibit, verify_exhibit
from wenhen.evidence.wacz import (
    MANIFEST_MEMBER,
    SIGNATURE_MEMBER,
    WARC_MEMBER,
    digest_member,
    new_signing_key,
    public_key_fingerprint,
    sign_manifest,
    signature_bytes,
    to_stable_json,
    unzip_members,
    zip_members,
)
from wenhen.evidence.warc import mask_exchange

FILE = made_file()
Members = dict[str, bytes]


def failing(content: bytes, **options: str) -> list[str]:
    return [one.what.code for one in check_exhibit(content, **options) if one.standing is FindingState.FAILS]


def test_the_same_contents_are_the_same_bytes() -> None:
    assert made_file() == FILE


def test_everything_of_it_holds_and_it_says_what_it_cannot_know() -> None:
    found = check_exhibit(FILE)
    assert {one.what.code for one in found if one.standing is FindingState.HOLDS} == {
        "evidence.members_hold",
        "evidence.signature_holds",
        "evidence.form_holds",
        "evidence.texts_hold",
    }
    assert {one.what.code for one in found if one.standing is FindingState.NOTE} == {
        "evidence.key_unknown",
        "evidence.no_stamp",
    }


@given(place=st.integers(0, len(FILE) - 1), bit=st.integers(0, 7))
def test_one_changed_bit_is_found_wherever_it_is(place: int, bit: int) -> None:
    changed = bytearray(FILE)
    changed[place] ^= 1 << bit
    assert not is_intact(check_exhibit(bytes(changed)))


@given(cut=st.integers(0, len(FILE) - 1))
def test_a_file_that_is_cut_short_does_not_hold(cut: int) -> None:
    assert not is_intact(check_exhibit(FILE[:cut]))


def test_bytes_before_and_behind_it_are_found() -> None:
    assert not is_intact(check_exhibit(FILE + b"\0"))
    assert not is_intact(check_exhibit(b"\0" + FILE))


def packed_again(change: Callable[[Members], object]) -> bytes:
    members = unzip_members(FILE)
    change(members)
    return zip_members(members)


def test_whoever_packs_it_again_is_told_by_what_changed() -> None:
    assert failing(packed_again(lambda one: one.update({"evidence/more.txt": b"x"}))) == ["evidence.member_added"]
    assert failing(packed_again(lambda one: one.pop("evidence/page.txt"))) == ["evidence.member_missing"]
    texts = failing(packed_again(lambda one: one.update({"evidence/page.txt": "改过".encode()})))
    assert texts == ["evidence.member_changed", "evidence.texts_differ"]
    assert failing(packed_again(lambda one: one.pop(SIGNATURE_MEMBER))) == ["evidence.member_missing"]


def test_whoever_changes_the_manifest_as_well_lacks_the_signature() -> None:
    def change(members: Members) -> None:
        manifest = json.loads(members[MANIFEST_MEMBER])
        members["evidence/page.txt"] = "改过".encode()
        for one in manifest["resources"]:
            content = members[one["path"]]
            one |= {"hash": digest_member(content), "bytes": len(content)}
        members[MANIFEST_MEMBER] = to_stable_json(manifest)

    assert "evidence.signature_broken" in failing(packed_again(change))


def test_whoever_signs_anew_is_told_by_the_key() -> None:
    key = public_key_fingerprint(KEY.public_key())
    forged = packed_again(
        lambda one: one.update(
            {SIGNATURE_MEMBER: signature_bytes(sign_manifest(new_signing_key(), one[MANIFEST_MEMBER]))}
        )
    )
    assert failing(FILE, key=key) == []
    assert failing(forged) == []
    assert failing(forged, key=key) == ["evidence.other_key"]


def test_the_signature_is_as_browsers_verify_it_and_one_of_earlier_releases_holds() -> None:
    new = new_signing_key()
    told = sign_manifest(new, unzip_members(FILE)[MANIFEST_MEMBER])["signedData"]
    assert (new.curve.name, len(b64decode(told["signature"]))) == ("secp384r1", 96)
    early = ec.generate_private_key(ec.SECP256R1())

    def sign(members: Members) -> None:
        signature = sign_manifest(early, members[MANIFEST_MEMBER])
        der = early.sign(signature["hash"].encode(), ec.ECDSA(SHA256()))
        signature["signedData"]["signature"] = b64encode(der).decode()
        members[SIGNATURE_MEMBER] = signature_bytes(signature)

    assert failing(packed_again(sign), key=public_key_fingerprint(early.public_key())) == []


def oracle(path: Path) -> tuple[int, str]:
    from wacz.validate import Validation  # and with it much that only this asks for

    said = StringIO()
    with redirect_stdout(said):
        check = Validation(str(path))
        wrong = [
            check.check_required_contents(),
            *(not one() for one in (check.frictionless_validate, check.check_file_paths, check.check_file_hashes)),
            not check.check_data_package_hash_and_sig(),
        ]
    return sum(map(int, wrong)), said.getvalue()


def test_another_program_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "case.wacz"
    path.write_bytes(FILE)
    wrong, said = oracle(path)
    assert wrong == 0, said
    warc = tmp_path / "data.warc.gz"
    warc.write_bytes(unzip_members(FILE)[WARC_MEMBER])
    records = list(check_records(warc))
    assert [one.problem for one in records] == [None] * 3


def test_the_index_names_where_the_response_begins() -> None:
    members = unzip_members(FILE)
    line = members["indexes/index.cdx"].decode()
    assert line.startswith("example,copies)/a/1.html 20260305143000 {")
    told = json.loads(line.partition("{")[1] + line.partition("{")[2])
    at, length = int(told["offset"]), int(told["length"])
    assert members[WARC_MEMBER][at : at + 3] == b"\x1f\x8b\x08"
    assert at + length < len(members[WARC_MEMBER])


def test_no_secret_leaves_and_that_it_was_masked_is_told(tmp_path: Path) -> None:
    from fastwarc.warc import ArchiveIterator

    warc = tmp_path / "data.warc.gz"
    warc.write_bytes(unzip_members(FILE)[WARC_MEMBER])
    blocks = [record.reader.read() for record in ArchiveIterator(warc.open("rb"), parse_http=False)]
    assert not any(SESSION.encode() in block for block in blocks)
    assert b"Set-Cookie: sid=***; Path=/; HttpOnly\r\nX-Visitor: ***" in blocks[1]
    masked = mask_exchange(EXCHANGE)
    assert masked.headers == ("request: Cookie", "response: Set-Cookie", "response: X-Visitor")
    assert [SESSION in head for head in masked.heads] == [True, True]


def test_what_has_no_secrets_is_left_as_it_was() -> None:
    plain = type(EXCHANGE)(response=b"HTTP/1.1 200 OK\r\nServer:nginx\r\n\r\nbody")
    assert mask_exchange(plain).exchange is plain


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all" * 100, b"PK\x05\x06" + bytes(18)])
def test_what_is_no_exhibit_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.wacz"
    path.write_bytes(content)
    assert not is_intact(verify_exhibit(path))
