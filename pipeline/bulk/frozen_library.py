"""A frozen library opened: the context in which pages are looked at without a server."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

from matcher.index.memory import MemoryIndex
from matcher.index.segments import SegmentIndex
from matcher.phrases.port import PhraseIndex
from pipeline.bulk.freeze import MATCHER, RARE_WORDS, WORKS
from pipeline.context import Context
from pipeline.queue_port import Queue
from pipeline.setting_sections import CoreSettings, MatcherSettings
from store.ports import Store
from store.snapshot.store import SnapshotStore

# Lines of cases hold no time of their own: a job that is run again gives the same bytes.
MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)


class FrozenLibrary:
    """A folder that `pipeline.bulk.freeze` wrote, mapped; for one thread."""

    def __init__(self, folder: Path) -> None:
        self.store = SnapshotStore(folder)
        matcher = MatcherSettings.model_validate_json(self.store.file.fact(MATCHER))
        self.context = Context(
            # Of the settings and of the store the parts that a look at a text asks.
            settings=cast("CoreSettings", SimpleNamespace(matcher=matcher)),
            store=cast("Store", self.store),
            works_index=SegmentIndex(folder / WORKS),
            pages_index=MemoryIndex(),  # is never asked: a job looks for works alone
            rare_words=SegmentIndex(folder / RARE_WORDS) if matcher.suspicions else MemoryIndex(),
            phrases=cast("PhraseIndex", None),  # nobody searches
            queue=cast("Queue", None),  # nothing is sent
            now=lambda: MOMENT,
        )
