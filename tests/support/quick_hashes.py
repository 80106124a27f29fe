"""Passwords hashed as in production, with less work."""

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from wenhen.accounts import passwords

QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[None]:
    """In this process, for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", QUICK)
        yield
