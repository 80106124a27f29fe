"""A .doc is read with its notes, and as Word 6 and 95 wrote it, in the code page of its language."""

import struct

import pytest

from crawler.extraction.documents.file_kinds import FileKind, detect_file_kind
from crawler.extraction.documents.read_document import read_document, read_named_document
from tests.support.documents.files import early_word, old_word
from wenhen.kit.errors import Unreadable

SIMPLIFIED = ("茶农把新芽摊在竹匾里，等露水散尽才下锅。", "锅边的老人不看火，只听叶子翻动的声音。")
TRADITIONAL = ("茶農把新芽攤在竹匾裡，等露水散盡才下鍋。", "鍋邊的老人不看火，只聽葉子翻動的聲音。")
RUSSIAN = ("Чай собирают утром, пока не сошла роса.", "Старик слушает листья.")


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    ("lines", "language", "charset"),
    [
        (SIMPLIFIED, 0x0804, "gb18030"),
        (TRADITIONAL, 0x0404, "big5"),
        (RUSSIAN, 0x0419, "cp1251"),
        (("Tea, café, été.", "Señor."), 0x0409, "cp1252"),
    ],
)
def test_early_word_is_read_in_the_code_page_of_its_language(
    lines: tuple[str, ...], language: int, charset: str, pieces: bool
) -> None:
    content = early_word(lines, language=language, charset=charset, pieces=pieces)
    assert read_document(content, FileKind.DOC).parts[0].paragraphs == lines


@pytest.mark.parametrize(
    ("lines", "language", "charset"),
    [
        (("Le thé, cueilli à l’aube — où ?",), 0x040C, "mac_roman"),
        (RUSSIAN, 0x0419, "mac_cyrillic"),
        (SIMPLIFIED, 0x0804, "gb18030"),
    ],
)
def test_word_for_the_macintosh_is_read_in_its_own_code_page(
    lines: tuple[str, ...], language: int, charset: str
) -> None:
    content = early_word(lines, language=language, charset=charset, macintosh=True)
    assert read_document(content, FileKind.DOC).parts[0].paragraphs == lines


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("language", [0x0409, None])
@pytest.mark.parametrize(
    ("lines", "edition", "charset", "own"),
    [
        ((*SIMPLIFIED, "他说：“茶 3 两。”"), 0xA699, "gb18030", 0x0804),
        (TRADITIONAL, 0xA699, "big5", 0x0404),
        (("お茶の葉を籠に広げる。", "二十三日"), 0xA697, "cp932", 0x0411),
        (("새 찻잎을 바구니에 편다.", "스물셋"), 0xA698, "cp949", 0x0412),
    ],
)
def test_east_asian_editions_of_word_6_wrote_two_bytes_a_character(
    lines: tuple[str, ...], edition: int, charset: str, own: int, language: int | None, pieces: bool
) -> None:
    content = early_word(lines, language=language or own, charset=charset, pieces=pieces, edition=edition)
    assert read_document(content, FileKind.DOC).parts[0].paragraphs == lines


def test_notes_stand_behind_the_text_and_heads_are_left_out() -> None:
    lines = ("正文", "脚注", "页眉", "尾注")
    content = bytearray(old_word(lines))
    fib = content.index(b"\xec\xa5\xc1\x00")
    for offset, length in ((0x4C, 3), (0x50, 3), (0x54, 3), (0x60, 3)):
        struct.pack_into("<I", content, fib + offset, length)
    assert read_document(bytes(content), FileKind.DOC).parts[0].paragraphs == ("正文", "脚注", "尾注")


WORD_2003_XML = """<?xml version="1.0" encoding="{charset}" standalone="yes"?>
<?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:aml="urn:aml"
 xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint">
<o:DocumentProperties><o:Title>渡口的灯</o:Title><o:Author>何远</o:Author></o:DocumentProperties>
<w:styles><w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>
<w:body><wx:sect><w:p><w:r><w:t>守灯的老人把灯芯剪短了一点。</w:t></w:r>
<aml:annotation w:type="Word.Insertion"><aml:content>
<w:r><w:t>油是镇上凑钱买的。</w:t></w:r></aml:content></aml:annotation>
<aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>删</w:delText></w:r></aml:content></aml:annotation>
<w:r><w:rPr><w:vanish/></w:rPr><w:t>藏</w:t></w:r><w:r><w:rPr><w:rStyle w:val="H"/></w:rPr><w:t>隐</w:t></w:r>
<w:r><w:footnote><w:p><w:r><w:t>灯在堤上。</w:t></w:r></w:p></w:footnote></w:r><w:r><w:t>船会回来。</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>春天的班次</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:sectPr><w:hdr><w:p><w:r><w:t>页眉</w:t></w:r></w:p></w:hdr></w:sectPr></wx:sect></w:body></w:wordDocument>"""


@pytest.mark.parametrize("charset", ["UTF-8", "GB18030"])
def test_xml_of_word_2003_is_read_as_it_is_displayed(charset: str) -> None:
    document = read_named_document(WORD_2003_XML.format(charset=charset).encode(charset), "灯.doc")
    assert document.parts[0].paragraphs == (
        "守灯的老人把灯芯剪短了一点。油是镇上凑钱买的。船会回来。",
        "灯在堤上。",
        "春天的班次",
    )
    assert (document.title, document.author) == ("渡口的灯", "何远")
    assert detect_file_kind(WORD_2003_XML.format(charset=charset).encode(charset), "") is FileKind.DOC


def test_broken_xml_of_word_2003_is_refused_by_name() -> None:
    with pytest.raises(Unreadable) as refused:
        read_named_document(WORD_2003_XML.format(charset="UTF-8").partition("<w:body>")[0].encode(), "灯.doc")
    assert refused.value.message.code == "documents.broken"
