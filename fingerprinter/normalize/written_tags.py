"""Blank tags that are written out in a text."""

import re

from fingerprinter.alphabet import pad_with_ignored

# Tags that are written out in a text: <b>云</b>, [b]云[/b], {\k20}云 or \emph{云}. Their content is read, the tags are
# not. The readings that <ruby> and LaTeX commands set above characters are not read either.
#
# Only tags among Han characters count. A lesson on HTML keeps the tags that it shows.


TAG_SIGNS = "<["  # every text with tags has one of these
_IGNORED = pad_with_ignored("", " ")
_TAG_NAME = r"(?!r[tubp])[A-Za-z][A-Za-z0-9]{0,15}"  # but for <ruby>, which also sets real words above a term
_READING = re.compile(r"<(?:rt|rp)(?:\s[^<>]{0,80})?>[^<\s]{0,8}(?:</(?:rt|rp)>)?", re.IGNORECASE)
_RUBY_TAG = re.compile(r"</?(?:ruby|rb|rt|rp)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_READ_CHARACTER = re.compile(r">[\u3400-\u9fff](?:</rb>)?(?:<rp>[^<]{0,3}</rp>)?<rt[\s>]", re.IGNORECASE)
_MIN_READINGS = 8  # readings in a text that has them throughout
_MIN_READ_SHARE = 0.8  # share of readings above a single character: words above a term belong to the text
_STYLE_OVERRIDE = r"\{\\[A-Za-z0-9][^{}\n]{0,120}\}"  # of subtitles (.ass): {\k20} {\pos(1,2)}
_WORD_TIME = r"<[0-9]{1,9},[0-9]{1,9}(?:,[0-9]{1,9})?>"  # of lyrics (.krc)
_TAG = rf"<{_IGNORED}*[/!]?{_TAG_NAME}(?:\s[^<>=]{{0,40}}=[^<>]{{0,300}}|[\s/]*)>"
_BB_NAMES = "b|i|u|s|url|img|color|size|font|quote|code|center|align|indent|list|table|tr|td|backcolor|p|hr|hide|attach"
_BB_TAG = rf"\[/?(?:{_BB_NAMES})(?:=[^\[\]\n]{{0,200}})?\]"
_TAGS = re.compile(f"{_TAG}|{_BB_TAG}|{_STYLE_OVERRIDE}|{_WORD_TIME}", re.IGNORECASE)
_COMMAND = re.compile(
    r"(\\[A-Za-z]{2,20}\*?(?:\[[^\[\]\n]{0,40}\])?\{)([^{}\\\n]{0,80}[\u3400-\u9fff][^{}\\\n]{0,400})(\}(?:\{[^{}\u3400-\u9fff\n]{1,80}\})?)"
)
_ANY_TAG = re.compile(rf"<{_IGNORED}*[/!]?[A-Za-z0-9]")
_LAST_LATIN = "\u024f"
_BLANKS = f" \t\n\r\u3000{_IGNORED}"


def blank_tags(text: str) -> str:
    r"""Replace each tag beside other scripts by invisible characters, so that no offset changes.

    >>> blank_tags("<b>云</b>") == "\u200b" * 3 + "云" + "\u200b" * 4
    True
    """
    if "<r" in text and _has_readings_throughout(text):
        text = _RUBY_TAG.sub(_blank, _READING.sub(_blank, text))
    if "\\" in text and "{" in text:
        text = _COMMAND.sub(_blank_command, text)
    if ("[" in text and "[/" in text) or ("<" in text and _ANY_TAG.search(text)) or "{\\" in text:
        blanked = list(text)
        for begin, end in _tag_runs(text):
            if max(text[max(0, begin - 1) : begin] + text[end : end + 1], default="") > _LAST_LATIN:
                blanked[begin:end] = [char if char == "\n" else _IGNORED for char in text[begin:end]]
        text = "".join(blanked)
    return text


def _has_readings_throughout(text: str) -> bool:
    read = len(_READ_CHARACTER.findall(text))
    return read >= max(_MIN_READINGS, _MIN_READ_SHARE * text.lower().count("<rt"))


def _tag_runs(text: str) -> list[tuple[int, int]]:
    """Return the spans of tags. Tags with only spaces between them form one span."""
    runs: list[tuple[int, int]] = []
    for tag in _TAGS.finditer(text):
        if runs and not text[runs[-1][1] : tag.start()].strip(_BLANKS):
            runs[-1] = runs[-1][0], tag.end()
        else:
            runs.append(tag.span())
    return runs


# Part-of-speech tags behind the words of a corpus, 人民/n 日报/n ，/w or 人民_NN, and its brackets around names.


WORD_TAG_SIGNS = "/_"
MIN_WORD_TAGS = 12  # tags in a text that has them throughout
_MIN_TAGGED_SHARE = 0.6  # of the tokens between spaces
_WORD_TAG = re.compile(r"(?<=[^\s/_])[/_][A-Za-z]{1,4}[0-9]?(?=[\s\]]|$)")
_GROUP = re.compile(r"(?<![^\s\[])\[(?=\S{1,40}[/_][A-Za-z])|(?<=\u200b)\](?:[/_]?[A-Za-z]{1,4})?(?=\s|$)")
_NUMBER_OF_TEXT = re.compile(r"^[0-9]{6,8}(?:-[0-9]{1,4}){2,4}(?=[/_][A-Za-z])", re.MULTILINE)  # before each paragraph


def blank_word_tags(text: str) -> str:
    r"""Remove the part-of-speech tag behind each word, if most words have one. No offset changes.

    >>> blank_word_tags("河/n 水/n " * 8) == ("河" + "\u200b" * 2 + " 水" + "\u200b" * 2 + " ") * 8
    True
    """
    if len(_WORD_TAG.findall(text)) < max(MIN_WORD_TAGS, _MIN_TAGGED_SHARE * len(text.split())):
        return text
    return _GROUP.sub(_blank, _WORD_TAG.sub(_blank, _NUMBER_OF_TEXT.sub(_blank, text)))


def _blank_command(command: re.Match[str]) -> str:
    """Return the content of a LaTeX command, without its name and without the reading behind it."""
    return pad_with_ignored("", command[1]) + command[2] + pad_with_ignored("", command[3])


def _blank(tag: re.Match[str]) -> str:
    return pad_with_ignored("", tag[0])
