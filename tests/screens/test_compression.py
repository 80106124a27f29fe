"""Text goes out compressed, files of ours by their digest and to be kept."""

import gzip
import re

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from flask.testing import FlaskClient

from tests.support.seed import Seeder


@pytest.mark.parametrize("name", ["br", "gzip"])
def test_a_screen_is_the_same_compressed_and_a_fraction_as_long(client: FlaskClient, seed: Seeder, name: str) -> None:
    seed.library()
    plain = client.get("/suspects/")
    packed = client.get("/suspects/", headers={"Accept-Encoding": f"{name}, deflate"})
    body = {"br": brotli.decompress, "gzip": gzip.decompress}[name](packed.data)
    token = re.compile(rb'(name="csrf_token" value|name="listed_at" value)="[^"]+"')
    assert token.sub(b"", body) == token.sub(b"", plain.data)
    assert len(packed.data) < len(plain.data) / 3
    assert (packed.headers["Content-Encoding"], packed.content_length) == (name, len(packed.data))
    assert ("Content-Encoding" in plain.headers, "Accept-Encoding" in plain.headers["Vary"]) == (False, True)
    assert len({client.get("/", headers={"Accept-Encoding": name}).headers["X-Padding"] for _ in range(8)}) > 1


def test_what_is_short_or_no_text_is_left_as_it_is(client: FlaskClient) -> None:
    for address in ("/livez", "/static/mark.svg"):
        answer = client.get(address, headers={"Accept-Encoding": "br"})
        assert ("Content-Encoding" in answer.headers, answer.status_code) == (False, 200), address


def test_a_file_is_kept_for_a_year_by_its_digest_and_asked_for_anew_without(client: FlaskClient) -> None:
    [address] = re.findall(r'href="(/static/wenhen\.css\?v=[0-9a-f]{12})"', client.get("/").text)
    kept = client.get(address, headers={"Accept-Encoding": "br"})
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert b":root" in brotli.decompress(kept.data)
    again = client.get(address, headers={"Accept-Encoding": "br", "If-None-Match": kept.headers["ETag"]})
    assert again.status_code in (200, 304)
    for other in ("/static/wenhen.css", "/static/wenhen.css?v=000000000000"):
        assert "immutable" not in client.get(other).headers["Cache-Control"], other
