"""Every use case that changes something writes it down, under who acts and through which token."""

from collections.abc import Callable

import pytest

from tests.support.use_cases import name_of, samples, use_cases
from wenhen.context.use_cases import Acting
from wenhen.kit.rights import ActingToken, Right
from wenhen.runtime.wiring import App


@pytest.mark.parametrize("use_case", [pytest.param(one, id=name_of(one)) for one in use_cases()])
def test_every_use_case_that_changes_something_writes_it_down(product: App, use_case: Callable[..., object]) -> None:
    call, action = samples().get(use_case), use_cases()[use_case]
    assert call is not None, f"add a call of {name_of(use_case)} to tests/services/samples"
    token = ActingToken("0123456789ab", "每夜")
    call(Acting(product, "试", frozenset(Right), token=token))
    written = product.store.audit.find(action=action)
    assert written != []
    assert {(entry.who, entry.token, entry.token_name) for entry in written} == {("试", token.id, token.name)}


def test_there_is_a_sample_of_nothing_else() -> None:
    assert samples().keys() <= use_cases().keys()
