"""Texts in letters that retell, sum up or translate another, aligned by like sentences."""

from hypothesis import given
from hypothesis import strategies as st

from matcher.paraphrase.plain_characters import learn_background, to_plain_text
from matcher.paraphrase.retellings import align_sentences, find_retold_passages, split_page, suspect_retelling
from matcher.paraphrase.sentence_vectors import make_vectors, split_sentences
from matcher.paraphrase.suspicions import covered_portions, pair_passages, suspicion_reasons
from wenhen.comparison.detection import join_with_retold

WORK = (
    "The lighthouse at Grey Point was built by two brothers who had never seen the sea before. "
    "They carried every stone up the cliff on their backs, because the mules refused the narrow path. "
    "In the third winter a storm tore the scaffold away and buried their tools under the shingle. "
    "The younger brother wanted to give up and return to the quarry in the hills. "
    "The elder one sold his wedding ring to buy new chisels from a travelling smith. "
    "When the lamp was lit for the first time, a herring fleet of forty boats found its way home. "
)
RETOLD = (
    "At Grey Point two brothers, who never had seen the sea, built the lighthouse. "
    "Since the mules refused the narrow path, they carried every stone on their backs up the cliff. "
    "A storm in the third winter tore away the scaffold and buried the tools under shingle. "
    "To give up and return to the quarry was what the younger brother wanted. "
    "But to buy new chisels from a smith, the elder sold his wedding ring. "
    "A herring fleet with forty boats found the way home when the lamp was first lit. "
)
OTHER = (
    "Bread rises best in a kitchen that is neither too warm nor too dry. "
    "Knead the dough until it no longer sticks to the table, and let it rest beneath a cloth. "
    "A baker judges the oven by throwing in a pinch of flour and watching how fast it browns. "
    "Rye needs more water than wheat, and far more patience from whoever waits for supper. "
)


def test_a_retold_text_is_found_at_its_place_on_both_sides() -> None:
    page, work = to_plain_text(OTHER + RETOLD + OTHER), to_plain_text(WORK)
    sentences = split_page(page)
    assert sentences
    [passage] = find_retold_passages(sentences, work)
    mine, theirs = covered_portions(passage)
    assert (OTHER + RETOLD + OTHER)[slice(*mine)].strip() == RETOLD.strip()
    assert theirs.end - theirs.begin > 0.9 * len(WORK)
    assert "lighthouse" in passage[0].words


def test_another_text_is_not_retold_and_a_page_in_chinese_is_not_asked() -> None:
    sentences = split_page(to_plain_text(OTHER * 3))
    assert sentences
    assert find_retold_passages(sentences, to_plain_text(WORK)) == ()
    assert suspect_retelling(sentences, "work", to_plain_text(WORK), learn_background(())) is None
    assert split_page(to_plain_text("灯塔建在灰岬。" + "两兄弟把石头一块一块背上山崖。")) is None
    assert split_page(to_plain_text("")) is None


def test_a_retelling_is_a_suspicion_with_its_sentences_and_reasons() -> None:
    page = to_plain_text(RETOLD)
    sentences = split_page(page)
    assert sentences
    suspicion = suspect_retelling(sentences, "work", to_plain_text(WORK), learn_background(()))
    assert suspicion
    [pairs] = pair_passages(page, suspicion)
    keys = {reason.split(":")[0] for reason in suspicion_reasons(pairs, suspicion)}
    assert {"theme", "structure", "order"} <= keys


@given(st.text(alphabet="ab 。.!\n灯塔，", max_size=200))
def test_sentences_cover_a_text_in_order_and_every_term_lies_in_one(text: str) -> None:
    sentences = split_sentences(to_plain_text(text))
    assert sentences.begins[0] == 0
    assert sentences.ends[-1] == len(text)
    assert list(sentences.begins[1:]) == list(sentences.ends[:-1])
    for number, offset in zip(sentences.sentences.tolist(), sentences.offsets.tolist(), strict=True):
        assert sentences.begins[number] <= offset < sentences.ends[number]


