"""What was refused or failed is told in the reader's language: every message that the system can raise, in both."""

import ast
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

import store.errors
from crawler.crawl.reasons import IGNORED, KINDS, Reason
from crawler.extract import charset
from crawler.extract import page as extract
from crawler.spiders.soft_blocks import Kind, SoftBlock
from crawler.spiders.traps import endless
from dashboard.frame.telling import in_words
from pipeline import run_step as running
from pipeline.pages import page_parts as parts
from services.crawls import runs as crawling
from store.errors import WenhenError
from store.messages import sentences
from store.records import Step
from tests.support.people import token_in
from tests.support.screens import CJK
from tests.support.seed import NOW, Seeder

ROOT = Path(store.errors.__file__).parents[1]
ROOMS = ("store", "crawler", "matcher", "pipeline", "services", "wenhen", "dashboard")
COMMANDS_ONLY = {"cli", "bench", "comparing", "demo", "embedded"}  # folders whose messages no screen shows
NO_SCREEN = {"settings.py", "web.py", "serving.py", "detecting.py", "segment.py", "__init__.py"}
OF_PARTS = {"7: 7", "7 is no 7", "the first line 7; columns are 7"}  # of which each is told: test_site_refusals
ERRORS = {name for name, value in vars(store.errors).items() if isinstance(value, type)} | {"Outcome", "Refused"}


@pytest.fixture(scope="module")
def app() -> Flask:
    """All that words need: a request, which says the language."""
    return Flask(__name__)


def kinds_of_error(kind: type[WenhenError] = WenhenError) -> Iterator[str]:
    yield kind.__name__
    for narrower in kind.__subclasses__():
        if narrower.__module__ == store.errors.__name__:
            yield from kinds_of_error(narrower)


