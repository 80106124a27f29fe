"""Look up, compare, fingerprint and extract texts in memory. It stores nothing and needs no server.

The results are frozen records, and their pandas tables.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.extraction.sandbox_calls import read_page
from fingerprinter.compiled import call_before_compiling
from fingerprinter.features.model import unpack_features
from matcher.attribution.align_pair import align_pair
from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE, Passage
from wenhen.cases.opening_rule import is_accusing_alone
from wenhen.context.use_cases import Product
from wenhen.fingerprints.reading import TextReading
from wenhen.fingerprints.service import store_and_fingerprint
from wenhen.kit.errors import BadInput, SetupError
from wenhen.kit.progress import OwnerKind
from wenhen.kit.python_process import COMPILING
from wenhen.notebook.memory_store import make_memory_product
from wenhen.settings.matching import MatcherSettings
from wenhen.texts.fingerprint_view import FingerprintSettings, ShownFingerprint, WindowOfText, describe_fingerprint
from wenhen.texts.parallels import ComparedText, Parallel, find_parallels_among
from wenhen.texts.source_lookup import CopiedWork, find_copied_works
from wenhen.works.model import COMMON_PREFIX, WorkDraft

if TYPE_CHECKING:
    from pandas import DataFrame

call_before_compiling(partial(logging.getLogger(__name__).warning, COMPILING))


def make_frame(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> "DataFrame":
    """Make a pandas table. Raises SetupError without pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise SetupError("notebook.no_pandas", error=error) from error
    return pd.DataFrame(list(rows), columns=list(columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPassage:
    """Describe a passage that two texts share.

    Offsets are in code points, ends exclusive. similarity is in [0, 1]. change is `verbatim`, `light` or `rewritten`.
    """

    start: int
    end: int
    work_start: int
    work_end: int
    similarity: float
    change: str
    text: str
    work_text: str


_PASSAGE_COLUMNS = tuple(field.name for field in fields(SharedPassage))


def _passage_row(passage: SharedPassage) -> dict[str, object]:
    return {name: getattr(passage, name) for name in _PASSAGE_COLUMNS}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWork:
    """Describe a work that a text was copied from.

    score: probability that the text is a copy. share_of_text, share_of_work: share of either text that was copied.
    """

    id: str
    title: str
    level: str
    score: float
    share_of_text: float
    share_of_work: float
    passages: tuple[SharedPassage, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """List the works that a text was copied from, the most likely first."""

    works: tuple[FoundWork, ...]

    def __len__(self) -> int:
        return len(self.works)

    def __iter__(self) -> Iterator[FoundWork]:
        return iter(self.works)

    def __getitem__(self, place: int) -> FoundWork:
        return self.works[place]

    def to_pandas(self) -> "DataFrame":
        """Return a table with a row for each passage. Raises SetupError without pandas."""
        own = ("id", "title", "level", "score", "share_of_text", "share_of_work")
        rows = (
            {name: getattr(work, name) for name in own} | _passage_row(passage)
            for work in self.works
            for passage in work.passages
        )
        return make_frame((*own, *_PASSAGE_COLUMNS), rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextComparison:
    """Describe the comparison of two texts. level is None if they share no passage.

    is_copy: whether the first text would be accused of copying the second, if no other text had the same passages.
    score: probability of that. In the passages, `work` is the second text.
    """

    level: str | None
    is_copy: bool
    score: float
    similarity: float
    share_of_first: float
    share_of_second: float
    passages: tuple[SharedPassage, ...]

    def to_pandas(self) -> "DataFrame":
        """Return a table with a row for each passage. Raises SetupError without pandas."""
        return make_frame(_PASSAGE_COLUMNS, map(_passage_row, self.passages))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFingerprint(ShownFingerprint):
    """Describe the fingerprint of a text: letters, frequency windows, and numbers of features."""

    def to_pandas(self) -> "DataFrame":
        """Return a table with a row for each window. Raises SetupError without pandas."""
        columns = [field.name for field in fields(WindowOfText)]
        return make_frame(columns, ({name: getattr(window, name) for name in columns} for window in self.windows))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedText:
    """Hold the main text of a page and its metadata. problems: parts that could not be read, in English."""

    text: str
    title: str | None
    author: str | None
    published_at: datetime | None
    site_name: str | None
    canonical: str | None
    language: str | None
    charset: str
    problems: tuple[str, ...]

    def to_pandas(self) -> "DataFrame":
        """Return a table with one row. Raises SetupError without pandas."""
        columns = [field.name for field in fields(self)]
        return make_frame(columns, [{name: getattr(self, name) for name in columns}])


_PARALLEL_COLUMNS = tuple(field.name for field in fields(Parallel) if field.name != "runs")


@dataclass(frozen=True, slots=True)
class Parallels:
    """List the passages that texts share, or that one of them repeats."""

    rows: tuple[Parallel, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Parallel]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> Parallel:
        return self.rows[place]

    def to_pandas(self) -> "DataFrame":
        """Return a table with a row for each passage, without the aligned runs. Raises SetupError without pandas."""
        rows: Iterator[Mapping[str, Any]] = (
            {name: getattr(row, name) for name in _PARALLEL_COLUMNS} for row in self.rows
        )
        return make_frame(_PARALLEL_COLUMNS, rows)


DEFAULT_SHORTEST_PARALLEL: Final = 12  # letters, as for the command `wenhen parallels`
_UTF_8_PAGE: Final = (("content-type", "text/html; charset=utf-8"),)

Texts = Mapping[str, str] | Iterable[str]


class Library:
    """Hold works in memory. Texts are looked up among them by the rules of production.

    >>> library = Library.from_texts({"潮汐": "入秋以后，河堤上的芦苇一天比一天白。" * 3})
    >>> len(library), len(library.find("周末的菜市场比平时更吵一些"))
    (1, 0)
    """

    def __init__(self, product: Product) -> None:
        self._product = product

    @classmethod
    def from_texts(cls, texts: Texts, *, common: Texts = (), shortest: int | None = None) -> Self:
        """Make a library of works.

        Args:
            texts: works by their title, or works alone, which are then numbered from 1.
            common: common texts (statutes, classics, forms). They explain shared text and never accuse.
            shortest: letters of the shortest passage that accuses, from 8 to 1,000. The default is 40.

        Raises:
            BadInput: a text is no str or is empty, or `shortest` is out of range.

        """
        settings = MatcherSettings() if shortest is None else MatcherSettings(shortest_passage=_in_range(shortest))
        product = make_memory_product(settings)
        drafts = [
            *(WorkDraft(id=title, title=title, text=text) for title, text in _read_texts(texts)),
            *(
                WorkDraft(id=f"{COMMON_PREFIX}{title}", title=title, text=text, common=True)
                for title, text in _read_texts(common)
            ),
        ]
        store_and_fingerprint(product, drafts)
        product.works_index.add(
            (fingerprint.number, unpack_features(fingerprint.positions, fingerprint.values))
            for fingerprint in product.store.fingerprints.all(OwnerKind.WORK)
        )
        return cls(product)

    def __len__(self) -> int:
        """Return the number of works, without common texts."""
        return self._product.store.works.count()

    def find(self, text: str) -> Findings:
        """Return the works that a text was copied from, as `wenhen scan` does. Raises BadInput if it is no str."""
        return Findings(tuple(map(_make_found_work, find_copied_works(self._product, _require_text(text, "text")))))


def compare(first: str, second: str, *, shortest: int | None = None) -> TextComparison:
    """Compare two texts: find what the first may have copied from the second.

    shortest: letters of the shortest passage that accuses. The default is 40. Raises BadInput if either is no text.
    """
    settings = MatcherSettings() if shortest is None else MatcherSettings(shortest_passage=_in_range(shortest))
    page, work = TextReading(_require_text(first, "first")), TextReading(_require_text(second, "second"))
    comparison = align_pair(
        page.text,
        page.letters,
        work.text,
        work.letters,
        thorough=True,
        kept=page.screen.kept,
        shortest=settings.shortest_passage,
        readings=lambda: page.readings,
    )
    if comparison is None:
        return TextComparison(
            level=None, is_copy=False, score=0, similarity=0, share_of_first=0, share_of_second=0, passages=()
        )
    verdict = comparison.verdict
    return TextComparison(
        level=str(verdict.level),
        is_copy=is_accusing_alone(comparison, settings.open_score),
        score=verdict.score,
        similarity=verdict.similarity,
        share_of_first=verdict.share_of_page,
        share_of_second=verdict.share_of_work,
        passages=tuple(
            _make_passage(
                passage, first[passage.page_start : passage.page_end], second[passage.work_start : passage.work_end]
            )
            for passage in comparison.passages
        ),
    )


def fingerprint(
    text: str, *, window: int | None = None, overlap: float = 0.5, highest: int | None = None
) -> TextFingerprint:
    """Make the fingerprint of a text, as `wenhen fingerprint` shows it.

    Args:
        text: any text.
        window: letters of a frequency window. The default depends on the length of the text.
        overlap: share of a window that the next window repeats.
        highest: highest digit, 1, 3, 7 or 9. The default depends on the window.

    Raises:
        BadInput: the text is no str, or the settings are out of range.

    """
    settings = FingerprintSettings(window=window, overlap=overlap, highest=highest)
    shown = describe_fingerprint(_require_text(text, "text"), settings)
    return TextFingerprint(**{field.name: getattr(shown, field.name) for field in fields(ShownFingerprint)})


def extract(page: bytes | str, url: str = "") -> ExtractedText:
    """Return the main text of a page (HTML, PDF, Word and others), as `wenhen extract` prints it.

    A sandboxed child process with limits reads the page. Raises BadInput if it is neither bytes nor str, and Unreadable
    if it exceeds the limits.
    """
    if isinstance(page, str):
        extracted = read_page(page.encode("utf-8", "replace"), _UTF_8_PAGE, url)
    elif isinstance(page, bytes | bytearray | memoryview):
        extracted = read_page(bytes(page), (), url)
    else:
        raise BadInput("notebook.no_page", kind=type(page).__name__)
    stated = ("text", "title", "author", "published_at", "site_name", "canonical", "language", "charset")
    return ExtractedText(
        **{name: getattr(extracted, name) for name in stated}, problems=tuple(map(str, extracted.problems))
    )


def parallels(texts: Texts, *, shortest: int = DEFAULT_SHORTEST_PARALLEL) -> Parallels:
    """Return every passage that texts share with each other, or that one of them repeats, as `wenhen parallels` does.

    texts: by their title, or alone. shortest: equal characters of the shortest passage, at least 8. Raises BadInput.
    """
    compared = [ComparedText(title, title, TextReading(text)) for title, text in _read_texts(texts)]
    return Parallels(tuple(find_parallels_among(compared, _in_range(shortest))))


def _read_texts(texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield the texts with their titles. Raises BadInput."""
    if isinstance(texts, str | bytes):
        raise BadInput("notebook.one_text")
    named = texts.items() if isinstance(texts, Mapping) else ((str(place), text) for place, text in enumerate(texts, 1))
    for title, text in named:
        yield _require_text(title, "title"), _require_text(text, title)


def _require_text(text: object, name: object) -> str:
    if not isinstance(text, str):
        raise BadInput("notebook.no_str", name=name, kind=type(text).__name__)
    if not text.strip():
        raise BadInput("notebook.empty", name=name)
    return text


def _in_range(shortest: int) -> int:
    if not isinstance(shortest, int) or not MIN_SHORTEST_PASSAGE <= shortest <= MAX_SHORTEST_PASSAGE:
        raise BadInput("notebook.shortest", least=MIN_SHORTEST_PASSAGE, most=MAX_SHORTEST_PASSAGE)
    return shortest


def _make_found_work(work: CopiedWork) -> FoundWork:
    return FoundWork(
        id=work.work_id,
        title=work.work_title,
        level=str(work.level),
        score=work.score,
        share_of_text=work.share_of_page,
        share_of_work=work.share_of_work,
        passages=tuple(_make_passage(*pair) for pair in work.pairs),
    )


def _make_passage(passage: Passage, text: str, work_text: str) -> SharedPassage:
    return SharedPassage(
        start=passage.page_start,
        end=passage.page_end,
        work_start=passage.work_start,
        work_end=passage.work_end,
        similarity=passage.similarity,
        change=str(passage.change),
        text=text,
        work_text=work_text,
    )
