"""Screen candidate works by their pinyin initials, stored on this machine, before anything is fetched."""

from collections.abc import Collection, Iterable, Sequence

from matcher.attribution.align_pair import MAX_THOROUGH_CANDIDATES
from matcher.model import Candidate
from matcher.retrieval.candidates import MIN_LIKELY_SCORE
from wenhen.fingerprints.letter_file import WorkLetters, WorkVersion
from wenhen.fingerprints.reading import TextReading
from wenhen.product.context import Context
from wenhen.product.settings import DEFAULT_SHORTEST_PASSAGE
from wenhen.works.model import COMMON_PREFIX, Work

Look = tuple[TextReading, Sequence[Candidate]]  # a text, and its candidates in ranking order


class CandidateScreen:
    """Find the candidates that certainly share no passage with a text.

    A candidate is not refused if its initials are not on this machine, or if it may have a short passage.
    """

    def __init__(self, context: Context, looks: Iterable[Look]) -> None:
        self._context = context
        self._missing: set[WorkVersion] = set()
        self._noted: dict[WorkVersion, WorkLetters] = {}
        self._refused: set[tuple[TextReading, str]] = set()  # a text and the id of a work
        self._refused_thoroughly: set[tuple[TextReading, str]] = set()
        if context.work_letters is None or context.settings.matcher.shortest_passage < DEFAULT_SHORTEST_PASSAGE:
            return
        short = context.short_works.of(
            lambda: [work.id for work in context.store.works.with_shortest_below(DEFAULT_SHORTEST_PASSAGE)]
        )
        for reading, ranked in looks:
            self._screen(reading, [candidate for candidate in ranked if candidate.owner_id not in short])

    def refuses(self, reading: TextReading, candidate: Candidate, *, thorough: bool) -> bool:
        """Return whether alignment would find nothing. thorough: as for `align_pair`."""
        return (reading, candidate.owner_id) in (self._refused_thoroughly if thorough else self._refused)

    def select_candidates(self, reading: TextReading, ranked: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that will be aligned."""
        thorough = _thorough_candidates(ranked)
        return [
            candidate
            for candidate in ranked
            if not self.refuses(reading, candidate, thorough=candidate.owner_id in thorough)
        ]

    def note_text(self, work: Work, reading: TextReading) -> None:
        """Note the initials of a work whose text was fetched, if they are missing on this machine."""
        version = work.id, work.version
        if version in self._missing:
            self._missing.discard(version)
            self._noted[version] = WorkLetters.of(reading.text, reading.letters)

    def keep_letters(self) -> None:
        """Store the noted initials on this machine."""
        if self._noted and self._context.work_letters is not None:
            self._context.work_letters.put(self._noted)
            self._noted = {}

    def _screen(self, reading: TextReading, ranked: Sequence[Candidate]) -> None:
        assert self._context.work_letters is not None
        thorough = _thorough_candidates(ranked)
        by_version = {(candidate.owner_id, candidate.owner_version): candidate for candidate in ranked}
        self._missing |= by_version.keys()
        for version, letters in self._context.work_letters.read(by_version):
            self._missing.discard(version)
            candidate, key = by_version[version], (reading, version[0])
            if reading.screen.may_share_blocks(letters.codes):
                continue
            self._refused.add(key)
            # Another reading of the page (see `TextReading.readings`) may share what the page itself does not.
            read_otherwise = candidate.score >= MIN_LIKELY_SCORE
            if version[0] in thorough and not read_otherwise and not reading.screen.may_share_scattered(*letters):
                self._refused_thoroughly.add(key)


def is_common_text(candidate: Candidate) -> bool:
    """Return whether the candidate is a common text."""
    return candidate.owner_id.startswith(COMMON_PREFIX)


def _thorough_candidates(ranked: Iterable[Candidate]) -> Collection[str]:
    """Return the ids of the works that are compared thoroughly if no earlier work is skipped."""
    works = (candidate.owner_id for candidate in ranked if not is_common_text(candidate))
    return {id for _, id in zip(range(MAX_THOROUGH_CANDIDATES), works)}  # noqa: B905  the first of many
