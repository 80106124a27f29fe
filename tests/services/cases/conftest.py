"""Cases to write notices about."""

from dataclasses import replace

import pytest

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.runtime.wiring import App


@pytest.fixture
def confirmed(product: App) -> App:
    """Two confirmed copies on a site and one on its mirror."""
    product = replace(product, now=lambda: NOW)
    seed = Seeder(product.store)
    seed.work(proof="国作登字-2025-A-0001")
    for url in ("https://copies.example/1", "https://copies.example/2", "https://m.copies.example/1"):
        seed.case(url, page_title="盗\n版")
    product.store.mirrors.join("m.copies.example", "copies.example", pages=9, moment=NOW)
    ready_holder(product.store)
    decide_cases(by(product), [1, 2, 3], CaseStatus.CONFIRMED)
    return product
