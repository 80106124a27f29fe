"""Find works that a page paraphrases, by rare words and background frequencies.

Suspicions that rest on text which is nobody's own are left out: classics, statutes, forms, customary wording. What a
common text has, and what many unrelated pages or works have, is blanked on the page. A suspicion that the rest does not
carry is none.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from matcher.attribution.text_on_many_pages import PageOrigin, StoredPages, customary_spans, look_up_pages
from matcher.model import Passage
from matcher.paraphrase.evidence import Portion
from matcher.paraphrase.plain_characters import Background, PlainText, learn_background, to_plain_text
from matcher.paraphrase.rare_word_retrieval import (
    DOCUMENT_CHARACTERS,
    RetrievedDocument,
    extract_rare_words,
    retrieve_documents,
)
from matcher.paraphrase.retellings import split_page, suspect_retelling
from matcher.paraphrase.sentence_vectors import SentenceText
from matcher.paraphrase.suspicions import (
    MIN_SUSPECTED_SCORE,
    PlacedWork,
    Suspicion,
    WeighedWork,
    explain_suspicion,
    find_suspicions,
    make_near_suspect_test,
    shared_portions,
    weigh_works,
)
from matcher.retrieval.candidates import group_by_size
from wenhen.context.use_cases import Context
from wenhen.fingerprints.model import WorkSegment
from wenhen.fingerprints.reading import TextReading, load_readings
from wenhen.kit.errors import IndexNotReady
from wenhen.kit.progress import OwnerKind
from wenhen.matching.comparison import Source, stored_pages
from wenhen.works.model import COMMON_PREFIX, Work


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


BACKGROUND_SAMPLE_WORKS = 1_000  # works that the background frequencies are learnt from
_BACKGROUND_SAMPLE_CHARACTERS = 1_000_000  # characters of those works at most
_BACKGROUND_TEXTS_PER_BATCH = 50  # texts that are fetched at a time
_BACKGROUND_MAX_GROWTH = 2  # growth factor of the library at which the background is learnt again


def load_background(context: Context, number: int) -> Background:
    """Return the background frequencies, learnt again if the library has grown much.

    number: a fingerprint number that the library has assigned.
    """
    kept = context.background
    if kept.background is None or number >= _BACKGROUND_MAX_GROWTH * kept.documents:
        kept.documents = context.store.fingerprints.count_reserved(OwnerKind.WORK)
        kept.background = learn_background(_sample_characters(context))
    return kept.background


def _sample_characters(context: Context) -> Iterator[PlainText]:
    left = _BACKGROUND_SAMPLE_CHARACTERS
    digests = [work.text_digest for work in context.store.works.sample(BACKGROUND_SAMPLE_WORKS)]
    for begin in range(0, len(digests), _BACKGROUND_TEXTS_PER_BATCH):
        batch = digests[begin : begin + _BACKGROUND_TEXTS_PER_BATCH]
        texts = context.store.blobs.get_texts(batch)
        for digest in batch:
            text = texts[digest][:left]
            left -= len(text)
            yield to_plain_text(text)
        if left <= 0:
            return


# Paraphrase look-up: find pages that tell a work in other words, which shared letters do not show. It gives suspicions
# that a person has to review. No rule confirms one, and nothing of it counts as copied.


MIN_SHARED_WORTH = 1.5  # minimum weight of shared words to weigh a work; a word in no other text weighs 1
MAX_WEIGHED_WORKS = 8  # works that are weighed first; others only near a suspect one, because they may be as close
_MAX_CHARACTERS_PER_BATCH = 1_000_000  # characters of works that are weighed at a time
_MAX_COPIED_SHARE = 0.75  # copied share of a portion above which it is not considered
_MIN_UNCOPIED_CHARACTERS = 100  # characters; a text whose longest uncopied piece is shorter is skipped


class SuspectedWork(NamedTuple):
    """A work that a text may paraphrase. page: the text's characters, which the evidence refers to."""

    work: Work
    page: PlainText
    suspicion: Suspicion


@dataclass(slots=True)
class _ParaphraseLookup:
    """A text that is worth a paraphrase look-up.

    - taken: passages of the text that were copied.
    - known: ids of works that the text copies.
    - likely: candidates to be weighed.
    - others: candidates that are weighed only near a suspect one.
    - sentences: the sentences of a text in an alphabetic script; None for others.
    - retellings: result of the sentence comparison, by work id.
    - common_texts: candidates that are nobody's own.
    """

    reading: TextReading
    taken: Sequence[Passage]
    known: Set[str]
    likely: Sequence[RetrievedDocument]
    others: Sequence[RetrievedDocument]
    background: Background
    sentences: SentenceText | None
    weighed: list[WeighedWork] = field(default_factory=list)
    retellings: dict[str, Suspicion | None] = field(default_factory=dict)
    common_texts: list[PlainText] = field(default_factory=list)

    @property
    def page(self) -> PlainText:
        return self.reading.characters


