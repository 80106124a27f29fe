"""Pictures of text, drawn with the free font of the machine."""

import io

from PIL import Image, ImageDraw, ImageFont

from tests.support.fonts import NOTO, SIMPLIFIED

SIZE, MARGIN, GAP = 26, 40, 42  # pixels


def drawn(
    text: str, *, width: int = 720, ink: str = "black", paper: str = "white", turned: float = 0, marked: str = ""
) -> bytes:
    """A PNG of a text set in lines. turned: degrees; marked: what stands in grey across all of it."""
    per = (width - 2 * MARGIN) // SIZE
    lines = [text[at : at + per] for at in range(0, len(text), per)]
    picture = Image.new("RGB", (width, 2 * MARGIN + GAP * len(lines)), paper)
    drawing, font = ImageDraw.Draw(picture), ImageFont.truetype(str(NOTO), SIZE, index=SIMPLIFIED)
    for at, line in enumerate(lines):
        drawing.text((MARGIN, MARGIN + GAP * at), line, font=font, fill=ink)
    if marked:
        picture = _marked(picture, marked)
    if turned:
        picture = picture.rotate(turned, expand=True, fillcolor=paper, resample=Image.Resampling.BICUBIC)
    picture.save(file := io.BytesIO(), "PNG")
    return file.getvalue()


def _marked(picture: Image.Image, words: str) -> Image.Image:
    mark = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    drawing, font = ImageDraw.Draw(mark), ImageFont.truetype(str(NOTO), 40, index=SIMPLIFIED)
    for top in range(0, picture.height, 140):
        for left in range(-100, picture.width, 360):
            drawing.text((left, top), words, font=font, fill=(120, 120, 120, 100))
    return Image.alpha_composite(picture.convert("RGBA"), mark.rotate(20)).convert("RGB")


def bound(pages: list[bytes]) -> bytes:
    """A PDF that shows a picture a page, as a scanned one does."""
    first, *rest = (Image.open(io.BytesIO(page)) for page in pages)
    first.save(file := io.BytesIO(), "PDF", save_all=True, append_images=rest, resolution=110)
    return file.getvalue()
