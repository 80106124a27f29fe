"""Rules of reading apps for where a text stands, as CSS selectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.style_sheets import is_css_selector
from wenhen.sites.import_export import to_css_selector


@pytest.mark.parametrize(
    ("rule", "selector"),
    [
        ("id.content@html", "#content"),
        ("class.read-content.0@tag.p@text", ".read-content p"),
        ("class.box wide@textNodes##广告.*", ".box.wide"),
        ("#chapter p@text", "#chapter p"),
        ("tag.article", "article"),
        ("@css:div.text > p@text", "div.text > p"),
        ("id.content@p!0:-1@html", "#content p"),
        ("id.txt@html||class.txt@html", "#txt, .txt"),
        ("//div[@id='x']//text()||id.y@html", "#y"),
    ],
)
def test_a_rule_that_says_where_an_element_stands_is_a_selector(rule: str, selector: str) -> None:
    assert to_css_selector(rule) == selector


@pytest.mark.parametrize(
    "rule",
    [
        *("", "//div[@id='content']//text()", "$.data.content", "@js:result.body", "id.c@html<js>x</js>"),
        *("tag.div.3@html", "children.0@text", "text.下一页@href", "@css:[[@text", "{{java.get('u')}}", "@text"),
    ],
)
def test_a_rule_that_needs_a_script_or_counts_elements_is_none(rule: str) -> None:
    assert to_css_selector(rule) is None


@given(st.text(alphabet="ac.#@:!|&- 0[]<>{}$/p", max_size=30))
def test_whatever_is_written_the_answer_is_a_selector_or_none(rule: str) -> None:
    found = to_css_selector(rule)
    assert found is None or is_css_selector(found)
