"""The results as a picture: a row for each scheme, a column for each disguise, darker where more is found. SVG."""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from lab.compare.measure import Result

_ROW, _COLUMN, _NAMES, _HEAD = 26, 88, 160, 64  # pixels
_FONT = "font-family=\"'Noto Sans CJK SC','Noto Sans SC','Microsoft YaHei',sans-serif\" font-size=\"12\""
_FOUND, _WRONG = (33, 102, 172), (178, 24, 43)  # blue for what is found, red for those accused wrongly
_DARK = 0.85  # share from which white letters are easier to read

_Colour = tuple[int, int, int]
_Cell = tuple[float | None, _Colour]


def chart(results: Sequence[Result]) -> str:
    """An SVG document of its own, readable without colour too: every cell carries its figure."""
    kinds = list(results[0].by_kind) if results else []
    heads = ["找到 found", "准确 precision", "误报 accused", *kinds]
    width, height = _NAMES + _COLUMN * len(heads) + 8, _HEAD + _ROW * len(results) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" {_FONT}>',
        "<title>指纹方法比较 fingerprint schemes compared</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for column, head in enumerate(heads):
        parts += _head(_NAMES + _COLUMN * column + _COLUMN // 2, head)
    for row, result in enumerate(results):
        top = _HEAD + _ROW * row
        parts.append(_text(_NAMES - 8, top + 17, result.scheme, "end", "#222"))
        for column, (share, colour) in enumerate(_cells(result)):
            parts += _cell(_NAMES + _COLUMN * column, top, share, colour)
    return "\n".join([*parts, "</svg>", ""])


def save_chart(results: Sequence[Result], path: Path) -> None:
    """Write the picture to a file."""
    path.write_text(chart(results), encoding="utf-8")


def _cells(result: Result) -> list[_Cell]:
    accused = result.accused / result.negatives if result.negatives else None
    return [
        (result.total.share, _FOUND),
        (result.precision, _FOUND),
        (accused, _WRONG),
        *((kind.share, _FOUND) for kind in result.by_kind.values()),
    ]


def _head(middle: int, text: str) -> list[str]:
    """Words of a heading, one below the other."""
    words = text.replace("+", " +").split(" ")
    return [
        _text(middle, _HEAD - 12 - 15 * (len(words) - 1 - at), word, "middle", "#222") for at, word in enumerate(words)
    ]


def _cell(left: int, top: int, share: float | None, colour: _Colour) -> list[str]:
    red, green, blue = (round(255 - (255 - part) * (share or 0.0)) for part in colour)
    letters = "#fff" if share is not None and share >= _DARK else "#222"
    label = "–" if share is None else f"{share:.1%}"
    return [
        f'<rect x="{left}" y="{top}" width="{_COLUMN - 2}" height="{_ROW - 2}" fill="rgb({red},{green},{blue})"/>',
        _text(left + _COLUMN // 2 - 1, top + 17, label, "middle", letters),
    ]


def _text(x: int, y: int, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
