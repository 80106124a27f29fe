"""Tricks of the markup: the reader of a page sees the text, and a program reads another one. Each makes HTML."""

import html
import json
from itertools import cycle

from benchmarks.tricks.catalogue import COMMON_CHARACTERS, Draw, change_every, cut_pieces, trick
from benchmarks.tricks.sounds import read_character

FAMILY = "pages"
PERIODS = (6, 4, 2)


def _page(body: str, head: str = "") -> str:
    opening = f"<html><head><meta charset=utf-8><title>故事</title>{head}</head>"
    return f"{opening}<body><div id=content>{body}</div></body></html>"


def _decoys(text: str, level: int, draw: Draw, markup: str) -> str:
    """Put a decoy behind every so many characters. markup: with {} for the decoy."""
    return change_every(
        html.escape(text), PERIODS[level], lambda x: x + markup.replace("{}", draw.choice(COMMON_CHARACTERS))
    )


def _styled(text: str, level: int, draw: Draw, style: str) -> str:
    return _page(f"<p>{_decoys(text, level, draw, f'<span style={chr(34)}{style}{chr(34)}>' + '{}</span>')}</p>")


@trick(FAMILY, page=True)
def decoys_not_displayed(text: str, level: int, draw: Draw) -> str:
    """Do not display decoys. Source: Gyöngyi and Garcia-Molina, Web Spam Taxonomy, AIRWeb 2005."""
    return _styled(text, level, draw, "display:none")


@trick(FAMILY, page=True)
def decoys_invisible(text: str, level: int, draw: Draw) -> str:
    """Hide decoys by visibility. Source: W3C CSS 2.2."""
    return _styled(text, level, draw, "visibility:hidden")


@trick(FAMILY, page=True)
def decoys_white(text: str, level: int, draw: Draw) -> str:
    """Write decoys in white. Source: Gyöngyi and Garcia-Molina, Web Spam Taxonomy, AIRWeb 2005."""
    return _styled(text, level, draw, "color:#fff")


@trick(FAMILY, page=True)
def decoys_nearly_white(text: str, level: int, draw: Draw) -> str:
    """Write decoys in a colour that is nearly white. Source: W3C WCAG 2.2, contrast."""
    return _styled(text, level, draw, ("color:#fefefe", "color:rgb(250,250,250)", "color:hsl(60 10% 98%)")[level])


@trick(FAMILY, page=True)
def decoys_by_font_color(text: str, level: int, draw: Draw) -> str:
    """Write decoys in a font element of white. Source: HTML 3.2."""
    return _page(f"<p>{_decoys(text, level, draw, '<font color=white>{}</font>')}</p>")


@trick(FAMILY, page=True)
def decoys_without_alpha(text: str, level: int, draw: Draw) -> str:
    """Write decoys in a colour without opacity. Source: W3C CSS Color Module Level 4."""
    return _styled(text, level, draw, ("color:transparent", "color:rgba(0,0,0,0)", "color:#0000")[level])


@trick(FAMILY, page=True)
def decoys_without_opacity(text: str, level: int, draw: Draw) -> str:
    """Show decoys without opacity. Source: W3C CSS Color Module Level 4."""
    return _styled(text, level, draw, ("opacity:0", "opacity:.01", "filter:opacity(0)")[level])


@trick(FAMILY, page=True)
def decoys_tiny(text: str, level: int, draw: Draw) -> str:
    """Write decoys in letters that nobody can read. Source: hidden text, Google Search spam policies."""
    return _styled(text, level, draw, ("font-size:0", "font-size:1px", "font-size:.1px")[level])


@trick(FAMILY, page=True)
def decoys_off_the_page(text: str, level: int, draw: Draw) -> str:
    """Put decoys off the page. Source: hidden text, Google Search spam policies."""
    return _styled(text, level, draw, "position:absolute;left:-9999px")


@trick(FAMILY, page=True)
def decoys_clipped(text: str, level: int, draw: Draw) -> str:
    """Clip decoys away. Source: W3C CSS Masking Module Level 1."""
    return _styled(
        text,
        level,
        draw,
        ("clip-path:inset(100%)", "position:absolute;clip:rect(0,0,0,0)", "clip-path:circle(0)")[level],
    )


@trick(FAMILY, page=True)
def decoys_without_room(text: str, level: int, draw: Draw) -> str:
    """Give decoys no room. Source: W3C CSS Overflow Module Level 3."""
    return _styled(
        text,
        level,
        draw,
        (
            "display:inline-block;width:0;overflow:hidden",
            "display:block;max-height:0;overflow:hidden",
            "transform:scale(0);display:inline-block",
        )[level],
    )


@trick(FAMILY, page=True)
def decoys_behind(text: str, level: int, draw: Draw) -> str:
    """Put decoys behind the text. Source: W3C CSS Positioned Layout Module Level 3."""
    return _styled(text, level, draw, "position:absolute;z-index:-1")


@trick(FAMILY, page=True)
def decoys_with_hidden_attribute(text: str, level: int, draw: Draw) -> str:
    """Mark decoys as hidden. Source: HTML Living Standard, hidden."""
    return _page(f"<p>{_decoys(text, level, draw, '<span hidden>{}</span>')}</p>")


@trick(FAMILY, page=True)
def decoys_by_style_sheet(text: str, level: int, draw: Draw) -> str:
    """Hide decoys by a class. Source: anti-copy scripts of reading sites."""
    rule = ("display:none", "color:#fff", "font-size:0")[level]
    name = f"x{draw.randrange(1 << 20):x}"
    return _page(
        f"<p>{_decoys(text, level, draw, f'<i class={name}>' + '{}</i>')}</p>", f"<style>.{name}{{{rule}}}</style>"
    )


