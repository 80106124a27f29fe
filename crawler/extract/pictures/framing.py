"""A picture as people are shown it: drawn anew, so that nothing foreign reaches a browser, with frames around what was
copied. Runs in the child.
"""

from collections.abc import Sequence
from typing import Any

from crawler.extract.pictures.character_recognition import decoded
from store.errors import Unreadable
from store.records import Box

WIDEST, TALLEST = 1_200, 6_000  # pixels of what is shown
FRAME = (38, 38, 220)  # blue, green, red
AROUND = 4  # pixels between writing and frame
BEYOND = 120  # pixels of the picture above and below what is framed, where it is too high to be shown whole


def framed(content: bytes, boxes: Sequence[Box]) -> bytes:
    """The picture as PNG, of a high one the part around the boxes. Raises `Unreadable`."""
    return drawn(decoded(content), boxes)


def drawn(pixels: Any, boxes: Sequence[Box]) -> bytes:
    """The same of its pixels."""
    import cv2

    pixels = pixels.copy()
    for box in boxes:
        upper_left = (box.left - AROUND, box.top - AROUND)
        cv2.rectangle(pixels, upper_left, (box.right + AROUND, box.bottom + AROUND), FRAME, 2)
    height, width = pixels.shape[:2]
    if height > TALLEST:
        top = max(0, min((box.top for box in boxes), default=0) - BEYOND)
        bottom = max((box.bottom for box in boxes), default=0) + BEYOND
        pixels = pixels[top : min(max(bottom, top + width), top + TALLEST)]
    if width > WIDEST:
        size = (WIDEST, max(1, round(pixels.shape[0] * WIDEST / width)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    whole, png = cv2.imencode(".png", pixels)
    if not whole:
        raise Unreadable("documents.broken", kind="picture", error="it cannot be drawn")
    return bytes(png.tobytes())
