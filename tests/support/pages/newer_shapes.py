"""Shapes that sites took on of late: shared documents, conversations with machines, streamed pages, notes and channels."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

import json

from tests.support.pages.page_parts import FERRY, FOOT, KILN, LINKS, MENU, OTHERS, REPLIES, STARS, p, page
from tests.support.pages.page_shapes import Shape, shape


@shape
def a_streamed_page_whose_text_comes_in_pieces_of_script() -> Shape:
    tree = [
        "$",
        "article",
        None,
        {"children": [["$", "p", str(n), {"children": line}] for n, line in enumerate((*FERRY, *KILN))]},
    ]
    told = "\n\n".join(STARS)
    rows = (
        f"7:{json.dumps(tree, ensure_ascii=False)}\n",
        f"8:T{len(told.encode()):x},{told}",
        '9:["$","footer",null,{"className":"foot","children":"京ICP备"}]\n',
    )
    stream = "".join(rows)
    pieces = (stream[at : at + 300] for at in range(0, len(stream), 300))
    scripts = "".join(f"<script>self.__next_f.push([1,{json.dumps(piece)}])</script>" for piece in pieces)
    return Shape(page(f"<div id=__next></div>{scripts}"), (*FERRY, *KILN, *STARS), ("children", "className"))


@shape
def markdown_that_a_script_renders() -> Shape:
    text = "# 渡口\n\n" + "\n\n".join((*FERRY, *KILN))
    return Shape(
        page(f"<zero-md><script type='text/markdown'>{text}</script></zero-md><script src=zero-md.js></script>"), FERRY
    )


@shape
def a_document_of_blocks_with_invisible_spaces() -> Shape:
    rows = "".join(
        f"<div data-block-id=b{n} class=block data-block-type=text><div class=ace-line><span data-string=true>{line}</span><span data-enter=true>\u200b</span></div></div>"
        for n, line in enumerate(FERRY)
    )
    body = f"<div class=suite-header><span>外部</span><button>分享</button><span>最近修改: 5月1日</span></div><div class=page-block><h1 class=page-block-header>渡口</h1>{rows}</div><div class=help-block>联系我们 帮助中心 下载客户端</div>"
    return Shape(page(body), FERRY, ("下载客户端",))


@shape
def a_conversation_with_a_machine() -> Shape:
    def turn(role: str, inner: str) -> str:
        return f"<article data-turn={role}><h6 class=sr-only>{'你说：' if role == 'user' else '助手说：'}</h6><div data-message-author-role={role}><div class='markdown prose'>{inner}</div></div><div class=actions><button>复制</button><button>赞</button></div></article>"

    ask = "请把渡口这一篇完整地念给我听，一个字也不要改。"
    body = f"<header><a href=/>新对话</a></header><main>{turn('user', f'<p>{ask}</p>')}{turn('assistant', p(FERRY))}</main><div class=composer><p>助手也可能会犯错，请核查重要信息。</p></div>"
    return Shape(page(body), FERRY)


@shape
def a_chapter_with_the_number_of_notes_behind_each_paragraph() -> Shape:
    rows = "".join(
        f"<p data-p={n}><span class=content-text>{line}</span><span class=review data-count={n * 3 + 1}><i></i><em>{n * 3 + 1}</em></span></p>"
        for n, line in enumerate(FERRY)
    )
    body = f"<div class=top-nav><ul>{MENU}</ul></div><div class=read-main><h3 class=j_chapterName>第三章 雨</h3><div class=read-content>{rows}</div><div class=admire>投月票 <b>打赏</b></div></div><div class=chapter-control><a href=2>上一章</a><a href=0>目录</a><a href=4>下一章</a></div>"
    return Shape(page(body), FERRY, ("投月票", "下一章"))


@shape
def a_channel_of_messages() -> Shape:
    rows = "".join(
        f"<div class='widget_message_wrap'><div class='message' data-post='hk/{n}'><div class=message_author><a href=/hk>河口夜读</a></div><div class='message_text js-text' dir=auto>{line}</div>"
        f"<div class=message_reactions><span>👍 {n}2</span><span>❤ {n}</span></div><div class=message_footer><span class=views>1.{n}K</span> views <a href=/hk/{n}><time datetime=2023-05-0{n + 1}T09:30:00+08:00>09:30</time></a></div></div></div>"
        for n, line in enumerate((*KILN, *STARS))
    )
    body = f"<header><a href=/>Channel</a><a href=/dl>Download</a></header><main><section class=channel_history>{rows}</section></main>"
    return Shape(page(body), (*KILN, *STARS), ("Download",))


@shape
def a_note_with_tags_and_replies_below() -> Shape:
    replies = "".join(
        f"<div class=parent-comment><div class=author-wrapper><a class=name>网友{n}</a></div><div class=content>{line}</div><div class=info>05-0{n + 1} 河口 <span>回复</span></div></div>"
        for n, line in enumerate(REPLIES)
    )
    body = (
        f"<div class=side-bar><ul>{MENU}</ul></div><div class=note-container><div class=media>1/3</div><div class=interaction><div class=author-container>青釉 <button>关注</button></div>"
        f"<div class=note-content><div id=detail-title class=title>窑</div><div id=detail-desc class=desc><span class=note-text>{'<br>'.join(f'<span>{line}</span>' for line in KILN)} <a id=hash-tag class=tag href=/t>#手作</a></span></div><div class=bottom-container>编辑于 05-01</div></div>"
        f"<div class=comments-el><div class=total>共 3 条评论</div>{replies}</div><div class=engage-bar>说点什么... 赞 收藏</div></div></div>"
    )
    return Shape(page(body), KILN, ("说点什么", REPLIES[0]))


@shape
def chapters_folded_into_accordions() -> Shape:
    parts = "".join(
        f"<details><summary>第{n}节</summary>{p(lines)}</details>" for n, lines in enumerate((FERRY, KILN, STARS), 1)
    )
    return Shape(
        page(f"<nav><ul>{MENU}</ul></nav><main><h1>河口三章</h1>{parts}</main>{FOOT}"),
        (*FERRY, *KILN, *STARS),
        ("版权所有",),
    )


@shape
def tabs_of_which_all_but_one_are_hidden() -> Shape:
    tabs = "".join(
        f"<div role=tabpanel id=t{n}{' hidden' if n else ''}>{p(lines)}</div>" for n, lines in enumerate((FERRY, KILN))
    )
    return Shape(
        page(
            f"<ul>{MENU}</ul><div class=tabs><ul role=tablist><li role=tab>上</li><li role=tab>下</li></ul>{tabs}</div>{FOOT}"
        ),
        (*FERRY, *KILN),
        ("版权所有",),
    )


@shape
def a_transcript_with_moments_and_speakers() -> Shape:
    rows = "".join(
        f"<div class=segment><a class=ts href='#t={n * 12}'>00:{n * 6 + 10}</a><span class=speaker>{'主播' if n % 2 else '嘉宾'}</span><p>{line}</p></div>"
        for n, line in enumerate(FERRY)
    )
    body = f"<header><ul>{MENU}</ul></header><div class=player>倍速 1.0x 下载</div><section class=transcript><h2>文字稿</h2>{rows}</section><div class=shownotes><h2>更多节目</h2><ul>{LINKS}</ul></div>"
    return Shape(page(body), FERRY, (OTHERS[0],))


@shape
def a_letter_with_calls_to_subscribe_in_its_midst() -> Shape:
    call = "<div class=subscription-widget-wrap><div class=preamble><p>感谢阅读河口来信！免费订阅，不错过每一篇新文章，也支持我的写作。</p></div><form><input type=email placeholder=邮箱><button>订阅</button></form></div>"
    body = f"<div class=main-menu><a href=/>河口来信</a><button>订阅</button></div><article class='typography newsletter-post post'><div class=post-header><h1>渡口</h1><h3>第 12 封</h3></div><div class=available-content><div dir=auto class='body markup'>{p(FERRY[:4])}{call}{p(FERRY[4:])}</div></div><div class=post-footer><a>♡</a><a>分享</a></div></article><div class=discussion><p>{REPLIES[0]}</p></div>"
    return Shape(page(body), FERRY, ("感谢阅读河口来信",))


@shape
def words_that_only_a_style_shows_from_attributes() -> Shape:
    rows = "".join(f"<p class=t data-text='{line}'></p>" for line in (*FERRY, *KILN, *STARS) if "“" not in line)
    lines = tuple(line for line in (*FERRY, *KILN, *STARS) if "“" not in line)
    return Shape(
        page(
            f"<div class=chapter>{rows}</div>", "<title>渡口</title><style>.t::before{content:attr(data-text)}</style>"
        ),
        lines,
    )


@shape
def a_story_in_cards_one_sentence_each() -> Shape:
    cards = "".join(
        f"<section class=swiper-slide data-index={n}><div class=card-bg></div><h2 class=card-text>{line}</h2></section>"
        for n, line in enumerate((*KILN, *STARS))
    )
    return Shape(
        page(
            f"<header><ul>{MENU}</ul></header><main class=story><div class='swiper stories'><div class=swiper-wrapper>{cards}</div><div class=swiper-pagination></div></div></main>{FOOT}"
        ),
        (*KILN, *STARS),
        ("版权所有",),
    )
