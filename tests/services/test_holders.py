"""Holders are kept and forgotten by those who keep works, and what was known before stands in the log."""

import json

import pytest

from services import holders
from store.errors import BadInput, Forbidden, NotFound
from store.records import Holder
from store.rules.rights import Right
from tests.support.acting import by
from wenhen.wiring import App


def test_of_a_holder_who_is_put_again_the_log_says_what_differs(product: App) -> None:
    holders.put(by(product), Holder(id="河岸", contact="陆"))
    kept = holders.put(by(product), Holder(id="河岸", contact="沈"))
    assert product.store.holders.all() == [kept]
    last, first = product.store.audit.find(action="holder.put")
    assert (first.old, json.loads(first.new or "")["contact"]) == (None, "陆")
    assert (last.old, last.new) == ('{"contact": "陆"}', '{"contact": "沈"}')


def test_a_holder_who_is_forgotten_is_named_in_the_log(product: App) -> None:
    holders.put(by(product), Holder(id="河岸"))
    holders.remove(by(product), "河岸")
    assert product.store.holders.all() == []
    assert product.store.audit.find()[0].subject == "holder:河岸"
    with pytest.raises(NotFound):
        holders.remove(by(product), "河岸")


def test_a_holder_with_a_site_that_is_none_is_neither_kept_nor_logged(product: App) -> None:
    with pytest.raises(BadInput, match="is no site of"):
        holders.put(by(product), Holder(id="河岸", sites=("/only/a/path",)))
    assert (product.store.holders.all(), product.store.audit.count()) == ([], 0)


def test_whoever_may_not_changes_nothing(product: App) -> None:
    kept = holders.put(by(product), Holder(id="河岸"))
    with pytest.raises(Forbidden, match="works"):
        holders.put(by(product, rights={Right.LICENCES}), Holder(id="别人"))
    with pytest.raises(Forbidden, match="works"):
        holders.remove(by(product, rights={Right.LICENCES}), "河岸")
    assert product.store.holders.all() == [kept]
