"""Read the visible text of a WordprocessingML document (ECMA-376 part 1). A table lists what is hidden.

Elements outside of the table are descended into. So text inside content controls, smart tags or additions of later Word
versions is read.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from crawler.extraction.documents.xml_parts import XmlElement, local_name

# Content that a reader does not see: deleted or moved text, field codes, readings above characters, the second form of
# a drawing, comments.
HIDDEN_ELEMENTS = frozenset(("del", "moveFrom", "delText", "delInstrText", "instrText", "rt", "Fallback"))
PROPERTIES_ENDING = "Pr"  # suffix of elements that hold formatting
ELSEWHERE_ELEMENTS = frozenset(("altChunk", "relIds"))  # another document, a diagram
ANCHORED_ELEMENTS = ELSEWHERE_ELEMENTS | {"txbxContent", "footnote", "endnote"}  # read after their paragraph
TEXT_ELEMENT = "t"  # w:t of a run, m:t of a formula, a:t of a diagram
BREAK_TEXTS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
NOTE_KINDS = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
OFF_VALUES = frozenset(("0", "false", "off", "none"))
MAX_STYLE_CHAIN = 20  # styles that are based on each other
PRIVATE_FIRST, PRIVATE_LAST = 0xE000, 0xF8FF  # where symbol fonts keep their glyphs
_EQUATION_SWITCH = re.compile(r"\\[a-z*]+", re.IGNORECASE)


@dataclass(slots=True)
class WordStyles:
    """Hold style ids. hidden: of hidden text. titles, headings: of a document's title, of its first-level headings."""

    hidden: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    headings: frozenset[str] = frozenset()


@dataclass(slots=True)
class WordStory:
    """Hold the paragraphs, the ids of referenced notes, and the headings, each in order."""

    paragraphs: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # footnotes or endnotes, and the id
    titles: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    separated: bool = False


@dataclass(slots=True)
class _Paragraph:
    pieces: list[str] = field(default_factory=list)
    inner: list[XmlElement] = field(default_factory=list)  # text boxes and diagrams that are anchored here


def read_styles(root: XmlElement | None) -> WordStyles:
    """Return the styles that affect visibility or titles."""
    if root is None:
        return WordStyles()
    styles = {_attribute(style, "styleId"): style for style in root if local_name(style) == "style"}
    named = {id: _style_name(style) for id, style in styles.items()}
    return WordStyles(
        frozenset(id for id in styles if _is_style_hidden(id, styles)),
        frozenset(id for id, name in named.items() if name == "title"),
        frozenset(id for id, name in named.items() if name == "heading 1"),
    )


def _style_name(style: XmlElement) -> str:
    child = _child(style, "name")
    return "" if child is None else _attribute(child, "val").lower()


def _is_style_hidden(id: str, styles: Mapping[str, XmlElement]) -> bool:
    for _ in range(MAX_STYLE_CHAIN):
        style = styles.get(id)
        if style is None:
            return False
        if (hidden := _is_text_hidden(style)) is not None:
            return hidden
        parent = _child(style, "basedOn")
        id = "" if parent is None else _attribute(parent, "val")
    return False


def read_story(root: XmlElement, styles: WordStyles, read_chunk: Callable[[str], list[str]] | None = None) -> WordStory:
    """Read the text below an element.

    read_chunk: returns the paragraphs of an embedded document or diagram by its relationship id.
    """
    reader = _StoryReader(styles, read_chunk, follow_fields=True)
    story = reader.read(root)
    if reader.open_fields:  # an unclosed one would hide the rest
        story = _StoryReader(styles, read_chunk, follow_fields=False).read(root)
    return story


