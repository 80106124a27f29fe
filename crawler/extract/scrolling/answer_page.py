"""An answer in JSON as a page: what its strings of prose say, in their order."""

from collections.abc import Sequence
from typing import Any

from crawler.extract.charset import Decoded
from crawler.extract.extracted_page import NO_TEXT, ExtractedPage
from crawler.extract.scrolling.json_answer import prose_of, stated_in


def extract_answer(value: Any, decoded: Decoded) -> ExtractedPage:
    """The text of an answer; empty, with that noted, where it holds less than a page's."""
    lines: Sequence[str] = prose_of(value)
    problems = decoded.problems if lines else (*decoded.problems, NO_TEXT)
    return ExtractedPage(text="\n".join(lines), charset=decoded.charset, problems=tuple(problems), **stated_in(value))
