"""The difference of two texts tells both of them."""

from hypothesis import given
from hypothesis import strategies as st

from wenhen.cases.page_history import CONTEXT_CHARACTERS, DiffPart, diff_texts

TEXTS = st.text(alphabet="河岸\n文", max_size=40)


@given(TEXTS, TEXTS)
def test_without_what_was_inserted_it_is_the_old_text_and_without_what_was_deleted_the_new(a: str, b: str) -> None:
    parts = diff_texts(a, b)
    assert "".join(part.text for part in parts if part.kind != "inserted") == a
    assert "".join(part.text for part in parts if part.kind != "deleted") == b


def test_what_stayed_the_same_is_shown_beside_the_changes_only() -> None:
    same = "\n".join(f"第{n}行" for n in range(200))
    parts = diff_texts(same + "\n旧", same + "\n新")
    assert [part.kind for part in parts[:2]] == ["same", "same"]
    assert set(parts[2:]) == {DiffPart("deleted", "旧"), DiffPart("inserted", "新")}
    assert parts[0] == DiffPart("same", "", len(same) + 1 - CONTEXT_CHARACTERS)
    assert len(parts[1].text) == CONTEXT_CHARACTERS


def test_what_was_lost_stands_before_what_came_in_its_place() -> None:
    assert diff_texts("第8次编辑", "第9次编辑") == [
        DiffPart("same", "第"),
        DiffPart("deleted", "8"),
        DiffPart("inserted", "9"),
        DiffPart("same", "次编辑"),
    ]


def test_long_stretches_are_told_as_a_whole() -> None:
    old, new = "甲" * 3_000, "乙" * 3_000
    assert diff_texts(old, new) == [DiffPart("deleted", old), DiffPart("inserted", new)]
