"""Which pages a forum's program may have written, told by words of their markup."""

import pytest

from crawler.extraction.markup_signs import FORUM_SOFTWARE, has_forum_signs
from tests.support.pages.threads import THREAD, THREADS


@pytest.mark.parametrize("charset", ["utf-8", "gb18030"])
def test_each_sign_of_each_program_is_seen_whatever_stands_around_it(charset: str) -> None:
    for sign in (sign for software in FORUM_SOFTWARE for sign in software.signs):
        assert has_forum_signs(f"<div>渡口{sign}的灯</div>".encode(charset)), sign


def test_a_page_without_any_is_looked_at_no_further() -> None:
    assert not has_forum_signs("<article class=post><h1>渡口</h1><p>天亮以前，渡口的灯还亮着。</p></article>".encode())


def test_every_thread_of_a_known_program_shows_one() -> None:
    without = [name for name, write in THREADS.items() if not has_forum_signs(write(THREAD).encode())]
    assert without == ["unknown"]
