"""Works, holders, licences, finds of searches, and what failed."""

from datetime import date, timedelta

from services import licences
from services.acting import Acting
from services.discover import review
from services.holders import holders, papers
from services.library import details, import_works, merge_works, put_and_remove
from services.upkeep import problems, retry_by_hand
from store.messages import plain
from store.records import Discovery, Holder, Owner, OwnerKind, PaperKind, ProblemKind, Step
from store.records.upkeep.problem import PIPELINE
from tests.support.samples import draft
from tests.support.seed import NOW
from tests.support.use_cases import Samples


def work(acting: Acting) -> str:
    return put_and_remove.put(acting, draft())[0]


def holder(acting: Acting) -> str:
    return holders.put(acting, Holder(id="河岸")).id


def paper(acting: Acting) -> str:
    """The id of a paper with a file."""
    file = ("证.pdf", b"%PDF")
    return papers.add(acting, holder(acting), PaperKind.PROOF, "登记", valid_from=date(2026, 1, 1), file=file).id


def merge(acting: Acting) -> Holder:
    holders.put(acting, Holder(id="河岸社"))
    return holders.merge(acting, "河岸社", holder(acting))


def find(acting: Acting) -> list[str]:
    found = Discovery(
        id="d1", work_id="w1", url="http://a.test/1", title="", sentences=("船",), engine="e", found_at=NOW
    )
    acting.product.store.discoveries.add(found)
    return [found.id]


def try_again(acting: Acting) -> None:
    store, id = acting.product.store, work(acting)
    claim = store.works.claim(id, Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    store.works.set_aside(claim, plain("the segment is damaged"))
    retry_by_hand.try_again(acting, OwnerKind.WORK, id)


def set_aside(acting: Acting) -> ProblemKind:
    """A work that was set aside, with its problem."""
    store, id = acting.product.store, work(acting)
    claim = store.works.claim(id, Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    store.works.set_aside(claim, plain("the segment is damaged"))
    store.problems.put(
        PIPELINE, str(Owner.of_work(id)), plain("the segment is damaged"), NOW, Step.FINGERPRINT, kind="ValueError"
    )
    return ProblemKind(PIPELINE, "ValueError", Step.FINGERPRINT)


SAMPLES: Samples = {
    problems.retry_all: lambda acting: problems.retry_all(acting, set_aside(acting)),
    problems.drop_all: lambda acting: problems.drop_all(acting, set_aside(acting)),
    import_works.import_found: lambda acting: import_works.import_found(acting, "a.txt", [draft()]),
    put_and_remove.put: work,
    merge_works.merge: lambda acting: merge_works.merge(
        acting, put_and_remove.put(acting, draft("w2", title="檐下"))[0], work(acting)
    ),
    details.edit: lambda acting: details.edit(acting, work(acting), {"title": "檐雨集"}),
    put_and_remove.remove: lambda acting: put_and_remove.remove(acting, work(acting)),
    holders.put: holder,
    holders.remove: lambda acting: holders.remove(acting, holder(acting)),
    holders.merge: merge,
    papers.add: paper,
    papers.remove: lambda acting: papers.remove(acting, "河岸", paper(acting)),
    papers.hand_out: lambda acting: papers.hand_out(acting, "河岸", paper(acting)),
    licences.add: lambda acting: licences.add(acting, "晨读网", "a.test/b"),
    licences.remove: lambda acting: licences.remove(acting, licences.add(acting, "晨读网", "a.test/b").id),
    review.accept: lambda acting: review.accept(acting, find(acting)),
    review.refuse: lambda acting: review.refuse(acting, find(acting)),
    retry_by_hand.try_again: try_again,
}
