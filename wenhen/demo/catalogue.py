"""Load the list of the demo's article pages: text, address, disguise and encoding."""

import json
from pathlib import Path
from typing import Any, Final

from wenhen.demo.articles import (
    BIG5,
    GBK,
    GBK_SAID_TO_BE_GB2312,
    GBK_SAID_TO_BE_UTF8,
    UTF8,
    Article,
    CopiedText,
    Encoding,
    OwnText,
)

_ARTICLES_FILE: Final = Path(__file__).with_name("articles.jsonl")  # one article a line, in the order of the lists
_ENCODINGS: Final[dict[str, Encoding]] = {
    "utf8": UTF8,
    "gbk": GBK,
    "big5": BIG5,
    "gbk-said-to-be-utf8": GBK_SAID_TO_BE_UTF8,
    "gbk-said-to-be-gb2312": GBK_SAID_TO_BE_GB2312,
}


def _make_article(fields: dict[str, Any]) -> Article:
    encoding = _ENCODINGS[fields.pop("encoding", "utf8")]
    parts = tuple(CopiedText(**part) if "work_title" in part else OwnText(**part) for part in fields.pop("parts"))
    return Article(**fields, encoding=encoding, parts=parts)


ARTICLES: Final[tuple[Article, ...]] = tuple(
    _make_article(json.loads(line)) for line in _ARTICLES_FILE.read_text(encoding="utf-8").splitlines()
)
