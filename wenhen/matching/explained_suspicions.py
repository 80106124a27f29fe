"""Leave out suspicions that rest on text which is nobody's own: classics, statutes, forms, customary wording.

What a common text has, and what many unrelated pages or works have, is blanked on the page. A suspicion that the rest
does not carry is none.
"""

from collections.abc import Collection, Iterable, Sequence

from matcher.attribution.page_text import PageOrigin, StoredPages, customary_spans, look_up_pages
from matcher.paraphrase.evidence import Portion
from matcher.paraphrase.plain_characters import Background, PlainText
from matcher.paraphrase.suspicions import MIN_SUSPECTED_SCORE, Suspicion, explain_suspicion, shared_portions
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind
from wenhen.matching.stored_pages import stored_pages
from wenhen.product.context import Context


def witnesses_of(context: Context, pages: StoredPages | None = None) -> Sequence[StoredPages]:
    """Return what shows that text is customary: stored pages, and works. pages: other pages than those of the store."""
    return pages or stored_pages(context), _stored_works(context)


def _stored_works(context: Context) -> StoredPages:
    """Return the works of the library as witnesses, each on a host of its own."""

    def find_origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        owners = context.store.fingerprints.names(OwnerKind.WORK, numbers)
        return {number: PageOrigin(id, id) for number, (id, _) in owners.items()}

    def count() -> int:
        return context.sizes.of(context.store.fingerprints, OwnerKind.WORK)

    return StoredPages(look_up_pages(context.index(OwnerKind.WORK), count), find_origins)


def is_explained(
    reading: TextReading,
    suspicion: Suspicion,
    common_texts: Iterable[PlainText],
    witnesses: Iterable[StoredPages],
    background: Background,
) -> bool:
    """Whether a suspicion rests on text that common texts, or many unrelated pages or works, have."""
    page, place = reading.characters, suspicion.evidence.page
    portions = [portion for text in common_texts for portion in shared_portions(page, place, text)]
    if reading.letters.in_order:
        start, end = int(page.starts[place.begin]), int(page.starts[place.end])
        spans = [span for pages in witnesses for span in customary_spans(reading.letters, start, end, pages)]
        portions += [Portion(*page.starts.searchsorted(span).tolist()) for span in spans]
    if not portions:
        return False
    return explain_suspicion(page, suspicion, portions, background).score < MIN_SUSPECTED_SCORE
