"""The numbers of chapters and volumes in titles, in digits or in Chinese numerals."""

import re

DIGITS = "零一二三四五六七八九"
NUMERAL = r"([0-9０-９]{1,6}|[〇零一二两兩三四五六七八九十百千]{1,9})"
CHAPTER = re.compile(rf"第\s*{NUMERAL}\s*[章节節回集話话]")
VOLUME = re.compile(rf"第\s*{NUMERAL}\s*[卷部册冊]")


def number_in(pattern: re.Pattern[str], title: str) -> int | None:
    """The number of a chapter or volume in a title.

    >>> number_in(CHAPTER, "第二卷 第一百零五章 雨"), number_in(VOLUME, "第二卷 第一百零五章 雨")
    (105, 2)
    """
    found = pattern.search(title)
    return _value(found[1]) if found else None


def _value(numeral: str) -> int:
    if numeral.isdecimal():
        return int(numeral)
    total = digit = 0
    for character in numeral.replace("两", "二").replace("兩", "二").replace("〇", "零"):
        if character in DIGITS:
            digit = digit * 10 + DIGITS.index(character) if digit and total == 0 else DIGITS.index(character)
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[character]
            digit = 0
    return total + digit