@given(st.lists(st.sampled_from(WORK.split(". ")), min_size=3, max_size=9))
def test_a_text_is_wholly_like_itself(some: list[str]) -> None:
    text = split_sentences(to_plain_text(". ".join(some) + ". "))
    vectors = make_vectors(text, text)
    assert (vectors.page.counts == vectors.work.counts).all()
    for passage in align_sentences(text, text):
        assert passage.cosine > 0.99


def _detection(page: tuple[int, int], work: tuple[int, int]) -> dict[str, object]:
    return {"suspect_start": page[0], "suspect_end": page[1], "source_start": work[0], "source_end": work[1]}


def test_copied_pieces_of_a_retold_passage_are_one_and_what_is_retold_elsewhere_is_a_suspicion() -> None:
    ids = {"suspect": "page", "source": "work"}
    copied = [
        ids | _detection((0, 40), (0, 40)) | {"score": 1.0},
        ids | _detection((60, 90), (60, 90)) | {"score": 2.0},
    ]
    retold = {"work": [_detection((0, 200), (0, 200)), _detection((500, 760), (300, 400))]}
    joined, elsewhere = sorted(join_with_retold(copied, retold), key=lambda each: each["suspect_start"])
    assert joined == ids | _detection((0, 200), (0, 200)) | {"score": 3.0, "retold": True}
    assert elsewhere == ids | _detection((500, 760), (300, 400)) | {"score": 0.0, "suspicion": True}
    assert list(join_with_retold(copied, {})) == copied


def test_a_copied_passage_that_fills_a_retold_one_stays_as_it_is() -> None:
    copied = [{"suspect": "page", "source": "work"} | _detection((0, 190), (0, 190)) | {"score": 1.0}]
    assert list(join_with_retold(copied, {"work": [_detection((0, 200), (0, 200))]})) == copied


def test_copied_pieces_that_follow_one_another_on_the_page_are_one_summary() -> None:
    ids = {"suspect": "page", "source": "work"}
    copied = [
        ids | _detection((0, 100), (900, 1000)) | {"score": 1.0},
        ids | _detection((120, 200), (10, 90)) | {"score": 1.0},
    ]
    [joined] = join_with_retold(copied, {"work": []})
    assert joined == ids | _detection((0, 200), (10, 1000)) | {"score": 2.0, "retold": True}


def test_two_long_passages_from_different_places_of_a_work_stay_two() -> None:
    ids = {"suspect": "page", "source": "work"}
    first = ids | _detection((0, 300), (4_000, 4_300)) | {"score": 1.0}
    elsewhere = ids | _detection((301, 600), (10, 320)) | {"score": 1.0}
    behind = ids | _detection((301, 600), (4_320, 4_600)) | {"score": 1.0}
    assert list(join_with_retold([first, elsewhere], {"work": []})) == [first, elsewhere]
    [joined] = join_with_retold([first, behind], {"work": []})
    assert joined == ids | _detection((0, 600), (4_000, 4_600)) | {"score": 2.0, "retold": True}


PORTS = ("Hull", "Leith", "Bergen", "Danzig", "Lisbon", "Cadiz", "Genoa", "Smyrna", "Riga", "Bristol", "Cork", "Dublin")


def test_sentences_of_one_form_all_over_a_work_are_no_summary_of_it() -> None:
    def voyage(port: str, master: str) -> str:
        return f"The brig left the harbour of {port} at dawn under master {master}, loaded with timber and hemp. "

    masters = (
        "Brown",
        "Olsen",
        "Varga",
        "Quint",
        "Mercer",
        "Holm",
        "Ferrer",
        "Doria",
        "Kaya",
        "Berzins",
        "Penn",
        "Walsh",
    )
    between = OTHER[: OTHER.index("A baker")]
    work = "".join(voyage(*row) + between for row in zip(PORTS, masters, strict=True))
    page = "".join(voyage(*row) for row in (("Malta", "Zammit"), ("Odessa", "Petrov"), ("Havre", "Leroux")))
    passages = align_sentences(split_sentences(to_plain_text(page)), split_sentences(to_plain_text(work)))
    assert all(passage.work.end - passage.work.begin < 3 * len(page) for passage in passages)
