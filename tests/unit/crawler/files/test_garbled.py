"""What does not read like text becomes none: it is read as a picture where there are pages, or refused by name."""

import random

import pytest

from crawler.extraction.documents.document import Document, join_parts
from crawler.extraction.documents.file_kinds import FileKind
from crawler.extraction.documents.pdf import read_pdf, recognize_scans
from crawler.extraction.documents.read_document import read_document
from crawler.extraction.documents.readability import find_garbling
from crawler.extraction.model import Box, PictureLine, PictureText
from tests.support.documents.files import epub, packed, rich_text
from tests.support.documents.pdf_markup import mapped_pdf
from wenhen.kit.errors import Unreadable
from wenhen.works.importers.documents import read_epub as import_epub

LINES = (
    "茶农把新芽摊在竹匾里，等露水散尽才下锅。",
    "锅边的老人不看火，只听叶子在铁上翻动的声音。",
    "山道上的茶担一前一后，担绳勒进肩头，没有人说话。",
    "天亮时头一锅茶装进了锡罐，罐口封着去年的红纸。",
    "他把秤砣往回拨了半格，说新茶吃秤，少算一些才公道。",
    "渡口的货郎用盐来换，盐包上还印着下游镇子的字号。",
    "雨季一来山路就断，剩下的茶只好堆在祠堂的阁楼上。",
    "孩子们趴在楼板上数茶篓，数到一半便在香气里睡着了。",
    "祠堂的门槛被担子磨出一道凹槽，雨水顺着它流进天井。",
    "老人说这道槽比族谱还准，哪一年茶好哪一年就深几分。",
)
SIGNS = sorted(set("".join(LINES)))


def shuffled(seed: int = 7) -> dict[str, str]:
    other = list(SIGNS)
    random.Random(seed).shuffle(other)
    return dict(zip(SIGNS, other, strict=True))


PRIVATE = {sign: chr(0xE000 + at) for at, sign in enumerate(SIGNS)}
LOST = dict.fromkeys(SIGNS, "\N{REPLACEMENT CHARACTER}")


def codes(error: pytest.ExceptionInfo[Unreadable]) -> tuple[str, str]:
    figures = error.value.message.figures
    return error.value.message.code, getattr(figures.get("reason"), "code", "")


@pytest.mark.parametrize(
    ("shown_as", "sign"),
    [
        (None, "documents.unmapped"),
        (PRIVATE, "documents.private"),
        (LOST, "documents.replaced"),
        (shuffled(), "documents.nonsense"),
    ],
)
def test_a_pdf_whose_map_is_missing_or_wrong_is_refused_by_name_or_read_as_pictures(
    shown_as: dict[str, str] | None, sign: str
) -> None:
    content = mapped_pdf(LINES, shown_as)
    with pytest.raises(Unreadable) as refused:
        read_document(content, FileKind.PDF)
    assert codes(refused) == ("documents.garbled", sign)
    waiting = read_document(content, FileKind.PDF, scans={})
    assert (waiting.scans, [one.code for one in waiting.lost]) == ((1,), ["documents.garbled"])
    line = PictureLine(text=LINES[0], box=Box(0, 0, 9, 9))
    read = read_document(content, FileKind.PDF, scans={"1": PictureText(id="x:1", lines=(line,))})
    assert (join_parts(read.parts)[0], read.scans) == (LINES[0], ())


def test_the_pages_of_such_a_pdf_are_the_ones_to_be_recognized() -> None:
    [found] = recognize_scans(mapped_pdf(LINES, PRIVATE), "x", ())
    assert found.id == "x:1"


def test_a_pdf_with_the_right_map_is_text() -> None:
    found = read_pdf(mapped_pdf(LINES, {}))
    assert (found.garbled, "".join(found.parts[0].paragraphs)) == (None, "".join(LINES))


def test_letters_without_a_map_that_have_their_names_are_text() -> None:
    words = ("Tea is picked before the dew has gone, and the old man listens to the leaves.",) * 4
    assert find_garbling(words, "".join(words)) is None
    assert find_garbling(LINES, "".join(LINES)) is None


def book(lines: tuple[str, ...]) -> bytes:
    return epub([lines])


def as_windows_1252(content: bytes) -> str:
    """As browsers read it: undefined bytes are control characters."""
    return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in content)


