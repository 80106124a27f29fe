"""What stands around a text is told by links, place and tags, whatever the language."""

from html import escape

import pytest

from crawler.extraction.dropped_text import measure_dropped_prose
from crawler.extraction.page import extract_html

GERMAN = [
    "Am Morgen legte die alte Fähre wieder ab, und am Ufer standen mehr Leute, als in das Boot gepasst hätten.",
    "Der neue Fährmann hatte das Seil geölt, die Planken getauscht und den Namen am Bug mit roter Farbe nachgezogen.",
    "Wer nicht mitfahren konnte, ging zu Fuß über die Brücke, die flussabwärts liegt, und winkte von dort hinüber.",
    "Bis zum Abend waren alle einmal drüben gewesen, und die Kinder fragten schon, wann es am nächsten Tag losgeht.",
]
POLISH = [
    "Rano stary prom znowu odbił od brzegu, a na przystani stało więcej ludzi, niż mogło się zmieścić na pokładzie.",
    "Nowy przewoźnik naoliwił linę, wymienił deski i poprawił czerwoną farbą nazwę, ledwo widoczną na dziobie.",
    "Kto nie mógł popłynąć, ten szedł pieszo przez most, który stoi w dole rzeki, i machał stamtąd do tych na wodzie.",
    "Do wieczora każdy był już raz po drugiej stronie, a dzieci pytały tylko, o której prom wypływa następnego dnia.",
]
CHINESE = [
    "清早，停了多年的渡船又离了岸，码头上站着的人比船上坐得下的还要多。",
    "新来的船工给缆绳上了油，换了船板，又用红漆把船头的名字重新描了一遍。",
    "坐不上船的人走下游的那座桥，站在桥上朝船里的人招手，一直看到船靠了岸。",
    "到傍晚，人人都到对岸走过一趟，孩子们只问明天的头一班船什么时候开。",
]
TEXTS = {"German": GERMAN, "Polish": POLISH, "Chinese": CHINESE}


def page(body: str, title: str = "Ferry") -> bytes:
    return f"<html><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>".encode()


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def read(body: bytes) -> list[str]:
    return extract_html(body, (), "").text.split("\n")


@pytest.mark.parametrize("language", TEXTS)
def test_words_before_and_behind_the_container_of_a_text_are_no_text(language: str) -> None:
    lines = TEXTS[language]
    before = "<div class=u1><span>Zzz qqq</span></div>"
    behind = "<div class=u2><h4>Xxx yyy</h4><p>Vvv www uuu ttt sss rrr, qqq ppp ooo nnn mmm lll kkk jjj.</p></div>"
    body = page(
        f"<div class=m><h1>Aaa</h1>{before}<div class=k>{paragraphs(lines)}<h3>Bbb ccc</h3></div>{behind}</div>"
    )
    assert read(body) == ["Aaa", *lines]


@pytest.mark.parametrize("language", TEXTS)
def test_a_block_of_links_between_paragraphs_is_no_text(language: str) -> None:
    lines = TEXTS[language]
    items = "<li><a href=/1>Fff ggg hhh iii</a></li><li><a href=/2>Jjj kkk lll</a></li>"
    links = f"<div class=u><b>Ddd eee</b><ul>{items}</ul></div>"
    assert read(page(f"<div class=k>{paragraphs(lines[:2])}{links}{paragraphs(lines[2:])}</div>")) == lines


def test_a_text_in_several_parts_keeps_all_of_them() -> None:
    parts = "".join(f"<div class=part><h2>第{n}节</h2>{paragraphs(CHINESE)}</div>" for n in "一二")
    short = f"<div class=part><h2>第三节</h2><p>{CHINESE[0]}</p></div>"
    text = read(page(f"<div class=all>{parts}{short}</div>"))
    assert text.count(CHINESE[0]) == 3
    assert "第三节" in text


def test_a_signature_and_a_table_at_the_end_stay() -> None:
    table = "<table><tr><td>头班</td><td>六点</td></tr><tr><td>末班</td><td>十八点</td></tr></table>"
    body = page(f"<div class=k>{paragraphs(CHINESE)}<p>河口镇渡口管理所</p>{table}</div>")
    assert read(body) == [*CHINESE, "河口镇渡口管理所", "头班", "六点", "末班", "十八点"]


def test_a_title_that_is_no_heading_stays_before_the_text() -> None:
    title, lead = "渡船又离了岸", "摘要：停了八年的渡船，上个月又开了，镇上的人都去看。"
    words = f"<div class=t>{title}</div><div class=v>随便几个字</div><div class=l>{lead}</div>"
    body = page(f"<div class=m>{words}<div class=k>{paragraphs(CHINESE)}</div></div>", f"{title}_河岸社")
    assert read(body) == [title, lead, *CHINESE]


