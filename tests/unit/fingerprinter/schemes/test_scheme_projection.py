"""Random projection keeps angles, and hyperplanes count them in bits."""

import math

import numpy as np
import pytest

from fingerprinter.schemes.vector_space import project_words
from tests.support.oracles import cosine_similarity

ONE = {f"词{number}": 1.0 for number in range(40)}


@pytest.mark.parametrize("shared", [0, 10, 20, 30, 40])
def test_projections_lie_at_the_angle_of_their_texts(shared: int) -> None:
    """Johnson, Lindenstrauss: within a few 1/√n of the true cosine; and θ/π of the bits differ (Charikar)."""
    other = {f"词{number}": 1.0 for number in range(40 - shared, 80 - shared)}
    true = cosine_similarity(ONE, other)
    a, b = project_words(ONE, 4096, 1), project_words(other, 4096, 1)
    assert float(a @ b) == pytest.approx(true, abs=0.07)
    assert float(np.mean((a > 0) != (b > 0))) == pytest.approx(math.acos(true) / math.pi, abs=0.04)


def test_directions_are_normal_and_their_own_for_each_word_and_seed() -> None:
    drawn = np.concatenate([project_words({f"字{number}": 1.0}, 64, 1) * 8 for number in range(500)])
    assert float(drawn.mean()) == pytest.approx(0, abs=0.02)
    assert float((np.abs(drawn) < 1).mean()) == pytest.approx(0.683, abs=0.02)
    assert abs(float(project_words(ONE, 4096, 1) @ project_words(ONE, 4096, 2))) < 0.07


def test_odd_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="even"):
        project_words(ONE, 7, 1)
