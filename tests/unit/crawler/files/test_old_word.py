"""A .doc is read with its notes, and as Word 6 and 95 wrote it, in the code page of its language."""

import struct

import pytest

from crawler.extraction.documents.file_kinds import FileKind
from crawler.extraction.documents.read_document import read_document
from tests.support.documents.files import early_word, old_word

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


def test_notes_stand_behind_the_text_and_heads_are_left_out() -> None:
    lines = ("正文", "脚注", "页眉", "尾注")
    content = bytearray(old_word(lines))
    fib = content.index(b"\xec\xa5\xc1\x00")
    for offset, length in ((0x4C, 3), (0x50, 3), (0x54, 3), (0x60, 3)):
        struct.pack_into("<I", content, fib + offset, length)
    assert read_document(bytes(content), FileKind.DOC).parts[0].paragraphs == ("正文", "脚注", "尾注")
