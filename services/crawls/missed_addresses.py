"""The addresses of a run that gave nothing, by reason."""

from itertools import groupby
from typing import Final

from store.ports import Store
from store.records import Problem

MOST: Final = 1_000  # of one run


def missed_by(store: Store, run_id: str) -> dict[str, list[Problem]]:
    """By the word that they are counted by, the most frequent first; what came up again since then is told of the later
    run. Of a trap and of a host that is cut off only the first address is kept.
    """
    found = store.problems.of_run(run_id, MOST)
    by_kind = {kind or "": list(those) for kind, those in groupby(found, key=lambda one: one.kind)}
    return dict(sorted(by_kind.items(), key=lambda pair: -len(pair[1])))