class _StoryReader:
    def __init__(
        self, styles: WordStyles, read_chunk: Callable[[str], list[str]] | None, *, follow_fields: bool
    ) -> None:
        self._styles = styles
        self._read_chunk = read_chunk
        self._follow_fields = follow_fields
        self._story = WordStory()
        self._fields: list[_Field] = []
        self._joined = ""  # text that the next paragraph goes on with

    @property
    def open_fields(self) -> int:
        """Return the number of fields that have begun and not ended."""
        return len(self._fields)

    def read(self, root: XmlElement) -> WordStory:
        self._walk(root, None)
        if self._joined:
            self._story.paragraphs.append(self._joined)
        return self._story

    def _walk(self, element: XmlElement, paragraph: _Paragraph | None) -> None:
        for child in element:
            name = local_name(child)
            if not name or name in HIDDEN_ELEMENTS or name.endswith(PROPERTIES_ENDING):
                if name == "instrText" and self._fields:
                    self._fields[-1].code.append(child.text or "")
                continue
            if name == "p":
                self._read_paragraph(child, paragraph)
            elif name in ELSEWHERE_ELEMENTS and paragraph is None:
                self._read_elsewhere(child)
            elif name == "AlternateContent":
                self._walk_alternatives(child, paragraph)
            elif name in ANCHORED_ELEMENTS and paragraph is not None:
                paragraph.inner.append(child)
            elif not self._is_left_out(name, child):
                if paragraph is None:
                    self._walk(child, None)
                else:
                    self._read_inline(name, child, paragraph)

    def _is_left_out(self, name: str, element: XmlElement) -> bool:
        if name == "tr":
            properties = _child(element, "trPr")
            return properties is not None and _child(properties, "del") is not None
        if name == "sdt":  # an empty one shows its placeholder
            properties = _child(element, "sdtPr")
            shows_hint = None if properties is None else _child(properties, "showingPlcHdr")
            return shows_hint is not None and _attribute(shows_hint, "val") not in OFF_VALUES
        if name == "annotation":  # insertions, deletions and comments of Word 2003
            return not _attribute(element, "type").endswith("Insertion")
        return name == "r" and self._is_run_hidden(element)

    def _is_run_hidden(self, run: XmlElement) -> bool:
        if (hidden := _is_text_hidden(run)) is not None:
            return hidden
        properties = _child(run, "rPr")
        style = None if properties is None else _child(properties, "rStyle")
        return style is not None and _attribute(style, "val") in self._styles.hidden

    def _read_inline(self, name: str, element: XmlElement, paragraph: _Paragraph) -> None:
        if name == TEXT_ELEMENT:
            self._add_text(element.text or "", paragraph)
        elif name in BREAK_TEXTS:
            self._add_text(BREAK_TEXTS[name], paragraph)
        elif name == "sym":
            self._add_text(_symbol(element), paragraph)
        elif name == "fldChar":
            self._read_field_mark(_attribute(element, "fldCharType"), paragraph)
        elif name == "textpath":
            self._add_text(element.get("string") or "", paragraph)
        elif name in NOTE_KINDS and (id := _attribute(element, "id")):
            self._story.notes.append((NOTE_KINDS[name], id))
        elif len(element):
            self._walk(element, paragraph)

    def _add_text(self, text: str, paragraph: _Paragraph) -> None:
        if not self._follow_fields or all(field.separated for field in self._fields):
            paragraph.pieces.append(text)

    def _read_field_mark(self, kind: str, paragraph: _Paragraph) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].separated = True
        elif kind == "end" and self._fields:
            ended = self._fields.pop()
            self._add_text(equation_text("".join(ended.code)), paragraph)

    def _walk_alternatives(self, element: XmlElement, paragraph: _Paragraph | None) -> None:
        """Read the first form of a drawing, or if that has no text the one for old programs."""
        choices = [child for child in element if local_name(child) == "Choice"]
        if any(_has_text(choice) for choice in choices):
            self._walk(next(choice for choice in choices if _has_text(choice)), paragraph)
            return
        for fallback in element:
            if local_name(fallback) == "Fallback":
                self._walk(fallback, paragraph)

    def _read_paragraph(self, element: XmlElement, around: _Paragraph | None) -> None:
        paragraph = _Paragraph()
        self._walk(element, paragraph)
        properties = _child(element, "pPr")
        text = self._joined + "".join(paragraph.pieces)
        self._joined = ""
        if around is None and (_is_end_deleted(properties) or _is_drop_cap(properties)):
            self._joined = text
        elif text.strip():
            self._story.paragraphs.append(text)
            self._note_heading(properties, " ".join(text.split()))
        for anchored in paragraph.inner:
            if local_name(anchored) in ELSEWHERE_ELEMENTS:
                self._read_elsewhere(anchored)
            else:
                self._read_box(anchored)

    def _read_box(self, box: XmlElement) -> None:
        """Read a text box. Its fields are separate."""
        fields, self._fields = self._fields, []
        self._walk(box, None)
        self._fields = fields

    def _note_heading(self, properties: XmlElement | None, text: str) -> None:
        style = None if properties is None else _child(properties, "pStyle")
        if style is not None and (id := _attribute(style, "val")) in self._styles.titles:
            self._story.titles.append(text)
        elif style is not None and id in self._styles.headings:
            self._story.headings.append(text)

    def _read_elsewhere(self, element: XmlElement) -> None:
        """Read an embedded document (w:altChunk r:id) or a diagram (dgm:relIds r:dm)."""
        id = _attribute(element, "dm") or _attribute(element, "id")
        if id and self._read_chunk is not None:
            self._story.paragraphs += self._read_chunk(id)


