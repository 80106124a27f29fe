"""The examples in the documentation of the crawler's functions."""

import doctest
import importlib
import pkgutil

import pytest

import crawler

MODULES = [info.name for info in pkgutil.walk_packages(crawler.__path__, "crawler.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_give_what_they_show(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES) >= 4
