"""Read characters that are written as their numbers, in the notations of programs, markup and documents.

`NOTATIONS` is the single table of them. Each row can be read and written.
"""

import html
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.entities import html5

from fingerprinter.alphabet import pad_with_ignored
from fingerprinter.normalize.character_statistics import familiar_share

ENTITY_SIGNS = "&\\%+"  # every notation but bare lists has one of these
_HEX_4, _HEX_4_TO_6, _HEX = "([0-9A-Fa-f]{4})", "([0-9A-Fa-f]{4,6})", "([0-9A-Fa-f]{1,6})"
_BETWEEN = r"[\s,;]*"  # between the numbers of a list
_MIN_LISTED = 8  # numbers of a list without a sign
_MIN_SCATTERED = 8  # single numbers of an ambiguous notation between other characters
_MIN_FAMILIAR = 0.4  # familiar share of the outcome of a list, or of an ambiguous notation
_SURROGATE_PAIR = re.compile("([\ud800-\udbff])(\u200b+)([\udc00-\udfff])")
_OWN_CODE_REACH = 4  # characters between a number and the character that it names, in a table of both
_MIN_OWN_CODES = 4  # such numbers from which a text is a table
_SIGNED_LIMIT = 1 << 16  # RTF writes numbers above 32,767 as negative ones


@dataclass(frozen=True, slots=True)
class Notation:
    """Define one way to write characters by their numbers.

    sign: substring that every text in this notation has. form: one number, for `str.format`. pattern: regex of one
    number in its group. base: of the digits. units: whether it writes UTF-16, where a surrogate pair is a character
    above U+FFFF. least: minimum numbers in succession, unless many stand between other characters. certain: whether the
    notation is unambiguous. Otherwise its outcome must be Chinese.
    """

    name: str
    sign: str
    form: str
    pattern: str
    base: int = 16
    units: bool = False
    least: int = 1
    certain: bool = True

    def write(self, text: str) -> str:
        """Return the text in this notation."""
        return "".join(map(self.form.format, _utf16_units(text) if self.units else map(ord, text)))


def _make_list(name: str, form: str, pattern: str, base: int) -> Notation:
    return Notation(name, "", form, pattern + _BETWEEN, base, least=_MIN_LISTED, certain=False)


NOTATIONS = (
    Notation("R", "<U+", "<U+{:04X}>", rf"<U\+{_HEX_4_TO_6}>"),
    Notation("Perl, Python names", "\\N{U+", "\\N{{U+{:04X}}}", rf"\\N\{{U\+{_HEX_4_TO_6}\}}"),
    Notation("Unicode", "U+", "U+{:04X} ", r"U\+([0-9A-Fa-f]{4,5})[ ,;]?"),
    Notation("RTF", "?", "\\u{}?", r"\\u(-?[0-9]{1,5})\?", base=10, units=True, least=2, certain=False),
    Notation("JSON, Java, C", "\\u", "\\u{:04x}", rf"\\u{_HEX_4}", units=True),
    Notation("ECMAScript, Rust", "\\u{", "\\u{{{:x}}}", rf"\\u\{{{_HEX}\}}"),
    Notation("Perl, PCRE", "\\x{", "\\x{{{:x}}}", rf"\\x\{{{_HEX}\}}"),
    Notation("Python, C", "\\U", "\\U{:08x}", r"\\U([0-9A-Fa-f]{8})"),
    Notation("escape of scripts", "%u", "%u{:04X}", rf"%u{_HEX_4}", units=True),
    Notation("CSS", "\\", "\\{:x} ", rf"\\{_HEX_4_TO_6}[ \t\n]?", least=2, certain=False),
    Notation("Visual Basic", "&H", "&H{:X}, ", rf"&H{_HEX_4_TO_6}&?{_BETWEEN}", least=2, certain=False),
    Notation(
        "functions of characters",
        "(",
        "chr({}) & ",
        r"(?i:chrw?|unichr|unichar|nchar)\(([0-9]{4,6})\)\s*(?:[&+.|,]+\s*)?",
        base=10,
        least=2,
        certain=False,
    ),
)
# Lists have no sign. Their digits reveal them (`obfuscation.LISTED`).
LISTS = (
    _make_list("list of 0x", "0x{:X},", f"0[xX]{_HEX_4_TO_6}", 16),
    _make_list("list of decimal numbers", "{},", r"(?<![0-9])([0-9]{4,6})(?![0-9])", 10),
    _make_list("list of hexadecimal numbers", "{:X} ", r"(?<![0-9A-Za-z])([0-9A-Fa-f]{4,5})(?![0-9A-Za-z])", 16),
)
_RUNS = {
    notation: (re.compile(f"(?:{notation.pattern}){{{notation.least},}}"), re.compile(notation.pattern))
    for notation in NOTATIONS + LISTS
}
# Browsers also accept numbers without a semicolon.
_REFERENCE = re.compile(
    r"&(?:amp;)*(?:[A-Za-z][A-Za-z0-9]{1,30};|#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|#[0-9]{5}(?![0-9;])|#[xX][0-9A-Fa-f]{4}(?![0-9A-Fa-f;]))"
)


