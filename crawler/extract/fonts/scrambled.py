"""Whether a text shows other characters to its readers than it holds: a font of the page maps them."""

import re

from crawler.extract.fonts.reads import reads
from store.messages import Message, message

PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
FEW = 20  # private characters; icons are fewer, ...
SHARE = 0.01  # ... and of a text less than this
NONSENSE = 0.24  # share of pairs in words: classical texts have more, characters at random less


def scrambled(text: str) -> Message | None:
    """What speaks for it, in words."""
    private = len(PRIVATE.findall(text))
    if private >= FEW and private >= SHARE * len(text):
        return message("fonts.private", count=private, share=private / len(text))
    share = reads(text)
    if share is not None and share < NONSENSE:
        return message("fonts.nonsense", share=share)
    return None
