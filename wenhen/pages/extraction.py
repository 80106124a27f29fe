"""Extract the main text of captured pages, remove host templates, and count texts by language and script."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple, TypedDict

from crawler.capture import Capture
from crawler.extraction.boilerplate.host_templates import (
    HostText,
    required_template_pages,
)
from crawler.extraction.chinese_script import detect_script
from crawler.extraction.metadata import language_by_characters
from crawler.extraction.model import ExtractedPage
from crawler.extraction.sandbox_calls import PageToRead, read_pages
from matcher.alignment.aligned_span import count_characters
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading, cache_reading
from wenhen.kit.errors import Message, NotFound, WenhenError, message
from wenhen.kit.progress import Step
from wenhen.pages.model import NO_TEXT_NOTE, LearnedLines, Page, PageText, TextSeen
from wenhen.pages.ocr_and_fonts import (
    DECIPHERED_NOTE,
    AssetReader,
    PagePictures,
    decipher_page,
    load_picture_texts,
    may_read_pictures,
)
from wenhen.pages.service import (
    PART_NOTE,
    PART_WAIT,
    WAITING_FOR_PART,
    has_previous_part,
    join_parts,
    make_part,
    must_wait_for_part,
    reread_neighbours,
)
from wenhen.sites.model import UNREADABLE_CONTENT, Site
from wenhen.steps.claims import Claim
from wenhen.steps.problems import CRAWL
from wenhen.steps.runner import StepResult, try_each

# Count new and changed texts by site, length, language, script and charset.


class TextLanguage(TypedDict):
    """The language and script of a text."""

    language: str | None
    script: str | None


def text_language(extracted: ExtractedPage, text: str) -> TextLanguage:
    """Return the language that the page declares, or the one detected from its characters.

    The script is given for Chinese texts only.
    """
    language = (extracted.language or language_by_characters(text)) if text else None
    chinese = language is not None and language.lower().startswith("zh")
    return TextLanguage(language=language, script=detect_script(text) if chinese else None)


def tally_texts(context: Context, before: Mapping[str, Page], after: Sequence[Page]) -> None:
    """Count the texts that are new or changed.

    A text that was extracted differently from the same capture is not a change. This happens when a template was
    learned or another part of the text arrived.
    """
    seen = [
        _seen_text(page, new=before[page.id].version == 0) for page in after if _is_changed_text(before[page.id], page)
    ]
    if seen:
        context.store.text_tallies.count(seen, context.now())


def _is_changed_text(before: Page, after: Page) -> bool:
    is_changed = after.text_digest is not None and after.text_digest != before.text_digest
    return is_changed and (before.version == 0 or before.captures > 1)


def _seen_text(page: Page, *, new: bool) -> TextSeen:
    return TextSeen(
        site=page.site_id or page.host,
        new=new,
        length=page.length,
        language=page.language,
        script=page.script,
        charset=page.charset,
    )


# Boilerplate removal: lines that repeat across the pages of a host are learned and stripped from the matched text. When
# the template of a host has grown and is stable, its pages with open cases are extracted again. Cases that matched only
# the template are then marked as absent. The reconciler queues these pages when there is room, so that new pages come
# first.


LINE_MEMORY = timedelta(days=180)  # how long a line is stored that no new page contains


def learn_template(context: Context, host: str, text: str) -> None:
    """Count the template lines of a new page."""
    lines = HostText(text)
    context.store.templates.learn(
        host, lines.key, lines.line_keys, required_template_pages(context.store.templates.pages(host))
    )


def learn_and_strip_templates(context: Context, texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Count the lines of new pages by host and return their texts without boilerplate.

    Each text is stripped of the lines that repeat across the pages before it.
    """
    read = {host: [HostText(text) for text in some] for host, some in texts.items()}
    learned = context.store.templates.learn_all(
        {host: [(text.key, text.line_keys) for text in some] for host, some in read.items()}
    )
    left: dict[str, list[str]] = {}
    for host, some in read.items():
        left[host], grew = _strip_as_learned(some, learned[host])
        if grew:
            context.store.templates.note_changed(host)
    return left


def _strip_as_learned(texts: Sequence[HostText], learned: LearnedLines) -> tuple[list[str], bool]:
    """Return the texts of new pages of a host without boilerplate, and whether the template has grown with them."""
    own = Counter(line for text, new in zip(texts, learned.new, strict=True) if new for line in text.line_keys)
    counts = {line: count - own[line] for line, count in learned.counts.items()}
    pages, grew, left = learned.pages - sum(learned.new), False, []
    for text, new in zip(texts, learned.new, strict=True):
        if new:
            least, pages = required_template_pages(pages), pages + 1
            counts.update({line: counts.get(line, 0) + 1 for line in text.line_keys})
            grew = grew or any(counts[line] == least for line in text.line_keys)
        left.append(text.strip_template(counts, pages) if _has_template(pages) else text.text)
    return left, grew


