"""Of a robots.txt only what is said to us counts, and how many others it names does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from crawler.politeness.robots_rules import MAX_ROBOTS_BYTES, rules_for_agent

AGENT = "Wenhen"
NAMES = ("wenhen", "WENHEN", "we*n", "*wenhen*", "*", "**", "other", "hen", "w", "wenhen other", "")
RULES = ("Disallow: /a", "Disallow: /", "Allow: /a/b", "Disallow: /*c$", "Crawl-delay: 3", "Disallow:", "Sitemap: /s")
GROUPS = ("User-agent: {}", "useragent:{}", "User agent {}", "  USER-AGENT : {}  # a note", "User-agent {}")
# Lines that are near to naming a crawler, some of which Protego takes for one.
NEAR_GROUPS = (
    "User  agent: {}",
    "User  agent {}",
    "User\tagent\t{}",
    "User-agent {}:x",
    "User-agent {}: x",
    "User-agent {}:",
    "u\N{LATIN SMALL LETTER LONG S}er-agent: {}",
    "User-agent:: {}",
    "User agent{}",
    "useragent\N{NO-BREAK SPACE}{}",
    "Disallow User-agent: {}",
)
LINES = st.one_of(
    st.builds(str.format, st.sampled_from(GROUPS + NEAR_GROUPS), st.sampled_from(NAMES)),
    st.sampled_from(RULES),
    st.sampled_from(("", "# User-agent: *", "User-agents: wenhen", "nothing: at all", "\ufeffUser-agent: *")),
)
ADDRESSES = [f"http://a.test{path}" for path in ("/", "/a", "/a/b", "/a/b/c", "/d")]


@settings(max_examples=150)
@given(st.lists(LINES, max_size=12))
def test_it_allows_and_forbids_us_the_same_as_the_whole_file(lines: list[str]) -> None:
    file = "\n".join(lines).encode()
    whole, ours = (Protego.parse(one.decode("utf-8-sig")) for one in (file, rules_for_agent(file, AGENT)))
    assert [ours.can_fetch(one, AGENT) for one in ADDRESSES] == [whole.can_fetch(one, AGENT) for one in ADDRESSES]
    assert ours.crawl_delay(AGENT) == whole.crawl_delay(AGENT)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("group", GROUPS + NEAR_GROUPS)
def test_a_line_is_read_as_by_the_parser(group: str, name: str) -> None:
    before, after = "User-agent: *\nDisallow: /a\n", "\nDisallow: /d"
    file = (before + group.format(name) + after).encode()
    whole, ours = (Protego.parse(one.decode()) for one in (file, rules_for_agent(file, AGENT)))
    assert [ours.can_fetch(one, AGENT) for one in ADDRESSES] == [whole.can_fetch(one, AGENT) for one in ADDRESSES]


def test_a_file_that_names_thousands_before_thousands_of_rules_is_read_at_once() -> None:
    names = "".join(f"User-agent: a{number}\nUser-agent: w{'*' * number}\n" for number in range(700))
    rules = "".join(f"Disallow: /{number}\n" for number in range(30_000))
    ours = rules_for_agent(f"{names}User-agent: wenhen\n{rules}".encode(), AGENT)
    assert len(ours) <= MAX_ROBOTS_BYTES
    assert len({line for line in ours.splitlines() if line.startswith(b"User-agent")}) == 3, "w, wenhen and all others"
    assert not Protego.parse(ours.decode()).can_fetch("http://a.test/7", AGENT)
