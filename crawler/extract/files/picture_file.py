"""Pictures of text as files, such as screenshots."""

from crawler.extract.files.document import Document, DocumentPart, PartKind
from crawler.extract.pictures.character_recognition import lines_in
from crawler.extract.pictures.pictures_in_text import paragraphs_in

SIGNS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"RIFF")  # PNG, JPEG, BMP; WebP by what stands further on
ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")


def is_picture(content: bytes, name: str) -> bool:
    """By its name and how it begins."""
    return name.lower().endswith(ENDINGS) and content.startswith(SIGNS)


def read_picture(content: bytes) -> Document:
    """What is written in it. Raises `Unreadable` where it is none, or nothing is there to read pictures with."""
    return Document((DocumentPart(PartKind.PICTURE, 1, paragraphs_in(lines_in(content))),))
