"""A text is checked against the library by one use case, which stores nothing."""

from dataclasses import replace

import pytest

from tests.support.acting import by
from tests.support.way import made_text, work_through
from wenhen.context.caches import LruCache
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_copied_works, read_uploaded_texts
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

RIVER, SNOW = made_text("河"), made_text("雪")


def test_a_copy_names_its_works_with_the_passages_of_both_sides(product: App) -> None:
    for id, text in (("river", RIVER), ("snow", SNOW)):
        put_work(by(product), WorkDraft(id=id, title=f"作品{id}", text=text))
    work_through(product)
    text = f"{made_text('前', 80)}\n{RIVER[100:400]}"
    [work] = find_copied_works(product, text)
    assert (work.work_id, work.work_title) == ("river", "作品river")
    [pair] = work.pairs
    assert RIVER[110:390] in pair.page_text
    assert text[pair.passage.page_start : pair.passage.page_end] == pair.page_text
    assert RIVER[pair.passage.work_start : pair.passage.work_end] == pair.work_text
    assert find_copied_works(product, made_text("别的")) == []
    assert product.store.pages.count() == product.store.cases.count() == 0


@pytest.mark.parametrize("few", [0, 8])
def test_works_are_found_alike_whether_they_are_many_or_few(
    product: App, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("wenhen.matching.candidate_cache._MAX_WORKS_PER_QUERY", few)
    texts = {"river": RIVER, "both": f"{SNOW}\n{RIVER}", "gone": RIVER, "long": RIVER + made_text("长", 21_000)}
    for id, text in texts.items():
        put_work(by(product), WorkDraft(id=id, title=id, text=text))
    work_through(product)
    product.store.works.remove("gone")
    fresh = replace(product, recent_texts=LruCache(100_000))
    found = {work.work_id: work for work in find_copied_works(fresh, f"{made_text('前', 80)}\n{RIVER[100:400]}")}
    assert set(found) == {"river", "both", "long"}
    for id, work in found.items():
        (pair,) = work.pairs
        assert texts[id][pair.passage.work_start : pair.passage.work_end] == pair.work_text
        assert RIVER[110:390] in pair.work_text


def test_a_new_version_of_a_work_is_read_though_the_old_one_is_at_hand(product: App) -> None:
    put_work(by(product), WorkDraft(id="river", title="river", text=RIVER))
    work_through(product)
    assert find_copied_works(product, RIVER[100:400])
    put_work(by(product), WorkDraft(id="river", title="river", text=SNOW + RIVER[100:400]))
    (work,) = find_copied_works(product, RIVER[100:400])
    assert [one.passage.work_start for one in work.pairs] == [len(SNOW)], "before it is fingerprinted anew, too"


def test_a_file_gives_its_texts_and_says_what_cannot_be_read() -> None:
    texts, refused = read_uploaded_texts("两行.jsonl", b'{"title": "one", "text": "a text"}\n[]\n', 20)
    assert [(one.name, one.text) for one in texts] == [("one", "a text")]
    assert [(one.what, one.reason.text("zh")) for one in refused] == [("两行.jsonl:2", "不是 JSON 对象")]