def written(node: ast.expr) -> str | None:
    """The message as it would read, 7 in the place of each figure; None where the source does not say it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr():
            return "".join(str(one.value) if isinstance(one, ast.Constant) else "7" for one in node.values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            halves = written(left), written(right)
            return None if None in halves else "".join(map(str, halves))
        case ast.IfExp(body=one, orelse=other):
            return written(one) or written(other)
    return None


def messages() -> Iterator[tuple[str, str]]:
    """Where, and every message that an error of ours, or a refusal, is made with; those with a code have both."""
    for path in sorted(chain.from_iterable((ROOT / room).rglob("*.py") for room in ROOMS)):
        where = path.relative_to(ROOT)
        if COMMANDS_ONLY.intersection(where.parts) or where.name in NO_SCREEN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
                message = written(node.args[-1] if node.func.id == "Outcome" else node.args[min(1, len(node.args) - 1)])
                if message is not None and message not in OF_PARTS and message not in sentences():
                    yield f"{where}:{node.lineno}", message


MESSAGES = list(messages())


def test_the_walk_finds_the_messages() -> None:
    assert len(MESSAGES) > 10  # without a code yet
    assert {"a crawl needs at least one start address"} <= {message for _, message in MESSAGES}


@pytest.mark.parametrize(("where", "message"), MESSAGES, ids=[where for where, _ in MESSAGES])
def test_every_message_that_can_be_raised_is_told_in_both_languages(app: Flask, where: str, message: str) -> None:
    with app.test_request_context("/?lang=zh"):
        assert CJK.search(in_words(WenhenError(message).message)), message
    with app.test_request_context("/?lang=en"):
        assert not CJK.search(in_words(WenhenError(message).message))


NOT_RAISED = [
    *(rule[2] for rule in IGNORED),
    *(kind[3] for kind in KINDS),
    *(str(SoftBlock(kind, "x")) for kind in Kind),
    *(f"taken for a trap: {endless(url, 2026)}" for url in ("http://a/x/b/x/b/x/b/x/b/", f"http://a/{'x' * 3000}")),
    *(f"taken for a trap: {endless(url, 2026)}" for url in (f"http://a/{'x/' * 40}", "http://a/1803/04/05/")),
    f"taken for a trap: {endless('http://a/?' + '&'.join(f'p{at}=1' for at in range(40)), 2026)}",
    f"robots.txt cannot be had, so nothing may be fetched now: {KINDS[3][3]}",
    "not stored: BadInput: no text",
    "not rendered: TimeoutError: 30 s",
    crawling.DIED,
    crawling.NO_PAGE,
    running.DEADLY,
    running.RETRIED,
    parts.WAITING,
    extract.NO_TEXT,
    extract.CUT_OFF,
    *charset.decode("文\x00痕".encode("gb18030") + b"\xff\xff", "utf-8").problems,
    "body shorter than Content-Length",
    "HTTP 500: Oops",
]


@pytest.mark.parametrize("message", NOT_RAISED)
def test_what_is_kept_without_being_raised_is_told_in_both_languages(app: Flask, message: str) -> None:
    with app.test_request_context("/?lang=zh"):
        assert CJK.search(in_words(message))
        assert "（" not in in_words(message).partition("：")[0], "a form of its own tells it"
    with app.test_request_context("/?lang=en"):
        assert in_words(message) == message


@pytest.mark.parametrize("kind", [*kinds_of_error(), *Reason])
def test_a_message_without_words_is_told_by_the_kind_that_was_kept_with_it_its_english_behind(
    app: Flask, kind: str
) -> None:
    with app.test_request_context("/?lang=zh"):
        words = in_words("never heard of", kind)
        assert CJK.search(words)
        assert words.endswith("（never heard of）")
    with app.test_request_context("/?lang=en"):
        assert in_words("never heard of", kind) == "never heard of"


def test_figures_stay_and_a_message_is_told_inside_of_another(app: Flask) -> None:
    with app.test_request_context("/?lang=zh"):
        assert in_words("larger than 64 MB: split it") == "超过 64 MB：请拆分"
        assert in_words("the server answered 503") == "服务器应答 503"
        assert in_words("BadInput: no text") == "没有正文"
        assert in_words("not stored: BadInput: no text") == "未能入库：没有正文"
        assert in_words("http://a/: the server answered 503") == "http://a/：服务器应答 503"


def test_what_nobody_foresaw_is_called_a_fault_and_what_has_no_kind_stays_as_it_is(app: Flask) -> None:
    with app.test_request_context("/?lang=zh"):
        assert in_words("ZeroDivisionError: by zero") == "程序出错（ZeroDivisionError: by zero）"
        assert in_words("the archive is broken: no entry") == "the archive is broken: no entry"
        assert in_words("") == ""


def test_english_inside_of_chinese_is_marked_as_english_and_cannot_be_markup(seed: Seeder, client: FlaskClient) -> None:
    seed.store.problems.put("import", "a.epub", "<b>odd</b>", NOW, kind="TooLarge")
    seed.store.problems.put("import", "old.epub", "<i>before kinds were kept</i>", NOW)
    page = LexborHTMLParser(client.get("/health/").text)
    reasons = {cell.text(): cell for cell in page.css("td.problem")}
    [english] = reasons["超过上限（<b>odd</b>）"].css("span")
    assert english.attributes == {"lang": "en"}
    assert "<i>before kinds were kept</i>" in reasons


def test_a_failure_of_the_pipeline_is_shown_by_the_name_of_its_record(seed: Seeder, client: FlaskClient) -> None:
    seed.library()
    work = seed.store.works.get("dock")
    seed.store.problems.put("pipeline", "work:dock", "BadInput: no text", NOW, Step.FINGERPRINT, kind="BadInput")
    seed.store.problems.put("pipeline", "page:gone", "BadInput: no text", NOW, Step.EXTRACT, kind="BadInput")
    names = {cell.text() for cell in LexborHTMLParser(client.get("/health/").text).css("#problems ~ table th.wide bdi")}
    assert {work.title, "page:gone"} <= names


def test_what_an_upload_could_not_bring_is_told_in_chinese(client: FlaskClient) -> None:
    files = {
        "空.txt": b"",
        "图.png": b"PNG",
        "坏.zip": b"PK",
        "表.csv": "title,text\n一,\n,二\n三,三\n".encode(),
        "行.jsonl": b'[]\n{"title": 1, "text": "x"}\nnothing\n',
    }
    form = {
        "csrf_token": token_in(client.get("/works/import/").text),
        "files": [(BytesIO(content), name) for name, content in files.items()],
    }
    page = LexborHTMLParser(client.post("/works/import/", data=form).text)
    reasons = [cell.text() for cell in page.css("td.problem")]
    assert len(reasons) >= len(files)
    assert [reason for reason in reasons if not CJK.search(reason)] == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("the id has 1,001 characters, more than 1,000: shorten it", "id 有 1,001 个字符，超过 1,000：请缩短"),
        ("chapter '-1' is not a whole number from 0 to 9,999", "chapter（章）'-1' 不是 0 到 9,999 的整数"),
    ],
)
def test_figures_that_were_kept_in_a_form_of_their_own_stay_as_they_are(app: Flask, message: str, words: str) -> None:
    with app.test_request_context("/?lang=zh"):
        assert in_words(f"BadInput: {message}") == words
