"""Licences mark the cases that they cover, old ones as well, for as long as they stand."""

from datetime import timedelta

import pytest

from tests.support.acting import by
from tests.support.seed import NOW, Seeder
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.licences.service import add_licence, remove_licence
from wenhen.runtime.wiring import App


def test_a_licence_marks_the_cases_that_it_covers_until_it_is_withdrawn(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    case = seed.case("https://morning.example/essay/1")
    licence = add_licence(by(product), " 晨读网 ", "morning.example/essay", work_id="dock")
    assert licence.licensee == "晨读网"
    assert product.store.cases.get(case.id).licence_id == licence.id
    remove_licence(by(product), licence.id)
    assert product.store.cases.get(case.id).licence_id is None
    assert product.store.licences.all() == []
    assert [(one.action, one.subject) for one in product.store.audit.find()] == [
        ("licence.remove", f"licence:{licence.id}"),
        ("licence.add", f"licence:{licence.id}"),
    ]


@pytest.mark.parametrize(
    ("licensee", "prefix", "days", "code"),
    [
        (" ", "a.example", 1, "licences.incomplete"),
        ("晨读网", " / ", 1, "licences.incomplete"),
        ("晨读网", "https://a.example", 1, "licences.scheme"),
        ("晨读网", "a.example", 0, "licences.days"),
    ],
)
def test_a_licence_that_says_nothing_is_refused_by_a_code(
    product: App, licensee: str, prefix: str, days: int, code: str
) -> None:
    with pytest.raises(BadInput) as refused:
        add_licence(by(product), licensee, prefix, valid_from=NOW, valid_until=NOW + timedelta(days=days))
    assert refused.value.message.code == code
    assert product.store.licences.all() == []


def test_a_licence_for_a_work_that_is_not_there_is_refused(product: App) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        add_licence(by(product), "晨读网", "a.example", work_id="nowhere")
    assert product.store.audit.count() == 0


def test_whoever_may_not_changes_nothing(product: App) -> None:
    licence = add_licence(by(product), "晨读网", "a.example")
    with pytest.raises(Forbidden, match="licences"):
        add_licence(by(product, rights={Right.WORKS}), "别家", "b.example")
    with pytest.raises(Forbidden, match="licences"):
        remove_licence(by(product, rights={Right.WORKS}), licence.id)
    assert product.store.licences.all() == [licence]
