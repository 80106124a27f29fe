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


def named_in(markup: bytes) -> frozenset[str]:
    """Which of these it names, written large or small. markup: in UTF-8."""
    return frozenset(_NAMES[number] for number in _WORDS.Match(markup) or ())


_LOOKED_FOR = {
    **{f"(?i){word}": word for word in (BASE, STYLE, LINKED_DATA, AUTHOR, BYLINE, TIME)},
    **{re2.escape(sign): FORUM for one in SOFTWARES for sign in one.signs},  # these as they are
}
_NAMES = tuple(_LOOKED_FOR.values())
_WORDS = re2.Set.SearchSet()
for _pattern in _LOOKED_FOR:
    _WORDS.Add(_pattern)
_WORDS.Compile()
