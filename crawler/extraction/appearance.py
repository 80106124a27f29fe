"""Read from CSS declarations whether a reader sees the content of an element, and in which colours."""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from tinycss2.color4 import parse_color as parse_css_color

MIN_CONTRAST = 1.3  # ratio of WCAG 2.2 below which a reader cannot distinguish text from its background
MIN_ALPHA = 0.1  # opacity of a box or of its ink
MIN_TEXT_PIXELS = 3.0  # pixels of font size; nobody can read smaller text
MIN_SCALE = 0.1  # factor of a transformation
MAX_CLIPPED_PIXELS = 1.0  # pixels of a box that clips all of its overflow
MIN_OFFSET_PIXELS = 100.0  # pixels to the left of the page or above it, as a position
MIN_SHIFT_PIXELS = 1_000.0  # pixels of a margin or a shift, which also centre wide pictures
ROOT_TEXT_PIXELS = 16.0  # pixels of an em by default
MIN_NEGATIVE_SPACING = -0.9  # em between letters; each letter then covers the one before

_PROPERTIES: Final = (
    "background(?:-color|-image|-clip)?|-webkit-background-clip|clip(?:-path)?|color|content-visibility|display|filter|"
    "font(?:-size)?|(?:max-)?(?:height|width)|left|right|top|bottom|letter-spacing|line-height|"
    "margin(?:-left|-top)?|opacity|overflow(?:-[xy])?|position|rotate|scale|text-indent|transform|translate|"
    "visibility|-webkit-text-fill-color|z-index|zoom|--[\\w-]+"
)
# The properties that each test below reads. Most rules have none of them.
_SIZE_PROPERTIES: Final = ("font-size", "font")
_PLACE_PROPERTIES: Final = (
    "left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "margin", "translate", "transform",
)  # fmt: skip
_CLIP_PROPERTIES: Final = ("clip-path", "clip", "overflow", "overflow-x", "overflow-y")
_ROOM_PROPERTIES: Final = ("width", "height", "zoom", "scale", "transform")
_ZERO_BEGINNINGS: Final = ("0", ".", "-")  # of a length of zero
_OPACITY_PROPERTIES: Final = ("opacity", "filter")
_GROUND_PROPERTIES: Final = ("background", "background-color", "background-image")
DECLARATION = re.compile(rf"(?:^|[;{{\s])({_PROPERTIES})\s*:\s*([^;{{}}]+)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LENGTH = re.compile(r"(-?[\d.]{1,12})(px|pt|pc|in|cm|mm|r?em|ex|ch|vw|vh|vmin|vmax|%)?", re.IGNORECASE)
_FONT_SIZE_IN_FONT = re.compile(r"(?:^|\s)(-?[\d.]{1,12}(?:px|pt|r?em|%)?)(?=[\s/]|$)", re.IGNORECASE)
_VARIABLE = re.compile(r"var\(\s{0,9}(--[\w-]{1,60})(?:\s{0,9},([^()]{0,100}))?\s{0,9}\)")
_FUNCTION = re.compile(r"([a-z-]+)\(([^()]*)\)", re.IGNORECASE)
_BARE_HEX_COLOR = re.compile(r"[0-9a-f]{6}", re.IGNORECASE)
_HEX_COLOR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)  # the usual form, read without the library
_CLIP_RECT = re.compile(r"rect\(([^()]*)\)", re.IGNORECASE)
_CLIP_INSET = re.compile(r"inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0\D", re.IGNORECASE)
_CLIP_POLYGON = re.compile(r"polygon\(([^()]*)\)", re.IGNORECASE)
_PICTURE = re.compile(r"url\(|gradient\(|image\(", re.IGNORECASE)
_PIXELS_OF_UNIT: Final = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "em": ROOT_TEXT_PIXELS,
    "rem": ROOT_TEXT_PIXELS,
    "ex": ROOT_TEXT_PIXELS / 2,
    "ch": ROOT_TEXT_PIXELS / 2,
    "vw": 12.8,
    "vh": 9.0,
    "vmin": 9.0,
    "vmax": 12.8,
}
_STYLE_CACHE_SIZE = 4_096  # style attributes; a page repeats the same ones