def equation_text(code: str) -> str:
    r"""Return the visible text of an EQ field.

    Word and WPS use it for readings above characters (拼音指南) and for enclosed characters. In `EQ \o\ad(\s\up
    9(pīn),拼)` the text is 拼, the last argument.
    """
    start = code.find("(") if code.split(None, 1)[:1] in (["EQ"], ["eq"], ["Eq"]) else -1
    if start < 0:
        return ""
    last = code[start + 1 : code.rfind(")")] if ")" in code else code[start + 1 :]
    last = last[_last_comma(last) + 1 :]
    return _EQUATION_SWITCH.sub("", last).strip("() ")


def _last_comma(text: str) -> int:
    """Return the offset of the last comma outside of brackets."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if text[place] in ",;，" and depth == 0:
            return place
    return -1


def iter_notes(root: XmlElement | None) -> Iterator[tuple[str, XmlElement]]:
    """Yield the notes of a part, by their ids."""
    for note in () if root is None else root:
        if local_name(note) in ("footnote", "endnote"):
            yield _attribute(note, "id"), note


def _is_text_hidden(element: XmlElement) -> bool | None:
    """Tell whether the properties of a run or style hide its text. Return None if they do not say."""
    properties = _child(element, "rPr")
    vanish = None if properties is None else _child(properties, "vanish")
    return None if vanish is None else _attribute(vanish, "val").lower() not in OFF_VALUES


def _is_end_deleted(properties: XmlElement | None) -> bool:
    run = None if properties is None else _child(properties, "rPr")
    return run is not None and any(local_name(child) in ("del", "moveFrom") for child in run)


def _is_drop_cap(properties: XmlElement | None) -> bool:
    """Tell whether a paragraph holds the large first letters of the next one (首字下沉)."""
    frame = None if properties is None else _child(properties, "framePr")
    return frame is not None and _attribute(frame, "dropCap") in ("drop", "margin")


def _symbol(element: XmlElement) -> str:
    try:
        code = int(_attribute(element, "char"), 16)
    except ValueError:
        return ""
    return "" if PRIVATE_FIRST <= code <= PRIVATE_LAST or not 0x20 <= code < 0xD800 else chr(code)


def _has_text(element: XmlElement) -> bool:
    return any(local_name(child) == TEXT_ELEMENT and child.text for child in element.iter())


def _child(element: XmlElement, name: str) -> XmlElement | None:
    return next((child for child in element if local_name(child) == name), None)


def _attribute(element: XmlElement, name: str) -> str:
    """Return an attribute by its name in any namespace, or ""."""
    return next((value for key, value in element.attrib.items() if local_name(key) == name), "")
