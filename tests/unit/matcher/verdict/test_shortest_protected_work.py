"""A work has to have some length to be protected."""

from matcher.verdict.shortest_protected_work import LEAST_WORK, too_short

WORK = "修表的老沈把铺子从巷口挪到巷尾那年，门口的梧桐刚被锯掉一半。"


def test_a_work_without_features_or_shorter_than_is_protected_opens_no_case() -> None:
    assert too_short(0, WORK)
    assert too_short(1, WORK[: LEAST_WORK - 1] + "\n\n")
    assert not too_short(1, WORK[:LEAST_WORK])
