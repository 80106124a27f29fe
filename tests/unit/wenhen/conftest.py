"""Records for unit tests of matters."""

import pytest

from tests.support.samples import case
from wenhen.cases.model import Case


@pytest.fixture
def sample_case() -> Case:
    return case()
