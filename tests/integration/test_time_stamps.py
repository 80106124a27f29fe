"""Time stamps by an authority of OpenSSL on loopback: what holds is taken, what does not is asked for anew."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.exhibits import BODY, made_file, signature_of, stamped_file
from tests.support.oracles import is_intact
from tests.support.servers.authority import Authority, make_authority, served
from wenhen.evidence.signing import request_due_stamps, want_stamp
from wenhen.evidence.timestamp_tokens import is_verified_by_openssl, parse_certificates, request_stamp, verify_stamp
from wenhen.evidence.verification import FindingState, check_exhibit
from wenhen.evidence.wacz import MANIFEST_MEMBER, SIGNATURE_MEMBER, signing_fingerprint, unzip_members, zip_members
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to stamp with")
TEXT = signature_of(made_file())


def now(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).isoformat()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def url(authority: Authority) -> Iterator[str]:
    with served(authority.answer) as address:
        yield address


@pytest.fixture(scope="module")
def stamped(authority: Authority, url: str) -> bytes:
    answer, stamp = request_stamp(url, TEXT, authority.roots.read_text(), now())
    return stamped_file(made_file(), answer, stamp.chain)


def test_an_answer_with_the_certificates_of_its_issuers_leads_to_the_root(authority: Authority, url: str) -> None:
    answer, stamp = request_stamp(url, TEXT, authority.roots.read_text(), now())
    assert (stamp.trusted, stamp.root_name, stamp.signer) == (True, "CN=a root of tests", "CN=stamps of tests")
    assert stamp.chain.count("BEGIN") == 3
    assert verify_stamp(answer, TEXT, roots=parse_certificates(authority.roots.read_text())) == stamp


@pytest.mark.skipif(not all(map(shutil.which, ("jq", "unzip"))), reason="none of the tools that the documents name")
@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("evidence/page.txt", "。", "！", "evidence/page.txt: FAILED"),
        (MANIFEST_MEMBER, "{", "{ ", ""),
        (SIGNATURE_MEMBER, '"signature": "', '"signature": "AAAA', "Verification failure"),
        (SIGNATURE_MEMBER, "", "", "Verification: OK"),
    ],
)
def test_the_tools_of_others_verify_it_by_the_commands_that_the_documents_give(
    stamped: bytes, authority: Authority, tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    members = unzip_members(stamped)
    members[name] = members[name].replace(old.encode(), new.encode(), 1)
    (tmp_path / "FILE.wacz").write_bytes(zip_members(members))
    (tmp_path / "roots.pem").write_text(authority.roots.read_text())
    documents = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text()
    commands = documents.partition("## Without wenhen")[2].partition("```sh\n")[2].partition("```")[0]
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["sh", "-e"], input=commands, cwd=tmp_path, env=path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode == 0, said in ran.stdout + ran.stderr) == (not new, True), ran.stderr
    if not new:
        assert "Verified OK" in ran.stdout
        assert sha256(BODY).hexdigest() in ran.stdout
        assert str(signing_fingerprint(json.loads(members[SIGNATURE_MEMBER]))) in ran.stdout


def test_an_answer_with_one_certificate_holds_with_the_issuers_known(authority: Authority) -> None:
    alone = replace(authority, chain=False)
    roots = authority.roots.read_text() + (authority.folder / "issuers.pem").read_text()
    with served(alone.answer) as address:
        assert request_stamp(address, TEXT, roots, now())[1].trusted
        with pytest.raises(BadInput, match="none of the trusted roots"):
            request_stamp(address, TEXT, authority.roots.read_text(), now())


def test_without_roots_the_last_certificate_known_is_named_and_nobody_vouches_for_it(url: str) -> None:
    stamp = request_stamp(url, TEXT, "", now())[1]
    assert (stamp.trusted, stamp.root_name) == (False, "CN=an issuer of tests")


def test_an_answer_to_another_question_is_refused(authority: Authority, url: str) -> None:
    before: list[bytes] = []

    def same_again(question: bytes) -> bytes:
        before.append(authority.answer(question))
        return before[0]

    with served(same_again) as address:
        request_stamp(address, TEXT, "", now())
        with pytest.raises(BadInput, match="nonce"):
            request_stamp(address, TEXT, "", now())
        with pytest.raises(BadInput, match="something else"):
            request_stamp(address, "another text", "", now())


def test_a_clock_that_is_far_from_ours_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="too far from"):
        request_stamp(url, TEXT, "", now(hours=1))


def test_a_certificate_that_has_ended_is_refused(tmp_path: Path) -> None:
    ended = make_authority(tmp_path / "ended", valid_days=(-30, -1))
    with served(ended.answer) as address, pytest.raises(BadInput, match="not valid at the time"):
        request_stamp(address, TEXT, "", now())


@pytest.mark.parametrize("said", [b"", b"<html>", b"0" * 70_000])
def test_what_is_no_answer_is_refused(said: bytes) -> None:
    with served(lambda _: said) as address, pytest.raises(BadInput, match="cannot be read"):
        request_stamp(address, TEXT, "", now())


def test_an_authority_out_of_order_is_worth_another_try() -> None:
    with served(lambda _: None) as address, pytest.raises(Unavailable, match="503"):
        request_stamp(address, TEXT, "", now())
    with pytest.raises(Unavailable, match="does not answer"):
        request_stamp(address, TEXT, "", now())


def test_a_stamped_file_says_when_its_signature_was_there(authority: Authority, stamped: bytes) -> None:
    assert [one.what.code for one in check_exhibit(stamped) if one.standing is FindingState.NOTE] == [
        "evidence.key_unknown",
        "evidence.root_untold",
    ]
    found = check_exhibit(stamped, roots=authority.roots.read_text())
    assert {"evidence.stamp_holds", "evidence.root_trusted"} <= {one.what.code for one in found}
    assert is_intact(found)


def test_a_root_that_is_not_trusted_is_told(stamped: bytes, tmp_path: Path) -> None:
    others = make_authority(tmp_path / "others").roots.read_text()
    assert [one.what.code for one in check_exhibit(stamped, roots=others) if one.standing is FindingState.FAILS] == [
        "evidence.root_other"
    ]


@settings(max_examples=60)
@given(data=st.data())
def test_one_changed_bit_of_a_stamped_file_is_found(stamped: bytes, data: st.DataObject) -> None:
    place, bit = data.draw(st.integers(stamped.index(b"timeSignature"), len(stamped) - 1)), data.draw(st.integers(0, 7))
    changed = bytearray(stamped)
    changed[place] ^= 1 << bit
    assert not is_intact(check_exhibit(bytes(changed)))


def test_authorities_are_asked_in_turn_and_again_until_one_gives_it(
    product: App, authority: Authority, url: str
) -> None:
    moments = [datetime.now(UTC)]
    with served(lambda _: None) as silent:
        evidence = product.settings.evidence.model_copy(
            update={"authorities": [silent, silent], "roots": str(authority.roots)}
        )
        app = replace(
            product, settings=product.settings.model_copy(update={"evidence": evidence}), now=lambda: moments[-1]
        )
        want_stamp(app, "exhibit:a", TEXT)
        request_due_stamps(app)
        waiting = app.store.stamps.many(["exhibit:a"])["exhibit:a"]
        assert (waiting.tries, waiting.at) == (1, None)
        assert waiting.problem is not None
        request_due_stamps(app)
        assert app.store.stamps.many(["exhibit:a"])["exhibit:a"].tries == 1  # not before its time
        evidence.authorities.append(url)
        moments.append(moments[-1] + timedelta(minutes=2))
        request_due_stamps(app)
    given = app.store.stamps.many(["exhibit:a"])["exhibit:a"]
    assert (given.tries, given.authority, given.due, given.problem) == (2, url, None, None)
    assert given.answer is not None
    assert verify_stamp(given.answer, TEXT, chain=parse_certificates(given.chain or "")).at == given.at


def test_openssl_gives_a_second_opinion(authority: Authority, url: str) -> None:
    answer, stamp = request_stamp(url, TEXT, authority.roots.read_text(), now())
    path = [one.public_bytes(Encoding.PEM) for one in parse_certificates(stamp.chain)]
    digest = sha256(TEXT.encode()).digest()
    assert is_verified_by_openssl(answer, digest, stamp.at, path)
    assert not is_verified_by_openssl(answer, sha256(b"another text").digest(), stamp.at, path)
    assert not is_verified_by_openssl(answer, digest, stamp.at + timedelta(days=60), path)
