"""A few customary words and names of bodies that two texts share accuse nobody."""

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.resolve_sources import resolve_sources

WORK = (
    "各单位要提高认识，加强组织领导，落实防火责任，明确任务分工，把夏季森林防火工作摆在重要位置，"
    "对检查发现的安全隐患及时整改到位，切实确保人民群众生命财产安全。河面上的冰开始响了，老张说那是春天在翻身。"
    "他把烤好的红薯掰成三份，一份留给守桥的哑巴，一份揣在怀里，剩下的喂了那条瘸腿的黄狗。"
)
OTHER = (
    "各单位要提高认识，加强组织领导，落实防火责任，逐级签订承诺书，把夏季森林防火工作列入议事日程，"
    "对检查发现的安全隐患立即通报批评，切实确保人民群众生命财产安全。"
)
PLAIN = "木匠把刨花扫进灶膛，火苗舔着锅底，屋里有松脂的香味。他说这张桌子要用三年才干透，急不得。" * 3


def compare(page: str, work: str) -> Comparison:
    comparison = align_pair(page, to_initials(page), work, to_initials(work))
    assert comparison is not None
    return resolve_sources([comparison])[0]


def test_pieces_of_customary_words_accuse_nobody() -> None:
    assert not compare(PLAIN + OTHER + PLAIN, WORK).accuse


def test_a_copied_passage_accuses_whatever_words_it_has() -> None:
    copied = WORK[: WORK.index("河面")]
    assert compare(PLAIN + copied + PLAIN, WORK).accuse
    assert compare(PLAIN + copied.replace("提高", "增强").replace("任务分工", "职责分工") + PLAIN, WORK).accuse


NAMES = "the Royal Commission on Inland Waterways and Canal Transport of the Northern Counties"
ENGLISH = (
    "We moored at dusk below the old lock, where nobody had opened a gate for years. "
    "My uncle lit the stove and told us how the cut had been dug by men who were paid in bread. "
)
REPORT = f"A letter from {NAMES} lay on the table, unopened. "


def test_names_of_bodies_in_letters_accuse_nobody() -> None:
    page = f"Minutes were sent to {NAMES} by post. " + "The hens had gone to roost before the rain began to fall. " * 4
    assert not compare(page, ENGLISH + REPORT + ENGLISH).accuse


def test_a_copied_sentence_with_names_accuses() -> None:
    page = ENGLISH + "The hens had gone to roost before the rain began to fall. " * 4
    assert compare(page, ENGLISH + REPORT + "And so we slept until the heron woke us with its cry.").accuse


def test_a_name_in_letters_beside_a_copied_passage_is_a_quotation() -> None:
    other = "Bread wants an oven that is neither too hot nor too dry. Rye needs more water than wheat does. " * 9
    page = f"The minutes of {NAMES} were kept in a drawer. {other}{ENGLISH}"
    [passage] = compare(page, ENGLISH + other.upper()[::-1] + REPORT).passages
    assert page[passage.page_start : passage.page_end].strip() == ENGLISH.strip()
