"""A work has to have some length to be protected."""

from matcher.model import MIN_WORK_INITIALS, is_unprotected

WORK = "修表的老沈把铺子从巷口挪到巷尾那年，门口的梧桐刚被锯掉一半。"


def test_a_work_without_features_or_shorter_than_is_protected_opens_no_case() -> None:
    assert is_unprotected(0, WORK)
    assert is_unprotected(1, WORK[: MIN_WORK_INITIALS - 1] + "\n\n")
    assert not is_unprotected(1, WORK[:MIN_WORK_INITIALS])
