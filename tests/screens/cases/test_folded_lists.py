"""A folded list holds every case once."""

from hypothesis import given
from hypothesis import strategies as st

from wenhen.cases.filters import Fold, fold_cases
from wenhen.cases.model import CaseKey

NAMES = st.sampled_from(["a", "b", "c"])


@st.composite
def keys(draw: st.DrawFn) -> list[CaseKey]:
    rows = draw(st.lists(st.tuples(NAMES, st.none() | NAMES, NAMES, NAMES), max_size=12))
    return [
        {"number": number, "page_id": page, "cluster_id": cluster, "page_host": host, "work_id": work}
        for number, (page, cluster, host, work) in enumerate(rows, 1)
    ]


@given(keys(), st.sampled_from(Fold))
def test_every_case_stands_in_one_row_and_rows_keep_the_order(found: list[CaseKey], by: Fold) -> None:
    rows = fold_cases(found, by, {})
    assert sorted(n for row in rows for n in row.numbers) == [one["number"] for one in found]
    assert len({row.key for row in rows}) == len(rows)
    assert all(list(row.numbers) == sorted(row.numbers) for row in rows)
    heads = [row.numbers[0] for row in rows]
    sizes = [len(row.numbers) for row in rows]
    assert heads == sorted(heads) if by in (Fold.CLUSTER, Fold.NONE) else sizes == sorted(sizes, reverse=True)