@pytest.mark.parametrize("heading", ["评论(3)", "3条评论", "网友评论", "Comments"])
def test_a_count_of_comments_over_an_article_takes_nothing_of_it_away(heading: str) -> None:
    slogan = (
        "河岸社是一个写河边人事的小站，每个月更新四篇散文，内容都由镇上的人自己写成，已经坚持了十一年。",
        "今年的旧文按年份重新排过，读者可以从最早的一篇读起，也可以按地名来找自己的村子。",
    )
    article = f"<h1>渡船</h1><div><a href=#c>{heading}</a></div><div class=x>{paragraphs(CHINESE)}</div>"
    body = f"<div class=s>{paragraphs(list(slogan))}</div><div class=post>{article}</div>"
    assert set(CHINESE) <= set(read(page(body)))


def test_replies_longer_than_the_text_are_known_by_three_signs() -> None:
    replies = [f"第{n}位读者说，他小时候也坐过这条船，那时候船票只要几分钱，船工还会唱歌给他们听。" for n in range(12)]
    rows = "".join(f"<li><b>网友{n}</b><p>{reply}</p><i>回复</i></li>" for n, reply in enumerate(replies))
    body = page(f"<div class=k>{paragraphs(CHINESE)}</div><div class=x4><h3>网友评论</h3><ul>{rows}</ul></div>")
    assert read(body) == CHINESE


@pytest.mark.parametrize("label", ["TRS_Editor", "ql-editor", "commentary", "elementor-text-editor"])
def test_a_name_that_merely_contains_a_word_of_furniture_takes_nothing_away(label: str) -> None:
    about = "<div class=about><p>{}</p></div>".format("</p><p>".join(GERMAN))
    assert set(CHINESE) <= set(read(page(f"<div class={label}>{paragraphs(CHINESE)}</div>{about}")))


POEM = [
    "傍晚下了雨",
    "河水漫过石阶",
    "我还没有回家",
    "灯在对岸亮着",
    "有人喊船",
    "声音很轻",
    "桨慢慢地近了",
    "又慢慢地远",
]


@pytest.mark.parametrize("tag", ["p", "li", "br"])
@pytest.mark.parametrize(
    "beside", ["作者简介：何远，一九八〇年生于河岸，现居渡口镇，著有诗集三种。", "愿路过的人，都能找到一盏灯。"]
)
def test_a_poem_is_not_lost_to_a_sentence(tag: str, beside: str) -> None:
    verse = "<br>".join(POEM) if tag == "br" else "".join(f"<{tag}>{line}</{tag}>" for line in POEM)
    poem = f"<ul>{verse}</ul>" if tag == "li" else f"<div class=poem>{verse}</div>"
    text = read(page(f"<h1>渡口</h1>{poem}<div class=bio><p>{beside}</p></div><div class=f>版权所有 河岸社</div>"))
    assert [line for line in text if line in POEM] == POEM


@pytest.mark.parametrize("link", ["<a href=/n{n}>", "<a href='javascript:;' onclick='say({n})'>"])
def test_paragraphs_inside_links_are_text(link: str) -> None:
    inside = "".join(f"<p>{link.format(n=n)}{line}</a></p>" for n, line in enumerate(CHINESE))
    menu = "<div class=nav><a href=/>首页</a><a href=/a>散文</a></div>"
    assert read(page(f"{menu}<h1>渡船</h1><div class=c>{inside}</div>"))[-4:] == CHINESE


def test_a_link_that_nobody_closed_takes_no_paragraph_away() -> None:
    body = page(f"<div class=c><p>{CHINESE[0]}</p><a href=/ad>{paragraphs(CHINESE[1:])}</div>")
    assert read(body) == CHINESE


def test_teasers_in_links_are_no_text() -> None:
    cards = "".join(
        f"<li><a href=/{n}><h4>第{n}篇旧文</h4><p>{line}</p></a></li>" for n, line in enumerate(GERMAN + POLISH)
    )
    assert read(page(f"<div class=c>{paragraphs(CHINESE)}</div><ul class=u>{cards}</ul>")) == CHINESE


def test_hidden_words_without_a_sentence_are_no_text_however_many() -> None:
    words = " ".join(f"渡口下载{n} 船票查询{n}" for n in range(400))
    body = page(f"<div class=c>{paragraphs(CHINESE)}</div><div style='display:none'>{words}</div>")
    assert read(body) == CHINESE


def test_hidden_prose_that_is_most_of_a_page_stays() -> None:
    body = page(
        "<p>请稍候，正文正在打开，马上就可以看到全部的内容了。</p>"
        f"<div style='display:none'>{paragraphs(CHINESE)}</div>"
    )
    assert set(CHINESE) <= set(read(body))


@pytest.mark.parametrize("tag", ["textarea", "noscript"])
def test_markup_that_is_written_as_text_is_read_as_markup(tag: str) -> None:
    written = escape(f"<div>{paragraphs(CHINESE)}</div>")
    assert read(page(f"<{tag}>{written}</{tag}>")) == CHINESE


