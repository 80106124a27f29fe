"""Works, holders, licences, finds of searches, and what failed."""

from datetime import date, timedelta

from tests.support.samples import draft
from tests.support.seed import NOW, Seeder
from tests.support.use_cases import Samples
from wenhen.common.service import add_common_texts, remove_common_text
from wenhen.context.use_cases import Acting
from wenhen.demo.articles import load_works
from wenhen.discovery.model import Discovery
from wenhen.discovery.service import accept_discoveries, refuse_discoveries
from wenhen.holders.model import Holder, PaperKind
from wenhen.holders.service import (
    add_rights_document,
    export_rights_document,
    merge_holders,
    put_holder,
    remove_holder,
    remove_rights_document,
    rename_holder,
)
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.licences.service import add_licence, remove_licence
from wenhen.marks.service import mark_text, state_marks, trace_text, withdraw_marks
from wenhen.operations.problems import drop_problems, retry_problems, retry_record
from wenhen.steps.problems import PIPELINE, ProblemKind
from wenhen.works.import_export import import_items
from wenhen.works.service import edit_work, merge_works, put_work, remove_work


def work(acting: Acting) -> str:
    return put_work(acting, draft())[0]


def holder(acting: Acting) -> str:
    return put_holder(acting, Holder(id="河岸")).id


def paper(acting: Acting) -> str:
    """The id of a paper with a file."""
    file = ("证.pdf", b"%PDF")
    return add_rights_document(
        acting, holder(acting), PaperKind.PROOF, "登记", valid_from=date(2026, 1, 1), file=file
    ).id


def merge(acting: Acting) -> Holder:
    put_holder(acting, Holder(id="河岸社"))
    return merge_holders(acting, "河岸社", holder(acting))


def rename(acting: Acting) -> Holder:
    return rename_holder(acting, holder(acting), Holder(id="河岸文化"))


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
    store.works.set_aside(claim, plain_message("the segment is damaged"))
    retry_record(acting, OwnerKind.WORK, id)


def set_aside(acting: Acting) -> ProblemKind:
    """A work that was set aside, with its problem."""
    store, id = acting.product.store, work(acting)
    claim = store.works.claim(id, Step.FINGERPRINT, timedelta(minutes=1))
    assert claim
    store.works.set_aside(claim, plain_message("the segment is damaged"))
    store.problems.put(
        PIPELINE,
        str(Owner.of_work(id)),
        plain_message("the segment is damaged"),
        NOW,
        Step.FINGERPRINT,
        kind="ValueError",
    )
    return ProblemKind(PIPELINE, "ValueError", Step.FINGERPRINT)


def common_text(acting: Acting) -> str:
    return add_common_texts(acting, "a.txt", [draft()]).new[0]


def marked_copy(acting: Acting) -> str:
    """The text of a copy."""
    text = load_works()["炒茶人老陈"].text
    return mark_text(acting, "炒茶人老陈", text, ["编辑甲"])[0].text


def stated_mark(acting: Acting) -> int:
    """The number of a case whose page leaked a copy, and whose exhibits may say so."""
    [written] = mark_text(acting, "炒茶人老陈", "\n".join(draft.text for draft in load_works().values())[:6000], ["甲"])
    seeder = Seeder(acting.product.store)
    seeder.work()
    digest = acting.product.store.blobs.put_text(written.text)
    case = seeder.case(page_text_digest=digest)
    state_marks(acting, case.number, written.copy.text_id, word="河岸社法务来函同意")
    return case.number


SAMPLES: Samples = {
    mark_text: marked_copy,
    state_marks: stated_mark,
    withdraw_marks: lambda acting: withdraw_marks(acting, stated_mark(acting)),
    trace_text: lambda acting: trace_text(acting, marked_copy(acting)),
    add_common_texts: common_text,
    remove_common_text: lambda acting: remove_common_text(acting, common_text(acting)),
    retry_problems: lambda acting: retry_problems(acting, set_aside(acting)),
    drop_problems: lambda acting: drop_problems(acting, set_aside(acting)),
    import_items: lambda acting: import_items(acting, "a.txt", [draft()]),
    put_work: work,
    merge_works: lambda acting: merge_works(acting, put_work(acting, draft("w2", title="檐下"))[0], work(acting)),
    edit_work: lambda acting: edit_work(acting, work(acting), {"title": "檐雨集"}),
    remove_work: lambda acting: remove_work(acting, work(acting)),
    put_holder: holder,
    remove_holder: lambda acting: remove_holder(acting, holder(acting)),
    merge_holders: merge,
    rename_holder: rename,
    add_rights_document: paper,
    remove_rights_document: lambda acting: remove_rights_document(acting, "河岸", paper(acting)),
    export_rights_document: lambda acting: export_rights_document(acting, "河岸", paper(acting)),
    add_licence: lambda acting: add_licence(acting, "晨读网", "a.test/b"),
    remove_licence: lambda acting: remove_licence(acting, add_licence(acting, "晨读网", "a.test/b").id),
    accept_discoveries: lambda acting: accept_discoveries(acting, find(acting)),
    refuse_discoveries: lambda acting: refuse_discoveries(acting, find(acting)),
    retry_record: try_again,
}
