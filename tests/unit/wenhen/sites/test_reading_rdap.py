"""An answer about a domain is read whatever stands in it, and refused where it is none."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.servers.registry import ANSWER
from wenhen.kit.errors import Unreadable
from wenhen.sites.rdap import parse_registration

NAMES = st.sampled_from(["entities", "events", "nameservers", "status", "vcardArray", "roles", "publicIds", "ldhName"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["registrar", "abuse", "email"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(NAMES, ANYTHING, max_size=6))
def test_whatever_a_registry_says_it_is_read(told: dict[str, object]) -> None:
    found = parse_registration(json.dumps({**ANSWER, **told}).encode())
    for words in (*found.abuse, *found.name_servers, *found.status, found.registrar or "", found.domain):
        words.encode()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"objectClassName": "entity"}', b"\xff", b"[" * 100_000])
def test_what_is_no_answer_about_a_domain_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable, match="RFC 9083"):
        parse_registration(content)
