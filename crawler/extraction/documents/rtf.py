"""Read RTF (specification 1.9.1): decode text by its fonts' code pages, and skip hidden and deleted text."""

import codecs
import re
from dataclasses import dataclass, replace
from typing import Final

import crawler.extraction.charset  # noqa: F401  for its way with Big5
from crawler.extraction.documents.document import Document, split_paragraphs, stated_title, undivided_parts
from crawler.extraction.documents.word_xml import equation_text
from wenhen.kit.errors import Unreadable

_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,40})(-?[0-9]{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z]))|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)"
)
# Destinations without visible text. Those that begin with \* are skipped anyway.
_HIDDEN_DESTINATIONS: Final = frozenset((
    "colortbl", "stylesheet", "pict", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr",
    "footerf", "nonshppict", "shprslt", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "listtext",
    "pntext", "pntxta", "pntxtb", "xe", "tc", "tcn", "rxe", "txe", "private", "filetbl", "listtable",
    "listoverridetable", "revtbl", "themedata", "template", "docvar", "bkmkstart", "bkmkend", "atnid", "atnauthor",
    "annotation", "passwordhash", "datafield", "formfield", "mmathPict", "sp",
))  # fmt: skip
_HOLDS_BOXES: Final = frozenset(("object", "upr", "do", "shpinst"))  # hidden destinations with visible ones inside:
_SHOWN_AGAIN: Final = frozenset(("shptxt", "result", "ud", "dptxbxtext"))
_INFO, _BOXES = "info", "boxes"
_COLLECTED_OF_INFO: Final = frozenset(("title", "author"))
_COLLECTED: Final = {"fldinst": "field", "footnote": "notes"}
_BREAKS: Final = frozenset(("par", "line", "page", "sect", "column", "row", "cell", "nestcell", "nestrow", "softline"))
_CHARACTERS: Final = {
    "tab": "\t", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_SYMBOLS: Final = {b"~": " ", b"_": "-", b"\n": "\n", b"\r": "\n"}
_CODE_PAGES_OF_CHARSETS: Final = {
    0: 1252, 77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950,
    161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437,
    255: 850,
}  # fmt: skip
_CODECS: Final = {
    936: "gb18030", 54936: "gb18030", 20936: "gb18030", 10008: "gb18030", 950: "big5hkscs", 10002: "big5hkscs",
    932: "cp932", 10001: "cp932", 949: "cp949", 10003: "cp949", 1361: "johab", 10000: "mac_roman", 65001: "utf-8",
}  # fmt: skip
_MULTIBYTE: Final = frozenset(("gb18030", "big5hkscs", "cp932", "cp949", "johab"))
_DEFAULT_CODEC, _SYMBOL_CHARSET, _SYMBOL_CODEC = "cp1252", 2, "ascii"
_MAX_SKIPPED = 100  # fallback characters after one written by its number
_TRAIL_BYTE = re.compile(rb"[{}]|\\(?![\\{}'])")  # a sign of RTF that is not escaped
_BYTE_PAIR = re.compile(rb"[\x81-\xfe][\x80-\xfe]")
_MIN_PAIRED_SHARE = 0.4  # of the bytes beyond ASCII; in Latin text they are isolated


@dataclass(frozen=True, slots=True)
class _GroupState:
    """Hold the state that a group changes and that ends with it. stream: where its text goes, None for nowhere."""

    stream: str | None = "text"
    inside: str = ""  # info, or boxes: some destinations inside these are shown or collected
    font: int | None = None
    hidden: bool = False
    deleted: bool = False
    fallback: int = 1  # characters after each \u


def read_rtf(content: bytes) -> Document:
    """Read the text, with footnotes at the end. Raises `Unreadable` if it does not begin as RTF."""
    reader = _RtfReader(_escape_utf8(content.lstrip(b"\xef\xbb\xbf \t\r\n")))
    reader.read()
    text = "\n".join((reader.stream("text"), reader.stream("notes")))
    title, author = (split_paragraphs(reader.stream(name)) for name in ("title", "author"))
    return Document(
        undivided_parts(text), title=stated_title(" ".join(title)) if title else None, author=" ".join(author) or None
    )


def _escape_utf8(content: bytes) -> bytes:
    """Escape raw UTF-8 as character numbers, because some programs write it into RTF."""
    if content.isascii():
        return content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    return "".join(sign if sign < "\x80" else _escape(sign) for sign in text).encode("ascii")


def _escape(sign: str) -> str:
    units = memoryview(sign.encode("utf-16-le")).cast("H")
    return "".join(f"{{\\uc0\\u{unit} }}" for unit in units)


class _RtfReader:
    def __init__(self, content: bytes) -> None:
        if not content.startswith(b"{\\rtf"):
            raise Unreadable("documents.broken", kind="RTF", error="it does not begin so")
        self._content = content
        self._streams: dict[str, list[str]] = {}
        self._state = _GroupState()
        self._outer: list[_GroupState] = []
        self._bytes = bytearray()  # of one code page, because lead and trail byte may have different notations
        self._bytes_codec, self._bytes_stream = _DEFAULT_CODEC, "text"
        self._codec = _DEFAULT_CODEC  # codec of the whole file
        self._fonts: dict[int, str] = {}
        self._default_font: int | None = None
        self._listed_font = 0  # current entry of the font table
        self._in_fonts = 0  # depth at which that table began
        self._starred = False
        self._begins = False  # whether the group is still empty
        self._to_skip = 0

    def stream(self, name: str) -> str:
        """Return the collected text of a stream, with surrogate pairs joined."""
        text = "".join(self._streams.get(name, ()))
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def read(self) -> None:
        offset = 0
        while (token := _TOKEN.match(self._content, offset)) is not None:
            offset = token.end()
            word, number, escaped, symbol, brace, plain = token.groups()
            if brace:
                self._enter_or_leave(brace)
                if not self._outer:
                    break  # programs append other data
            elif word is not None:
                name = word.decode("ascii")
                if name == "bin":
                    offset += max(0, int(number or 0))
                else:
                    self._read_word(name, None if number is None else int(number))
            elif escaped is not None:
                self._add_bytes(bytes.fromhex(escaped.decode("ascii")))
            elif symbol is not None:
                self._read_symbol(symbol)
            elif plain is not None:
                if _TRAIL_BYTE.match(self._content, offset) and self._ends_within_character(plain):
                    plain += self._content[offset : offset + 1]
                    offset += 1
                self._add_bytes(plain)
        self._flush()

    def _ends_within_character(self, plain: bytes) -> bool:
        """Tell whether raw bytes end with a lead byte. Programs that escape nothing write signs of RTF behind it."""
        codec = self._current_codec()
        if plain[-1] < 0x81 or codec not in _MULTIBYTE:
            return False
        decoder = codecs.getincrementaldecoder(codec)("replace")
        decoder.decode(plain)
        return bool(decoder.getstate()[0])

    def _current_codec(self) -> str:
        font = self._state.font if self._state.font is not None else self._default_font
        return self._codec if font is None else self._fonts.get(font, self._codec)

    def _enter_or_leave(self, brace: bytes) -> None:
        self._to_skip = 0
        if brace == b"{":
            self._outer.append(self._state)
            self._begins, self._starred = True, False
            return
        self._flush()
        left, self._state = self._state, self._outer.pop()
        if left.stream == "field" and self._state.stream != "field":
            self._add_text(equation_text("".join(self._streams.pop("field", ()))))
        if self._in_fonts > len(self._outer):
            self._in_fonts = 0
        if left.stream == "notes" and self._state.stream != "notes":
            self._streams.setdefault("notes", []).append("\n")

    def _read_symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = self._begins
        elif self._to_skip:
            self._to_skip -= 1
        elif symbol in b"\\{}":
            self._add_bytes(symbol)
        elif symbol in _SYMBOLS:
            self._add_text(_SYMBOLS[symbol])

    def _read_word(self, name: str, number: int | None) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        begins, self._begins = self._begins, False
        if begins and self._open_destination(name):
            return
        if name == "u" and number is not None:
            self._add_text(chr(number & 0xFFFF))
            self._to_skip = min(self._state.fallback, _MAX_SKIPPED)
        elif name in _BREAKS:
            self._add_text("\n")
        elif name in _CHARACTERS:
            self._add_text(_CHARACTERS[name])
        else:
            self._read_setting(name, number)

    def _open_destination(self, name: str) -> bool:
        """Open a destination, which decides where the group's text goes. Return False if the name is none."""
        state = self._state
        if name == "fonttbl":
            self._change(stream=None, inside="")
            self._in_fonts = len(self._outer)
        elif name in _SHOWN_AGAIN and state.inside == _BOXES:
            self._change(stream="text", inside="")
        elif name in _COLLECTED_OF_INFO and state.inside == _INFO:
            self._change(stream=name, inside="")
        elif name in _COLLECTED and state.stream is not None:
            self._change(stream=_COLLECTED[name])
        elif name == _INFO:
            self._change(stream=None, inside=_INFO)
        elif name in _HOLDS_BOXES:
            shown = state.stream is not None or state.inside == _BOXES
            self._change(stream=None, inside=_BOXES if shown else "")
        elif self._starred or name in _HIDDEN_DESTINATIONS:
            self._change(stream=None, inside="")
        else:
            return False
        return True

    def _read_setting(self, name: str, number: int | None) -> None:
        if name == "f" and number is not None:
            if self._in_fonts:
                self._listed_font = number
            else:
                self._change(font=number)
        elif name == "v":
            self._change(hidden=number != 0)
        elif name == "deleted":
            self._change(deleted=number != 0)
        elif name == "plain":
            self._change(hidden=False, deleted=False, font=self._default_font)
        elif name == "uc" and number is not None:
            self._change(fallback=max(0, number))
        elif number is not None:
            self._read_code_page(name, number)

    def _read_code_page(self, name: str, number: int) -> None:
        if name == "ansicpg":
            self._codec = _find_codec(number)
        elif name == "deff":
            self._default_font = number
        elif name == "cpg" and self._in_fonts:
            self._fonts[self._listed_font] = _find_codec(number)
        elif name == "fcharset" and self._in_fonts and self._listed_font not in self._fonts:
            if number == _SYMBOL_CHARSET:
                self._fonts[self._listed_font] = _SYMBOL_CODEC
            elif number in _CODE_PAGES_OF_CHARSETS:
                self._fonts[self._listed_font] = _find_codec(_CODE_PAGES_OF_CHARSETS[number])

    def _change(self, **settings: object) -> None:
        self._flush()
        self._state = replace(self._state, **settings)  # type: ignore[arg-type]  # mypy does not follow the names

    def _shown_stream(self) -> str | None:
        return None if self._state.hidden or self._state.deleted else self._state.stream

    def _add_bytes(self, content: bytes) -> None:
        self._begins = False
        if self._to_skip:
            left = self._to_skip
            self._to_skip = max(0, left - len(content))
            content = content[left:]
        stream = self._shown_stream()
        if not content or stream is None:
            return
        codec = self._current_codec()
        if (codec, stream) != (self._bytes_codec, self._bytes_stream):
            self._flush()
            self._bytes_codec, self._bytes_stream = codec, stream
        self._bytes += content

    def _add_text(self, text: str) -> None:
        self._begins = False
        self._flush()
        if (stream := self._shown_stream()) is not None and text:
            self._streams.setdefault(stream, []).append(text)

    def _flush(self) -> None:
        if self._bytes:
            text = self._decode(bytes(self._bytes))
            self._bytes.clear()
            self._streams.setdefault(self._bytes_stream, []).append(text)

    def _decode(self, content: bytes) -> str:
        """Decode bytes. A font marked as Latin in a Chinese file is often an unmarked Chinese one."""
        codec = self._bytes_codec
        if codec not in _MULTIBYTE and self._codec in _MULTIBYTE and codec != _SYMBOL_CODEC:
            beyond = sum(byte > 0x7F for byte in content)
            paired = 2 * len(_BYTE_PAIR.findall(content))
            codec = self._codec if paired and paired >= _MIN_PAIRED_SHARE * beyond else codec
        if codec == _SYMBOL_CODEC:
            return content.decode("ascii", "ignore")
        return content.decode(codec, "big5_rest" if codec == "big5hkscs" else "replace")


def _find_codec(code_page: int) -> str:
    if code_page in _CODECS:
        return _CODECS[code_page]
    try:
        "".encode(f"cp{code_page}")
    except LookupError:
        return _DEFAULT_CODEC
    return f"cp{code_page}"
