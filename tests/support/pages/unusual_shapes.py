"""Pages whose text stands where markup seldom has it, with the lines that are its text and words that are not."""

import json
from collections.abc import Sequence
from html import escape

from tests.support.pages.page_parts import FERRY, FOOT, KILN, LINKS, MENU, STARS, p, page
from tests.support.pages.page_shapes import Shape, shape

_ALL = (*FERRY, *KILN, *STARS)
_MENU = f"<div id=nav><ul>{MENU}</ul></div>"


def _alone(body: str, head: str = "", *, wanted: Sequence[str] = KILN, unwanted: Sequence[str] = ()) -> Shape:
    return Shape(page(f"{head}{_MENU}{body}{FOOT}"), tuple(wanted), ("版权所有", *unwanted))


@shape
def only_for_readers_without_scripts() -> Shape:
    return _alone(f"<div id=app><p>正在打开，请稍候。</p></div><noscript>{p(KILN)}</noscript>")


@shape
def noscript_of_pictures_between_words() -> Shape:
    first, *rest = KILN
    half = len(first) // 2
    lazy = "<img data-src=1.jpg><noscript><img src=1.jpg></noscript>"
    return _alone(f"<div class=post><p>{first[:half]}{lazy}{first[half:]}</p>{p(rest)}</div>")


@shape
def in_a_field_that_cannot_be_written_in() -> Shape:
    return _alone("<textarea readonly>" + "\n".join(KILN) + "</textarea>")


@shape
def in_a_frame_that_holds_its_page() -> Shape:
    return _alone(f'<iframe srcdoc="{escape(p(KILN))}"></iframe>')


@shape
def in_a_shadow_tree() -> Shape:
    return _alone(
        f"<book-page><template shadowrootmode=open><style>p{{margin:0}}</style>{p(KILN)}</template></book-page>"
    )


@shape
def drawn_as_vector_text() -> Shape:
    rows = "".join(f"<text y={20 * n}><tspan>{line}</tspan></text>" for n, line in enumerate(KILN))
    return _alone(f"<svg><title>放大</title><desc>第一页</desc><g>{rows}</g></svg>", unwanted=("放大", "第一页"))


@shape
def icons_between_words() -> Shape:
    first, *rest = KILN
    icon = "<svg><title>注释</title><path d='M0 0'/></svg>"
    return _alone(f"<div class=post><p>{first[:9]}{icon}{first[9:]}</p>{p(rest)}</div>", unwanted=("注释",))


@shape
def an_article_in_what_is_called_a_sidebar() -> Shape:
    return _alone(f"<div class=main>{p(STARS)}</div><div class=sidebar>{p(KILN)}</div>", wanted=(*STARS, *KILN))


@shape
def notes_in_boxes_between_paragraphs() -> Shape:
    note = f"<div class='sidebar note'><p class=title>注意</p><p>{STARS[0]}</p></div>"
    return _alone(
        f"<div class=chapter>{p(KILN)}{note}{p(FERRY)}</div><div class=sidebar><ul>{LINKS}</ul></div>",
        wanted=(*KILN, STARS[0], *FERRY),
    )


@shape
def prose_under_a_heading_of_further_reading() -> Shape:
    return _alone(f"<div class=post>{p(FERRY)}<h3>相关阅读</h3>{p(KILN)}</div>", wanted=(*FERRY, *KILN))


@shape
def an_article_that_goes_on_under_more_content() -> Shape:
    return _alone(f"<div class=post>{p(FERRY)}<h3>更多内容</h3>{p(KILN)}<ul>{LINKS}</ul></div>", wanted=(*FERRY, *KILN))


@shape
def data_of_an_application() -> Shape:
    data = json.dumps({"props": {"title": "窑", "content": p(_ALL)}})
    return _alone(f"<div id=__next></div><script id=__NEXT_DATA__ type='application/json'>{data}</script>", wanted=_ALL)


@shape
def paragraphs_in_the_first_state_of_an_application() -> Shape:
    state = json.dumps({"chapter": {"lines": _ALL, "next": "/2.html"}}, ensure_ascii=False)
    return _alone(
        f"<div id=app></div><script>window.__INITIAL_STATE__={state};</script>", wanted=_ALL, unwanted=("2.html",)
    )


@shape
def data_that_is_a_string_of_data() -> Shape:
    state = json.dumps(json.dumps({"body": _ALL}))
    return _alone(f"<div id=app></div><script>var page = JSON.parse({state});</script>", wanted=_ALL)


@shape
def markup_that_a_script_writes() -> Shape:
    return _alone(f"<div id=app></div><script>document.write('{p(_ALL)}'); // it's done</script>", wanted=_ALL)


@shape
def markup_in_an_attribute() -> Shape:
    return _alone(f'<div class=reader data-content="{escape(p(_ALL))}"></div>', wanted=_ALL)


@shape
def scripts_with_messages_beside_a_text() -> Shape:
    messages = json.dumps({str(n): f"第{n}次保存没有成功，请检查网络之后再试。" for n in range(40)}, ensure_ascii=False)
    return _alone(
        f"<div class=post>{p(_ALL)}</div><script>var t={messages}</script>", wanted=_ALL, unwanted=("次保存",)
    )


def _with_words_between(style: str, mark: str) -> Shape:
    noise = mark.format("某某网首发请勿转载")
    lines = [f"{line[:12]}{noise}{line[12:]}" for line in KILN]
    return _alone(f"<div id=content>{p(lines)}</div>", f"<style>{style}</style>", unwanted=("首发",))


@shape
def words_without_size_between() -> Shape:
    return _with_words_between(".a1{font-size:0}", "<i class=a1>{}</i>")


@shape
def words_without_colour_between() -> Shape:
    return _with_words_between("p .b2 { color: transparent }", "<span class=b2>{}</span>")


@shape
def words_that_are_clear_as_glass_between() -> Shape:
    return _with_words_between("#content b { opacity: 0; }", "<b>{}</b>")


@shape
def words_beside_the_screen_between() -> Shape:
    return _with_words_between("em.c3{position:absolute;left:-9999px}", "<em class=c3>{}</em>")


@shape
def words_in_no_room_between() -> Shape:
    return _with_words_between(".d4{display:inline-block;width:0;height:0;overflow:hidden}", "<span class=d4>{}</span>")


@shape
def words_hidden_by_their_place() -> Shape:
    return _with_words_between("#content p > u:nth-child(1) { display: none }", "<u>{}</u>")


@shape
def a_text_that_fades_in() -> Shape:
    return _alone(
        f"<div class=post>{p(FERRY)}<div class=fade>{p(KILN)}</div></div>",
        "<style>.fade{opacity:0}</style>",
        wanted=(*FERRY, *KILN),
    )
