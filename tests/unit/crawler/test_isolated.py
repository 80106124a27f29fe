"""Foreign bytes are read by a child that is kept, that has bounds, and whose answers are values and nothing else."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.extraction.page import extract_html
from crawler.extraction.sandbox_calls import PageToRead, read_page, read_pages
from crawler.sandbox.async_reader import AsyncReader
from crawler.sandbox.pool import read_each_in_child, read_in_child, read_many_in_child
from crawler.sandbox.protocol import BadFrame, read_frame, write_frame
from tests.support.commands.children import children_with
from wenhen.kit.errors import BadInput, Unreadable, WenhenError
from wenhen.kit.size_and_time_limits import ReadingBounds
from wenhen.works.model import WorkDraft

BOUNDS = ReadingBounds(seconds=10, memory=500, output=1)
PAGE = f"<title>渡口</title><meta name=author content=林溪><p>{'渡船靠岸时，天已经黑了。' * 20}</p>".encode()


def in_a_loop(function: str, *arguments: object, bounds: ReadingBounds) -> Any:
    """As `read`, by a reader of an event loop."""

    async def once() -> Any:
        reader = AsyncReader()
        try:
            return await reader.read(function, *arguments, bounds=bounds)
        finally:
            reader.close()

    return asyncio.run(once())


either_way = pytest.mark.parametrize("read", [read_in_child, in_a_loop], ids=["waiting", "in a loop"])


def test_a_page_read_in_a_child_is_the_page_read_here() -> None:
    url = "http://a.test/2024-03-05/1.html"
    assert read_page(PAGE, [("Content-Type", "text/html")], url) == extract_html(
        PAGE, [("Content-Type", "text/html")], url
    )


def test_a_child_is_kept_for_the_next_reading_and_replaced_after_a_failure() -> None:
    first = read_in_child("os:getpid", bounds=BOUNDS)
    assert first != os.getpid()
    assert read_in_child("os:getpid", bounds=BOUNDS) == first
    with pytest.raises(Unreadable, match="ZeroDivisionError"):
        read_in_child("operator:truediv", 1, 0, bounds=BOUNDS)
    assert read_in_child("os:getpid", bounds=BOUNDS) != first


@either_way
def test_a_child_does_not_stand_in_a_folder_that_may_go_while_it_waits(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read("os:getcwd", bounds=BOUNDS) == os.sep


LARGE_PARENT = """
from wenhen.kit.size_and_time_limits import ReadingBounds
from crawler.sandbox.pool import read_in_child
taken = b"." * (500 << 20)
bounds = ReadingBounds(seconds=10, memory=500, output=1)
print(read_in_child("os:getpid", bounds=bounds) == read_in_child("os:getpid", bounds=bounds))
"""


def test_the_child_of_a_large_process_is_kept_as_well() -> None:
    told = subprocess.run([sys.executable, "-c", LARGE_PARENT], capture_output=True, text=True, check=True)
    assert told.stdout == "True\n"


@either_way
def test_a_child_that_computes_without_end_is_ended_by_the_kernel(read: Any) -> None:
    with pytest.raises(Unreadable, match="longer than 0 s"):
        read("math:factorial", 10_000_000, bounds=ReadingBounds(seconds=0.3, memory=500, output=1))


@either_way
def test_a_child_that_hangs_is_ended(read: Any) -> None:
    with pytest.raises(Unreadable, match="broken off"):
        read("time:sleep", 600, bounds=BOUNDS._replace(patience=0.3))


@either_way
@pytest.mark.parametrize(
    ("function", "argument", "said"),
    [
        ("builtins:bytearray", 2 << 30, "MemoryError"),
        ("builtins:bytes", 2 << 20, "larger than 1 MB"),
        ("sys:exit", 3, "exit status 3"),
        ("signal:raise_signal", 11, "SIGSEGV"),
    ],
)
def test_what_goes_beyond_the_bounds_or_crashes_is_an_error_of_this_reading(
    read: Any, function: str, argument: int, said: str
) -> None:
    with pytest.raises(Unreadable, match=said):
        read(function, argument, bounds=BOUNDS)
    assert read("operator:add", 1, 2, bounds=BOUNDS) == 3


@either_way
def test_a_refusal_comes_back_with_its_figures(read: Any) -> None:
    with pytest.raises(BadInput) as caught:
        read("wenhen.works.importers.drafts:decode_text", b" ", bounds=BOUNDS)
    assert caught.value.message.code == "importing.empty_file"


def test_what_came_before_a_failure_was_good() -> None:
    lines = b'{"title": "\xe6\xb8\xa1", "text": "\xe6\xb0\xb4"}\n' + b"[" * 100_000
    found = list(read_each_in_child("wenhen.works.importers.file_reader:read_bytes", lines, "a.jsonl", bounds=BOUNDS))
    assert [type(one).__name__ for one in found] == ["WorkDraft", "Refused"]
    assert isinstance(found[0], WorkDraft)


def test_a_reading_that_is_left_half_way_leaves_no_answer_for_the_next() -> None:
    rows = b'{"title": "a", "text": "b"}\n' * 1000
    half = read_each_in_child("wenhen.works.importers.file_reader:read_bytes", rows, "a.jsonl", bounds=BOUNDS)
    next(half)
    half.close()
    assert read_in_child("operator:add", 1, 2, bounds=BOUNDS) == 3


def answers_to(*questions: str, bounds: ReadingBounds = BOUNDS) -> list[str]:
    """What a child computes, and of errors what they say."""
    return [str(answer) for answer in read_many_in_child("builtins:eval", [(each,) for each in questions], bounds)]


def test_many_questions_have_the_answers_of_each_in_order_though_some_fail() -> None:
    sums = [f"{number} + 1" for number in range(40)]
    assert answers_to(*sums) == [str(number + 1) for number in range(40)]
    one, failed, two, three = answers_to("1", "1 / 0", "2", "3")
    assert (one, two, three) == ("1", "2", "3")
    assert "ZeroDivisionError" in failed


@pytest.mark.parametrize(
    ("deadly", "said"),
    [
        ("__import__('os').abort()", "SIGABRT"),
        ("__import__('math').factorial(10_000_000)", "longer than 1 s"),
        ("b' ' * (2 << 20)", "larger than 1 MB"),
        ("__import__('time').sleep(600)", "broken off"),
    ],
)
def test_a_question_that_ends_its_child_takes_no_other_answer_with_it(deadly: str, said: str) -> None:
    bounds = BOUNDS._replace(seconds=1, patience=20 if "sleep" not in deadly else 1)
    *before, ended, after = answers_to("1", "2", "3", deadly, "4", bounds=bounds)
    assert (before, after) == (["1", "2", "3"], "4")
    assert said in ended


def test_many_questions_and_answers_that_no_pipe_holds_do_not_wait_for_each_other() -> None:
    questions = [(b"." * size, 10) for size in (20_000, 90_000, 1, 70_000) * 5]
    answers = read_many_in_child("operator:mul", questions, BOUNDS)
    assert list(answers) == [body * times for body, times in questions]


def test_what_is_large_inside_of_an_argument_does_not_fill_a_pipe_either() -> None:
    questions = [((b"." * 90_000, "字" * 30_000), 1) for _ in range(20)]
    answers = read_many_in_child("operator:mul", questions, BOUNDS)
    assert list(answers) == [each for each, _ in questions]


def test_many_questions_keep_their_child() -> None:
    (first,) = set(read_many_in_child("os:getpid", [()] * 40, BOUNDS))
    assert read_in_child("os:getpid", bounds=BOUNDS) == first


def test_pages_read_together_are_those_read_one_by_one_and_files_among_them_stand_in_their_place() -> None:
    headers = (("Content-Type", "text/html"),)
    urls = [f"http://a.test/{number}.html" for number in range(3)]
    pages = [PageToRead(PAGE.replace("渡船".encode(), url.encode()), headers, url) for url in urls]
    broken = PageToRead(b"%PDF-1.7 broken", (("Content-Type", "application/pdf"),), "http://a.test/a.pdf")
    first, failed, *others = read_pages([pages[0], broken, *pages[1:]])
    assert [first, *others] == [read_page(*page) for page in pages]
    with pytest.raises(WenhenError) as alone:
        read_page(*broken)
    assert str(alone.value) == str(failed)


def test_a_child_knows_no_secret_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_MONGO_URL", "mongodb://user:secret@db/")
    with pytest.raises(Unreadable, match="ZeroDivisionError"):  # so that the next child is a new one
        read_in_child("operator:truediv", 1, 0, bounds=BOUNDS)
    assert read_in_child("os:getenv", "WENHEN_MONGO_URL", bounds=BOUNDS) is None


def test_a_loop_goes_on_while_its_children_read_and_keeps_them_for_the_next_reading() -> None:
    async def both() -> None:
        reader = AsyncReader(most=2)
        hung = asyncio.ensure_future(reader.read("time:sleep", 600, bounds=BOUNDS))
        try:
            first, second, third = [await reader.read("os:getpid", bounds=BOUNDS) for _ in range(3)]
            assert first == second == third
            assert await reader.read("builtins:len", b"." * (3 << 20), bounds=BOUNDS) == 3 << 20  # beyond a pipe's room
            assert not hung.done()
        finally:
            reader.close()
        with pytest.raises(asyncio.CancelledError):
            await hung
        assert not {first} & {child.pid for child in children_with("crawler.sandbox.child_process")}

    asyncio.run(both())


def test_a_child_that_dies_while_it_waits_is_replaced_and_nobody_listens_to_it_any_more() -> None:
    async def readings() -> tuple[int, int, bool]:
        reader = AsyncReader(most=1)
        first = await reader.read("os:getpid", bounds=BOUNDS)
        os.kill(first, signal.SIGKILL)
        await asyncio.sleep(0.2)
        (waiting,) = reader._idle
        second = await reader.read("os:getpid", bounds=BOUNDS)
        reader.close()
        return first, second, waiting.stays

    first, second, stays = asyncio.run(readings())
    assert first != second
    assert not stays


def test_no_more_children_read_than_may_and_a_reading_that_nobody_waits_for_ends_its_child() -> None:
    async def one_at_a_time() -> None:
        reader = AsyncReader(most=1)
        hung = asyncio.ensure_future(reader.read("time:sleep", 600, bounds=BOUNDS))
        waits = asyncio.ensure_future(reader.read("os:getpid", bounds=BOUNDS))
        await asyncio.sleep(0)
        before = {child.pid for child in children_with("crawler.sandbox.child_process")}
        hung.cancel()
        try:
            assert await waits not in before
            assert hung.cancelled()
        finally:
            reader.close()

    asyncio.run(one_at_a_time())


class Called:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("called",)


@pytest.mark.parametrize("value", [Called(), Path("a"), os.getpid, ValueError()])
def test_nothing_but_values_comes_out_of_an_answer(
    value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadFrame):
        read_frame(io.BytesIO(_framed(value)).read, 10_000)
    assert not (tmp_path / "called").exists()


def test_an_answer_imports_no_module_but_those_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "crawler.run", raising=False)
    body = b"\x80\x04ccrawler.run\nCrawlJob\n."
    with pytest.raises(BadFrame):
        read_frame(io.BytesIO(len(body).to_bytes(8) + body).read, 10_000)
    assert "crawler.run" not in sys.modules


def test_a_frame_that_ends_early_or_announces_too_much_is_none() -> None:
    whole = _framed("a text")
    assert read_frame(io.BytesIO(whole).read, 100) == "a text"
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(whole[:-1]).read, 100)
    with pytest.raises(BadFrame):
        read_frame(io.BytesIO(whole).read, 3)


def _framed(value: object) -> bytes:
    file = io.BytesIO()
    write_frame(file, value)
    return file.getvalue()