def test_the_share_of_prose_that_is_left_out_is_measured() -> None:
    sentence = "Der Verein sucht für den Sommer noch Helfer, die an zwei Tagen in der Woche am Steg stehen."
    about = f"<aside><p>{sentence}</p></aside>"
    body = page(f"<div class=c>{paragraphs(GERMAN)}</div>{about}")
    text = extract_html(body, (), "").text
    assert text.split("\n") == GERMAN
    share = measure_dropped_prose(body, (), text)
    assert 0.1 < share < 0.25
    assert measure_dropped_prose(page(paragraphs(GERMAN)), (), "\n".join(GERMAN)) == 0.0
    assert measure_dropped_prose(body, (), "") == 1.0


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_in_parts_has_a_container_as_well(language: str) -> None:
    lines = TEXTS[language]
    parts = "".join(f"<div class=p{n}><p>{line}</p></div>" for n, line in enumerate(lines))
    behind = "<div class=u><p>Xxx yyy zzz www</p><p>Vvv uuu ttt sss</p></div>"
    assert read(page(f"<div class=m><div class=k>{parts}</div>{behind}</div>")) == lines


def test_prose_behind_a_container_in_parts_stays() -> None:
    parts = "".join(f"<div class=p{n}><p>{line * 9}</p></div>" for n, line in enumerate(GERMAN))
    text = read(page(f"<div class=m><div class=k>{parts}</div><div class=u>{paragraphs(POLISH[:3])}</div></div>"))
    assert text[-3:] == POLISH[:3]


@pytest.mark.parametrize("language", TEXTS)
def test_one_link_in_a_block_of_its_own_between_paragraphs_is_no_text(language: str) -> None:
    lines = TEXTS[language]
    link = "<div class=u><a href=/1>Fff ggg hhh iii</a></div>"
    assert read(page(f"<div class=k>{paragraphs(lines[:2])}{link}{paragraphs(lines[2:])}</div>")) == lines


def test_bylines_between_a_long_title_and_the_text_are_no_text() -> None:
    title = "Die alte Fähre legt wieder ab, und am Ufer stehen mehr Leute, als in das Boot gepasst hätten"
    byline = "<p class=b>Anna Steg | steg@fluss.test</p><p class=b>Am 3. Mai 2019 um 12:30</p>"
    assert read(page(f"<div class=k><h1>{title}</h1>{byline}{paragraphs(GERMAN)}</div>")) == [title, *GERMAN]


def test_captions_by_their_class_are_no_text() -> None:
    caption = "<p class=wp-caption-text>Die Fähre am Morgen, vom Ufer aus gesehen, mit dem neuen Namen am Bug.</p>"
    assert read(page(f"<div class=k>{paragraphs(GERMAN[:2])}{caption}{paragraphs(GERMAN[2:])}</div>")) == GERMAN


def test_a_text_in_blocks_called_comments_without_further_signs_stays() -> None:
    note = f"<div class=commentary-intro><p>{GERMAN[0]}</p></div>"
    text = f"<div class=comment-text>{paragraphs(POLISH * 3)}</div>"
    assert POLISH[0] in read(page(f"<div class=k>{note}{text}</div>"))


def test_replies_that_are_longer_than_the_text_are_no_text() -> None:
    rows = "".join(f"<div class='comment c{n}'><b>Ola {n}</b><p>{line}</p></div>" for n, line in enumerate(POLISH * 3))
    text = read(page(f"<div class=m><div class=k>{paragraphs(GERMAN)}</div><div class=comments>{rows}</div></div>"))
    assert text == GERMAN


def test_several_boxes_of_further_reading_never_take_more_than_they_leave() -> None:
    boxes = "".join(f"<div class=x><h3>相关阅读</h3><p>{line}</p></div>" for line in CHINESE[1:])
    text = read(page(f"<div class=k><p>{CHINESE[0]}</p>{boxes}</div>"))
    assert 2 * sum(map(len, text)) >= sum(map(len, CHINESE))


@pytest.mark.parametrize("numbers", ["[1] [2] [3]", "【1】【2】【3】【4】", "（1）（2）", "( 1 ) ( 2 ) ( 13 )"])
def test_the_numbers_of_a_texts_pages_are_no_text(numbers: str) -> None:
    assert read(page(paragraphs(CHINESE) + f"<p>{numbers}</p>")) == CHINESE


@pytest.mark.parametrize("number", ["【1】", "(1)", "（2）"])
def test_a_single_number_between_the_parts_of_a_text_stays(number: str) -> None:
    assert number in read(page(paragraphs([*CHINESE[:2], number, *CHINESE[2:]])))


@pytest.mark.parametrize("heading", ["延伸 · 推荐", "相关|阅读", "热门·新闻", "推荐 / 阅读"])
def test_a_heading_of_further_reading_may_have_a_sign_between_its_words(heading: str) -> None:
    row = "<div><p>渡口边又开了两家面馆</p><p>渡船停了以后，码头上的面馆关了门，今年春天又有两家回来，其中</p></div>"
    assert read(page(f"<div>{paragraphs(CHINESE)}</div><div><h4>{heading}</h4>{row}</div>")) == CHINESE
