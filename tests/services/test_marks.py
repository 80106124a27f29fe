"""Marked copies: written, sealed, traced; nothing of them stands with a case without the holder's word."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from matcher.marking.choices import MarkKind
from tests.services.samples.evidence import without_browser
from tests.services.samples.library import stated_mark
from tests.support.acting import by
from tests.support.seed import Seeder
from wenhen.context.use_cases import Acting
from wenhen.demo.articles import load_works
from wenhen.evidence.exhibit_creation import make_exhibit_now
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.marks.service import (
    find_statement,
    list_copies,
    load_suspect,
    mark_text,
    reseal_marked_text,
    state_marks,
    trace_text,
    withdraw_marks,
)
from wenhen.reports.contents import gather_report
from wenhen.reports.evidence_list import list_evidence
from wenhen.runtime.wiring import App

TEXT = "\n".join(draft.text for draft in load_works().values())[:6000]


def test_a_leaked_copy_names_its_recipient(product: App) -> None:
    written = mark_text(by(product), "渡口灯", TEXT, ["编辑甲", " 会员0137 ", "编辑甲"])
    assert [each.copy.recipient for each in written] == ["编辑甲", "会员0137"]
    assert written[0].text != written[1].text
    traced = trace_text(by(product), written[1].text[1000:3500])
    assert [copy.copy for copy in traced[0].named_copies] == ["会员0137"]
    assert traced[0].text.title == "渡口灯"
    assert not trace_text(by(product), TEXT)[0].named_copies
    assert [entry.action for entry in product.store.audit.find()][:4] == [
        *("marks.read", "marks.read", "marks.make", "marks.make")
    ]


def test_the_same_recipient_gets_the_same_copy_later(product: App) -> None:
    first = mark_text(by(product), "一", TEXT, ["甲"])[0]
    again = mark_text(by(product, "王"), "二", TEXT, ["甲", "乙"])
    assert (again[0].text, again[0].copy.id, again[0].copy.made_by) == (first.text, first.copy.id, first.copy.made_by)
    assert [copy.recipient for copy in list_copies(by(product), first.copy.text_id)] == ["乙", "甲"]
    assert len(product.store.marked_texts.all()) == 1
    mark_text(by(product), "一", TEXT, ["甲"], {MarkKind.WORDS})
    assert len(product.store.marked_texts.all()) == 2


def test_the_text_and_its_marks_are_sealed_and_can_be_sealed_anew(product: App) -> None:
    written = mark_text(by(product), "一", TEXT, ["甲"])[0]
    text = product.store.marked_texts.get(written.copy.text_id)
    assert text.sealed.startswith("sealed:")
    assert product.store.marked_texts.all()[0].sealed == ""
    assert not reseal_marked_text(product, text)


def test_a_case_and_its_page_are_traced_and_nothing_of_it_is_stored_with_them(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    case = seed.case("https://copies.example/1")
    written = mark_text(by(product), "一", TEXT, ["甲"])[0]
    before = product.store.cases.get(case.id)
    assert load_suspect(product, f"#{case.number}") == load_suspect(product, str(case.number))
    assert trace_text(by(product), load_suspect(product, f"#{case.number}")) == []
    assert product.store.cases.get(case.id) == before
    assert product.store.audit.find(subject=f"case:{case.number}") == []
    assert trace_text(by(product), written.text, written.copy.text_id)[0].named_copies


@pytest.mark.parametrize(
    ("text", "recipients", "code"),
    [
        (TEXT, [" ", ""], "marks.no_recipient"),
        (TEXT, ["甲" * 201], "marks.recipient_too_long"),
        ("短。", ["甲"], "marks.too_few_places"),
        ("长" * 2_000_001, ["甲"], "marks.too_long"),
    ],
)
def test_what_cannot_be_marked_is_refused_by_a_code(product: App, text: str, recipients: list[str], code: str) -> None:
    with pytest.raises(BadInput) as refused:
        mark_text(by(product), "一", text, recipients)
    assert refused.value.message.code == code


def test_what_cannot_be_read_is_refused(product: App) -> None:
    with pytest.raises(NotFound, match="no marked copies"):
        trace_text(by(product), "一段文字")
    with pytest.raises(BadInput):
        trace_text(by(product), " ")
    with pytest.raises(NotFound):
        trace_text(by(product), "一段文字", "0123")
    with pytest.raises(NotFound):
        load_suspect(product, "#999")


def test_rights(product: App) -> None:
    with pytest.raises(Forbidden):
        mark_text(by(product, rights=[Right.READ, Right.DETAILS]), "一", TEXT, ["甲"])
    with pytest.raises(Forbidden):
        trace_text(by(product, rights=[Right.READ]), TEXT)
    with pytest.raises(Forbidden):
        list_copies(by(product, rights=[Right.READ]), "x")


def exhibit_members(product: App, number: int) -> dict[str, bytes]:
    """The members of an exhibit that is made now."""
    made = make_exhibit_now(without_browser(by(product)), number)
    with ZipFile(BytesIO(product.store.blobs.get(made.file_digest or ""))) as members:
        return {name: members.read(name) for name in members.namelist()}


def test_with_the_holder_s_word_exhibits_and_reports_say_which_copy_it_was_and_later_ones_no_more(product: App) -> None:
    number = stated_mark(by(product))
    stated = json.loads(exhibit_members(product, number)["evidence/marks.json"])
    [copy] = stated["copies"]
    [stored] = list_copies(by(product), stated["text_id"])
    assert (copy["recipient"], copy["sha256"]) == ("甲", stored.sha256)
    assert copy["chance"] < 1e-6
    assert "one in a million" in stated["method"]
    assert (stated["word"], stated["page_text_sha256"]) == (
        "河岸社法务来函同意",
        product.store.cases.get(str(number)).page_text_digest,
    )
    sealed = product.store.marked_texts.get(stated["text_id"]).sealed
    assert sealed not in json.dumps(stated)

    report = gather_report(by(product), case_ids=[str(number)])
    [mark] = report.cases[0].marked_copies
    assert (mark.recipient, mark.copy_sha256) == ("甲", stored.sha256)
    items = {item.digest: item for item in list_evidence(report.cases)}
    assert "甲" in items[stored.sha256].name
    assert "not the person" in items[stored.sha256].proves

    withdraw_marks(by(product), number)
    assert find_statement(product, number) is None
    assert "evidence/marks.json" not in exhibit_members(product, number)
    assert not gather_report(by(product), case_ids=[str(number)]).cases[0].marked_copies
    actions = [entry.action for entry in product.store.audit.find(subject=f"case:{number}")]
    assert {"marks.state", "marks.withdraw"} <= set(actions)
    with pytest.raises(NotFound, match="say nothing of marks"):
        withdraw_marks(by(product), number)


def test_without_the_word_the_right_or_a_named_copy_nothing_is_stated(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    case = seed.case()
    [written] = mark_text(by(product), "一", TEXT, ["甲"])
    text = written.copy.text_id
    with pytest.raises(BadInput, match="who of the rights holder allowed it"):
        state_marks(by(product), case.number, text, word=" ")
    with pytest.raises(BadInput, match="names no copy"):
        state_marks(by(product), case.number, text, word="来函")
    with pytest.raises(NotFound):
        state_marks(by(product), case.number, "none", word="来函")
    for rights in ({Right.DETAILS}, {Right.EXPORT}):
        acting = Acting(product, "某", frozenset(rights))
        with pytest.raises(Forbidden):
            state_marks(acting, case.number, text, word="来函")
        with pytest.raises(Forbidden):
            withdraw_marks(acting, case.number)
    assert find_statement(product, case.number) is None
    assert "evidence/marks.json" not in exhibit_members(product, case.number), "as by default"
