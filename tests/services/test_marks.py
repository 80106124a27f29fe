"""Marked copies: written, sealed, traced; nothing of them stands with a case."""

import pytest

from matcher.marking.choices import MarkKind
from tests.support.acting import by
from tests.support.seed import Seeder
from wenhen.demo.articles import load_works
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.marks.service import list_copies, load_suspect, mark_text, reseal_marked_text, trace_text
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