_PlacedLookup = tuple[_ParaphraseLookup, list[tuple[RetrievedDocument, WorkSegment]]]


def find_paraphrased_works(
    context: Context, reading: TextReading, copied: Sequence[Source], pages: StoredPages | None = None
) -> list[SuspectedWork]:
    """Return the works that a text may paraphrase, the most likely first; none while the index is missing.

    copied: works that the text copies literally. Those parts need no paraphrase look-up. pages: pages that show what
    everybody writes, if they are not those of the store.
    """
    return find_paraphrased_works_of_all(context, [(reading, copied)], pages)[0]


def find_paraphrased_works_of_all(
    context: Context, texts: Sequence[tuple[TextReading, Sequence[Source]]], pages: StoredPages | None = None
) -> list[list[SuspectedWork]]:
    """Return the paraphrased works of each of several texts, in few queries. pages: as above."""
    suspects: list[list[SuspectedWork]] = [[] for _ in texts]
    try:
        looks = _make_lookups(context, texts)
    except IndexNotReady:
        return suspects
    _weigh_lookups(context, [(look, look.likely) for look in looks.values()])
    _weigh_lookups(context, [(look, list(_neighbouring_candidates(look))) for look in looks.values()])
    for number, resolved in _resolve_works(context, looks, witnesses_of(context, pages)).items():
        suspects[number] = resolved
    return suspects


def _make_lookups(
    context: Context, texts: Sequence[tuple[TextReading, Sequence[Source]]]
) -> dict[int, _ParaphraseLookup]:
    """Return the look-ups of texts that have likely works, by index in `texts`. Raises IndexNotReady."""
    if not context.settings.matcher.suspicions:
        return {}
    left: dict[int, tuple[PlainText, list[Passage]]] = {}
    for number, (reading, copied) in enumerate(texts):
        taken = [passage for source in copied for passage in source.comparison.passages]
        if not taken or _longest_uncopied(len(reading.text), taken) >= _MIN_UNCOPIED_CHARACTERS:
            left[number] = reading.characters, taken
    looks = {}
    retrieved = _retrieve_candidates(context, [page for page, _ in left.values()])
    for (number, (page, taken)), documents in zip(left.items(), retrieved, strict=True):
        kept = [
            document
            for document in documents
            if not taken or not _is_mostly_copied(page, document.page, taken, _MAX_COPIED_SHARE)
        ]
        if likely := sum(document.weight >= MIN_SHARED_WORTH for document in kept[:MAX_WEIGHED_WORKS]):
            known = {source.work.id for source in texts[number][1]}
            background = load_background(context, max(document.number for document in kept))
            sentences = split_page(page)
            looks[number] = _ParaphraseLookup(
                texts[number][0], taken, known, kept[:likely], kept[likely:], background, sentences
            )
    return looks


def _neighbouring_candidates(look: _ParaphraseLookup) -> Iterator[RetrievedDocument]:
    """Yield further candidates that lie near suspect ones."""
    if near := make_near_suspect_test(look.page, look.weighed):
        yield from (other for other in look.others if near(other.page))


def _resolve_works(
    context: Context, looks: Mapping[int, _ParaphraseLookup], witnesses: Sequence[StoredPages]
) -> dict[int, list[SuspectedWork]]:
    """Return the suspicions of each text whose works still exist. witnesses: of what everybody writes."""
    suspects = {number: _find_suspicions(look, witnesses) for number, look in looks.items()}
    ids = {suspect.id for text_suspects in suspects.values() for suspect in text_suspects}
    works = context.store.works.many(ids) if ids else {}
    return {
        number: [
            SuspectedWork(works[suspect.id], look.page, suspect)
            for suspect in suspects[number]
            if suspect.id in works and not _is_mostly_copied(look.page, suspect.evidence.page, look.taken, 0.5)
        ]
        for number, look in looks.items()
    }


