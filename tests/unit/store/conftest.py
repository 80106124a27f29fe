"""Records for the store's unit tests."""

import pytest

from tests.support.samples import case
from wenhen.cases.model import Case


@pytest.fixture
def sample_case() -> Case:
    return case()
