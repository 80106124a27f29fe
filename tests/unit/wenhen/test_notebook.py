"""`import wenhen` in a notebook: the rules of production in memory, without servers."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import pytest

import wenhen
from tests.support.sample_works import OTHER, WORKS
from wenhen.kit.errors import BadInput, SetupError

PAGE = f"<html><head><title>渡口</title></head><body><article><p>{WORKS[0]}</p></article></body></html>"


@pytest.fixture(scope="module")
def library() -> wenhen.Library:
    return wenhen.Library.from_texts({"芦苇": WORKS[0], "戏箱": WORKS[1], "柴油机": WORKS[2]})


def test_a_copied_passage_is_found_with_its_place_in_both_texts(library: wenhen.Library) -> None:
    text = OTHER + WORKS[1][:80]
    (found,) = library.find(text)
    (passage,) = found.passages
    assert (found.id, found.level) == ("戏箱", "verbatim")
    assert (passage.text, passage.work_text) == (text[passage.start : passage.end], WORKS[1][:80])
    assert passage.start == len(OTHER)


def test_a_text_that_copies_nothing_finds_nothing(library: wenhen.Library) -> None:
    assert len(library.find(OTHER)) == 0


def test_works_without_titles_are_numbered_and_counted() -> None:
    library = wenhen.Library.from_texts(WORKS)
    assert len(library) == len(WORKS)
    assert library.find(WORKS[2])[0].title == "3"


def test_what_a_common_text_explains_accuses_nobody() -> None:
    library = wenhen.Library.from_texts({"戏箱": WORKS[1]}, common={"公文": WORKS[1]})
    assert len(library) == 1
    assert len(library.find(WORKS[1])) == 0


def test_a_shorter_passage_is_found_when_it_is_asked_for() -> None:
    text = OTHER + WORKS[0][5:25]
    assert len(wenhen.Library.from_texts([WORKS[0]]).find(text)) == 0
    assert len(wenhen.Library.from_texts([WORKS[0]], shortest=10).find(text)) == 1


def test_two_texts_are_compared() -> None:
    compared = wenhen.compare(OTHER + WORKS[0], WORKS[0])
    assert compared.is_copy
    assert compared.share_of_second == 1
    assert compared.passages[0].text == WORKS[0]
    apart = wenhen.compare(OTHER, WORKS[0])
    assert (apart.level, apart.is_copy, apart.passages) == (None, False, ())


def test_parallels_name_both_texts() -> None:
    (parallel,) = wenhen.parallels({"甲": WORKS[0], "乙": OTHER + WORKS[0][3:30]})
    assert (parallel.first_title, parallel.second_title) == ("甲", "乙")
    assert parallel.first_text == parallel.second_text == WORKS[0][3:30].rstrip("，。")


def test_a_fingerprint_does_not_depend_on_the_script() -> None:
    assert wenhen.fingerprint("河堤上的芦苇" * 9).letters == wenhen.fingerprint("河堤上的蘆葦" * 9).letters


@pytest.mark.parametrize("page", [PAGE, PAGE.encode(), bytearray(PAGE.encode())], ids=["str", "bytes", "bytearray"])
def test_a_page_gives_its_text_and_its_title(page: str | bytes) -> None:
    extracted = wenhen.extract(page)
    assert (extracted.text, extracted.title) == (WORKS[0], "渡口")


def test_a_page_in_memory_is_text_whatever_charset_it_states() -> None:
    assert wenhen.extract(PAGE.replace("<head>", "<head><meta charset='gbk'>")).text == WORKS[0]


BAD_CALLS: dict[str, tuple[Callable[[], object], str, str]] = {
    "one text": (lambda: wenhen.Library.from_texts("芦苇"), "a list [text]", "列表"),
    "no text": (lambda: wenhen.Library.from_texts({"芦苇": " \n"}), "芦苇 is empty", "空白"),
    "a number": (lambda: wenhen.Library.from_texts([1]), "is no str, but int", "须是 str"),  # type: ignore[list-item]
    "no shortest": (lambda: wenhen.Library.from_texts(["字"], shortest=3), "8 to 1,000", "最短段落"),
    "bytes": (lambda: wenhen.fingerprint(b"abc"), "is no str, but bytes", "须是 str"),  # type: ignore[arg-type]
    "window": (lambda: wenhen.fingerprint("字", window=0), "a window has", "窗口"),
    "no page": (lambda: wenhen.extract(7), "bytes or str", "bytes 或 str"),  # type: ignore[arg-type]
    "parallels": (lambda: wenhen.parallels(["字"], shortest=2), "8 to 1,000", "最短段落"),
    "compare": (lambda: wenhen.compare("", "字"), "first is empty", "空白"),
}


@pytest.mark.parametrize("what", BAD_CALLS)
def test_bad_input_is_answered_in_both_languages(what: str) -> None:
    call, english, chinese = BAD_CALLS[what]
    with pytest.raises(BadInput) as refused:
        call()
    assert english in refused.value.message.text("en")
    assert chinese in refused.value.message.text("zh")


def test_results_become_tables(library: wenhen.Library) -> None:
    if find_spec("pandas") is None and "CI" not in os.environ:
        pytest.skip("pandas is not installed: make setup")
    found = library.find(OTHER + WORKS[1]).to_pandas()
    assert found.loc[0, "title"] == "戏箱"
    assert found.loc[0, "work_text"] == WORKS[1]
    assert list(library.find(OTHER).to_pandas().columns) == list(found.columns)
    assert len(wenhen.parallels([WORKS[0], WORKS[0]]).to_pandas()) == 1
    assert len(wenhen.compare(WORKS[0], WORKS[0]).to_pandas()) == 1
    assert wenhen.extract(PAGE).to_pandas().loc[0, "title"] == "渡口"
    fingerprint = wenhen.fingerprint(WORKS[0])
    assert list(fingerprint.to_pandas()["digits"]) == [window.digits for window in fingerprint.windows]


def test_without_pandas_the_error_says_what_to_install(
    library: wenhen.Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SetupError, match=r"pip install 'wenhen\[notebook\]'") as refused:
        library.find(WORKS[0]).to_pandas()
    assert "请运行" in refused.value.message.text("zh")


def test_the_import_is_quick_and_an_unknown_name_is_no_attribute() -> None:
    heavy = "[name for name in ('numpy', 'numba', 'pymongo', 'scrapy', 'wenhen.notebook') if name in sys.modules]"
    program = f"import sys, wenhen; print({heavy}, hasattr(wenhen, 'nothing'))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "[] False\n"