def strip_host_template(context: Context, host: str, text: str) -> str:
    """Return the text without the lines that repeat across the pages of the host."""
    pages = context.store.templates.pages(host)
    if not _has_template(pages):
        return text
    lines = HostText(text)
    return lines.strip_template(context.store.templates.counts(host, lines.line_keys), pages)


def strip_host_templates(context: Context, texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return by host what `strip_host_template` does, in two queries."""
    templates = context.store.templates
    pages = templates.all_pages(texts)
    read = {host: [HostText(text) for text in texts[host]] for host in texts if _has_template(pages[host])}
    counts = templates.all_counts(
        {host: {line for text in some for line in text.line_keys} for host, some in read.items()}
    )
    return {
        host: [text.strip_template(counts[host], pages[host]) for text in read[host]] if host in read else list(some)
        for host, some in texts.items()
    }


def _has_template(pages: int) -> bool:
    """Tell whether so many pages of a host are enough for a template."""
    return pages >= required_template_pages(pages)


def forget_templates(context: Context) -> None:
    """Drop template lines that no new page has contained for `LINE_MEMORY`."""
    context.store.templates.forget(context.now() - LINE_MEMORY)


# From captured bytes to the matched text: the extracted text without the host template.


PageClaim = Claim[Page]
ChooseText = Callable[[Context, str, str], str]  # of two readings of a page, the first as it is read usually
MAX_LOST_PARTS = 100  # problems reported for one page


def extract_pages(
    context: Context, claims: Sequence[PageClaim], lease: timedelta | None, choose_text: ChooseText | None = None
) -> StepResult:
    """Extract the main text of captured pages and advance them to the next step.

    choose_text: chooses between the readings of a page with doubtful spans. Without it these count as seen.
    """
    bodies = context.store.blobs.get_all({claim.record.capture.read_digest for claim in claims})
    sites, assets = _watched_sites(context, claims), AssetReader(context)
    captured = [(claim, claim.record.capture) for claim in claims]
    prepared, failed = try_each(
        captured,
        lambda claim, capture: _prepare_page(
            context, claim, sites.get(claim.record.site_id), bodies[capture.read_digest], capture, assets
        ),
    )
    ready = [(claim, reading) for claim, reading in prepared if reading is not None]
    outcomes = read_pages([reading.page for _, reading in ready])
    extracted, unread = try_each(
        [(claim, (reading, outcome)) for (claim, reading), outcome in zip(ready, outcomes, strict=True)],
        lambda claim, read: _complete_page(context, claim, sites.get(claim.record.site_id), *read, choose_text),
    )
    failed += unread
    extracted += [(claim, None) for claim, reading in prepared if reading is None]
    waiting = [claim for claim, page_text in extracted if page_text is None]
    read = [(claim, page_text) for claim, page_text in extracted if page_text is not None]
    for claim, page_text in read:
        for reason in page_text.lost[:MAX_LOST_PARTS]:
            context.store.problems.put(CRAWL, claim.record.url, reason, context.now(), kind=UNREADABLE_CONTENT)
    whole = [(claim, page_text) for claim, page_text in read if not _is_multipart(claim.record, page_text)]
    parts = [(claim, page_text) for claim, page_text in read if _is_multipart(claim.record, page_text)]
    moved = _store_texts(
        context,
        [(*page_text, text) for page_text, text in zip(whole, _matched_texts(context, whole), strict=True)],
        lease,
    )
    moved_claims, also = try_each(parts, lambda claim, page_text: _extract_part(context, claim, page_text, lease))
    sent = context.store.pages.go_on(waiting, Step.READ_PICTURES, None)
    return StepResult(
        [*moved, *(claim for _, claims_of_group in moved_claims for claim in claims_of_group), *sent], [*failed, *also]
    )


def _watched_sites(context: Context, claims: Sequence[PageClaim]) -> dict[str | None, Site]:
    """Return the watched sites of these pages by id. Removed sites are missing."""
    sites: dict[str | None, Site] = {}
    for id in {claim.record.site_id for claim in claims} - {None}:
        with suppress(NotFound):
            sites[id] = context.store.sites.get(str(id))
    return sites


class _PreparedPage(NamedTuple):
    """A page whose text can be extracted, and its pictures."""

    page: PageToRead
    pictures: PagePictures


def _prepare_page(
    context: Context, claim: PageClaim, site: Site | None, body: bytes, capture: Capture, assets: AssetReader
) -> _PreparedPage | None:
    """Collect what the extraction of a page needs. Returns None if its pictures have to be read first."""
    fetched, styles = assets.read(capture)
    pictures = load_picture_texts(context, capture, body, fetched)
    if pictures.unread and may_read_pictures(context, claim.record):
        return None
    text_at = site.text_at if site else None
    return _PreparedPage(
        PageToRead(body, tuple(capture.read_headers), capture.url, pictures.texts, text_at, tuple(styles)), pictures
    )


def _complete_page(
    context: Context,
    claim: PageClaim,
    site: Site | None,
    prepared: _PreparedPage,
    outcome: ExtractedPage | WenhenError,
    choose_text: ChooseText | None,
) -> ExtractedPage | None:
    """Return the extracted page as a reader sees it. Returns None if its scans have to be read first."""
    if isinstance(outcome, WenhenError):
        raise outcome
    extracted, (page, pictures) = outcome, prepared
    if extracted.scans and may_read_pictures(context, claim.record):
        return None
    if choose_text is not None and extracted.without_doubtful is not None:
        extracted = replace(extracted, text=choose_text(context, extracted.text, extracted.without_doubtful))
    shown = decipher_page(context, claim.record, site, page.body, page.headers, extracted)
    return replace(shown, lost=(*shown.lost, *_lost_messages(pictures, extracted)))


def _lost_messages(pictures: PagePictures, extracted: ExtractedPage) -> tuple[Message, ...]:
    """Return messages that say why text in pictures is missing from the extracted text."""
    unread = pictures.unread + len(extracted.scans)
    return (*pictures.lost, message("pictures.unread", count=unread)) if unread else pictures.lost


def _is_multipart(page: Page, read: ExtractedPage) -> bool:
    """Return whether the page is, or was, one of several pages that form a text."""
    place = read.place
    return page.part is not None or place.previous_page is not None or place.next_page is not None


def _matched_texts(context: Context, read: Sequence[tuple[PageClaim, ExtractedPage]]) -> list[str]:
    """Return the text to match for each page.

    The new pages of a host train its template in the given order. Texts of files and of OCR keep the template lines, so
    that their offsets stay valid.
    """
    left = {claim.id: page_text.text for claim, page_text in read if page_text.parts or page_text.pictures}
    others = [(claim, page_text.text) for claim, page_text in read if claim.id not in left]
    for strip, pages in (
        (learn_and_strip_templates, [(claim, text) for claim, text in others if claim.record.version == 0]),
        (strip_host_templates, [(claim, text) for claim, text in others if claim.record.version != 0]),
    ):
        texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for claim, text in pages:
            texts[claim.record.host][claim.id] = text
        stripped = strip(context, {host: list(some.values()) for host, some in texts.items()})
        for host, some in texts.items():
            left |= zip(some, stripped[host], strict=True)
    return [left[claim.id] for claim, _ in read]


def _extract_part(
    context: Context, claim: PageClaim, extracted: ExtractedPage, lease: timedelta | None
) -> list[PageClaim]:
    """Extract a page that is one part of a multi-page text.

    Returns an empty list if the page waits for its previous part or its claim was lost.
    """
    page = claim.record
    part = make_part(context, extracted)
    if part != page.part and not context.store.pages.set_part(claim, part):
        return []
    if must_wait_for_part(context, part):
        context.store.pages.release(claim, due=context.now() + PART_WAIT, problem=WAITING_FOR_PART, counts=False)
        return []
    if page.version == 0:
        learn_template(context, page.host, extracted.text)
    further = has_previous_part(context, page.url, part)
    text = (
        "" if further else strip_host_template(context, page.host, join_parts(context, page.url, part, extracted.text))
    )
    moved = _store_texts(context, [(claim, extracted, text)], lease, note=PART_NOTE if further else None)
    if part is not None:
        for moved_claim in moved:
            reread_neighbours(context, context.store.pages.get(moved_claim.id))
    return moved


def _store_texts(
    context: Context,
    read: Sequence[tuple[PageClaim, ExtractedPage, str]],
    lease: timedelta | None,
    *,
    note: str | None = None,
) -> list[PageClaim]:
    """Store the texts, then the pages that refer to them.

    note: set on every page, in place of the note that the text would give.
    """
    shown = [text for _, _, text in read if text]
    digests = dict(zip(shown, context.store.blobs.put_texts(shown), strict=True)) if shown else {}
    for text, digest in digests.items():
        cache_reading(context, digest, TextReading(text))
    texts = [
        (
            claim,
            PageText(
                text_digest=digests.get(text),
                length=len(text),
                characters=count_characters(text),
                title=extracted.title,
                author=extracted.author,
                published_at=extracted.published_at,
                charset=extracted.charset,
                note=note or _text_note(extracted, text),
                **text_language(extracted, text),
            ),
        )
        for claim, extracted, text in read
    ]
    moved = context.store.pages.set_texts(texts, Step.FINGERPRINT, lease)
    tally_texts(context, {claim.id: claim.record for claim, _, _ in read}, [claim.record for claim in moved])
    return moved


def _text_note(extracted: ExtractedPage, text: str) -> str | None:
    if not text:
        return NO_TEXT_NOTE
    return DECIPHERED_NOTE if extracted.deciphered else None
