"""Pictures of text, such as screenshots: read by RapidOCR, whose models lie in its wheel (PP-OCRv4)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from crawler.extract.files.document import Document, DocumentPart, PartKind, paragraphs_of
from store.errors import Unreadable

SIGNS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"RIFF")  # PNG, JPEG, BMP; WebP by what stands further on
ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
SURE = 0.5  # how sure the reader has to be of a line
TALL = 1.5  # times as high as wide are the lines of vertical text


def is_picture(content: bytes, name: str) -> bool:
    """By its name and how it begins."""
    return name.lower().endswith(ENDINGS) and content.startswith(SIGNS)


def read_picture(content: bytes) -> Document:
    """The lines of a picture from above, or columns from the right. Raises `Unreadable` where it is none, or nothing is
    there to read pictures with.
    """
    found, _ = _engine()(_decoded(content))
    lines = [(box, said) for box, said, sure in found or () if float(sure) >= SURE]
    ordered = sorted(lines, key=lambda line: -line[0][0][0]) if _vertical([box for box, _ in lines]) else lines
    return Document((DocumentPart(PartKind.PICTURE, 1, paragraphs_of("\n".join(said for _, said in ordered))),))


def _vertical(boxes: Sequence[Sequence[Sequence[float]]]) -> bool:
    """Whether most lines run downwards; a box: its corners from the upper left, clockwise."""
    tall = sum(box[3][1] - box[0][1] > TALL * (box[1][0] - box[0][0]) for box in boxes)
    return 2 * tall > len(boxes)


def _decoded(content: bytes) -> Any:
    import cv2
    import numpy as np

    picture = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise Unreadable("documents.broken", kind="picture", error="it cannot be decoded")
    return picture


@cache
def _engine() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        raise Unreadable("documents.no_reader") from None
    return RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
