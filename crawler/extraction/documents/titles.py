"""Choose the title of a document: its stated one, unless a program filled in a placeholder."""

import re
from collections.abc import Sequence

# Placeholders of programs: a template's or program's name, a word for "untitled", a prefix to a file name.
_PROGRAM_PREFIX = re.compile(r"(?:Microsoft (?:Office )?(?:Word|PowerPoint|Excel)|WPS Writer|WPS 文字) ?[-–—] ?", re.I)
_PLACEHOLDER = re.compile(
    r"(?:Word|WPS|PowerPoint|Excel|Microsoft Word|Microsoft Office Word|Rich Text|PDF) ?(?:Document|文档|文稿|文件)"
    r"|(?:Document|Doc|文档|文件|文稿|Untitled|Unknown|Unnamed|无标题|無標題|未命名|标题|標題"
    r"|Title|No Title|\[No Title\])"
    r"[ _-]{0,3}\d{0,4}"
    r"|(?:新建|新規|New) ?(?:Microsoft )?(?:Office )?(?:Word|WPS|文本|RTF)? ?(?:文档|文件|Document)[ (（\d)）]{0,8}"
    r"|PowerPoint (?:演示文稿|Presentation)|演示文稿 ?\d{0,4}|幻灯片 ?\d{0,4}",
    re.IGNORECASE,
)
_FILE_ENDING = re.compile(r"\.(?:docx?|rtf|wps|odt|pdf|pptx?|xlsx?|txt|html?|dot|dotx|indd|qxd|p65|pmd)$", re.I)
MAX_TITLE_CHARACTERS = 200  # characters of a heading that is a title


def stated_title(title: str | None) -> str | None:
    """Return the title that a document states, or None for a placeholder."""
    words = " ".join((title or "").replace("\0", "").split())
    prefix = _PROGRAM_PREFIX.match(words)
    if prefix:
        words = words[prefix.end() :]
    if prefix or _FILE_ENDING.search(words):  # the name of a file
        words = _FILE_ENDING.sub("", words.rpartition("\\")[2].rpartition("/")[2]).strip()
    return None if not words or _PLACEHOLDER.fullmatch(words) else words


def heading_title(titles: Sequence[str], headings: Sequence[str]) -> str | None:
    """Return the first line in title style, or the only first-level heading. Several such headings name chapters."""
    title = titles[0] if titles else headings[0] if len(headings) == 1 else None
    return title if title is not None and len(title) <= MAX_TITLE_CHARACTERS else None
