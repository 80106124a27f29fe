"""The texts of pages counted as they come in and change: by site, length, language, script and charset."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from crawler.extract.chinese_script import script
from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.language import language_by_characters
from pipeline.context import Context
from store.records import Page, TextSeen


class Written(TypedDict):
    """In which language and script a text is."""

    language: str | None
    script: str | None


def written_in(extracted: ExtractedPage, text: str) -> Written:
    """As the page or its characters say; files say nothing of it. A script is that of a Chinese text."""
    language = (extracted.language or language_by_characters(text)) if text else None
    chinese = language is not None and language.lower().startswith("zh")
    return Written(language=language, script=script(text) if chinese else None)


def tally(context: Context, before: Mapping[str, Page], after: Sequence[Page]) -> None:
    """Count the texts among these that are not as they were. One that was read otherwise from the same capture (a
    template was learned, or a part of it came in) is not a change.
    """
    seen = [_seen(page, new=before[page.id].version == 0) for page in after if _is_other(before[page.id], page)]
    if seen:
        context.store.text_tallies.count(seen, context.now())


def _is_other(before: Page, after: Page) -> bool:
    told = after.text_digest is not None and after.text_digest != before.text_digest
    return told and (before.version == 0 or before.captures > 1)


def _seen(page: Page, *, new: bool) -> TextSeen:
    return TextSeen(
        site=page.site_id or page.host,
        new=new,
        length=page.length,
        language=page.language,
        script=page.script,
        charset=page.charset,
    )
