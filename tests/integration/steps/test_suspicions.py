"""The second look at a page on real servers: what it finds is a suspicion, whatever else is known of the page."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from matcher.model import Level
from matcher.paraphrase import rare_word_retrieval as retrieving
from matcher.paraphrase.evidence import Evidence
from matcher.paraphrase.plain_characters import to_plain_text
from matcher.paraphrase.rare_word_retrieval import extract_rare_words, retrieve_documents
from tests.support.acting import by
from tests.support.quality.rewritings import few_rewritings
from tests.support.way import capture, made_page, opened, store_work, the_case, work_through
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.cases.rules import is_copy
from wenhen.common.service import add_common_texts
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching import paraphrases
from wenhen.matching.index_rebuild import rebuild_index
from wenhen.matching.paraphrases import SuspectedWork, find_paraphrased_works, find_paraphrased_works_of_all
from wenhen.pipeline.tasks import run_batch
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_sources
from wenhen.works.model import WorkDraft
from wenhen.works.service import remove_work

URL = "http://site.test/told-anew"
NEWS, RECIPE = (next(one for one in few_rewritings() if one.genre == genre) for genre in ("news", "recipe"))
UNRELATED = RECIPE.same


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path, matcher={"suspicions": True}) as product:
        product.rare_words.create(postings=10_000)
        product.rare_words.publish()
        store_work(product, "flood", NEWS.original)
        for other in few_rewritings():
            store_work(product, other.genre, other.same if other == NEWS else other.original)
        work_through(product)
        yield product


def show(app: App, text: str) -> None:
    capture(app, URL, made_page("见闻", text))
    work_through(app)


def test_a_page_told_after_a_work_is_a_suspicion_that_counts_as_no_copy(app: App) -> None:
    show(app, NEWS.sentences)
    case = the_case(app)
    assert (case.work_id, case.status, case.match.level) == ("flood", CaseStatus.SUSPECTED, Level.SUSPECTED)
    assert (case.match.passages, case.match.share_of_page, case.match.score) == ((), 0, 0)
    assert not is_copy(case)
    assert app.store.cases.count(copies=True) == app.store.cases.count(status=CaseStatus.LEAD) == 0
    text = app.store.blobs.get_text(case.page_text_digest)
    for one in case.match.retold:
        assert all(word[:2] in text[one.page_start : one.page_end].replace("两", "二") for word in one.words)
    assert any(reason.startswith("theme:") for reason in case.match.reasons)


def test_a_text_on_the_same_subject_is_no_suspicion(app: App) -> None:
    show(app, RECIPE.same)
    assert app.store.cases.count() == 0


def test_a_suspicion_goes_with_its_text_and_becomes_a_lead_once_the_page_copies(app: App) -> None:
    show(app, NEWS.sentences)
    show(app, UNRELATED)
    assert not the_case(app).present
    show(app, NEWS.original)
    case = the_case(app)
    assert (case.status, case.present) == (CaseStatus.LEAD, True)
    assert case.match.passages
    assert case.match.retold == ()


def test_a_page_that_letters_explain_gets_no_second_look_and_one_with_more_beside_the_copy_does(app: App) -> None:
    with patch.object(paraphrases, "retrieve_documents", wraps=retrieve_documents) as looked:
        show(app, RECIPE.original + NEWS.original)
        assert app.store.cases.count(status=CaseStatus.LEAD) > 0
        assert not looked.called
        show(app, RECIPE.original + "\n" + NEWS.sentences)
        assert looked.called


def test_together_texts_get_the_second_look_that_each_gets_alone(app: App) -> None:
    remove_work(by(app), next(one.genre for one in few_rewritings()[::-1] if one != NEWS))
    pages = [one.sentences for one in few_rewritings()] + [one.anew for one in few_rewritings()]
    pages += ["", RECIPE.original + NEWS.sentences, RECIPE.original, UNRELATED, NEWS.sentences]
    looks = [(reading, find_sources(app, reading)) for reading in map(TextReading, pages)]
    alone = [told(find_paraphrased_works(app, *look)) for look in looks]
    assert sum(map(bool, alone)) > 4
    assert [told(one) for one in find_paraphrased_works_of_all(app, looks)] == alone
    with patch.object(retrieving, "MAX_QUERY_WORDS", 1), patch.object(paraphrases, "_MAX_CHARACTERS_PER_BATCH", 1):
        assert [told(one) for one in find_paraphrased_works_of_all(app, looks)] == alone
    assert find_paraphrased_works_of_all(app, []) == []


def told(found: list[SuspectedWork]) -> list[tuple[str, Evidence, float]]:
    return [(one.work.id, one.suspicion.evidence, one.suspicion.rival) for one in found]


def test_pages_that_go_together_are_each_suspected_of_their_own_work(app: App) -> None:
    pages = {f"http://site.test/{at}": text for at, text in enumerate((NEWS.sentences, UNRELATED, RECIPE.sentences))}
    ids = [capture(app, url, made_page("见闻", text)) for url, text in pages.items()]
    run_batch(app, OwnerKind.PAGE, ids, Step.EXTRACT)
    work_through(app)
    assert {case.page_url: case.work_id for case in app.store.cases.each()} == {
        "http://site.test/0": "flood",
        "http://site.test/2": "recipe",
    }


def test_what_a_person_decided_on_a_suspicion_stands_when_the_page_is_looked_at_again(app: App) -> None:
    show(app, NEWS.sentences)
    decide_cases(by(app), [the_case(app).number], CaseStatus.CONFIRMED)
    show(app, NEWS.sentences + "\n（本页已更新）")
    assert (the_case(app).status, the_case(app).present) == (CaseStatus.CONFIRMED, True)


def test_the_words_of_a_work_that_changed_or_was_removed_leave_their_index(app: App) -> None:
    [words] = extract_rare_words(to_plain_text(NEWS.original + UNRELATED))

    def indexed() -> set[int]:
        return set(app.rare_words.look_up(words).numbers.tolist())

    [first] = app.store.fingerprints.of(OwnerKind.WORK, "flood")
    assert first.number in indexed()
    store_work(app, "flood", UNRELATED)
    work_through(app)
    [second] = app.store.fingerprints.of(OwnerKind.WORK, "flood")
    assert second.number in indexed()
    assert first.number not in indexed()
    remove_work(by(app), "flood")
    work_through(app)
    assert second.number not in indexed()


def test_without_suspicions_nothing_is_indexed_and_nothing_looked_for(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        store_work(app, "flood", NEWS.original)
        work_through(app)
        assert not app.rare_words.exists()
        show(app, NEWS.sentences)
        assert app.store.cases.count() == 0


def test_the_rare_words_of_works_are_read_again_by_a_rebuild(app: App) -> None:
    before = app.rare_words.stats().postings
    rebuild_index(app, OwnerKind.WORK)
    assert app.rare_words.stats().postings == before > 0


def test_a_common_text_takes_away_the_suspicion_that_rests_on_it(app: App) -> None:
    show(app, NEWS.sentences)
    assert the_case(app).present
    common = WorkDraft(id="report", title="《通报》", text=NEWS.sentences, origin="report.txt")
    add_common_texts(by(app), "《通报》", [common])
    work_through(app)
    show(app, f"{NEWS.sentences}\n")
    show(app, f"{UNRELATED}\n{NEWS.sentences}")
    assert [case for case in app.store.cases.each() if case.present] == []
