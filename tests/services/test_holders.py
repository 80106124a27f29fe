"""Holders are kept and forgotten by those who keep works, and what was known before stands in the log."""

import json
from contextlib import suppress
from datetime import date

import pytest

from tests.support.acting import by
from tests.support.seed import Seeder
from wenhen.holders.model import Holder, PaperKind
from wenhen.holders.service import (
    add_rights_document,
    change_holder_name,
    export_rights_document,
    merge_holders,
    put_holder,
    remove_holder,
    remove_rights_document,
    rename_holder,
)
from wenhen.kit.errors import BadInput, Forbidden, NotFound, TooLarge
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App


def test_of_a_holder_who_is_put_again_the_log_says_what_differs(product: App) -> None:
    put_holder(by(product), Holder(id="河岸", contact="陆"))
    kept = put_holder(by(product), Holder(id="河岸", contact="沈"))
    assert product.store.holders.all() == [kept]
    last, first = product.store.audit.find(action="holder.put")
    assert (first.old, json.loads(first.new or "")["contact"]) == (None, "陆")
    assert (last.old, last.new) == ('{"contact": "陆"}', '{"contact": "沈"}')


def test_a_holder_who_is_forgotten_is_named_in_the_log(product: App) -> None:
    put_holder(by(product), Holder(id="河岸"))
    remove_holder(by(product), "河岸")
    assert product.store.holders.all() == []
    assert product.store.audit.find()[0].subject == "holder:河岸"
    with pytest.raises(NotFound):
        remove_holder(by(product), "河岸")


def test_a_holder_with_a_site_that_is_none_is_neither_kept_nor_logged(product: App) -> None:
    with pytest.raises(BadInput, match="is no site of"):
        put_holder(by(product), Holder(id="河岸", sites=("/only/a/path",)))
    assert (product.store.holders.all(), product.store.audit.count()) == ([], 0)


def test_whoever_may_not_changes_nothing(product: App) -> None:
    kept = put_holder(by(product), Holder(id="河岸"))
    with pytest.raises(Forbidden, match="holders"):
        put_holder(by(product, rights={Right.LICENCES}), Holder(id="别人"))
    with pytest.raises(Forbidden, match="holders"):
        remove_holder(by(product, rights={Right.LICENCES}), "河岸")
    assert product.store.holders.all() == [kept]