def unescape_in_place(text: str) -> str:
    r"""Replace each escape by its character. Invisible characters pad it, so that no offset changes.

    >>> unescape_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    >>> unescape_in_place("%u4E2D") == "中" + "\u200b" * 5
    True
    """
    if "&" in text:
        text = _replace(_REFERENCE, _decode_reference, text)
    for notation in NOTATIONS:
        if notation.sign in text:
            text = _read_notation(text, notation)
            if notation.least > 1:
                text = _read_scattered(text, notation)
    return text


def read_lists(text: str) -> str:
    """Replace lists of numbers without a sign by their characters. No offset changes."""
    for notation in LISTS:
        text = _read_notation(text, notation)
    return text


def _decode_reference(reference: re.Match[str]) -> str:
    written = reference[0]
    once = written.replace("&amp;", "&", written.count("amp;") - (written == "&amp;" * written.count("amp;")))
    return pad_with_ignored(html.unescape(once) if "#" in once else html5.get(once[1:], written), written)


def _read_notation(text: str, notation: Notation) -> str:
    run, each = _RUNS[notation]
    return _replace(run, _reader(notation, each), text)


def _read_scattered(text: str, notation: Notation) -> str:
    """Replace single numbers between other characters, if there are many and their characters are Chinese."""
    _, each = _RUNS[notation]
    numbers = [number[0] for number in each.finditer(text)]
    if len(numbers) < _MIN_SCATTERED:
        return text
    if familiar_share("".join(_characters("".join(numbers), notation, each))) < _MIN_FAMILIAR:
        return text
    return _replace(each, lambda number: "".join(_characters(number[0], notation, each)), text)


def _replace(pattern: re.Pattern[str], read: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace each number by its character, and by nothing where a table has the character beside it."""
    readings = [(match, read(match)) for match in pattern.finditer(text)]
    if not readings:
        return text
    own = {match.start() for match, character in readings if _is_beside(match, character[0])}
    if len(own) < _MIN_OWN_CODES or 2 * len(own) < len(readings):
        own = set()
    pieces, end = [], 0
    for match, character in readings:
        pieces += [text[end : match.start()], pad_with_ignored("" if match.start() in own else character, match[0])]
        end = match.end()
    return "".join((*pieces, text[end:]))


def _is_beside(match: re.Match[str], character: str) -> bool:
    """Whether a character, not ASCII, stands close behind or before its number."""
    begin, end, text = match.start(), match.end(), match.string
    close = text[max(0, begin - _OWN_CODE_REACH) : begin] + text[end : end + _OWN_CODE_REACH]
    return not character.isascii() and character in close


def _reader(notation: Notation, each: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    def read_run(run: re.Match[str]) -> str:
        written = run[0]
        read = "".join(_characters(written, notation, each))
        read = _SURROGATE_PAIR.sub(_join_pair, read) if notation.units else read
        return read if notation.certain or familiar_share(read) >= _MIN_FAMILIAR else written

    return read_run


def _characters(written: str, notation: Notation, each: re.Pattern[str]) -> Iterator[str]:
    """Yield each number's character, padded to the length of the number."""
    for number in each.finditer(written):
        code = int(number[1], notation.base)
        code += _SIGNED_LIMIT if code < 0 else 0
        yield pad_with_ignored(chr(code), number[0]) if 0 <= code <= sys.maxunicode else number[0]


def _join_pair(pair: re.Match[str]) -> str:
    return pad_with_ignored((pair[1] + pair[3]).encode("utf-16", "surrogatepass").decode("utf-16"), pair[0])


def _utf16_units(text: str) -> Iterator[int]:
    values = text.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(values[offset : offset + 2]) for offset in range(0, len(values), 2))
