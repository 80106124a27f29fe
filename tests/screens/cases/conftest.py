"""What the tests of cases begin with."""

import pytest

from tests.support.seed import Seeder


@pytest.fixture
def queue(seed: Seeder) -> Seeder:
    """Four cases, all leads."""
    seed.library()
    return seed