class Color(NamedTuple):
    """Represent a colour: red, green, blue and alpha, each from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE: Final = Color(1.0, 1.0, 1.0)
PICTURE_GROUND: Final = Color(-1.0, -1.0, -1.0)  # a picture or a gradient, whose colours are unknown


class Appearance(NamedTuple):
    """Describe the visibility of an element according to its declarations."""

    hides_box: bool = False  # the box and all of its content are not shown
    hides_words: bool = False  # the content between words has no size, no room or no opacity
    hides_letters: bool = False  # the same by inherited properties that elements inside may reset: font size, ink
    shows_box: bool = False  # declares the box as shown
    shows_letters: bool = False  # sets a readable size
    behind: bool = False  # behind its surroundings, if they have a background
    out_of_flow: bool = False  # other text takes its place in the flow
    ink: Color | None = None
    ground: Color | None = None  # the background, PICTURE_GROUND if it is a picture


NO_APPEARANCE: Final = Appearance()


@lru_cache(_STYLE_CACHE_SIZE)
def parse_style(style: str) -> Appearance:
    """Return the appearance that a style attribute declares.

    >>> parse_style("display:none").hides_box, parse_style("font-size:.1px").hides_letters
    (True, True)
    >>> parse_style("color:#fff").ink
    Color(red=1.0, green=1.0, blue=1.0, alpha=1.0)
    """
    return read_declarations(parse_declarations(style))


def parse_declarations(rules: str) -> dict[str, str]:
    """Return the declarations that affect visibility, the last one of each property, in lower case."""
    if "/*" in rules:
        rules = _COMMENT.sub("", rules)
    return {name.lower(): value.partition("!")[0].strip().lower() for name, value in DECLARATION.findall(rules)}


def read_declarations(declared: Mapping[str, str], variables: Mapping[str, str] | None = None) -> Appearance:
    """Return the appearance that all declarations give together. variables: custom properties of the page, by name."""
    if not declared:
        return NO_APPEARANCE
    if "var(" in "".join(declared.values()):
        declared = {name: _fill_variables(value, variables or {}) for name, value in declared.items()}
    display = declared.get("display")
    names = declared.keys()
    size = None if names.isdisjoint(_SIZE_PROPERTIES) else _text_pixels(declared)
    ink = parse_color(declared.get("-webkit-text-fill-color") or declared.get("color") or "")
    if "text" in (declared.get("background-clip") or declared.get("-webkit-background-clip") or ""):
        ink = None  # the background is the ink
    return Appearance(
        hides_box=(
            display == "none"
            or declared.get("visibility") in ("hidden", "collapse")
            or declared.get("content-visibility") == "hidden"
            or (not names.isdisjoint(_PLACE_PROPERTIES) and _is_off_page(declared))
            or (not names.isdisjoint(_CLIP_PROPERTIES) and _is_clipped(declared))
        ),
        hides_words=(
            (not names.isdisjoint(_ROOM_PROPERTIES) and _has_no_room(declared))
            or (not names.isdisjoint(_OPACITY_PROPERTIES) and _is_transparent(declared))
        ),
        hides_letters=(
            (size is not None and size < MIN_TEXT_PIXELS)
            or (ink is not None and ink.alpha < MIN_ALPHA)
            or ("letter-spacing" in declared and _letter_spacing_em(declared) <= MIN_NEGATIVE_SPACING)
        ),
        shows_box=display is not None and display != "none",
        shows_letters=size is not None and size >= MIN_TEXT_PIXELS,
        behind="z-index" in declared and _is_behind(declared),
        out_of_flow=declared.get("position") in ("absolute", "fixed"),
        ink=ink,
        ground=None if names.isdisjoint(_GROUND_PROPERTIES) else _ground(declared),
    )


@lru_cache(_STYLE_CACHE_SIZE)
def parse_color(value: str) -> Color | None:
    """Return a colour of CSS or of an HTML attribute. Return None for no colour or one that depends on the
    surroundings.

    >>> parse_color("FFFFFF") == parse_color("hsl(0 0% 100%)") == WHITE
    True
    """
    if not value:
        return None
    if _BARE_HEX_COLOR.fullmatch(value):
        value = f"#{value}"
    if _HEX_COLOR.fullmatch(value):
        digits = value[1:] if len(value) > 4 else "".join(digit * 2 for digit in value[1:])
        return Color(*(int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)))
    parsed = parse_css_color(value)
    if parsed is None or isinstance(parsed, str):
        return None
    try:
        red, green, blue = parsed.to("srgb").coordinates
    except NotImplementedError:  # a colour space that the parser does not convert
        return None
    return Color(red or 0.0, green or 0.0, blue or 0.0, parsed.alpha)


def contrast(first: Color, second: Color) -> float:
    """Return the contrast ratio of two opaque colours (WCAG 2.2), from 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(_STYLE_CACHE_SIZE)
def is_unreadable(ink: Color, ground: Color) -> bool:
    """Tell whether ink of this colour is invisible on this background. Picture backgrounds give False."""
    if ink.alpha < MIN_ALPHA:
        return True
    if ground == PICTURE_GROUND:
        return False
    seen = Color(*(part * ink.alpha + below * (1 - ink.alpha) for part, below in zip(ink[:3], ground[:3], strict=True)))
    return contrast(seen, ground) < MIN_CONTRAST