def _find_suspicions(look: _ParaphraseLookup, witnesses: Sequence[StoredPages]) -> list[Suspicion]:
    """Return suspicions from similar sentences, the strongest first, and then from other evidence.

    The latter need more than text that is nobody's own.
    """
    retold = sorted(
        (retelling for retelling in look.retellings.values() if retelling),
        key=lambda retelling: (-len(retelling.passages), -retelling.evidence.score),
    )
    others = (
        suspect
        for suspect in find_suspicions(look.page, look.weighed, look.background)
        if not look.retellings.get(suspect.id)
        and not is_explained(look.reading, suspect, look.common_texts, witnesses, look.background)
    )
    return [*retold, *others]


def _is_mostly_copied(page: PlainText, place: Portion, copied: Iterable[Passage], share: float) -> bool:
    """Return whether more than `share` of a portion lies in one copied passage of any work."""
    begin, end = (int(page.starts[min(offset, len(page))]) for offset in place)
    return any(
        min(end, passage.page_end) - max(begin, passage.page_start) > share * (end - begin) for passage in copied
    )


def _longest_uncopied(length: int, copied: Iterable[Passage]) -> int:
    """Return the length in characters of the longest piece of a text that was not copied."""
    longest = reach = 0
    for begin, end in sorted((passage.page_start, passage.page_end) for passage in copied):
        longest, reach = max(longest, begin - reach), max(reach, end)
    return max(longest, length - reach)


def _retrieve_candidates(context: Context, pages: Sequence[PlainText]) -> list[list[RetrievedDocument]]:
    """Return the works that may tell the same as a portion of each page, the largest overlap first.

    A piece of a page without a likely work has none.
    """
    pieces = [extract_rare_words(page) for page in pages]
    words = list(chain.from_iterable(pieces))
    retrieved = iter(retrieve_documents(context.rare_words, words, min_weight=MIN_SHARED_WORTH) if words else ())
    return [
        sorted(_merge_retrieved(islice(retrieved, len(pieces_of_text))), key=lambda document: -document.weight)
        for pieces_of_text in pieces
    ]


def _merge_retrieved(batches: Iterable[Sequence[RetrievedDocument]]) -> Iterator[RetrievedDocument]:
    """Yield the documents found for the pieces of a page, with positions in the whole page."""
    for piece, documents in enumerate(batches):
        yield from (
            (document._replace(page=_shift_portion(document.page, piece)) for document in documents)
            if piece
            else documents
        )


def _weigh_lookups(context: Context, lookups: Sequence[tuple[_ParaphraseLookup, Sequence[RetrievedDocument]]]) -> None:
    """Weigh texts against works, except removed works and works that are known to be copied.

    The texts of works are loaded in batches that fit in memory.
    """
    numbers = {document.number for _, documents in lookups for document in documents}
    if not numbers:
        return
    segments = context.store.fingerprints.work_texts(numbers)
    placed = [(look, _place_works(look, documents, segments)) for look, documents in lookups]
    for batch in group_by_size(placed, _count_characters, _MAX_CHARACTERS_PER_BATCH):
        texts = load_readings(context, {work.text_digest for _, works_found in batch for _, work in works_found})
        for look, works_found in batch:
            pairs = [
                PlacedWork(
                    work.work_id,
                    texts[work.text_digest].characters,
                    document.page,
                    _shift_portion(document.work, work.segment),
                )
                for document, work in works_found
            ]
            look.common_texts += [pair.work for pair in pairs if pair.id.startswith(COMMON_PREFIX)]
            pairs = [pair for pair in pairs if not pair.id.startswith(COMMON_PREFIX)]
            look.weighed += weigh_works(look.page, pairs, look.background)
            if look.sentences:
                works = {pair.id: pair.work for pair in pairs if pair.id not in look.retellings}
                for id, work_text in works.items():
                    look.retellings[id] = suspect_retelling(look.sentences, id, work_text, look.background)


def _place_works(
    look: _ParaphraseLookup, documents: Iterable[RetrievedDocument], segments: Mapping[int, WorkSegment]
) -> list[tuple[RetrievedDocument, WorkSegment]]:
    """Return the candidates whose works exist and are not known to be copied."""
    placed = ((document, segments[document.number]) for document in documents if document.number in segments)
    return [(document, work) for document, work in placed if work.work_id not in look.known]


def _count_characters(placed: _PlacedLookup) -> int:
    return sum(work.length for _, work in placed[1])


def _shift_portion(place: Portion, pieces: int) -> Portion:
    return (
        Portion(place.begin + pieces * DOCUMENT_CHARACTERS, place.end + pieces * DOCUMENT_CHARACTERS)
        if pieces
        else place
    )