def test_papers_that_two_people_add_at_once_are_both_kept_also_beside_what_is_put_then(
    product: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_holder(by(product), Holder(id="河岸"))
    known = product.store.holders.get("河岸")
    add_rights_document(by(product), "河岸", PaperKind.AUTHORITY, "甲", valid_from=date(2026, 1, 1))
    with monkeypatch.context() as earlier:
        earlier.setattr(product.store.holders, "get", lambda _: known)  # as it was a moment before
        earlier.setattr(product.store.holders, "all", lambda: [known])
        with suppress(NotFound):  # what was kept is looked for there, too
            add_rights_document(by(product), "河岸", PaperKind.PROOF, "乙", valid_from=date(2026, 1, 1))
        put_holder(by(product), Holder(id="河岸", contact="沈"))
    kept = product.store.holders.get("河岸")
    assert ([one.title for one in kept.papers], kept.contact) == (["甲", "乙"], "沈")


def test_a_paper_is_kept_beside_what_is_put_later_and_handed_out_as_it_came(product: App) -> None:
    put_holder(by(product), Holder(id="河岸"))
    days = {"valid_from": date(2026, 1, 1), "valid_until": date(2026, 12, 31)}
    kept = add_rights_document(
        by(product), "河岸", PaperKind.AUTHORITY, " 委托书 7 号 ", **days, file=("a.pdf", b"%PDF not read")
    )
    put_holder(by(product), Holder(id="河岸", contact="沈"))
    assert product.store.holders.get("河岸").papers == (kept,)
    assert (kept.title, kept.size, kept.added_by) == ("委托书 7 号", 13, "陆")
    assert export_rights_document(by(product), "河岸", kept.id).content == b"%PDF not read"
    remove_rights_document(by(product), "河岸", kept.id)
    assert product.store.holders.get("河岸").papers == ()
    with pytest.raises(NotFound, match="no paper"):
        export_rights_document(by(product), "河岸", kept.id)


def test_a_paper_that_cannot_be_is_refused(product: App) -> None:
    put_holder(by(product), Holder(id="河岸"))
    first = date(2026, 1, 1)
    with pytest.raises(BadInput, match="before the first"):
        add_rights_document(
            by(product), "河岸", PaperKind.PROOF, "登记", valid_from=first, valid_until=date(2025, 12, 31)
        )
    with pytest.raises(BadInput, match="Say what"):
        add_rights_document(by(product), "河岸", PaperKind.PROOF, " ", valid_from=first)
    with pytest.raises(TooLarge, match="larger than 16 MB"):
        add_rights_document(
            by(product), "河岸", PaperKind.PROOF, "登记", valid_from=first, file=("a", bytes(16 * 2**20 + 1))
        )
    with pytest.raises(Forbidden, match="holders"):
        add_rights_document(by(product, rights={Right.WORKS}), "河岸", PaperKind.PROOF, "登记", valid_from=first)
    assert product.store.holders.get("河岸").papers == ()


def test_a_holder_takes_a_new_name_with_all_that_is_its_own(product: App) -> None:
    Seeder(product.store).work(owner="河岸社")
    put_holder(by(product), Holder(id="河岸社", contact="沈", sites=("a.example",)))
    put_holder(by(product), Holder(id="别社"))
    kept = add_rights_document(by(product), "河岸社", PaperKind.PROOF, "登记", valid_from=date(2026, 1, 1))
    with pytest.raises(BadInput, match="There is a holder 别社 already"):
        rename_holder(by(product), "河岸社", Holder(id="别社"))
    renamed = rename_holder(by(product), "河岸社", Holder(id="河岸文化", address="河岸路"))
    assert (renamed.contact, renamed.address, renamed.sites, renamed.papers) == (None, "河岸路", (), (kept,))
    assert [holder.id for holder in product.store.holders.all()] == ["别社", "河岸文化"]
    assert product.store.works.get("dock").owner == "河岸文化"


def test_only_the_name_of_a_holder_changes_and_the_audit_log_says_so(product: App) -> None:
    Seeder(product.store).work(owner="河岸社")
    put_holder(by(product), Holder(id="河岸社", contact="沈", sites=("a.example",)))
    put_holder(by(product), Holder(id="别社"))
    kept = add_rights_document(by(product), "河岸社", PaperKind.PROOF, "登记", valid_from=date(2026, 1, 1))
    renamed = change_holder_name(by(product), "河岸社", " 河岸文化 ")
    assert renamed == Holder(id="河岸文化", contact="沈", sites=("a.example",), papers=(kept,))
    assert product.store.works.get("dock").owner == "河岸文化"
    lines = product.store.audit.find(action="holder.rename")
    assert {line.subject for line in lines} == {"holder:河岸社", "holder:河岸文化"}
    with pytest.raises(NotFound):
        change_holder_name(by(product), "河岸社", "河岸")
    for taken in ("别社", "河岸文化"):
        with pytest.raises(BadInput, match=f"There is a holder {taken} already"):
            change_holder_name(by(product), "河岸文化", taken)
    with pytest.raises(BadInput):
        change_holder_name(by(product), "河岸文化", " ")
    with pytest.raises(Forbidden):
        change_holder_name(by(product, rights={Right.WORKS}), "河岸文化", "河岸")
    assert product.store.holders.get("河岸文化") == renamed


def test_of_two_holders_that_are_one_nothing_is_lost(product: App) -> None:
    seed = Seeder(product.store)
    seed.work(owner="河岸社")
    put_holder(by(product), Holder(id="河岸社", contact="沈", sites=("a.example", "b.example")))
    put_holder(by(product), Holder(id="河岸", address="河岸路", sites=("b.example",)))
    kept = add_rights_document(by(product), "河岸社", PaperKind.PROOF, "登记", valid_from=date(2026, 1, 1))
    one = merge_holders(by(product), "河岸社", "河岸")
    assert product.store.holders.all() == [one]
    assert (one.contact, one.address, one.sites, one.papers) == ("沈", "河岸路", ("b.example", "a.example"), (kept,))
    assert product.store.works.get("dock").owner == "河岸"
    with pytest.raises(BadInput, match="into itself"):
        merge_holders(by(product), "河岸", "河岸")
    with pytest.raises(NotFound):
        merge_holders(by(product), "河岸", "别人")
