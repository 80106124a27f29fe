"""Tricks of the layout: another direction of reading, marks around characters, notations of other programs."""

from itertools import zip_longest

from benchmarks.tricks.catalogue import (
    PERIODS,
    Draw,
    change_every,
    cut_pieces,
    is_han,
    split_clauses,
    split_sentences,
    split_words,
    trick,
)
from benchmarks.tricks.sounds import read_character

FAMILY = "layouts"
WIDTHS = (30, 20, 12)  # characters of a line, by strength


def _time(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@trick(FAMILY)
def reversed_whole(text: str, level: int, draw: Draw) -> str:
    """Write the text backwards. Source: sites that show it by `direction`, W3C CSS Writing Modes."""
    return text[::-1]


@trick(FAMILY)
def reversed_lines(text: str, level: int, draw: Draw) -> str:
    """Write each line backwards. Source: right-to-left override, Unicode Annex 9."""
    return "\n".join(line[::-1] for line in cut_pieces(text, WIDTHS[level]))


@trick(FAMILY)
def character_a_line(text: str, level: int, draw: Draw) -> str:
    """Write one character a line, or two, or three. Source: vertical text of posters."""
    return "\n".join(cut_pieces(text, 3 - level))


@trick(FAMILY)
def columns_from_the_right(text: str, level: int, draw: Draw) -> str:
    """Write columns from right to left. Source: traditional layout, W3C CLREQ."""
    columns = list(cut_pieces(text, WIDTHS[level]))[::-1]
    return "\n".join("".join(row) for row in zip_longest(*columns, fillvalue="　"))


@trick(FAMILY)
def columns_from_the_left(text: str, level: int, draw: Draw) -> str:
    """Write columns from left to right. Source: generators of vertical text."""
    columns = list(cut_pieces(text, WIDTHS[level]))
    return "\n".join("".join(row) for row in zip_longest(*columns, fillvalue="　"))


@trick(FAMILY)
def lines_to_and_fro(text: str, level: int, draw: Draw) -> str:
    """Write every second line backwards. Source: boustrophedon."""
    lines = cut_pieces(text, WIDTHS[level])
    return "\n".join(line[::-1] if number % 2 else line for number, line in enumerate(lines))


@trick(FAMILY)
def two_columns_read_across(text: str, level: int, draw: Draw) -> str:
    """Write two columns that a program reads across. Source: text layers of two-column PDF files."""
    lines = list(cut_pieces(text, WIDTHS[level]))
    middle = (len(lines) + 1) // 2
    return "\n".join(f"{left}    {right}" for left, right in zip_longest(lines[:middle], lines[middle:], fillvalue=""))


@trick(FAMILY)
def broken_lines(text: str, level: int, draw: Draw) -> str:
    """Break lines anywhere. Source: mail programs, RFC 3676."""
    return "".join(x + ("\n" if draw.random() < 1 / WIDTHS[level] else "") for x in text)


@trick(FAMILY)
def spaced_characters(text: str, level: int, draw: Draw) -> str:
    """Set characters apart by blanks. Source: text layers of PDF files that justify lines."""
    return (" " * (level + 1)).join(text)


@trick(FAMILY)
def words_set_apart(text: str, level: int, draw: Draw) -> str:
    """Set words apart. Source: segmented corpora, SIGHAN Bakeoff 2005."""
    return (" ", "/", "|")[level].join(split_words(text))


@trick(FAMILY)
def words_with_tags(text: str, level: int, draw: Draw) -> str:
    """Write a part of speech behind each word. Source: corpus of People's Daily, Yu et al., 2003."""
    return ("  ", " ", "\n")[level].join(f"{word}/{draw.choice('nvadr')}" for word in split_words(text))


@trick(FAMILY)
def quoted_lines(text: str, level: int, draw: Draw) -> str:
    """Quote each line as replies do. Source: RFC 3676."""
    return "\n".join(f"{'> ' * (level + 1)}{line}" for line in cut_pieces(text, WIDTHS[level]))


@trick(FAMILY)
def numbered_lines(text: str, level: int, draw: Draw) -> str:
    """Number each line. Source: listings of programs."""
    sign = (". ", "| ", "  ")[level]
    return "\n".join(f"{number:>3}{sign}{line}" for number, line in enumerate(cut_pieces(text, WIDTHS[level]), 1))


@trick(FAMILY)
def cells_of_a_table(text: str, level: int, draw: Draw) -> str:
    """Put characters into cells. Source: GitHub Flavored Markdown, tables."""
    rows = cut_pieces(text, WIDTHS[level])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@trick(FAMILY)
def comma_separated_characters(text: str, level: int, draw: Draw) -> str:
    """Write a row of a character and its code. Source: RFC 4180."""
    return "\n".join((f'"{x}",{ord(x)}', f"{ord(x):X},{x}", f"{x};U+{ord(x):04X}")[level] for x in text)


@trick(FAMILY)
def marked_bold(text: str, level: int, draw: Draw) -> str:
    """Mark characters as bold. Source: CommonMark."""
    return change_every(text, PERIODS[level], lambda x: f"**{x}**")


@trick(FAMILY)
def forum_codes(text: str, level: int, draw: Draw) -> str:
    """Colour characters by codes of forums. Source: BBCode of phpBB and Discuz."""
    return change_every(text, PERIODS[level], lambda x: f"[color=#{draw.randrange(1 << 24):06x}]{x}[/color]")


@trick(FAMILY)
def html_tags_as_text(text: str, level: int, draw: Draw) -> str:
    """Write HTML tags that are shown as text. Source: HTML Living Standard."""
    return change_every(text, PERIODS[level], lambda x: f'<span class="c{draw.randrange(99)}">{x}</span>')


@trick(FAMILY)
def ruby_tags_as_text(text: str, level: int, draw: Draw) -> str:
    """Write ruby tags with readings as text. Source: HTML Living Standard, ruby."""
    return change_every(text, (3, 2, 1)[level], lambda x: f"<ruby>{x}<rt>{read_character(x, 'TONE')}</rt></ruby>")


@trick(FAMILY)
def latex_pinyin(text: str, level: int, draw: Draw) -> str:
    """Write readings by commands of LaTeX. Source: package xpinyin."""
    return change_every(text, (3, 2, 1)[level], lambda x: f"\\xpinyin{{{x}}}{{{read_character(x, 'TONE3')}}}")


@trick(FAMILY)
def karaoke_tags(text: str, level: int, draw: Draw) -> str:
    """Write tags of karaoke before characters. Source: Advanced SubStation Alpha."""
    return change_every(text, (3, 2, 1)[level], lambda x: f"{{\\k{draw.randrange(10, 60)}}}{x}")


@trick(FAMILY)
def lyrics_with_times(text: str, level: int, draw: Draw) -> str:
    """Write times before lines. Source: LRC format."""
    pieces = (split_sentences, split_clauses, split_words)[level](text)
    return "\n".join(
        f"[{number // 20:02}:{number * 3 % 60:02}.{number % 100:02}]{x}" for number, x in enumerate(pieces)
    )


@trick(FAMILY)
def subtitles(text: str, level: int, draw: Draw) -> str:
    """Write subtitles. Source: SubRip and WebVTT."""
    blocks = enumerate(cut_pieces(text, WIDTHS[level]), 1)
    return "\n\n".join(f"{n}\n{_time(3 * n)},000 --> {_time(3 * n + 2)},500\n{line}" for n, line in blocks)


@trick(FAMILY)
def chat_messages(text: str, level: int, draw: Draw) -> str:
    """Tell it as messages of a chat. Source: exports of chat programs."""
    pieces = (split_sentences, split_clauses, split_clauses)[level](text)
    names = ("小林", "阿青", "老周")
    return "\n".join(f"{draw.choice(names)} {_time(36000 + 7 * n)}\n{x}" for n, x in enumerate(pieces))


@trick(FAMILY)
def bracketed_characters(text: str, level: int, draw: Draw) -> str:
    """Put characters in brackets. Source: forums that spell out filtered words."""
    return change_every(text, PERIODS[level], lambda x: f"【{x}】")


@trick(FAMILY)
def joined_by_hyphens(text: str, level: int, draw: Draw) -> str:
    """Join characters by a sign. Source: forums that spell out filtered words."""
    sign = ("-", "·", "_")[level]
    return "".join(f"{x}{sign}" if is_han(x) else x for x in text)
