"""Writing in pictures, read by RapidOCR, whose models lie in its wheel (PP-OCRv4). Runs in the child."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from crawler.extract.pictures.vertical_writing import in_columns
from store.errors import Unreadable
from store.records import Box, PictureLine

_Found = tuple[Sequence[Sequence[float]], str, float]  # the corners of a line, what it says, how sure that is

SURE_ENOUGH = 0.985  # of a character in the mean; below, writing is sought in strong contrast, ...
MUCH = 0.45  # ... and from so many pale pixels for a dark one; the edges of writing are .2 to .4
MADE_UP = 0.8  # how sure the reader is of what it reads into a watermark, at most
INK = 2  # percent of the pixels that are the darkest of a light picture
MIDDLE = 127  # of the 255 steps from black to white
PAPER, PALE = 0.1, 0.4  # of the way from paper to ink, between which a watermark lies
SURE = 0.5  # how sure the reader has to be of a line
TALL = 1.5  # times as high as wide are the lines of vertical text
MOST_PIXELS = 120_000_000  # of one picture: a chapter of 20,000 characters
LEAST_SIDE = 40  # pixels; what is smaller shows no line
SLICE = 1_600  # pixels: the reader shrinks what is higher until no character can be told
CUT_WITHIN = 0.4  # of a slice, from below, in which it is cut where least is drawn
SHORT = 1.5  # heights of a line: what ends so far before the others ends a paragraph, ...
INDENTED = 1.2  # ... and what begins so far behind them begins one


def can_read() -> bool:
    """Whether the reader is installed (`wenhen[pictures]`)."""
    return find_spec("rapidocr_onnxruntime") is not None


def lines_in(content: bytes) -> tuple[PictureLine, ...]:
    """The lines of a picture from above, or its columns from the right. Raises `Unreadable` where it is none, or
    nothing is there to read pictures with.
    """
    return lines_of(decoded(content))


def lines_of(pixels: Any) -> tuple[PictureLine, ...]:
    """The same of a picture as rows of pixels, each of them blue, green, red."""
    height, width = pixels.shape[:2]
    if min(height, width) < LEAST_SIDE:
        return ()
    found = [line for top, bottom in _slices(pixels) for line in _read(pixels[top:bottom], top)]
    if _vertical([box for box, _ in found]):
        return tuple(PictureLine(text=said, box=box) for box, said in in_columns(found))
    return tuple(_in_paragraphs(found))


def decoded(content: bytes) -> Any:
    """The pixels of a picture file. Raises `Unreadable`."""
    import cv2
    import numpy as np

    pixels = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR) if content else None
    if pixels is None:
        raise Unreadable("documents.broken", kind="picture", error="it cannot be decoded")
    if pixels.shape[0] * pixels.shape[1] > MOST_PIXELS:
        raise Unreadable("pictures.too_large", most=MOST_PIXELS)
    return pixels


def _read(pixels: Any, top: int) -> Iterator[tuple[Box, str]]:
    for corners, said, sure in _recognised(pixels):
        text = " ".join(said.replace("\0", "").split())
        if text and sure >= SURE:
            across, down = [round(x) for x, _ in corners], [round(y) + top for _, y in corners]
            yield Box(max(0, min(across)), max(0, min(down)), max(across), max(down)), text


def _recognised(pixels: Any) -> list[_Found]:
    """What the reader finds; where something pale lies across it, as a watermark does, or the reader is not sure, what
    it finds in strong contrast, if that is more.
    """
    found = _found(pixels)
    contrast, is_pale = _in_strong_contrast(pixels)
    if not found or (not is_pale and _sureness(found) >= SURE_ENOUGH):
        return found
    return max(found, _found(contrast), key=_gain)


def _found(pixels: Any) -> list[_Found]:
    found, _ = _engine()(pixels)
    return [(corners, said, float(sure)) for corners, said, sure in found or ()]


def _sureness(found: Sequence[_Found]) -> float:
    """How sure the reader is of a character in the mean."""
    return sum(len(said) * sure for _, said, sure in found) / max(1, sum(len(said) for _, said, _ in found))


def _gain(found: Sequence[_Found]) -> float:
    """Characters, weighed by how much surer the reader is of them than of what it makes up."""
    return sum(len(said) * max(0.0, sure - MADE_UP) for _, said, sure in found)


def _in_strong_contrast(pixels: Any) -> tuple[Any, bool]:
    """Only what is nearly as far from the paper as the ink, and whether much that is paler was left out."""
    import cv2
    import numpy as np

    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY).astype(np.float32)
    paper = float(np.median(grey))
    ink = float(np.percentile(grey, INK if paper > MIDDLE else 100 - INK))
    drawn = (grey - paper) / (ink - paper if ink != paper else 1.0)
    pale, dark = np.mean((drawn > PAPER) & (drawn < PALE)), np.mean(drawn >= PALE)
    strong = np.clip((drawn - PALE) / (1 - PALE), 0, 1)
    return cv2.cvtColor((255 * (1 - strong)).astype(np.uint8), cv2.COLOR_GRAY2BGR), bool(pale > MUCH * dark)


def _slices(pixels: Any) -> Iterator[tuple[int, int]]:
    """A picture that is too high, cut between its lines."""
    top, height = 0, pixels.shape[0]
    while height - top > SLICE:
        low = top + round(SLICE * (1 - CUT_WITHIN))
        drawn = pixels[low : top + SLICE].astype("float32").std(axis=(1, 2))
        cut = low + int(drawn.argmin())
        yield top, cut
        top = cut
    yield top, height


def _vertical(boxes: Sequence[Box]) -> bool:
    """Whether most lines run downwards."""
    tall = sum(box.bottom - box.top > TALL * (box.right - box.left) for box in boxes)
    return 2 * tall > len(boxes)


def _in_paragraphs(found: Sequence[tuple[Box, str]]) -> Iterator[PictureLine]:
    """Lines that reach as far to the right as the longest go on in the next one."""
    left, right = min((box.left for box, _ in found), default=0), max((box.right for box, _ in found), default=0)
    ended = True
    for box, said in found:
        high = box.bottom - box.top
        yield PictureLine(text=said, box=box, begins=ended or box.left > left + INDENTED * high)
        ended = box.right < right - SHORT * high


@cache
def _engine() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        raise Unreadable("documents.no_reader") from None
    return RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
