"""A passage grows by the fragments near it: runs of agreeing initials that are longer than chance gives."""

from math import log2

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import Initials, code_points
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.fragment_extension import extend_passages
from matcher.alignment.seed_and_extend import Blocks, letter_bits

Bounds = tuple[int, int, int, int]
WINDOW = 48  # initials on either side of the passage
ROUNDS = 4
CHANCE_BITS = 7.0
COPIED = "那年冬天雪下得很大"
CHARACTERS = st.sampled_from("天地玄黄宇宙洪荒日月盈昃辰宿列张a1，")
TEXTS = st.text(CHARACTERS, max_size=70)


def points_of(text: str, letters: Initials) -> list[int]:
    return [int(point) for point in code_points(text)[letters.starts]]


def free_initials(covered: list[bool], start: int, end: int) -> list[int]:
    return [place for place in range(max(0, start - WINDOW), min(len(covered), end + WINDOW)) if not covered[place]]


def extend_by_every_run(
    page: tuple[list[int], list[int], list[int]], work: tuple[list[int], list[int], list[int]], bounds: Bounds
) -> tuple[Bounds, set[int], set[int]]:
    """Compare each free initial of the page with each of the work, round after round."""
    (codes, points, free), (work_codes, work_points, work_free) = page, work
    marks: tuple[set[int], set[int]] = (set(), set())
    if not free or not work_free:
        return bounds, *marks
    least = log2(len(free) * len(work_free)) + CHANCE_BITS
    for _ in range(ROUNDS):
        before = bounds
        runs: dict[tuple[int, int], tuple[float, int]] = {}
        for i in free:
            for j in reversed(work_free):
                if codes[i] != work_codes[j]:
                    continue
                bits, length = runs.get((i - 1, j - 1), (0.0, 0))
                bits, length = bits + letter_bits(codes[i], points[i], work_points[j]), length + 1
                runs[i, j] = bits, length
                first, first_in_work = i - length + 1, j - length + 1
                if bits >= least and max(bounds[2] - j - 1, first_in_work - bounds[3]) <= 2:
                    bounds = (
                        min(bounds[0], first),
                        max(bounds[1], i + 1),
                        min(bounds[2], first_in_work),
                        max(bounds[3], j + 1),
                    )
                    marks[0].update(range(first, i + 1))
                    marks[1].update(range(first_in_work, j + 1))
        if bounds == before:
            break
    return bounds, *marks


@given(
    TEXTS,
    TEXTS,
    st.text(CHARACTERS, min_size=10, max_size=70),
    TEXTS,
    st.integers(2, 9),
    st.integers(0, 6),
    st.booleans(),
)
def test_a_passage_grows_as_by_comparing_every_initial_near_it(
    before: str, behind: str, work_before: str, work_behind: str, first: int, last: int, repeats: bool
) -> None:
    more = work_before[-first:]  # what the page may have of the work, in another place
    page_text = before + COPIED + behind[:last] + more + behind[last:] + (work_behind[:12] if repeats else "")
    work_text = work_before + COPIED + work_behind
    page, work = to_initials(page_text), to_initials(work_text)
    start, work_start = (
        int(letters.starts.searchsorted(len(text))) for letters, text in ((page, before), (work, work_before))
    )
    bounds = start, start + len(COPIED), work_start, work_start + len(COPIED)
    covered, work_covered = np.zeros(len(page), np.bool_), np.zeros(len(work), np.bool_)
    covered[bounds[0] : bounds[1]] = True
    work_covered[bounds[2] : bounds[3]] = True
    fragments, work_fragments = np.zeros(len(page), np.bool_), np.zeros(len(work), np.bool_)
    (extended,) = extend_passages(
        page.codes,
        code_points(page_text)[page.starts],
        work.codes,
        code_points(work_text)[work.starts],
        Blocks(*(np.array([bound], np.int32) for bound in (*bounds, 0))),
        np.array([0]),
        np.array([bounds]),
        fragments,
        work_fragments,
    ).tolist()
    sides = (
        (page.codes.tolist(), points_of(page_text, page), free_initials(covered.tolist(), *bounds[:2])),
        (work.codes.tolist(), points_of(work_text, work), free_initials(work_covered.tolist(), *bounds[2:])),
    )
    assert (
        tuple(extended),
        set(np.flatnonzero(fragments).tolist()),
        set(np.flatnonzero(work_fragments).tolist()),
    ) == extend_by_every_run(*sides, bounds)
