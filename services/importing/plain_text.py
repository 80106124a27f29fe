"""One file, one work: plain text, Markdown."""

import re
from pathlib import PurePosixPath

from services.importing.drafts_and_refusals import FoundIn, checked, id_from_origin, text_of
from store.records import WorkDraft

_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)
_HEADING_WITHIN = 2000  # code points: a later heading is a section's


def read_text(content: bytes, origin: str) -> FoundIn:
    """A .txt file; its name is the title."""
    title = PurePosixPath(origin).stem
    yield checked(WorkDraft(id=id_from_origin(origin), title=title, text=text_of(content), origin=origin))


def read_markdown(content: bytes, origin: str) -> FoundIn:
    """A .md file; its first heading is the title."""
    text = text_of(content)
    heading = _HEADING.search(text, 0, _HEADING_WITHIN)
    title = heading.group(1) if heading else PurePosixPath(origin).stem
    body = text[: heading.start()] + text[heading.end() :] if heading else text
    yield checked(WorkDraft(id=id_from_origin(origin), title=title, text=body.strip(), origin=origin))
