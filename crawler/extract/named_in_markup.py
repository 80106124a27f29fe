"""What the markup of a page names, all looked for at once.

Whatever it does not name is not in the tree, where looking for it takes ten times as long.
"""

from typing import Final

import re2  # which looks for many words at once

from crawler.extract.posts.softwares import SOFTWARES

BASE: Final = "<base"
STYLE: Final = "<style"
LINKED_DATA: Final = "application/ld"
AUTHOR: Final = "author"
BYLINE: Final = "byline"
TIME: Final = "<time"
FORUM: Final = "forum"  # a sign of a program that writes posts


def named_in(small: bytes) -> frozenset[str]:
    """Which of these it names. small: the markup in UTF-8 and small letters."""
    return frozenset(_NAMES[number] for number in _WORDS.Match(small) or ())


_LOOKED_FOR = {
    **{word: word for word in (BASE, STYLE, LINKED_DATA, AUTHOR, BYLINE, TIME)},
    **{sign.lower(): FORUM for one in SOFTWARES for sign in one.signs},
}
_NAMES = tuple(_LOOKED_FOR.values())
_WORDS = re2.Set.SearchSet()
for _word in _LOOKED_FOR:
    _WORDS.Add(re2.escape(_word))
_WORDS.Compile()
