"""RTF 1.9, whose characters beyond ASCII may be escaped, in the code page of their font, or stand there as bytes."""

import re

from striprtf.striprtf import rtf_to_text

from crawler.extract.files.document import Document, whole

BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def read_rtf(content: bytes) -> Document:
    """Its text; bytes beyond ASCII are escaped first, so that they are read in their code page."""
    written = BEYOND_ASCII.sub(lambda sign: b"\\'%02x" % sign[0][0], content).decode("ascii")
    text = rtf_to_text(written, encoding="gb18030", errors="replace")  # type: ignore[no-untyped-call]  # striprtf's
    return Document(whole(text))
