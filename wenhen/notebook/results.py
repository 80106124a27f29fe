"""Define what `import wenhen` returns: frozen records, and their pandas tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wenhen.kit.errors import SetupError
from wenhen.texts.fingerprint_view import ShownFingerprint, WindowOfText
from wenhen.texts.parallels import Parallel

if TYPE_CHECKING:
    from pandas import DataFrame


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
