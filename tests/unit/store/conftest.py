"""Records for the store's unit tests."""

import pytest

from store.records import Case
from tests.support.samples import case


@pytest.fixture
def sample_case() -> Case:
    return case()
