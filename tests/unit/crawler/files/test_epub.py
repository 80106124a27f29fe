"""A book is read as reading programs show it, also where its markup is not what a standard asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.documents.document import Document
from crawler.extraction.documents.ebooks import read_epub
from crawler.extraction.documents.file_kinds import FileKind
from crawler.extraction.documents.read_document import read_document
from tests.support.documents.files import packed
from wenhen.kit.errors import Unreadable

FIRST = "茶农把新芽摊在竹匾里，等露水散尽才下锅。"
SECOND = "锅边的老人不看火，只听叶子在铁上翻动的声音。"
OPF, DC = "http://www.idpf.org/2007/opf", "http://purl.org/dc/elements/1.1/"
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def package(
    *hrefs: str, title: str = "<dc:title>春茶记</dc:title>", before: str = "", attributes: str = f'xmlns="{OPF}"'
) -> str:
    items = "".join(
        f'<item id="c{n}" href="{href}" media-type="application/xhtml+xml"/>' for n, href in enumerate(hrefs)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(hrefs)))
    return (
        f'{before}<package {attributes}><metadata xmlns:dc="{DC}">{title}</metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


def chapter(body: str, head: str = "<title>章</title>") -> str:
    return (
        f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{body}</body></html>'
    )


def book(opf: str, chapters: dict[str, str], extra: dict[str, str] | None = None) -> bytes:
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": opf}
    members |= {f"OPS/{name}": text for name, text in chapters.items()} | (extra or {})
    return packed({name: text.encode() for name, text in members.items()})


TWO = {"1.xhtml": chapter(f"<p>{FIRST}</p>"), "2.xhtml": chapter(f"<p>{SECOND}</p>")}


def said(content: bytes) -> list[tuple[str, ...]]:
    return [part.paragraphs for part in read_epub(content).parts]


@pytest.mark.parametrize(
    "head",
    ["<title/>", '<script src="a.js"/>', "<style/>", '<title>a</title><script type="text/javascript" src="b.js" />'],
)
@pytest.mark.parametrize("inside", ["", "<a id='x'/>", "<textarea/>", "<iframe src='x'/>", "<p/><div/>"])
def test_an_element_that_closes_itself_takes_nothing_with_it(head: str, inside: str) -> None:
    pages = {"1.xhtml": chapter(f"{inside}<p>{FIRST}</p>", head), "2.xhtml": chapter(f"<p>{SECOND}</p>", head)}
    assert said(book(package("1.xhtml", "2.xhtml"), pages)) == [(FIRST,), (SECOND,)]


@pytest.mark.parametrize(
    "opf",
    [
        package("1.xhtml", "2.xhtml", title="<dc:title>茶 & 水</dc:title>"),
        package("1.xhtml", "2.xhtml", title="<dc:title>茶&nbsp;水</dc:title>"),
        package("1.xhtml", "2.xhtml", before='\n <?xml version="1.0"?>'),
        package("1.xhtml", "2.xhtml", title="<opf:meta name='a'/><dc:title>茶</dc:title>"),
        package("1.xhtml", "2.xhtml", attributes=""),
        package("1.xhtml", "2.xhtml", attributes='xmlns="http://openebook.org/namespaces/oeb-package/1.0/"'),
        package("1.xhtml", "2.xhtml").replace("<itemref", "<other"),
        "﻿" + package("1.xhtml", "2.xhtml"),
    ],
)
def test_a_package_that_is_not_well_formed_is_read_as_far_as_it_goes(opf: str) -> None:
    assert said(book(opf, TWO)) == [(FIRST,), (SECOND,)]


@pytest.mark.parametrize(
    "href",
    [
        "/OPS/1.xhtml", "1.XHTML", "1.xhtml#begin", "..\\OPS\\1.xhtml", "./1.xhtml", "%31.xhtml",
    ],
)  # fmt: skip
def test_a_chapter_is_found_however_it_is_referred_to(href: str) -> None:
    assert said(book(package(href, "2.xhtml"), TWO)) == [(FIRST,), (SECOND,)]


def test_a_chapter_is_found_under_the_name_of_its_reference() -> None:
    pages = {"a%20b.xhtml": chapter(f"<p>{FIRST}</p>")}
    assert said(book(package("a%20b.xhtml"), pages)) == [(FIRST,)]


def test_a_chapter_is_found_whichever_way_its_marks_are_composed() -> None:
    pages = {"e\u0301té.xhtml": chapter(f"<p>{FIRST}</p>")}
    assert said(book(package("été.xhtml"), pages)) == [(FIRST,)]


def test_a_book_without_a_container_or_spine_is_read_by_what_is_there() -> None:
    content = packed({name: text.encode() for name, text in TWO.items()} | {"a.opf": b"<package/>"})
    assert said(content) == [(FIRST,), (SECOND,)]


def test_readings_above_characters_are_no_text() -> None:
    ruby = "<ruby>茶<rp>(</rp><rt>chá</rt><rp>)</rp>叶<rt>yè</rt></ruby>"
    grouped = "<ruby><rb>茶</rb><rtc><rt>cha</rt></rtc></ruby>"
    page = chapter(f"<p>{ruby}</p><p>{grouped}</p><table><tr><td>甲</td><td>乙</td></tr></table>")
    assert said(book(package("1.xhtml"), {"1.xhtml": page})) == [("茶叶", "茶", "甲", "乙")]


def encryption(*references: tuple[str, str]) -> dict[str, str]:
    data = "".join(
        f'<EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="{uri}"/>'
        "</CipherData></EncryptedData>"
        for algorithm, uri in references
    )
    return {"META-INF/encryption.xml": f"<encryption>{data}</encryption>"}


AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"


def test_what_digital_rights_management_locks_is_refused_by_name() -> None:
    opf = package("1.xhtml", "2.xhtml")
    with pytest.raises(Unreadable, match="digital rights"):
        read_document(book(opf, TWO, encryption((AES, "OPS/1.xhtml"), (AES, "OPS/2.xhtml"))), FileKind.EPUB)
    found = read_epub(book(opf, TWO, encryption((AES, "OPS/2.xhtml"))))
    assert [part.paragraphs for part in found.parts] == [(FIRST,)]
    assert ["digital rights" in str(one) for one in found.lost] == [True]


def test_an_obfuscated_font_locks_no_book() -> None:
    fonts = encryption(
        ("http://www.idpf.org/2008/embedding", "OPS/a.otf"), ("http://ns.adobe.com/pdf/enc#RC", "OPS/b.otf")
    )
    assert said(book(package("1.xhtml", "2.xhtml"), TWO, fonts)) == [(FIRST,), (SECOND,)]


def test_a_chapter_of_the_spine_that_is_nowhere_is_told() -> None:
    opf = package("1.xhtml").replace("</spine>", '<itemref idref="gone"/></spine>')
    found = read_epub(book(opf, TWO))
    assert ([part.paragraphs for part in found.parts], len(found.lost)) == ([(FIRST,)], 1)


def test_the_order_is_that_of_the_spine_and_the_title_that_of_the_book() -> None:
    opf = package("1.xhtml", "2.xhtml")
    spine = opf.replace('idref="c0"', 'idref="x"').replace('idref="c1"', 'idref="c0"').replace('"x"', '"c1"')
    found = read_epub(book(spine, TWO))
    assert ([part.paragraphs for part in found.parts], found.title) == ([(SECOND,), (FIRST,)], "春茶记")
    assert read_epub(book(package("1.xhtml", title="<dc:title>Unknown</dc:title>"), TWO)).title is None


def test_entities_are_never_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    opf = f'<!DOCTYPE p [<!ENTITY l0 "笑">{laughs}]>' + package("1.xhtml", title="<dc:title>&l9;</dc:title>")
    assert said(book(opf, TWO))[0] == (FIRST,)


@given(noise=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4)), max_size=6))
def test_foreign_bytes_in_the_package_are_read_in_part_or_refused(noise: list[tuple[float, bytes]]) -> None:
    opf = bytearray(package("1.xhtml", "2.xhtml").encode())
    for place, put in noise:
        at = int(place * len(opf))
        opf[at : at + 1] = put
    members = {"META-INF/container.xml": CONTAINER.encode(), "OPS/book.opf": bytes(opf)}
    content = packed(members | {f"OPS/{name}": text.encode() for name, text in TWO.items()})
    try:
        read = read_document(content, FileKind.EPUB)
    except Unreadable as error:
        read = Document(())
        refused = error.message.code
    else:
        refused = ""
    assert read.parts or refused in ("documents.in_archive", "importing.bad_epub", "importing.missing_in_archive")
