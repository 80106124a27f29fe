"""Pages whose text has a short link before each of its lines: a number, a mark, a button; a poem has no more words."""

from collections.abc import Callable, Sequence
from functools import partial

from tests.support.pages.page_parts import FERRY, FOOT, KILN, LINKS, MENU, STARS, page
from tests.support.pages.page_shapes import SHAPES, Shape

POEM = (
    "石阶连着水",
    "旧缆系空舟",
    "雨打灯前客",
    "风吹岸上秋",
    "人随孤雁去",
    "月共大江流",
    "莫问来时路",
    "青山在上头",
)
PROSE = (*FERRY, *KILN, *STARS)
# How the n-th line is written, and words of its link that are no part of the text.
Written = Callable[[int, str], str]
LINES: dict[str, tuple[Written, str]] = {
    "number": (lambda n, line: f"<p><a href=#p{n}>{n}</a> {line}</p>", "7"),
    "bracketed_anchor": (lambda n, line: f"<p><a name=n{n} href=#n{n}>[{n}]</a>{line}</p>", "[7]"),
    "link_in_brackets": (lambda n, line: f"<p>（<a href=/v/{n}>{n}</a>）{line}</p>", "（7）"),
    "chapter_and_verse": (
        lambda n, line: f"<div class=verse><span><a href=/b/3/{n}>3:{n}</a></span> {line}</div>",
        "3:7",
    ),
    "line_break": (lambda n, line: f"<a href=#v{n}>第{n}句</a>　{line}<br>", "第7句"),
    "box_of_its_own": (lambda n, line: f"<div class=row><div><a href=#l{n}>{n}</a></div><div>{line}</div></div>", "7"),
    "verse_number_in_one_paragraph": (lambda n, line: f"<sup><a href=#v{n}>{n}</a></sup>{line}", "7"),
    "pilcrow": (lambda n, line: f"<p><a class=anchor href=#p{n}>¶</a>{line}</p>", "¶"),
    "button": (lambda n, line: f"<li><a href=/listen/{n}>朗读</a>{line}</li>", "朗读"),
}


def _shape(lines: Sequence[str], written: Written, link: str) -> Shape:
    text = "".join(written(n, line) for n, line in enumerate(lines, 1))
    body = f"<div id=nav><ul>{MENU}</ul></div><div class=post>{text}</div><ul class=more>{LINKS}</ul>{FOOT}"
    return Shape(page(body), tuple(lines), (link, "版权所有"))


for _name, (_written, _link) in LINES.items():
    for _of, _lines in (("prose", PROSE), ("poem", POEM)):
        SHAPES[f"{_of}_with_a_{_name}_before_each_line"] = partial(_shape, _lines, _written, _link)
