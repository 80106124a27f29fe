"""A document is read by what it is, whatever it is called; an archive by the names that its maker gave."""

import io
import struct
import zipfile
import zlib

import pytest

from crawler.extraction.documents.document import join_parts
from crawler.extraction.documents.file_kinds import FileKind, detect_file_kind
from crawler.extraction.documents.read_document import read_named_document
from crawler.extraction.documents.zip_archive import decode_member_name, is_packer_file, open_zip
from tests.support.documents.files import old_word, packed, rich_text, word
from wenhen.kit.errors import Unreadable

SENTENCE = "茶农把新芽摊在竹匾里，等露水散尽才下锅。"
PAGE = f"<html xmlns:w='urn:schemas-microsoft-com:office:word'><body><p class=MsoNormal>{SENTENCE}</p></body></html>"


def mime(charset: str = "gb2312", transfer: str = "8bit") -> bytes:
    head = (
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="==b"\r\n\r\n--==b\r\n'
        f'Content-Type: text/html; charset="{charset}"\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n'
    )
    return head.encode() + PAGE.encode(charset) + b"\r\n--==b\r\nContent-Type: image/png\r\n\r\nx\r\n--==b--\r\n"


@pytest.mark.parametrize("name", ["稿.doc", "稿.rtf"])
@pytest.mark.parametrize(
    "content",
    [
        rich_text([SENTENCE]),
        b"\xef\xbb\xbf" + rich_text([SENTENCE]),
        word([SENTENCE]),
        old_word([SENTENCE]),
        PAGE.encode("gb18030"),
        PAGE.encode("utf-16"),
        mime(),
        SENTENCE.encode("gb18030"),
    ],
    ids=["rtf", "rtf with a mark", "docx", "doc", "html", "html in utf-16", "mht", "text"],
)
def test_what_is_called_doc_is_read_by_what_it_is(name: str, content: bytes) -> None:
    read = read_named_document(content, name)
    assert join_parts(read.parts)[0].removesuffix("\nthe end") == SENTENCE


def test_what_is_none_of_them_is_refused_by_name() -> None:
    for content in (b"\0\1\2\3" * 40, b"", b"GIF89a\0\0"):
        with pytest.raises(Unreadable, match="not a whole DOC file"):
            read_named_document(content, "稿.doc")
    with pytest.raises(Unreadable, match="no page in it"):
        read_named_document(b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\nx", "稿.mht")


def test_an_archive_of_a_page_is_one_by_its_name_and_its_head() -> None:
    assert detect_file_kind(mime(), "a.mht") is FileKind.MHT
    assert detect_file_kind(mime(), "a.eml") is None
    assert detect_file_kind(b"From: here to there", "a.doc") is None


def member(name: bytes, extra: bytes = b"") -> zipfile.ZipInfo:
    """A member whose name is not said to be in UTF-8."""
    info = zipfile.ZipInfo("x" * len(name) if not extra else "y")
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        info.extra = extra
        archive.writestr(info, b"")
    content = file.getvalue()
    if not extra:
        content = content.replace(b"x" * len(name), name)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        [found] = archive.infolist()
    return found


@pytest.mark.parametrize(
    ("name", "charset"),
    [
        ("春茶记", "utf-8"),
        ("春茶记", "gb18030"),
        ("联通稿件", "gb18030"),
        ("ソース", "utf-8"),
        ("文章の題", "cp932"),
        ("龘", "gb18030"),
    ],
)
def test_a_name_is_read_in_utf_8_where_it_is_that_and_else_in_the_likeliest_charset(name: str, charset: str) -> None:
    assert decode_member_name(member(name.encode(charset))) == name


def test_a_name_that_is_stated_beside_is_believed() -> None:
    stated = "春茶记.txt".encode()
    field = struct.pack("<HHBI", 0x7075, 5 + len(stated), 1, zlib.crc32(b"y")) + stated
    assert decode_member_name(member(b"y", field)) == "春茶记.txt"


def test_marks_that_a_mac_decomposed_are_composed() -> None:
    assert decode_member_name(member("がe\u0301".encode())) == "がé"


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("__MACOSX/稿/._春.txt", True),
        ("卷/__MACOSX/春.txt", True),
        (".DS_Store", True),
        ("卷/._春.txt", True),
        ("卷\\Thumbs.db", True),
        ("卷/春.txt", False),
        ("MACOSX/春.txt", False),
    ],
)
def test_what_a_packer_adds_is_none_of_the_files(name: str, added: bool) -> None:
    assert is_packer_file(name) is added


def test_a_part_is_found_by_the_name_that_stands_there_before_any_that_is_like_it() -> None:
    with open_zip(packed({"A.txt": b"1", "a.txt": b"2"})) as archive:
        assert [archive.read(file) for file in archive.files] == [b"1", b"2"]
        assert archive.read_part("./a.TXT") == b"1"