@trick(FAMILY, page=True)
def decoys_in_comments(text: str, level: int, draw: Draw) -> str:
    """Put decoys into comments. Source: HTML Living Standard, comments."""
    return _page(f"<p>{_decoys(text, level, draw, '<!--{}-->')}</p>")


@trick(FAMILY, page=True)
def element_for_each_character(text: str, level: int, draw: Draw) -> str:
    """Write an element for each character. Source: anti-copy scripts of reading sites."""
    return _page(
        "".join(f"<{('span', 'div', 'td')[level]}>{html.escape(x)}</{('span', 'div', 'td')[level]}>" for x in text)
    )


@trick(FAMILY, page=True)
def text_in_links(text: str, level: int, draw: Draw) -> str:
    """Write a link around pieces of the text. Source: paragraph comments (段评) of reading apps."""
    return _page(
        "".join(
            f"<p><a href=/{n}>{html.escape(x)}</a></p>" for n, x in enumerate(cut_pieces(text, (120, 60, 30)[level]))
        )
    )


@trick(FAMILY, page=True)
def text_in_script(text: str, level: int, draw: Draw) -> str:
    """Give the text to a script that shows it. Source: pages of single-page applications."""
    data = (json.dumps(text, ensure_ascii=False), json.dumps(text), json.dumps({"a": {"b": text}}))[level]
    return _page("<div id=app></div>", f"<script>window.__DATA__={data}</script>")


@trick(FAMILY, page=True)
def text_in_attribute(text: str, level: int, draw: Draw) -> str:
    """Show text of an attribute. Source: W3C CSS, content: attr()."""
    pieces = cut_pieces(text, (400, 200, 100)[level])
    return _page(
        "".join(f'<p data-t="{html.escape(x)}"></p>' for x in pieces), "<style>p:before{content:attr(data-t)}</style>"
    )


@trick(FAMILY, page=True)
def text_in_inner_page(text: str, level: int, draw: Draw) -> str:
    """Write the text into an inner page. Source: HTML Living Standard, srcdoc."""
    inner = f"<p>{html.escape(text)}</p>"
    for _ in range(level + 1):
        inner = f'<iframe srcdoc="{html.escape(inner)}"></iframe>'
    return _page(inner)


@trick(FAMILY, page=True)
def text_in_template(text: str, level: int, draw: Draw) -> str:
    """Write the text into a template. Source: HTML Living Standard, template."""
    shown = f"<p>{html.escape(text)}</p>"
    return _page(
        (
            f"<template>{shown}</template>",
            f"<div><template shadowrootmode=open>{shown}</template></div>",
            f"<textarea>{html.escape(text)}</textarea>",
        )[level]
    )


@trick(FAMILY, page=True)
def text_in_drawing(text: str, level: int, draw: Draw) -> str:
    """Draw the text as SVG. Source: W3C SVG 2, text."""
    lines = cut_pieces(text, (40, 20, 10)[level])
    return _page("<svg>" + "".join(f"<text y={20 * n}>{html.escape(x)}</text>" for n, x in enumerate(lines)) + "</svg>")


@trick(FAMILY, page=True)
def text_in_formulas(text: str, level: int, draw: Draw) -> str:
    """Set the text as formulas. Source: W3C MathML Core, mtext."""
    return _page(
        "<p>"
        + "".join(f"<math><mtext>{html.escape(x)}</mtext></math>" for x in cut_pieces(text, (60, 30, 15)[level]))
        + "</p>"
    )


@trick(FAMILY, page=True)
def text_in_locked_fields(text: str, level: int, draw: Draw) -> str:
    """Show the text in fields of a form. Source: HTML Living Standard, readonly."""
    return _page("".join(f'<input readonly value="{html.escape(x)}">' for x in cut_pieces(text, (40, 30, 20)[level])))


@trick(FAMILY, page=True)
def text_with_ruby(text: str, level: int, draw: Draw) -> str:
    """Write readings above characters. Source: HTML Living Standard, ruby."""
    return _page(
        "<p>"
        + change_every(
            html.escape(text),
            (3, 2, 1)[level],
            lambda x: f"<ruby>{x}<rp>(</rp><rt>{read_character(x, 'TONE')}</rt><rp>)</rp></ruby>",
        )
        + "</p>"
    )


@trick(FAMILY, page=True)
def shown_again_inside_hidden(text: str, level: int, draw: Draw) -> str:
    """Hide letters and show one inside again. Source: anti-copy scripts of reading sites."""
    noise = cycle(draw.sample(COMMON_CHARACTERS, 12))
    return _page(
        "<p>"
        + change_every(
            html.escape(text),
            PERIODS[level],
            lambda x: f"<span style='font-size:0'>{next(noise)}<b style='font-size:16px'>{x}</b>{next(noise)}</span>",
        )
        + "</p>"
    )


@trick(FAMILY, page=True)
def named_references_between(text: str, level: int, draw: Draw) -> str:
    """Put references of nothing between. Source: HTML Living Standard, named character references."""
    return _page(
        "<p>"
        + change_every(
            html.escape(text),
            PERIODS[level],
            lambda x: x + draw.choice(("&zwnj;", "&shy;", "&lrm;", "&ZeroWidthSpace;", "<wbr>")),
        )
        + "</p>"
    )
