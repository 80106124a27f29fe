"""What a reader of a page does not see is not read, and what a reader sees is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.appearance import Color, contrast, parse_color, parse_style
from crawler.extraction.page import extract_html

STORY = (
    "雨季的第一天，邮差把自行车停在桥头，数了数包里的信，一共十一封。最上面那封没有写门牌，只写着竹器铺隔壁的老秦收。"
    "他问了三家人，都说竹器铺早就搬走了，隔壁也换了两回招牌。后来是一个剥豆子的女孩指给他看，说老秦住在河对面的船屋里。"
    "他把信递过去的时候，老人的手在围裙上擦了又擦，说这是儿子离家以后的头一封。船屋的窗台上摆着一排空酒瓶，瓶里插着芦花。"
)
DECOYS = "甲乙丙丁戊己庚辛"
INLINE_WAYS = (
    "display:none",
    "DISPLAY : NONE !important",
    "visibility:hidden",
    "visibility:collapse",
    "content-visibility:hidden;display:inline-block",
    "opacity:0",
    "opacity:.01",
    "opacity:5%",
    "filter:opacity(0)",
    "filter:blur(0) opacity(4%)",
    "color:#fff",
    "color:#FFFFFF",
    "color:#fffffe",
    "color:white",
    "color:#fefefe",
    "color:rgb(255,255,255)",
    "color:rgb(100%,100%,100%)",
    "color:rgb(250 250 250)",
    "color:hsl(0,0%,100%)",
    "color:hsl(210deg 100% 99%)",
    "color:hwb(0 100% 0%)",
    "color:transparent",
    "color:rgba(0,0,0,0)",
    "color:rgba(0,0,0,.02)",
    "color:#0000",
    "color:#00000001",
    "color:rgb(0 0 0 / 3%)",
    "color:#333;background:#333",
    "color:#eee;background-color:#e8e8e8",
    "color:black;background:black",
    "-webkit-text-fill-color:transparent",
    "font-size:0",
    "font-size:0.1px",
    "font-size:1px",
    "font-size:2px",
    "font-size:.05em",
    "font-size:1%",
    "font:0/0 a",
    "font:1px/1 serif",
    "width:0;display:inline-block;overflow:hidden",
    "height:0;display:inline-block;overflow:hidden",
    "max-height:0;overflow:hidden;display:block",
    "max-width:0;overflow:hidden;display:inline-block",
    "max-width:1px;max-height:1px;overflow:clip;display:inline-block",
    "line-height:0;overflow:hidden;display:inline-block",
    "position:absolute;left:-9999px",
    "position:absolute;top:-5000px",
    "position:fixed;right:-200vw",
    "display:inline-block;text-indent:-999px;overflow:hidden",
    "display:inline-block;margin-left:-9999px",
    "position:absolute;margin:-2000px 0 0 -2000px",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(1px,1px,1px,1px)",
    "clip-path:inset(100%)",
    "clip-path:inset(50% 50%)",
    "clip-path:circle(0)",
    "clip-path:polygon(0 0,0 0,0 0)",
    "display:inline-block;transform:scale(0)",
    "display:inline-block;transform:scale(.01,.01)",
    "display:inline-block;transform:scaleX(0)",
    "display:inline-block;transform:rotateY(90deg)",
    "display:inline-block;transform:translateX(-3000px)",
    "display:inline-block;translate:-3000px",
    "display:inline-block;scale:0",
    "zoom:.01",
    "letter-spacing:-1em",
    "position:absolute;z-index:-1",
)
ATTRIBUTE_WAYS = (
    "<font color=white>{}</font>",
    "<font color=#FFFFFF>{}</font>",
    "<font color=ffffff>{}</font>",
    "<font color='#FEFEFE' size=1>{}</font>",
    "<span hidden>{}</span>",
    "<i hidden=''>{}</i>",
    "<b hidden=hidden>{}</b>",
    "<input type=hidden value='{}'>",
    "<span style='/* a */ color: /* b */ white'>{}</span>",
    "<u style='color:var(--paper,#fff)'>{}</u>",
    "<x-y style='opacity:0'>{}</x-y>",
    "<span style='font-size:0'><b>{}</b></span>",
    "<span style='color:#fff'><i>{}</i></span>",
)
SHEET_WAYS = (
    ".k{color:#fff}",
    ".k{color:var(--paper)}:root{--paper:#fff}",
    ".k{font-size:1px}",
    ".k{opacity:.02}",
    "@charset 'utf-8';.k{display:none}",
    "@media screen{.k{display:none}}",
    "@supports (display:grid){p .k{visibility:hidden}}",
    "@layer base{.k{max-height:0;overflow:hidden}}",
    "body{background:#222;color:#ddd}.k{color:#222}",
    "p{background:#e5e5e5}.k{color:#e5e5e5}",
    "div p span.k{color:transparent}",
    ".k{display:inline}.k{display:none}",
    "p>span{color:rgba(0,0,0,0)}",
)


def put_in(way: str, story: str = STORY) -> str:
    """Put a decoy behind every third character. way: its markup, with {} for the character."""
    return "".join(
        f"{character}{way.format(DECOYS[place // 3 % len(DECOYS)])}" if place % 3 == 2 else character
        for place, character in enumerate(story)
    )


def span(style: str) -> str:
    return f'<span style="{style}">{{}}</span>'


def read_text(body: str, head: str = "", styles: tuple[str, ...] = ()) -> str:
    page = f"<html><head><title>船屋</title>{head}</head><body>{body}</body></html>"
    return extract_html(page.encode(), [], "http://a.test/1.html", styles=styles).text


@pytest.mark.parametrize("style", INLINE_WAYS)
def test_a_decoy_that_a_style_hides_is_not_read(style: str) -> None:
    assert read_text(f"<div><p>{put_in(span(style))}</p></div>") == STORY


@pytest.mark.parametrize("way", ATTRIBUTE_WAYS)
def test_a_decoy_that_an_attribute_hides_is_not_read(way: str) -> None:
    assert read_text(f"<div><p>{put_in(way)}</p></div>") == STORY


@pytest.mark.parametrize("sheet", SHEET_WAYS)
def test_a_decoy_that_a_style_sheet_hides_is_not_read(sheet: str) -> None:
    body = f"<div><p>{put_in('<span class=k>{}</span>')}</p></div>"
    assert read_text(body, f"<style>{sheet}</style>") == STORY
    assert read_text(body, "<link rel=stylesheet href=/a.css>", (sheet,)) == STORY


@pytest.mark.parametrize(
    "around",
    [
        "<body bgcolor=#202020 text=#eeeeee>{}",
        "<div style='background:#333;color:#eee'>{}</div>",
        "<table bgcolor=black style='color:#ccc'><tr><td>{}</table>",
    ],
)
def test_a_decoy_in_the_colour_of_a_dark_background_is_not_read(around: str) -> None:
    ground = {"<b": "#202020", "<d": "#333", "<t": "black"}[around[:2]]
    assert read_text(around.format(f"<p>{put_in(span(f'color:{ground}'))}</p>")) == STORY


@pytest.mark.parametrize(
    "body",
    [
        "<div style='background:#333;color:#fff'><p>{}</p></div>",
        "<div style='background:url(/night.jpg)'><p>{}</p></div>",
        "<div background=/night.jpg><p style='color:white'>{}</p></div>",
        "<body bgcolor=black text=white><p>{}</p>",
    ],
)
def test_light_letters_upon_a_dark_background_or_a_picture_are_read(body: str) -> None:
    marked = put_in("<b style='color:#fff'>{}</b>")
    everything = put_in("{}")
    assert read_text(body.format(marked)) == everything


@pytest.mark.parametrize(
    "style",
    [
        "color:#c00",
        "color:#999",
        "color:#ddd",
        "color:white;background:#c00",
        "color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text",
        "font-size:10px",
        "font:bold 12px/1.5 serif",
        "opacity:.6",
        "position:relative;left:-2px",
        "margin-left:-20px",
        "z-index:-1",
        "letter-spacing:-.05em",
        "transform:scale(.9)",
        "text-indent:2em",
        "width:50%",
        "visibility:visible",
    ],
)
def test_letters_that_a_style_only_sets_apart_are_read(style: str) -> None:
    assert read_text(f"<div><p>{put_in(span(style))}</p></div>") == put_in("{}")


def test_letters_that_are_shown_again_inside_of_hidden_ones_are_read() -> None:
    way = "<span style='font-size:0'>假{}假</span>".replace("{}", "<b style='font-size:16px'>{}</b>")
    assert read_text(f"<div><p>{put_in(way)}</p></div>") == put_in("{}")


def test_a_paragraph_without_ink_is_not_read_and_one_inside_that_has_ink_is() -> None:
    stuffing = "低价机票，特价酒店，今日抢购，先到先得，名额有限，错过再等一年。"
    text = read_text(
        f"<div><p>{STORY}</p><p style='color:#fff'>{stuffing}</p><p style='font-size:1px'>{stuffing}</p></div>"
    )
    assert text == STORY
    white = f"<div style='color:#fff'><p style='color:#000'>{STORY}</p></div>"
    assert read_text(white) == STORY


def test_alternatives_among_which_a_script_chooses_are_read() -> None:
    choice = "按住<span><span hidden=true>命令</span><span hidden=true>控制</span></span>键再点击鼠标，" * 6
    assert "命令控制" in read_text(f"<div><p>{choice}</p><p>{STORY}</p></div>")


def test_a_page_of_which_most_seems_to_have_no_ink_is_read_whole() -> None:
    text = read_text(f"<div><p>开场白在这里，先看这一句。</p><p><span style='color:#fff'>{STORY}</span></p></div>")
    assert STORY in text


@pytest.mark.parametrize("cell", ["<td>{}</td>", "<li>{}</li>", "<p>{}</p>", "<div>{}</div>"])
def test_a_text_with_an_element_for_each_character_is_one_line(cell: str) -> None:
    cells = "".join(cell.format(character) for character in STORY)
    around = f"<table><tr>{cells}</tr></table>" if "td" in cell else f"<div>{cells}</div>"
    assert read_text(around) == STORY


def test_sentences_in_formulas_and_locked_fields_are_read_and_formulas_are_not() -> None:
    pieces = [STORY[place : place + 20] for place in range(0, len(STORY), 20)]
    math = "".join(f"<math><mtext>{piece}</mtext></math>" for piece in pieces)
    assert read_text(f"<div><p>{math}</p></div>") == STORY
    fields = "".join(f"<input readonly value='{piece}'>" for piece in pieces)
    assert read_text(f"<div>{fields}</div>") == STORY
    formula = "<math><mi>a</mi><mo>+</mo><mi>b</mi><mn>2</mn></math>"
    assert read_text(f"<div><p>{STORY}{formula}</p></div>") == STORY


def test_texts_of_missing_pictures_and_of_templates_are_read_where_a_page_shows_nothing_else() -> None:
    pieces = [STORY[place : place + 40] for place in range(0, len(STORY), 40)]
    pictures = "".join(f"<img src='/{number}.png' alt='{piece}'>" for number, piece in enumerate(pieces))
    twice = STORY.replace("邮差", "信差")
    assert STORY in read_text(f"<div>{pictures}<img src=/x.png alt='{twice}'></div>")
    assert STORY in read_text(f"<template id=t><p>{STORY}</p><p>{twice}</p></template><div id=a></div>")


@given(st.text(max_size=200))
def test_any_style_is_read_without_an_error(style: str) -> None:
    parse_style(f"color:{style};font:{style};transform:scale({style});{style}")


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_a_colour_is_the_same_in_every_notation(parts: tuple[int, int, int]) -> None:
    red, green, blue = parts
    written = [f"#{red:02x}{green:02x}{blue:02x}", f"rgb({red},{green},{blue})", f"rgb({red} {green} {blue} / 100%)"]
    colors = [parse_color(each) for each in written]
    assert all(color == Color(red / 255, green / 255, blue / 255) for color in colors)
    assert contrast(Color(1, 1, 1), Color(0, 0, 0)) == pytest.approx(21)


@pytest.mark.parametrize(
    ("sheet", "is_read"),
    [
        (".note{color:#000}.note.aside{color:#fff}", False),
        (".note.aside{color:#fff}.note{color:#fefefe}", False),
        (".aside{color:#fff}.other{color:#fefefe}", False),
        (".aside:hover{color:#fff}.note:active{display:none}", True),
        ("div .note{background:#000}.note{background:#222}.aside{color:#fff}", True),
        ("div .note{background:#222}.note{background:#fff}.aside{color:#fff}", False),
    ],
)
def test_of_several_colours_of_an_element_those_count_that_its_selectors_give(sheet: str, is_read: bool) -> None:
    decoyed = STORY.replace("最上面", '最<span class="note aside">甲</span>上面')
    text = extract_html(f"<style>{sheet}</style><body><div><p>{decoyed}</p></div>".encode(), (), "").text
    assert ("最甲上面" in text) is is_read
