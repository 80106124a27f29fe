"""Text and ground differ enough for WCAG AA, in light and in dark."""

import re
from pathlib import Path

import pytest

import dashboard

CSS = (Path(dashboard.__file__).parent / "static" / "wenhen.css").read_text(encoding="utf-8")
BLOCKS = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in BLOCKS)
GROUNDS = ["paper", "sheet", "sunken"]
TONES = ["red", "amber", "violet", "green", "blue", "grey"]
PAIRS = [
    *[(text, ground) for text in ("ink", "soft", "link", "red") for ground in GROUNDS],
    *[(tone, f"{tone}-ground") for tone in TONES],
    *[("ink", f"{tone}-ground") for tone in TONES],
    ("soft", "grey-ground"),
    ("on-seal", "seal"),
    ("paper", "ink"),
]


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_can_be_read(colours: dict[str, str], text: str, ground: str) -> None:
    bright, dim = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5
