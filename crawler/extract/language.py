"""In which language a page is written."""

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.json_ld import Stated, text_at

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_NO_HAN = re.compile(r"[^\u3400-\u9fff\uf900-\ufaff]+")
_NO_KANA = re.compile(r"[^\u3040-\u30ff]+")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
SAMPLE = 2000  # characters of a text by which its language is decided
CHINESE = 0.3  # share of Han characters from which a text is Chinese, whatever its template declares
JAPANESE = 0.1  # share of kana that no Chinese text has


def language(tree: LexborHTMLParser, metas: Mapping[str, str], stated: Stated, text: str) -> str | None:
    """The language of the text as a tag of BCP 47: as stated, unless the characters say otherwise.

    Templates of Chinese sites are often left at the "en" that they were bought with.
    """
    root = tree.css_first("html")
    attributes = root.attributes if root else {}
    declared = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        metas.get("og:locale"),
        text_at(stated, "inLanguage"),
    )
    matches = (LANGUAGE.match(value.strip()) for value in declared if value)
    tag = next((found[0].replace("_", "-") for found in matches if found), None)
    seen = language_by_characters(text)
    if seen is None or (seen == "zh" and tag and tag.lower().startswith("zh")):
        return tag
    return seen


def language_by_characters(text: str) -> str | None:
    """`zh` or `ja`, where the characters of a text say so.

    >>> [language_by_characters(text) for text in ("长江边上的一座小城", "川のほとりの町", "a town")]
    ['zh', 'ja', None]
    """
    sample = "".join(text[:SAMPLE].split())
    if len(_NO_KANA.sub("", sample)) > JAPANESE * len(sample):
        return "ja"
    return "zh" if len(_NO_HAN.sub("", sample)) > CHINESE * len(sample) else None
