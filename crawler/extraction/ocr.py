"""Recognize text in pictures with RapidOCR (PP-OCRv4), and draw frames around it."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from crawler.extraction.model import Box, PictureLine
from wenhen.kit.errors import Unreadable

# Vertical text in reading order: columns from the right, each from the top.


BoxedText = tuple[Box, str]  # a line, and its text


def order_columns(boxed_texts: Sequence[BoxedText]) -> list[BoxedText]:
    """Sort lines into columns. A column may be found in pieces, split at a comma or a wide gap."""
    columns: list[list[BoxedText]] = []
    for line in sorted(boxed_texts, key=lambda line: -_box_middle(line[0])):
        home = next((column for column in columns if _is_same_column(column[0][0], line[0])), None)
        if home is None:
            columns.append([line])
        else:
            home.append(line)
    return [line for column in columns for line in sorted(column, key=lambda line: line[0].top)]


def _is_same_column(box: Box, other: Box) -> bool:
    """Tell whether the centre of either box is above or below the other box."""
    return box.left < _box_middle(other) < box.right or other.left < _box_middle(box) < other.right


def _box_middle(box: Box) -> float:
    return (box.left + box.right) / 2


# Recognition by RapidOCR, whose wheel includes the models (PP-OCRv4). Runs in the child.


_OcrLine = tuple[Sequence[Sequence[float]], str, float]  # the corners of a line, its text, its confidence

MIN_MEAN_CONFIDENCE = 0.985  # mean confidence of a character; below it high contrast is tried, ...
MAX_PALE_RATIO = 0.45  # ... and from so many pale pixels for a dark one; the edges of characters give .2 to .4
WATERMARK_CONFIDENCE = 0.8  # highest confidence of text that the OCR imagines in a watermark
INK_PERCENT = 2  # percent of the pixels that are the darkest of a light picture
MIDDLE_GREY = 127  # of the 255 steps from black to white
PAPER_CONTRAST, PALE_CONTRAST = 0.1, 0.4  # range of a watermark, as shares of the way from paper to ink
MIN_LINE_CONFIDENCE = 0.5  # confidence that a line needs
VERTICAL_RATIO = 1.5  # height to width of the lines of vertical text
MAX_PICTURE_PIXELS = 120_000_000  # of one picture: a chapter of 20,000 characters
MIN_SIDE_PIXELS = 40  # pixels; smaller pictures show no line
SLICE_PIXELS = 1_600  # pixels: the OCR shrinks higher pictures until characters are illegible
CUT_SHARE = 0.4  # of a slice, from below, in which it is cut where least is drawn
SHORT_LINE_HEIGHTS = 1.5  # heights of a line: a line that ends so much earlier than the others ends a paragraph, ...
INDENT_HEIGHTS = 1.2  # ... and one with such an indent begins one


def is_ocr_installed() -> bool:
    """Tell whether the OCR is installed (`wenhen[pictures]`)."""
    return find_spec("rapidocr_onnxruntime") is not None


def recognize_picture(content: bytes) -> tuple[PictureLine, ...]:
    """Return the lines of a picture from the top, or its columns from the right.

    Raises `Unreadable` if it is no picture or OCR is not installed.
    """
    return recognize_pixels(decode_picture(content))


def recognize_pixels(pixels: Any) -> tuple[PictureLine, ...]:
    """Return the lines or columns of a picture, given as rows of pixels, each blue, green, red."""
    height, width = pixels.shape[:2]
    if min(height, width) < MIN_SIDE_PIXELS:
        return ()
    lines = [line for top, bottom in _slice_bounds(pixels) for line in _read_slice(pixels[top:bottom], top)]
    if _is_vertical([box for box, _ in lines]):
        return tuple(PictureLine(text=words, box=box) for box, words in order_columns(lines))
    return tuple(_mark_paragraphs(lines))


def decode_picture(content: bytes) -> Any:
    """Return the pixels of a picture file. Raises `Unreadable`."""
    import cv2
    import numpy as np

    pixels = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR) if content else None
    if pixels is None:
        raise Unreadable("documents.broken", kind="picture", error="it cannot be decoded")
    if pixels.shape[0] * pixels.shape[1] > MAX_PICTURE_PIXELS:
        raise Unreadable("pictures.too_large", most=MAX_PICTURE_PIXELS)
    return pixels


def _read_slice(pixels: Any, top: int) -> Iterator[tuple[Box, str]]:
    for corners, written, sure in _recognize_lines(pixels):
        text = " ".join(written.replace("\0", "").split())
        if text and sure >= MIN_LINE_CONFIDENCE:
            across, down = [round(x) for x, _ in corners], [round(y) + top for _, y in corners]
            yield Box(max(0, min(across)), max(0, min(down)), max(across), max(down)), text


def _recognize_lines(pixels: Any) -> list[_OcrLine]:
    """Return the recognized lines.

    If the picture has something pale across it, as a watermark, or the confidence is low, high contrast is tried as
    well. The result with more confident text wins.
    """
    engine = _run_engine(pixels)
    contrast, is_pale = _raise_contrast(pixels)
    if not engine or (not is_pale and _mean_confidence(engine) >= MIN_MEAN_CONFIDENCE):
        return engine
    return max(engine, _run_engine(contrast), key=_confidence_gain)


def _run_engine(pixels: Any) -> list[_OcrLine]:
    lines, _ = _ocr_engine()(pixels)
    return [(corners, words, float(sure)) for corners, words, sure in lines or ()]


def _mean_confidence(lines: Sequence[_OcrLine]) -> float:
    """Return the mean confidence of a character."""
    return sum(len(words) * sure for _, words, sure in lines) / max(1, sum(len(words) for _, words, _ in lines))


def _confidence_gain(lines: Sequence[_OcrLine]) -> float:
    """Return the number of characters, weighted by their confidence above that of imagined text."""
    return sum(len(words) * max(0.0, sure - WATERMARK_CONFIDENCE) for _, words, sure in lines)


def _raise_contrast(pixels: Any) -> tuple[Any, bool]:
    """Return only pixels nearly as far from the paper as the ink, and whether many paler ones were removed."""
    import cv2
    import numpy as np

    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY).astype(np.float32)
    paper = float(np.median(grey))
    ink = float(np.percentile(grey, INK_PERCENT if paper > MIDDLE_GREY else 100 - INK_PERCENT))
    drawn = (grey - paper) / (ink - paper if ink != paper else 1.0)
    pale, dark = np.mean((drawn > PAPER_CONTRAST) & (drawn < PALE_CONTRAST)), np.mean(drawn >= PALE_CONTRAST)
    strong = np.clip((drawn - PALE_CONTRAST) / (1 - PALE_CONTRAST), 0, 1)
    return cv2.cvtColor((255 * (1 - strong)).astype(np.uint8), cv2.COLOR_GRAY2BGR), bool(pale > MAX_PALE_RATIO * dark)


def _slice_bounds(pixels: Any) -> Iterator[tuple[int, int]]:
    """Yield the bounds of slices of a picture that is too high, cut between its lines."""
    top, height = 0, pixels.shape[0]
    while height - top > SLICE_PIXELS:
        low = top + round(SLICE_PIXELS * (1 - CUT_SHARE))
        drawn = pixels[low : top + SLICE_PIXELS].astype("float32").std(axis=(1, 2))
        cut = low + int(drawn.argmin())
        yield top, cut
        top = cut
    yield top, height


def _is_vertical(boxes: Sequence[Box]) -> bool:
    """Tell whether most lines run downwards."""
    tall = sum(box.bottom - box.top > VERTICAL_RATIO * (box.right - box.left) for box in boxes)
    return 2 * tall > len(boxes)


def _mark_paragraphs(lines: Sequence[tuple[Box, str]]) -> Iterator[PictureLine]:
    """Mark the starts of paragraphs. A line as wide as the longest continues in the next one."""
    left, right = min((box.left for box, _ in lines), default=0), max((box.right for box, _ in lines), default=0)
    ended = True
    for box, words in lines:
        high = box.bottom - box.top
        yield PictureLine(text=words, box=box, begins=ended or box.left > left + INDENT_HEIGHTS * high)
        ended = box.right < right - SHORT_LINE_HEIGHTS * high


@cache
def _ocr_engine() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        raise Unreadable("documents.no_reader") from None
    return RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)


# A picture as people see it: redrawn, so that no foreign file reaches a browser, with frames around the copied text.
# Runs in the child.


MAX_WIDTH_PIXELS, MAX_HEIGHT_PIXELS = 1_200, 6_000  # pixels of the displayed picture
FRAME_COLOUR = (38, 38, 220)  # blue, green, red
FRAME_MARGIN_PIXELS = 4  # pixels between text and frame
CROP_MARGIN_PIXELS = 120  # pixels above and below the frames, if the picture is too high to be shown whole


def frame_picture(content: bytes, boxes: Sequence[Box]) -> bytes:
    """Return the picture as PNG with frames, cropped around the boxes if it is too high. Raises `Unreadable`."""
    return draw_frames(decode_picture(content), boxes)


def draw_frames(pixels: Any, boxes: Sequence[Box]) -> bytes:
    """Draw frames on the pixels of a picture. Return it as PNG."""
    import cv2

    pixels = pixels.copy()
    for box in boxes:
        upper_left = (box.left - FRAME_MARGIN_PIXELS, box.top - FRAME_MARGIN_PIXELS)
        cv2.rectangle(
            pixels, upper_left, (box.right + FRAME_MARGIN_PIXELS, box.bottom + FRAME_MARGIN_PIXELS), FRAME_COLOUR, 2
        )
    height, width = pixels.shape[:2]
    if height > MAX_HEIGHT_PIXELS:
        top = max(0, min((box.top for box in boxes), default=0) - CROP_MARGIN_PIXELS)
        bottom = max((box.bottom for box in boxes), default=0) + CROP_MARGIN_PIXELS
        pixels = pixels[top : min(max(bottom, top + width), top + MAX_HEIGHT_PIXELS)]
    if width > MAX_WIDTH_PIXELS:
        size = (MAX_WIDTH_PIXELS, max(1, round(pixels.shape[0] * MAX_WIDTH_PIXELS / width)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    whole, png = cv2.imencode(".png", pixels)
    if not whole:
        raise Unreadable("documents.broken", kind="picture", error="it cannot be drawn")
    return bytes(png.tobytes())
