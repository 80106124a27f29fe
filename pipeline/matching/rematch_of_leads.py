"""Old leads looked at again: text that a new work shares with an older one may be common property by now.

What a lead rests on counts less the more works have it (`matcher.verdict.shared_with_others`). The pages wait
for a while, so that works that come in together cost each page one look, and then for the sweep, which queues them in
batches where there is room: new pages come first.
"""

from collections.abc import Iterable, Iterator

from pipeline.context import Context
from pipeline.pause_before_rematch import SETTLED
from store.records import CaseStatus, Step

BATCH = 500
# A page before these steps will meet a new work by itself; one at its look-up may have asked already.
LOOKED_UP = (Step.LOOK_UP, Step.ALIGN, Step.DONE)


def look_again(context: Context, work_ids: Iterable[str]) -> None:
    """Send the pages with open leads against these works through their look-up again, in a while."""
    due = context.now() + SETTLED
    for work_id in work_ids:
        for page_ids in _pages_with_leads(context, work_id):
            context.store.pages.restart_all(page_ids, Step.LOOK_UP, only_from=LOOKED_UP, due=due)


def _pages_with_leads(context: Context, work_id: str) -> Iterator[set[str]]:
    below = None
    while found := context.store.cases.keys(
        work_id=work_id, status=CaseStatus.LEAD, present=True, below=below, limit=BATCH
    ):
        yield {case["page_id"] for case in found}
        below = found[-1]["number"]
