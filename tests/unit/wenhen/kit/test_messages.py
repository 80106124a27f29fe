"""Every sentence stands in the table in both languages; whatever refuses or notes a failure gives it its figures."""

import ast
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import httpx
import pytest

import wenhen
from crawler.spiders.soft_blocks import BlockKind
from tests.support.screens import CJK
from wenhen.alerts.model import AlertEvent
from wenhen.cases.service import AbsenceReason
from wenhen.crawls.model import RunState
from wenhen.holders.model import REQUIRED_FIELDS, PaperKind
from wenhen.kit import errors
from wenhen.kit.errors import BadInput, Language, Message, WenhenError, failure, message, plain_message, sentences
from wenhen.pipeline.daily_schedule import duties_by_name
from wenhen.steps.duties import SWEEP_DUTY, TICK_DUTY
from wenhen.steps.fair_queue import QUEUES

ROOT = Path(wenhen.__file__).parents[1]
ROOMS = ("fingerprinter", "matcher", "crawler", "dashboard", "wenhen", "benchmarks")
MAKERS = {"message", "Message", "blocking_fault", "advisory_fault"} | {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, WenhenError)
}
# Where a message is handed on whose code was looked at where it was made.
HANDED_ON = {
    "wenhen/kit/errors.py",
    "wenhen/runtime/diagnosis.py",
    "dashboard/configuration/views.py",
    # The message names the step that failed. Its sentence uses those of the given figures that concern the step.
    "wenhen/notices/mailbox.py",
    "wenhen/context/mail_delivery.py",
}
STORED_BEFORE = {"notices.not_taken"}  # codes that nothing makes any more, and that stored records hold
# Codes that end in a value.
ENDINGS: Mapping[str, list[str]] = {
    "cases.absent_": [*AbsenceReason],
    "crawls.": [*RunState, "ended"],
    "soft_block.": [*BlockKind],
    "holders.untold_": [*REQUIRED_FIELDS],
    "holders.kind_": [*PaperKind],
    "alerts.of_": [*AlertEvent],
    "alerts.count_": [*AlertEvent],
    "health.queue_": [*QUEUES],
    "health.no_": [SWEEP_DUTY, TICK_DUTY],
    "health.late_": [SWEEP_DUTY, TICK_DUTY],
    "health.serves_": [*QUEUES],
    "health.duty_": [*duties_by_name()],
}


class Made(NamedTuple):
    """A place that makes a message: its code, or of one that ends in a value how it begins; None: it is handed on.

    figures: None where they are handed on.
    """

    where: str
    code: str | None
    figures: set[str] | None


def trees() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def codes(node: ast.expr) -> list[str | None]:
    match node:
        case ast.Constant(value=str(code)):
            return [code]
        case ast.IfExp(body=one, orelse=other):
            return [*codes(one), *codes(other)]
        case ast.JoinedStr(values=[ast.Constant(value=str(beginning)), ast.FormattedValue()]):
            return [beginning]
        case ast.Name(id="PLAIN_CODE"):
            return ["plain.text"]
        case ast.Attribute(attr="unknown_code"):
            return [*unknown_codes()]
    return [None]


def figures(call: ast.Call) -> set[str] | None:
    """The names that the call gives figures; None where those of another message are handed on."""
    names: set[str] = set()
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        names.add(keyword.arg)
    for further in call.args[1:]:
        if not isinstance(further, ast.Dict):
            return None
        names |= {str(key.value) for key in further.keys if isinstance(key, ast.Constant)}
    return names


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Of all modules, with the path of each; it takes seconds, so not when the tests are collected."""
    return [(path, node) for path, tree in trees() for node in ast.walk(tree)]


@cache
def unknown_codes() -> list[str]:
    """What the repositories say of an unknown id."""
    return [
        ast.literal_eval(node.value)
        for _, node in nodes()
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "unknown_code"
    ]


@cache
def derived() -> list[ast.ClassDef]:
    """The errors that a room derives for itself."""
    return [
        node
        for _, node in nodes()
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) in MAKERS for base in node.bases)
    ]


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every call that makes a message; of an error with arguments of its own, what it calls in its base."""
    own = {one.name: "super().__init__(" in ast.unparse(one) for one in derived()}
    names = MAKERS | {name for name, initialises in own.items() if not initialises}
    for path, node in nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
            yield f"{path}:{node.lineno}", node
    for one in derived():
        for node in ast.walk(one):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__":
                yield one.name, node


@cache
def made() -> list[Made]:
    return [
        Made(where, code, figures(call))
        for where, call in calls()
        for code in (codes(call.args[0]) if call.args else [None])
    ]