@pytest.mark.parametrize(
    "misread",
    [
        tuple(line.encode().decode("gb18030", "replace") for line in LINES),
        tuple(line.encode().decode("latin-1") for line in LINES),
        tuple(as_windows_1252(line.encode()) for line in LINES),
        tuple(as_windows_1252(line.encode("gb18030")) for line in LINES),
    ],
    ids=["UTF-8 as GB 18030", "UTF-8 as Latin-1", "UTF-8 as Windows-1252", "GB 18030 as Windows-1252"],
)
def test_text_that_was_read_in_another_charset_is_refused(misread: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable) as refused:
        read_document(book(misread), FileKind.EPUB)
    assert codes(refused) in (("documents.garbled", "documents.misread"), ("documents.garbled", "documents.replaced"))
    with pytest.raises(Unreadable, match="no readable text"):
        list(import_epub(book(misread), "书.epub"))


def test_a_file_that_states_a_false_code_page_is_refused() -> None:
    said = "\\par ".join("".join(f"\\'{byte:02x}" for byte in line.encode("gbk")) for line in LINES)
    with pytest.raises(Unreadable, match="no readable text"):
        read_document(f"{{\\rtf1\\ansi\\ansicpg950 {said}}}".encode(), FileKind.RTF)
    assert read_document(rich_text(LINES), FileKind.RTF).parts[0].paragraphs == LINES


def test_a_file_of_an_archive_is_judged_by_itself_and_plain_text_is_not() -> None:
    nonsense = "\n".join("".join(shuffled()[sign] for sign in line) for line in LINES)
    members = {"好.epub": book(LINES), "坏.pdf": mapped_pdf(LINES, PRIVATE), "文.txt": nonsense.encode()}
    read = read_document(packed(members), FileKind.ZIP)
    assert [one.file for one in read.parts] == ["好.epub", "文.txt"]
    assert ["no readable text" in str(one) for one in read.lost] == [True]


@pytest.mark.parametrize(
    "paragraphs",
    [
        (),
        ("",),
        ("· · · · · · · · · · · ·", "······························"),
        ("¯" * 60, "———————————————————————————", "°°°°°°°°°°°°°°°°°°°°°°°°°"),
        ("Žluťoučký kůň příšerně úpěl ďábelské ódy.",) * 20,
        ("Съешь же ещё этих мягких французских булок.",) * 20,
        ("찻잎을 덖는 노인은 불을 보지 않는다.",) * 20,
        ("お茶を摘む老人は火を見ずに葉の音だけを聞いていた。",) * 20,
        ("Świeżą herbatę zbiera się o świcie, zanim zniknie rosa, a starzec słucha liści.",) * 20,
        ("0x7f 3d 9a",) * 200,
        ("龘靐齉", "𠀀𠀁𠀂"),
        ("".join(map(chr, range(0xA1, 0x100))), "¢£¤¥§¨©ª«¬®¯ ±²¶¸¹º¼½ ÀÁÂÃÄÅÆÈÉÊËÌ"),
        ("XXXXXX XXX, XXXX XX XXXXX XX XXXXXXXX XXXX XX",) * 20,
        (
            "初哉首基肇祖元胎俶落权舆始也林烝天帝皇王后辟公侯君也弘廓宏溥介纯夏幠厖坟嘏丕弈洪诞戎骏假京硕濯吁宇穹壬路淫甫景废壮冢简箌昄晊将业席大也"
            * 8,
        ),
        tuple(f"{name}　{name}　{name}" for name in ("王一", "李二", "张三", "赵四") * 8),
    ],
)
def test_tables_other_languages_and_rare_characters_are_text(paragraphs: tuple[str, ...]) -> None:
    assert find_garbling(paragraphs) is None


def test_one_character_again_and_again_is_none() -> None:
    assert find_garbling(("茶茶︰针针针针针针针针针针针针",)) is not None
    assert find_garbling(("哈哈哈，" + LINES[0],)) is None


def test_shifted_letters_are_none() -> None:
    words = "Tea is picked before the dew has gone, and the old man listens to the leaves alone. " * 10
    shifted = "".join(chr(ord(sign) - 29) if sign.islower() else sign for sign in words)  # by the numbers of glyphs
    assert find_garbling((words,)) is None
    assert find_garbling((shifted,)) is not None


def test_reading_twice_gives_the_same() -> None:
    first, second = (read_pdf(mapped_pdf(LINES, shuffled())) for _ in range(2))
    assert first == second
    assert isinstance(first, Document)
