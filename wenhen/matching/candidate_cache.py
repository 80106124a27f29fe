"""Fetch the candidate works of a batch of texts, with their texts, in few queries.

Candidates are screened first by their pinyin initials, which are stored on this machine.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from fingerprinter.features.model import SEGMENT_LETTERS
from matcher.attribution.calibration import Calibration
from matcher.model import DEFAULT_SHORTEST_PASSAGE, Candidate
from matcher.retrieval.candidates import MAX_THOROUGH_CANDIDATES, MIN_LIKELY_SCORE, MIN_WITNESSES
from wenhen.cases.calibration import current_calibration
from wenhen.context.use_cases import Context
from wenhen.fingerprints.letter_file import WorkLetters, WorkVersion
from wenhen.fingerprints.reading import TextReading, cache_reading, load_readings
from wenhen.kit.progress import OwnerKind
from wenhen.matching.candidates import (
    add_short_candidates,
    find_candidate_works,
    merge_pieces,
    name_owners,
    rank_pieces,
)
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
        self._screened_thoroughly: set[tuple[TextReading, str]] = set()
        self._refused_thoroughly: set[tuple[TextReading, str]] = set()
        if context.work_letters is None or context.settings.matcher.shortest_passage < DEFAULT_SHORTEST_PASSAGE:
            return
        short = context.short_works.of(
            lambda: [work.id for work in context.store.works.with_shortest_below(DEFAULT_SHORTEST_PASSAGE)]
        )
        long = [
            (reading, [candidate for candidate in ranked if candidate.owner_id not in short])
            for reading, ranked in looks
        ]
        versions = {_version_of(candidate) for _, ranked in long for candidate in ranked}
        # Texts of a batch share many candidates, so the initials of all are mapped together, and checked once.
        with context.work_letters.map(versions) as stored:
            self._missing.update(versions - stored.keys())
            for reading, ranked in long:
                self._screen(reading, ranked, stored)

    def refuses(self, reading: TextReading, candidate: Candidate, *, thorough: bool) -> bool:
        """Return whether alignment would find nothing. thorough: as for `align_pair`."""
        key = reading, candidate.owner_id
        if not thorough or key not in self._refused:
            return key in self._refused
        if key not in self._screened_thoroughly:  # it moved up among the thorough candidates
            assert self._context.work_letters is not None
            with self._context.work_letters.map([_version_of(candidate)]) as stored:
                self._screen_thoroughly(reading, [candidate], stored)
        return key in self._refused_thoroughly

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

    def _screen(
        self, reading: TextReading, ranked: Sequence[Candidate], stored: Mapping[WorkVersion, WorkLetters]
    ) -> None:
        thorough = _thorough_candidates(ranked)
        known = [candidate for candidate in ranked if _version_of(candidate) in stored]
        sharing = reading.screen.mask_sharing([stored[_version_of(candidate)].codes for candidate in known])
        refused = [candidate for candidate, shares in zip(known, sharing.tolist(), strict=True) if not shares]
        self._refused.update((reading, candidate.owner_id) for candidate in refused)
        self._screen_thoroughly(reading, [candidate for candidate in refused if candidate.owner_id in thorough], stored)

    def _screen_thoroughly(
        self, reading: TextReading, refused: Sequence[Candidate], stored: Mapping[WorkVersion, WorkLetters]
    ) -> None:
        """Find those of the refused candidates that a thorough comparison would refuse as well."""
        self._screened_thoroughly.update((reading, candidate.owner_id) for candidate in refused)
        letters = [
            (candidate.owner_id, stored[_version_of(candidate)])
            for candidate in refused
            # Another reading of the page (see `TextReading.readings`) may share what the page itself does not.
            if candidate.score < MIN_LIKELY_SCORE and _version_of(candidate) in stored
        ]
        sharing = reading.screen.mask_sharing_scattered(
            [each.codes for _, each in letters], [each.points for _, each in letters]
        )
        self._refused_thoroughly.update(
            (reading, id) for (id, _), shares in zip(letters, sharing.tolist(), strict=True) if not shares
        )


def _version_of(candidate: Candidate) -> WorkVersion:
    return candidate.owner_id, candidate.owner_version


def is_common_text(candidate: Candidate) -> bool:
    """Return whether the candidate is a common text."""
    return candidate.owner_id.startswith(COMMON_PREFIX)


def _thorough_candidates(ranked: Iterable[Candidate]) -> Collection[str]:
    """Return the ids of the works that are compared thoroughly if no earlier work is skipped."""
    works = (candidate.owner_id for candidate in ranked if not is_common_text(candidate))
    return {id for _, id in zip(range(MAX_THOROUGH_CANDIDATES), works)}  # noqa: B905  the first of many


MAX_CACHED_LETTERS = 4_000_000  # letters of the works that are fetched at a time
_MAX_WORKS_PER_QUERY = 3  # works that one query asks for; two simple ones are faster for more
_STRETCH_LETTERS = 256  # letters of a section of the text that counts its witnesses separately
_LONG_TEXT_LETTERS = 20_000  # characters; longer texts are fetched only when they are read


class CandidateCache:
    """The current candidate works of some texts, without removed works.

    Candidates that certainly share no passage are not fetched.

    - calibration: calibration of the comparison. Without it the current one is loaded.
    - screen, works: the screen and the works, if the caller has screened and fetched them already.
    """

    def __init__(
        self,
        context: Context,
        looks: Sequence[Look],
        calibration: Calibration | None = None,
        screen: CandidateScreen | None = None,
        works: Mapping[str, Work] | None = None,
    ) -> None:
        self._context = context
        self.calibration = calibration or current_calibration(context)
        self.screen = screen or CandidateScreen(context, looks)
        fetched = works
        if fetched is None:
            passing = (self.screen.select_candidates(*look) for look in looks)
            fetched = context.store.works.many({candidate.owner_id for candidate in chain.from_iterable(passing)})
        self._works = {id: work for id, work in fetched.items() if work.removed_at is None}
        if works is None and sum(work.length for work in self._works.values()) <= MAX_CACHED_LETTERS:
            load_readings(context, {work.text_digest for work in self._works.values()})
        self._asked = set(fetched)

    def read(self, reading: TextReading, ranked: Sequence[Candidate]) -> "CandidateReader":
        """Return a reader of the candidates of one text."""
        return CandidateReader(self._context, self, reading, ranked)

    def work(self, id: str) -> Work | None:
        """Return the work of a candidate, or None if the work was removed."""
        if id not in self._asked:  # the screen refused it, but then it moved up among the thorough candidates
            self._asked.add(id)
            works = self._context.store.works.many([id])
            self._works |= {id: work for id, work in works.items() if work.removed_at is None}
        return self._works.get(id)


class CandidateReader:
    """Reads the texts of the candidates of one text, in ranking order.

    A text that is not in memory is fetched together with as many of the following texts as fit in memory.
    """

    def __init__(
        self, context: Context, candidates: CandidateCache, reading: TextReading, ranked: Sequence[Candidate]
    ) -> None:
        self._context = context
        self._candidates = candidates
        self._waiting = deque(candidate.owner_id for candidate in candidates.screen.select_candidates(reading, ranked))
        self._fetched: dict[str, TextReading] = {}

    def read(self, work: Work) -> TextReading:
        """Return the text of a work."""
        while self._waiting and work.id in self._waiting and self._waiting[0] != work.id:
            self._waiting.popleft()
        digest = work.text_digest
        if digest not in self._fetched:
            self._fetched = self._context.recent_texts.some([digest]) or self._load_with_following(work)
        reading = self._fetched[digest]
        reading.find_stored_letters(self._context, (work.id, work.version), digest)
        self._candidates.screen.note_text(work, reading)
        return reading

    def _load_with_following(self, work: Work) -> dict[str, TextReading]:
        works = [work, *filter(None, map(self._candidates.work, self._waiting))]
        return load_readings(self._context, _texts_within_memory(works))


def _texts_within_memory(works: Iterable[Work]) -> set[str]:
    """Return the text digests of the first works, as many as fit in memory."""
    digests, letters = set[str](), 0
    for work in works:
        letters += work.length
        if digests and letters > MAX_CACHED_LETTERS:
            break
        digests.add(work.text_digest)
    return digests


def find_works_with_cache(
    context: Context, reading: TextReading, calibration: Calibration
) -> tuple[list[Candidate], CandidateCache]:
    """Return the candidates as `find_candidate_works` does, with the cache that fetches them."""
    if len(reading.letters) > SEGMENT_LETTERS:  # the text may be as long as many works
        ranked = add_short_candidates(context, reading, find_candidate_works(context, reading))
        return ranked, CandidateCache(context, [(reading, ranked)], calibration)
    (pieces,) = rank_pieces(context, OwnerKind.WORK, [reading])
    owners = name_owners(context, OwnerKind.WORK, [document.number for piece in pieces for document in piece])
    ranked = merge_pieces(pieces, owners, context.settings.matcher.candidates)
    with_short = add_short_candidates(context, reading, ranked)
    if len(with_short) > len(ranked):
        return with_short, CandidateCache(context, [(reading, with_short)], calibration)
    screen = CandidateScreen(context, [(reading, ranked)])
    passing = {candidate.owner_id for candidate in screen.select_candidates(reading, ranked)}
    numbers = [number for number, (id, _) in owners.items() if id in passing]
    few = len(numbers) <= _MAX_WORKS_PER_QUERY
    works = _fetch_few(context, numbers) if few else _fetch_many(context, passing, ranked)
    return ranked, CandidateCache(context, [(reading, ranked)], calibration, screen, works)


def _fetch_few(context: Context, numbers: Collection[int]) -> Mapping[str, Work]:
    """Fetch works by their numbers, with their texts except long ones."""
    fetched = context.store.fingerprints.works(numbers)
    for _, work, text in fetched.values():
        if text is not None:
            cache_reading(context, work.text_digest, TextReading(text))
    return {work.id: work for _, work, _ in fetched.values()}


def _fetch_many(context: Context, ids: Collection[str], ranked: Sequence[Candidate]) -> Mapping[str, Work]:
    """Fetch works, with the texts that will be read, except long ones."""
    works = context.store.works.many(ids)
    wanted = (works.get(id) for id in _find_needed_works(ranked) if id in ids)
    load_readings(context, {work.text_digest for work in wanted if work and work.length <= _LONG_TEXT_LETTERS})
    return works


def _find_needed_works(ranked: Sequence[Candidate]) -> Iterator[str]:
    """Yield the ids of works whose texts will be read: at most `MIN_WITNESSES` for each common section of the text."""
    witnesses: Counter[int] = Counter()
    for candidate in ranked:
        stretch = None if candidate.common_at is None else candidate.common_at // _STRETCH_LETTERS
        if stretch is not None:
            witnesses[stretch] += 1
        if stretch is None or witnesses[stretch] <= MIN_WITNESSES:
            yield candidate.owner_id
