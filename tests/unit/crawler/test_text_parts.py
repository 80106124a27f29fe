"""What belongs to a text though it stands apart, and what does not though it stands in it: leads, headings, credits."""

import pytest

from crawler.extraction.boilerplate.line_classification import is_dated_line, is_picture_credit, is_writer_line
from crawler.extraction.page import extract_html

FRENCH = [
    "Le matin, le vieux bac a de nouveau quitté la rive, et il y avait au quai plus de monde que le bateau n'en porte.",
    "Le nouveau passeur avait graissé la corde, changé les planches et repeint en rouge le nom inscrit sur la proue.",
    "Ceux qui ne pouvaient pas monter ont pris le pont, en aval, et de là ils ont fait signe aux gens du bateau.",
]
CHINESE = [
    "雨停之前，渡口的人都挤在茶棚里，看着对岸的灯一盏一盏地亮起来，谁也没有先开口。",
    "撑船的人把蓑衣挂在门后，说水涨得太快，今晚不能再过去了，要等到天亮才行。",
    "第二天早上水退了，船靠在柳树底下，昨夜等船的人都已经从桥上走了。",
]
TEXTS = {"French": FRENCH, "Chinese": CHINESE}
LEADS = {
    "French": "Huit ans après sa fermeture, le bac du village traverse de nouveau la rivière.",
    "Chinese": "停了八年的渡船，上个月又重新下水了，镇上的人都来看。",
}


def page(body: str, title: str = "Ferry again") -> bytes:
    return f"<html><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>".encode()


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def read(body: bytes) -> list[str]:
    return extract_html(body, (), "").text.split("\n")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("around", ["header", "div"])
def test_a_lead_between_title_and_text_is_text(language: str, around: str) -> None:
    lead, lines = LEADS[language], TEXTS[language]
    top = f"<{around} class=top><h1>Ferry again</h1><p class=intro>{lead}</p></{around}>"
    links = "<ul><li><a href=/1>Qqq www eee</a></li><li><a href=/2>Rrr ttt zzz</a></li></ul>"
    text = read(page(f"<article>{top}{links}<div class=k>{paragraphs(lines)}</div></article>"))
    assert text[-4:] == [lead, *lines]


@pytest.mark.parametrize("label", ["summary", "article-abstract"])
def test_a_summary_that_is_called_so_is_no_lead(label: str) -> None:
    links = "".join(f"<li><a href=/{n}>Rrr ttt zzz uuu iii ooo ppp {n}</a></li>" for n in range(9))
    top = f"<div><h1>Ferry again</h1></div><div class={label}>{LEADS['French']}</div><ul>{links}</ul>"
    assert LEADS["French"] not in read(page(f"{top}<div class=k>{paragraphs(FRENCH)}</div>"))


@pytest.mark.parametrize("language", TEXTS)
def test_a_heading_over_links_that_were_left_out_is_left_out(language: str) -> None:
    lines = TEXTS[language]
    items = "<li><a href=/1>Fff ggg hhh iii</a></li><li><a href=/2>Jjj kkk lll</a></li>"
    within = f"<h2>Aaa</h2>{paragraphs(lines[:2])}<h3>Bbb ccc</h3><ul>{items}</ul><h2>Ddd</h2>{paragraphs(lines[2:])}"
    assert read(page(f"<main>{within}<h3>Eee fff</h3></main>")) == ["Aaa", *lines[:2], "Ddd", *lines[2:]]


def test_headings_over_text_and_over_other_headings_stay() -> None:
    body = f"<main><h2>一</h2><h3>甲</h3>{paragraphs(CHINESE[:2])}<h3>乙</h3>{paragraphs(CHINESE[2:])}</main>"
    assert read(page(body)) == ["一", "甲", *CHINESE[:2], "乙", *CHINESE[2:]]


def test_the_fields_of_a_form_are_no_text_but_a_text_in_a_form_is() -> None:
    form = "<form><h4>Aaa bbb ccc?</h4><p>Ddd eee fff ggg hhh iii jjj, kkk lll mmm nnn ooo.</p><input name=q></form>"
    assert read(page(f"<div class=k>{paragraphs(FRENCH)}</div>{form}")) == FRENCH
    assert read(page(f"<form id=aspnetForm><div class=k>{paragraphs(FRENCH)}</div></form>")) == FRENCH


@pytest.mark.parametrize(
    "line",
    [
        "11 Jan 2019",
        "Aktualisiert: 11.04.2020, 10:27",
        "Publié le 3 mars 2021 à 18h05",
        "Posted on December 4, 2014 at 9:00 AM",
    ],
)
def test_lines_with_a_date_and_little_else_are_no_text(line: str) -> None:
    assert is_dated_line(line)
    assert line not in read(page(f"<main><div>{line}</div><div>{paragraphs(FRENCH)}</div></main>"))


@pytest.mark.parametrize(
    "line", ["Foto: Agentur Ufer", "© Agence du Quai", "Photograph by Ann Quay", "(crédito: Ana Rio)"]
)
def test_credits_of_pictures_are_no_text(line: str) -> None:
    assert is_picture_credit(line)
    assert read(page(f"<main>{paragraphs(FRENCH[:2])}<p>{line}</p>{paragraphs(FRENCH[2:])}</main>")) == FRENCH


def test_sentences_with_dates_and_pictures_are_text() -> None:
    assert not is_dated_line("Das Boot fuhr am 3. Mai 2019 zum ersten Mal. Alle standen am Ufer.")
    assert not is_dated_line("2019 was the year in which 12 boats were built on this river bank by hand")
    assert not is_picture_credit("Photos of the old ferry hang in every house of the village.")
    assert (is_writer_line("By Ann Quay"), is_writer_line("By the river")) == (True, False)
