"""Our own works and texts, to which the quality of detection is held, and the floors that it must not fall below."""

import random
from functools import cache
from pathlib import Path

from tests.support.quality.library import Library
from wenhen.demo.articles import OWN_TEXTS_DIR, load_works, own_paragraphs

FLOORS = Path(__file__).parents[2] / "quality" / "floors.json"


@cache
def library() -> Library:
    """The works of the demo, indexed."""
    return Library({title: draft.text for title, draft in load_works().items()})


@cache
def own_texts() -> list[str]:
    """Texts that copy nothing; a page is made of one and the passage in it."""
    return ["\n".join(own_paragraphs(path.stem)) for path in sorted(OWN_TEXTS_DIR.glob("*.txt"))]


def page_with(text: str, rng: random.Random) -> str:
    """Among lines of our own that copy nothing."""
    lines = own_paragraphs(rng.choice(sorted(path.stem for path in OWN_TEXTS_DIR.glob("*.txt"))))
    cut = rng.randrange(len(lines) + 1)
    return "\n".join([*lines[:cut], text, *lines[cut:]])
