"""Of a robots.txt only what is said to us counts, and how many others it names does not."""

import codecs
import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from crawler.politeness.robots_parsing import distinguish_bytes, rules_for_agent
from wenhen.kit.size_and_time_limits import MAX_ROBOTS_BYTES

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


def forbidden(file: bytes, paths: list[str]) -> list[str]:
    """Those of these paths that the product does not ask for."""
    rules = Protego.parse(distinguish_bytes(rules_for_agent(file, AGENT).decode()))
    return [path for path in paths if not rules.can_fetch(distinguish_bytes(f"http://a.test{path}"), AGENT)]


PATHS = ["/", "/book/1.html", "/私信", "/私信/3", "/江湖", "/私"]
OTHERS = ["/", "/book/1.html", "/江湖", "/私"]


def spell_paths(paths: list[str], charset: str) -> list[str]:
    return [quote(path, encoding=charset) for path in paths]


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "gbk", "big5", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_rule_in_any_charset_forbids_its_own_path_and_no_other(charset: str, line_end: str) -> None:
    file = line_end.join(("# 本站", "User-agent: *", "Disallow: /私信  # 私人的", "Crawl-delay: 2")).encode(charset)
    assert forbidden(file, PATHS) == ["/私信", "/私信/3"]
    assert forbidden(file, spell_paths(PATHS, "utf-8")) == spell_paths(["/私信", "/私信/3"], "utf-8")
    spelled = charset if charset in ("gb18030", "gbk", "big5") else "utf-8"
    assert forbidden(file, spell_paths(PATHS, spelled)) == spell_paths(["/私信", "/私信/3"], spelled)
    (path,) = spell_paths(["/私信"], spelled)
    assert forbidden(file, [re.sub("%..", lambda escape: escape[0].lower(), path)])
    assert Protego.parse(rules_for_agent(file, AGENT).decode()).crawl_delay(AGENT) == 2


@pytest.mark.parametrize(
    "rule",
    ["Disallow: /*私信", "Disallow: /私*信$", "disallow:/私信", "Disallow: /%CB%BD%D0%C5", "Disallow: /%cb%bd%d0%c5"],
)
def test_wildcards_and_escapes_hold_in_gbk_too(rule: str) -> None:
    file = f"User-agent: *\n{rule}".encode("gbk")
    assert forbidden(file, ["/%CB%BD%D0%C5", *spell_paths(OTHERS, "gbk")]) == ["/%CB%BD%D0%C5"]


def test_a_path_that_is_allowed_in_gbk_is_allowed_and_bytes_that_are_no_text_forbid_nothing_else() -> None:
    file = "User-agent: *\nDisallow: /小说\nAllow: /小说/目录".encode("gbk")
    assert forbidden(file, spell_paths(["/小说/目录", "/小说/1"], "gbk")) == spell_paths(["/小说/1"], "gbk")
    noise = codecs.BOM_UTF8 + b"User-agent: *\nDisallow: /\xff\xfe\nDisallow: /a\n# \x80\x81"
    assert forbidden(noise, ["/", "/b", "/%FF%FE", "/a", "/%FE%FF"]) == ["/%FF%FE", "/a"]