def braces(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


def test_the_walk_finds_what_makes_messages() -> None:
    assert {"PrivateAddress", "MissingLibrary"} <= {one.name for one in derived()}
    assert "server.no_library" in {one.code for one in made()}
    assert len(made()) > 300
    assert {"crawls.no_start", "fetch.answered", "page.no_text", "soft_block."} <= {one.code for one in made()}


def test_every_code_is_a_literal_but_where_a_message_is_handed_on() -> None:
    unknown = [one for one in made() if one.code is None and one.figures is not None]
    assert [one for one in unknown if one.where.partition(":")[0] not in HANDED_ON] == []


def test_every_code_has_a_sentence() -> None:
    whole = {one.where: one.code for one in made() if one.code and one.code not in ENDINGS}
    assert {where: code for where, code in whole.items() if code not in sentences()} == {}
    ending = [beginning + value for beginning, values in ENDINGS.items() for value in values]
    assert [code for code in ending if code not in sentences()] == []


def test_the_figures_given_are_those_of_the_sentence() -> None:
    known = [one for one in made() if one.code is not None and one.figures is not None]
    given = [(one, f"{one.code}{value}") for one in known for value in ENDINGS.get(one.code or "", [""])]
    assert [(one.where, code) for one, code in given if braces(sentences()[code]["en"]) != one.figures] == []


def test_no_sentence_lies_unused() -> None:
    written = {node.value for _, node in nodes() if isinstance(node, ast.Constant)}
    ending = {beginning + value for beginning, values in ENDINGS.items() for value in values}
    of_failures = {code for code in sentences() if code.startswith("failure.")}
    assert sentences().keys() - written - ending - of_failures == STORED_BEFORE


def test_both_languages_say_it_in_their_own_words_with_the_same_figures() -> None:
    table = sentences().items()
    assert [code for code, words in table if sorted(words) != ["en", "zh"]] == []
    assert [code for code, words in table if braces(words["zh"]) != braces(words["en"])] == []
    assert [code for code, words in table if CJK.search(words["en"])] == []
    wordless = [code for code, words in table if not CJK.search(words["zh"])]
    assert [
        code for code in wordless if any(part.strip(" :") for part, *_ in Formatter().parse(sentences()[code]["en"]))
    ] == []


def test_a_message_is_told_inside_of_another_in_the_same_language() -> None:
    told = message("fetch.no_robots", reason=message("fetch.answered", status=503))
    assert str(told) == "robots.txt cannot be had, so nothing may be fetched now: the server answered 503"
    assert told.text("zh") == "取不到 robots.txt，暂不抓取：服务器应答 503"


def test_a_code_or_a_figure_that_is_missing_is_a_mistake_of_the_program() -> None:
    for wrong in (Message("fetch.nothing_of_the_kind"), Message("fetch.answered")):
        with pytest.raises(KeyError):
            str(wrong)
    with pytest.raises(KeyError):
        BadInput("a sentence in place of a code")


def test_an_error_carries_its_message_into_that_of_a_failure() -> None:
    noted = failure(BadInput("importing.no_text"))
    assert (str(noted), noted.text("zh")) == ("BadInput: no text", "内容不可用：没有正文")


def kinds_of_error(kind: type[WenhenError] = WenhenError) -> Iterator[type[WenhenError]]:
    yield kind
    for narrower in kind.__subclasses__():
        own = "__init__" not in vars(narrower)  # otherwise it is not made of a code and figures
        if own and not narrower.__name__.startswith("_"):  # those leave their module as what they are a kind of
            yield from kinds_of_error(narrower)


@pytest.mark.parametrize("kind", [*kinds_of_error()], ids=lambda kind: kind.__name__)
def test_each_error_of_the_tree_has_its_own_words_as_a_failure(kind: type[WenhenError]) -> None:
    noted = failure(kind("plain.text", text="why"))
    assert str(noted) == f"{kind.__name__}: why"
    assert CJK.search(noted.text("zh"))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("by zero"), "程序出错（ZeroDivisionError: by zero）"),
        (TimeoutError(), "超时（TimeoutError）"),
        (ConnectionResetError("reset by peer"), "读写文件或网络失败（ConnectionResetError: reset by peer）"),
        (httpx.ReadTimeout("timed out"), "等待应答超时（ReadTimeout: timed out）"),
        (httpx.WriteTimeout("timed out"), "程序出错（WriteTimeout: timed out）"),
        (CancelledError(), "程序出错（CancelledError）"),
    ],
)
def test_what_nobody_foresaw_is_told_by_the_nearest_kind_that_has_words(error: BaseException, told: str) -> None:
    assert failure(error).text("zh") == told


def test_of_a_long_story_that_another_program_tells_a_line_is_kept_where_that_is_asked_for() -> None:
    told = ValueError("x" * 900 + "\nand so on")
    assert str(failure(told)) == f"ValueError: {told}"
    assert str(failure(told, 200)) == "ValueError: " + "x" * 200


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_was_kept_before_there_were_codes_or_fits_no_sentence_any_more_can_still_be_read(
    language: Language,
) -> None:
    assert Message.read("its worker died") == plain_message("its worker died")
    gone = Message.read(
        {"code": "was.there_once", "figures": {"count": 7, "reason": {"code": "fetch.robots", "figures": {}}}}
    )
    assert gone.text(language) == "was.there_once 7 robots.txt forbids this address"
    short = Message.read({"code": "fetch.answered", "figures": {}})
    assert short.text(language) == "fetch.answered"
