"""Compiled functions are there for the types that they declare, from their first call on and not before."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fingerprinter.normalize.written_in_columns import has_rows

ROOT = Path(__file__).parents[3]


def test_nothing_is_read_until_a_function_is_called_and_then_no_more_than_it_needs() -> None:
    program = """
from fingerprinter import compiled
import matcher.candidates
import matcher.settle
from fingerprinter.normalize.which_disguises import glance
import numpy as np
def loaded(): return sum(bool(one._dispatcher.overloads) for one in compiled._ALL)
before = loaded()
glance(np.zeros(3, np.uint32))
print(before, loaded(), len(compiled._ALL) > 20)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1", "True"]


def test_what_is_not_of_the_declared_types_is_refused_and_compiled_for_nothing_else() -> None:
    for wrong in ("text", np.zeros(3, np.float64)):
        with pytest.raises(TypeError, match="No matching definition"):
            has_rows(wrong)
    assert len(has_rows.overloads) == 1
