"""Whether a text shows other characters to its readers than it holds: a font of the page maps them."""

import re

from store.messages import Message, message

PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
FEW = 20  # private characters; icons are fewer, ...
SHARE = 0.01  # ... and of a text less than this
NONSENSE = 0.24  # share of pairs in words: classical texts have more, characters at random less
SPOKEN = 0.07  # how far syllables belong together: those of homophones do further, of characters at random less
DECLARED = re.compile(r"@font-face|@import|\bFontFace\(|<link\b[^>]{0,2000}?\b(?:stylesheet|font)\b", re.IGNORECASE)


def scrambled(text: str, html: str) -> Message | None:
    """What speaks for it, in words. html: of the page, which declares the font, or a style sheet that may."""
    private = len(PRIVATE.findall(text))
    if private >= FEW and private >= SHARE * len(text):
        return message("fonts.private", count=private, share=private / len(text))
    if not DECLARED.search(html):
        return None
    from crawler.extract.fonts.reads_like_words import reads  # with a dictionary, that only a page with fonts needs
    from crawler.extract.fonts.sounds_like_words import heard

    share = reads(text, NONSENSE)
    if share is not None and share < NONSENSE and heard(text) < SPOKEN:
        return message("fonts.nonsense", share=share)
    return None
