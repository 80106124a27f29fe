"""Keep works in memory behind the ports that matching uses, so that look-ups work as in production."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING, NoReturn, cast

from matcher.alignment.aligned_span import count_characters
from matcher.index.memory_and_file_index import MemoryIndex
from wenhen.context.use_cases import Product
from wenhen.fingerprints.model import Fingerprint, NumberedWork, WorkSegment
from wenhen.kit.clock import utc_now
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import OwnerKind, Progress, Step
from wenhen.settings.matching import MatcherSettings
from wenhen.works.model import Work, WorkDraft

if TYPE_CHECKING:
    from matcher.phrases.phrase_index import PhraseIndex
    from wenhen.context.store_and_queue import Queue, Store
    from wenhen.kit.sealed_secrets import Seal
    from wenhen.settings.all_sections import CoreSettings


class MemoryTexts:
    """Keep texts by their digest."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put_text(self, text: str) -> str:
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._texts[digest] = text
        return digest

    def get_text(self, digest: str) -> str:
        return self.get_texts([digest])[digest]

    def get_texts(self, digests: Collection[str]) -> dict[str, str]:
        for digest in digests:
            if digest not in self._texts:
                raise NotFound("store.no_content", digest=digest)
        return {digest: self._texts[digest] for digest in digests}


class MemoryWorks:
    """Keep works by their id, each in its first version."""

    def __init__(self, texts: MemoryTexts) -> None:
        self._texts = texts
        self._works: dict[str, Work] = {}

    def put_all(self, drafts: Sequence[WorkDraft], *, note: str | None, step: Step) -> list[tuple[Work, str]]:
        now = utc_now()
        works = [
            Work(
                id=draft.id,
                title=draft.title,
                version=1,
                text_digest=self._texts.put_text(draft.text),
                length=len(draft.text),
                characters=count_characters(draft.text),
                progress=Progress(step=step, due=now),
                stored_at=now,
                updated_at=now,
                common=draft.common,
                note=note,
            )
            for draft in drafts
        ]
        self._works |= {work.id: work for work in works}
        return [(work, "new") for work in works]

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._works))

    def count(self) -> int:
        return sum(not work.common for work in self._works.values())

    def many(self, ids: Collection[str]) -> dict[str, Work]:
        return {id: self._works[id] for id in ids if id in self._works}

    def sum_lengths(self) -> int:
        return sum(work.length for work in self._works.values())

    def last_change(self) -> datetime | None:
        """Return None. Nothing changes after all works are put."""

    def with_shortest_below(self, letters: int) -> list[Work]:  # noqa: ARG002  as in the port
        """Return no works. None has a shortest passage of its own."""
        return []


class MemoryFingerprints:
    """Keep the fingerprints of works by their numbers."""

    def __init__(self, works: MemoryWorks, texts: MemoryTexts) -> None:
        self._works = works
        self._texts = texts
        self._fingerprints: dict[int, Fingerprint] = {}
        self._reserved = 0

    def of_all(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, list[Fingerprint]]:  # noqa: ARG002
        """Return no fingerprints. Works are put once."""
        return {}

    def numbers(self, kind: OwnerKind, count: int) -> range:  # noqa: ARG002  as in the port
        self._reserved += count
        return range(self._reserved - count, self._reserved)

    def replace_all(self, kind: OwnerKind, fingerprints: Mapping[str, Sequence[Fingerprint]]) -> set[str]:
        assert kind is OwnerKind.WORK
        self._fingerprints |= {
            fingerprint.number: fingerprint
            for owner_fingerprints in fingerprints.values()
            for fingerprint in owner_fingerprints
        }
        return set()

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        assert kind is OwnerKind.WORK
        return iter(self._fingerprints.values())

    def count_reserved(self, kind: OwnerKind) -> int:
        return self._reserved if kind is OwnerKind.WORK else 0

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        assert kind is OwnerKind.WORK
        owners = {number: self._fingerprints[number] for number in numbers if number in self._fingerprints}
        return {number: (owner.owner_id, owner.owner_version) for number, owner in owners.items()}

    def works(self, numbers: Collection[int]) -> dict[int, NumberedWork]:
        works = {}
        for number, (id, version) in self.names(OwnerKind.WORK, numbers).items():
            work = self._works.many([id])[id]
            works[number] = NumberedWork(version, work, self._texts.get_text(work.text_digest))
        return works

    def work_texts(self, numbers: Collection[int]) -> dict[int, WorkSegment]:
        return {
            number: WorkSegment(work.id, self._fingerprints[number].segment, work.text_digest, work.length)
            for number, (_, work, _) in self.works(numbers).items()
        }


class EmptyMarks:
    """Represent the marks of a library without decisions. It has none."""

    def get(self, name: str) -> None:
        """Return None."""


def make_memory_product(settings: MatcherSettings) -> Product:
    """Make an empty product in memory, with the parts that look-ups of texts use. It needs no server."""
    texts = MemoryTexts()
    works = MemoryWorks(texts)
    store = SimpleNamespace(blobs=texts, works=works, fingerprints=MemoryFingerprints(works, texts), marks=EmptyMarks())
    index = MemoryIndex()
    index.create(postings=0)
    index.publish()
    return Product(
        settings=cast("CoreSettings", SimpleNamespace(matcher=settings)),
        store=cast("Store", store),
        works_index=index,
        pages_index=MemoryIndex(),  # never queried: texts are looked up among works
        rare_words=MemoryIndex(),
        phrases=cast("PhraseIndex", None),
        queue=cast("Queue", None),
        seal=cast("Seal", None),
        frontier=_refuse_call,
        survey=_refuse_call,
        try_out=_refuse_call,
    )


def _refuse_call(*_: object) -> NoReturn:
    raise NotImplementedError