def _luminance(color: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (min(1.0, max(0.0, part)) for part in color[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _fill_variables(value: str, variables: Mapping[str, str]) -> str:
    for _ in range(4):  # variables that reference variables
        if "var(" not in value:
            break
        value = _VARIABLE.sub(lambda match: variables.get(match[1], (match[2] or "").strip()), value)
    return value


def _pixels(value: str | None) -> float | None:
    """Return a length in pixels. Percentages and factors give None, except 0."""
    match = _LENGTH.fullmatch(value.strip()) if value else None
    if match is None:
        return None
    number = _to_float(match[1])
    unit = (match[2] or "").lower()
    if not unit:
        return 0.0 if number == 0 else None
    return number * _PIXELS_OF_UNIT[unit] if unit != "%" else (0.0 if number == 0 else None)


def _number(value: str | None) -> float | None:
    """Return a number or a percentage as a factor."""
    match = _LENGTH.fullmatch(value.strip()) if value else None
    if match is None or match[2] not in (None, "%"):
        return None
    return _to_float(match[1]) / (100 if match[2] else 1)


def _to_float(written: str) -> float:
    """Return the number. An unparsable one gives NaN, which hides nothing."""
    try:
        return float(written)
    except ValueError:
        return math.nan


def _text_pixels(declared: Mapping[str, str]) -> float | None:
    size = declared.get("font-size")
    if size is None and (match := _FONT_SIZE_IN_FONT.search(declared.get("font", ""))):
        size = match[1]
    if size is None:
        return None
    if size.endswith("%") and (share := _number(size)) is not None:
        return share * ROOT_TEXT_PIXELS
    return _pixels(size)


def _letter_spacing_em(declared: Mapping[str, str]) -> float:
    return (_pixels(declared.get("letter-spacing")) or 0.0) / ROOT_TEXT_PIXELS


def _has_no_room(declared: Mapping[str, str]) -> bool:
    for name in ("width", "height"):
        if (value := declared.get(name, "").lstrip()).startswith(_ZERO_BEGINNINGS) and _pixels(value) == 0:
            return True
    zoom = _number(declared.get("zoom"))
    return (zoom is not None and 0 <= zoom < MIN_SCALE) or any(scale < MIN_SCALE for scale in _scales(declared))


def _scales(declared: Mapping[str, str]) -> list[float]:
    scales = [abs(number) for part in declared.get("scale", "").split() if (number := _number(part)) is not None]
    for name, written in _FUNCTION.findall(declared.get("transform", "")):
        if name.startswith("scale"):
            scales += [abs(number) for part in written.split(",") if (number := _number(part)) is not None]
        elif name in ("rotatex", "rotatey") and re.fullmatch(r"-?(?:90|270)deg", written.strip()):
            scales.append(0.0)  # the edge is visible
    return scales


def _is_transparent(declared: Mapping[str, str]) -> bool:
    opacity = _number(declared.get("opacity"))
    if opacity is not None and opacity < MIN_ALPHA:
        return True
    return any(
        name == "opacity" and (share := _number(written)) is not None and share < MIN_ALPHA
        for name, written in _FUNCTION.findall(declared.get("filter", ""))
    )


def _is_off_page(declared: Mapping[str, str]) -> bool:
    if "-" not in "".join([declared.get(name, "") for name in _PLACE_PROPERTIES]):
        return False
    places = (_pixels(declared.get(name)) for name in ("left", "right", "top", "bottom", "text-indent"))
    if any(place is not None and place <= -MIN_OFFSET_PIXELS for place in places):
        return True
    shifts = [declared.get(name) for name in ("margin-left", "margin-top")]
    shifts += declared.get("margin", "").split() + declared.get("translate", "").split()
    for name, written in _FUNCTION.findall(declared.get("transform", "")):
        if name.startswith("translate"):
            shifts += written.split(",")
    return any((place := _pixels(shift)) is not None and place <= -MIN_SHIFT_PIXELS for shift in shifts)


def _is_clipped(declared: Mapping[str, str]) -> bool:
    path = declared.get("clip-path", "")
    if _CLIP_INSET.search(path):
        return True
    if (match := _CLIP_POLYGON.search(path)) and len({point.strip() for point in match[1].split(",")}) == 1:
        return True
    if match := _CLIP_RECT.search(declared.get("clip", "")):
        sides = [_pixels(side) for side in re.split(r"[\s,]+", match[1].strip())]
        if len(sides) == 4 and None not in sides:  # top, right, bottom, left
            top, right, bottom, left = (side or 0.0 for side in sides)
            if bottom - top <= MAX_CLIPPED_PIXELS or right - left <= MAX_CLIPPED_PIXELS:
                return True
    hidden = {declared.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")} & {"hidden", "clip"}
    if not hidden:
        return False
    room = (_pixels(declared.get(name)) for name in ("width", "height", "max-width", "max-height", "line-height"))
    return any(pixels is not None and 0 <= pixels <= MAX_CLIPPED_PIXELS for pixels in room)


def _is_behind(declared: Mapping[str, str]) -> bool:
    place = _number(declared.get("z-index"))
    return place is not None and place < 0 and declared.get("position", "static") != "static"


def _ground(declared: Mapping[str, str]) -> Color | None:
    ground: Color | None = None
    for name in _GROUND_PROPERTIES:
        value = declared.get(name)
        if not value:
            continue
        if _PICTURE.search(value):
            return PICTURE_GROUND
        for part in (value, *value.split()):
            if (color := parse_color(part)) is not None:
                ground = color if color.alpha > 0.5 else ground
                break
    return ground
