"""Pinyin of other systems, and with spaces inside its syllables, is read as the characters that it stands for."""

import pytest
from pypinyin import Style, lazy_pinyin

from fingerprinter.initials.to_initials import to_initials

TEXT = "修鞋的老潘在桥洞下摆了三十年的摊谁的鞋跟掉了都去找他他收钱很少话也很少只是听收音机里的戏一边听一边跟着哼"
BEFORE = "昨天下午邮差来过两次。"
WADE_GILES = " ".join(lazy_pinyin(TEXT, style=Style.WADEGILES))
DOUBLE = {"zh": "v", "ch": "i", "sh": "u"}


def same_initials(written: str) -> float:
    """The share of the text's initials that stand where they should."""
    letters = to_initials(BEFORE + written).codes[len(to_initials(BEFORE)) :]
    meant = to_initials(TEXT).codes
    same = sum(int(a == b) for a, b in zip(letters.tolist(), meant.tolist(), strict=False))
    return same / max(len(meant), len(letters))


def test_wade_giles_is_read() -> None:
    assert same_initials(WADE_GILES) > 0.95


def test_double_pinyin_is_read() -> None:
    typed = [DOUBLE.get(each[:2], each[0]) + each[-1] for each in lazy_pinyin(TEXT)]
    assert same_initials(" ".join(typed)) > 0.95


def test_tongyong_pinyin_is_read() -> None:
    spelled = lazy_pinyin(TEXT)
    for hanyu, tongyong in (("zhi", "jhih"), ("zh", "jh"), ("shi", "shih"), ("xi", "si"), ("qi", "ci"), ("q", "cy")):
        spelled = [each.replace(hanyu, tongyong) if each.startswith(hanyu) else each for each in spelled]
    assert same_initials(" ".join(spelled)) > 0.9


@pytest.mark.parametrize("every", [3, 4, 5])
def test_spaces_and_hyphens_inside_of_syllables_make_little_difference(every: int) -> None:
    plain = "".join(lazy_pinyin(TEXT))
    broken = " ".join(plain[place : place + every] for place in range(0, len(plain), every))
    hyphenated = "-\n".join(plain[place : place + 9 * every] for place in range(0, len(plain), 9 * every))
    for written in (plain, broken, hyphenated):
        assert 0.95 * len(TEXT) < len(to_initials(written)) < 1.1 * len(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "We met at the old mill and had tea by the river, then he went back to his home on the hill and she sat and "
        "read a book to the end of the day.",
        "端口有 ad ai ba bc be bi bo ca 八个，读写它们要用 in 和 out。",
    ],
)
def test_other_languages_and_terms_stay(text: str) -> None:
    plain = to_initials(text)
    assert len(plain) == sum(character.isalnum() for character in text)
