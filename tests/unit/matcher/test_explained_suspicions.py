# ruff: noqa: E501  texts are easier to read whole
"""Suspicions that rest on text which is nobody's own: a common text, or a form that many pages and works fill in."""

import random

import pytest

from matcher.attribution.text_on_many_pages import customary_spans
from matcher.paraphrase.evidence import Portion, find_shared_runs
from matcher.paraphrase.plain_characters import Background, blank_portions, learn_background, to_plain_text
from matcher.paraphrase.suspicions import PlacedWork, Suspicion, explain_suspicion, find_suspicions, weigh_works
from tests.support.quality.formulae import PLACES
from tests.support.quality.rewritings import few_rewritings
from wenhen.comparison.detection import suspects_as_pages
from wenhen.fingerprints.reading import TextReading
from wenhen.matching.paraphrases import is_explained

NEWS = next(one for one in few_rewritings() if one.genre == "news")
CLASSIC = "渡者问津于石门，叟曰：水浅则揭，水深则厉，柳溪之津，不待舟也。渡者曰：青苇之险，叟未尝涉乎？"
COMMENTARY = (
    "叟曰：水浅则揭，水深则厉，柳溪之津，不待舟也。言其熟于水性，故不假舟楫。渡者曰：青苇之险，叟未尝涉乎？疑之也。"
)
OTHER_COMMENTARY = (
    "叟曰：水浅则揭，水深则厉，柳溪之津，不待舟也。此章教人量力。渡者曰：青苇之险，叟未尝涉乎？盖以言试叟。"
)


@pytest.fixture(scope="module")
def background() -> Background:
    return learn_background(())


def suspect(page: str, work: str, background: Background) -> Suspicion:
    """The suspicion of a page against one work, wholly in view."""
    mine, theirs = to_plain_text(page), to_plain_text(work)
    placed = PlacedWork("work", theirs, Portion(0, 200), Portion(0, 200))
    [suspicion] = find_suspicions(mine, weigh_works(mine, [placed], background), background)
    return suspicion


def warn(seed: int) -> str:
    """A filled-in form: a warning of ice on the roads."""
    rng = random.Random(seed)
    return (
        f"{rng.choice(PLACES)}气象台{rng.randint(1, 12)}月{rng.randint(1, 28)}日发布道路结冰黄色预警信号：受强冷空气影响，预计未来"
        f"{rng.choice('六八九')}小时内我市将出现降雪，积雪深度可达{rng.randint(11, 98)}毫米，路面湿滑，桥面涵洞易结冰，"
        f"请驾车出行的市民朋友减速慢行，注意防滑。当前能见度{rng.randint(100, 900)}米，阵风{rng.choice('五六七')}级，体感寒冷，"
        "请老人和儿童减少外出，农户加固温室大棚，谨防积雪压塌棚架。"
    )


def test_two_commentaries_on_a_common_text_are_none(background: Background) -> None:
    suspicion = suspect(COMMENTARY, OTHER_COMMENTARY, background)
    reading = TextReading(COMMENTARY)
    assert not is_explained(reading, suspicion, [], [], background)
    assert not is_explained(reading, suspicion, [to_plain_text(NEWS.original)], [], background)
    assert is_explained(reading, suspicion, [to_plain_text(CLASSIC)], [], background)


def test_a_form_that_many_pages_fill_in_is_none_and_one_that_few_have_is_one(background: Background) -> None:
    suspicion = suspect(warn(1), warn(2), background)
    reading = TextReading(warn(1))
    for others, explained in ((3, False), (14, True)):
        pages = suspects_as_pages(
            [*(warn(seed) for seed in range(10, 10 + others)), *(NEWS.original for _ in range(20))]
        )
        assert is_explained(reading, suspicion, [], [pages], background) is explained


def test_a_rewriting_stays_one_beside_pages_and_common_texts(background: Background) -> None:
    suspicion = suspect(NEWS.sentences, NEWS.original, background)
    pages = suspects_as_pages([*(warn(seed) for seed in range(20)), NEWS.sentences, NEWS.same])
    common = [to_plain_text(CLASSIC), to_plain_text(warn(1))]
    assert not is_explained(TextReading(NEWS.sentences), suspicion, common, [pages], background)


def test_what_is_explained_takes_evidence_away_and_never_adds_any(background: Background) -> None:
    page = to_plain_text(NEWS.sentences)
    suspicion = suspect(NEWS.sentences, NEWS.original, background)
    whole = suspicion.evidence
    assert explain_suspicion(page, suspicion, [], background).score == whole.score
    for begin in range(0, 120, 20):
        left = explain_suspicion(page, suspicion, [Portion(begin, begin + 40)], background)
        assert left.words <= whole.words
        assert left.characters <= whole.characters
        assert left.likeness <= whole.likeness
    assert explain_suspicion(page, suspicion, [Portion(0, len(page))], background).words == 0


def test_blanked_portions_share_nothing_and_move_nothing() -> None:
    text = to_plain_text(CLASSIC)
    blank = blank_portions(text, [(0, 10), (len(text) - 3, len(text) + 9)])
    assert (len(blank), blank.starts.tolist()) == (len(text), text.starts.tolist())
    runs = find_shared_runs(blank, text, Portion(0, len(text)), Portion(0, len(text)))
    assert runs
    assert all(run.page >= 10 and run.page + run.length <= len(text) - 3 for run in runs)


def test_customary_spans_stand_in_the_text_and_not_where_pages_are_copies_of_one(background: Background) -> None:
    form, reading = warn(1), TextReading(warn(1))
    spans = customary_spans(reading.letters, 0, len(form), suspects_as_pages(warn(seed) for seed in range(5, 30)))
    assert spans
    assert sum(end - begin for begin, end in spans) > len(form) / 2
    assert all(0 <= begin < end <= len(form) for begin, end in spans)
    nothing = suspects_as_pages(NEWS.original for _ in range(20))
    assert customary_spans(reading.letters, 0, len(form), nothing) == []
    assert customary_spans(TextReading("").letters, 0, 0, nothing) == []
