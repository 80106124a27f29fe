"""Whatever hosts are found to carry the same, each is counted as one that is no mirror itself."""

from hypothesis import given
from hypothesis import strategies as st

from wenhen.sites.model import join_mirrors, mirror_group

hosts = st.sampled_from("abcdefg")
pairs = st.lists(st.tuples(hosts, hosts), max_size=12)


def after(found: list[tuple[str, str]]) -> dict[str, str]:
    mains: dict[str, str] = {}
    for host, main in found:
        mains = join_mirrors(host, main, mains)
    return mains


@given(pairs)
def test_no_mirror_is_counted_as_a_mirror_and_those_found_alike_as_one(found: list[tuple[str, str]]) -> None:
    mains = after(found)
    assert not set(mains) & set(mains.values())
    assert all(mains.get(host, host) == mains.get(main, main) for host, main in found)


@given(pairs, hosts)
def test_a_host_is_counted_with_all_its_mirrors(found: list[tuple[str, str]], host: str) -> None:
    mains = after(found)
    together = set(mirror_group(host, mains))
    assert together == {host} | {one for one in mains if mains[one] == host}
