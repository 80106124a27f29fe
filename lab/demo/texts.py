"""The texts that the little web is made of: the works, as the product imports them, and texts that copy nothing."""

import re
from functools import cache
from pathlib import Path

from services.importing.drafts_and_refusals import Refused
from services.importing.read_paths import read_paths
from store.errors import BadInput
from store.records import WorkDraft

_HERE = Path(__file__).parent
WORKS_DIR = _HERE / "works"  # what the demo imports
OWN_TEXTS_DIR = _HERE / "own_texts"  # never imported: nobody's copies

_MARKUP = re.compile(r"^(?:#+ |- )|\*\*|`", re.MULTILINE)


@cache
def load_works() -> dict[str, WorkDraft]:
    """The demo's works by title."""
    works: dict[str, WorkDraft] = {}
    for found in read_paths([WORKS_DIR]):
        if isinstance(found, Refused):
            raise BadInput("lab.demo_work", refused=found)
        works[found.title] = found
    return works


@cache
def work_paragraphs(title: str) -> tuple[str, ...]:
    """The paragraphs of a work as a site would show them: without Markdown's marks."""
    return paragraphs_of(_MARKUP.sub("", load_works()[title].text))


@cache
def own_paragraphs(name: str) -> tuple[str, ...]:
    """The paragraphs of a text of `own_texts/`, named without its ending."""
    return paragraphs_of((OWN_TEXTS_DIR / f"{name}.txt").read_text(encoding="utf-8"))


def paragraphs_of(text: str) -> tuple[str, ...]:
    """The lines that hold text, without the white space around them."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())
