"""Text and ground differ enough for WCAG AA, in light and in dark."""

import re
from pathlib import Path

import pytest

import dashboard

STATIC = Path(dashboard.__file__).parent / "static"
CSS = (STATIC / "wenhen.css").read_text(encoding="utf-8")
CASE = (STATIC / "case.css").read_text(encoding="utf-8")
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


HATCHES = re.findall(r"--tone: var\(--(\w+)\); --tone-ground: var\(--([\w-]+)\)", CASE)
FAINT = int(re.findall(r"var\(--tone\) (\d+)%", CASE)[0]) / 100


def mixed(colour: str, ground: str, part: float) -> str:
    """A colour laid over another one, as opaque as `part`."""
    pairs = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(part * one + (1 - part) * other):02x}" for one, other in pairs)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("tone", "ground"), HATCHES)
def test_text_can_be_read_on_the_lines_of_a_hatch(colours: dict[str, str], tone: str, ground: str) -> None:
    assert len(HATCHES) == 6
    line = mixed(colours[tone], colours[ground], FAINT)
    bright, dim = sorted((luminance(colours["ink"]), luminance(line)), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5
