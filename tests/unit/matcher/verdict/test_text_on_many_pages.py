"""What many unrelated pages share weighs little; what was copied to many hosts weighs as before."""

from collections.abc import Collection, Sequence

import pytest

from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import Features, unpack_features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import resolve_sources
from matcher.attribution.text_on_many_pages import PageOrigin, StoredPages, look_up_pages
from matcher.index.memory_and_file_index import MemoryIndex
from tests.support.sample_works import words

PHRASE = (
    "考生须在规定时间内登录网站完成缴费，凭准考证和有效身份证件参加考试，开考三十分钟后不得入场，"
    "请妥善保管好本人的准考证。"
)
WORK = words(1, 300) + PHRASE + words(2, 300)
PAGE = words(3, 300) + PHRASE + words(4, 300)
UNRELATED = [words(100 + number, 200) + PHRASE + words(200 + number, 200) for number in range(20)]


def stored(texts: Sequence[str], clusters: Sequence[int] = (), hosts: Sequence[int] = ()) -> StoredPages:
    """Pages, each in a cluster and on a host of its own if nothing else is said."""
    documents: list[tuple[int, Features]] = []
    for number, text in enumerate(texts):
        [segment] = pack_text(to_initials(text))
        documents.append((number, unpack_features(segment.positions, segment.values)))
    index = MemoryIndex()
    index.create(postings=1_000)
    index.load(documents)
    index.publish()
    in_cluster, on_host = (named or range(len(texts)) for named in (clusters, hosts))

    def origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        return {one: PageOrigin(f"cluster {in_cluster[one]}", f"host {on_host[one]}") for one in numbers}

    return StoredPages(look_up_pages(index, lambda: len(texts)), origins)


def compared(page: str = PAGE, work: str = WORK) -> Comparison:
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found is not None
    assert found.accuse
    return found


def accuses(pages: StoredPages | None, page: str = PAGE, work: str = WORK) -> bool:
    return resolve_sources([compared(page, work)], pages=pages)[0].accuse


def test_a_phrase_of_many_unrelated_pages_accuses_nobody() -> None:
    assert accuses(None)
    assert not accuses(stored(UNRELATED))


def test_a_phrase_of_few_pages_accuses() -> None:
    others = [words(300 + number, 200) for number in range(20)]
    assert accuses(stored(others))
    assert accuses(stored([*UNRELATED[:3], *others]))
    assert accuses(stored(UNRELATED[:6])), "among so few pages nothing is counted"


@pytest.mark.parametrize("same", ["cluster", "host"])
def test_pages_of_one_cluster_or_one_host_count_once(same: str) -> None:
    one = [0] * len(UNRELATED)
    assert accuses(stored(UNRELATED, **{"clusters" if same == "cluster" else "hosts": one}))


def test_pages_that_copy_the_work_around_the_passage_are_no_witnesses() -> None:
    copies = [words(100 + number, 200) + WORK[:360] + words(200 + number, 200) for number in range(20)]
    assert accuses(stored(copies))


def test_a_long_copy_and_most_of_a_work_are_never_discounted() -> None:
    long = PHRASE + words(9, 120)
    pages = stored([words(100 + number, 200) + long + words(200 + number, 200) for number in range(20)])
    assert accuses(pages, words(3, 300) + long + words(4, 300), words(1, 300) + long + words(2, 300))
    assert accuses(stored(UNRELATED), PAGE, PHRASE + words(2, 10))


def test_a_passage_with_something_of_its_own_stays_with_less_weight_and_a_reason() -> None:
    own = words(7, 45)
    page, work = words(3, 300) + PHRASE[:30] + own + words(4, 300), words(1, 300) + PHRASE[:30] + own + words(2, 300)
    before = compared(page, work)
    [after] = resolve_sources([before], pages=stored(UNRELATED))
    assert after.accuse
    assert 0 < after.verdict.weight < before.verdict.weight
    assert any(reason.startswith("common:") for reason in after.verdict.reasons)
