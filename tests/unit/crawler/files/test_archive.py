"""Archives that somebody damaged: refused by name or as a whole, in no other way."""

import io
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.documents.zip_archive import open_zip
from wenhen.kit.errors import BadInput

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
TEXT = "渡口的灯还亮着，摆渡的老人把缆绳系紧了。" * 40


def packed(method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("灯.txt", TEXT)
    return file.getvalue()


def texts(content: bytes) -> list[str]:
    with open_zip(content) as archive:
        return [archive.read(file).decode() for file in archive.files]


@pytest.mark.parametrize("method", METHODS)
def test_every_way_of_packing_is_read(method: int) -> None:
    assert texts(packed(method)) == [TEXT]


@pytest.mark.parametrize("method", METHODS)
@given(changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=3))
def test_changed_bytes_are_refused_or_change_nothing(method: int, changes: list[tuple[float, int]]) -> None:
    content = bytearray(packed(method))
    for place, byte in changes:
        content[int(place * len(content))] = byte
    with suppress(BadInput):
        assert texts(bytes(content)) in ([TEXT], [])
