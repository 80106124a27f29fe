"""The demo's works and own texts."""

import json
import re

import pytest

from wenhen.demo.articles import OWN_TEXTS_DIR, WORKS_DIR, load_works, work_paragraphs

TINY = "灯未熄"
FULL = sorted(set(load_works()) - {TINY})


def han(text: str) -> int:
    return len(re.findall(r"[\u4e00-\u9fff]", text))


def test_at_least_fourteen_works_are_long_enough_to_match_and_one_is_not() -> None:
    assert len(FULL) >= 14
    assert 5 <= len(load_works()[TINY].text.strip()) <= 12


@pytest.mark.parametrize("title", FULL)
def test_a_work_holds_600_to_3000_chinese_characters(title: str) -> None:
    assert 600 <= han(load_works()[title].text) <= 3000


def test_two_works_are_consecutive_chapters_of_one_novel() -> None:
    chapters = [(work.series, work.chapter) for work in load_works().values() if work.series]
    assert {("渡口灯", 1), ("渡口灯", 2)} <= set(chapters)


def test_one_file_is_in_gb18030_and_one_holds_a_work_a_line() -> None:
    content = (WORKS_DIR / "修表铺.txt").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        content.decode("utf-8")
    assert "佟表匠" in content.decode("gb18030")
    lines = (WORKS_DIR / "连载小说.jsonl").read_text(encoding="utf-8").splitlines()
    assert [{"id", "title", "text", "author", "published_at", "kind", "series", "chapter"}] * 3 == [
        set(json.loads(line)) for line in lines
    ]


def test_sites_show_a_work_without_the_marks_of_markdown() -> None:
    shown = work_paragraphs("给旧电脑做备份机")
    assert "一、准备" in shown
    assert not [line for line in shown if line.startswith(("#", "- ")) or "`" in line or "**" in line]


def test_the_works_and_the_own_texts_share_no_run_of_twelve_characters() -> None:
    runs: dict[str, str] = {}
    texts = {title: "".join(work_paragraphs(title)) for title in load_works()}
    texts |= {path.name: re.sub(r"\s", "", path.read_text(encoding="utf-8")) for path in OWN_TEXTS_DIR.iterdir()}
    for name, text in texts.items():
        for start in range(len(text) - 11):
            assert runs.setdefault(text[start : start + 12], name) == name
