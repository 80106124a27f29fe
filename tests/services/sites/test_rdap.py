"""Who registered a site's domain is asked by RDAP where that is allowed, of nobody in a private network, and kept."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from tests.support.acting import by
from tests.support.seed import NOW, watched
from tests.support.servers.registry import ANSWER, registry
from wenhen.dossiers.service import make_dossier
from wenhen.kit.errors import BadInput, NotFound, WenhenError
from wenhen.runtime.wiring import App
from wenhen.sites.registrations import load_registration_file, query_registrations


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    with registry() as found:
        yield found


def asking(product: App, *hosts: str, private: bool = True, **told: object) -> App:
    """The product with a site at those hosts, allowed to ask."""
    product.store.sites.put(replace(watched("抄书网"), hosts=hosts))
    settings = product.settings
    settings = settings.model_copy(
        update={
            "dossier": settings.dossier.model_copy(update={"rdap": True, **told}),
            "dashboard": settings.dashboard.model_copy(update={"private_webhooks": private}),
        }
    )
    return replace(product, settings=settings, now=lambda: NOW)


def test_the_registry_that_iana_names_is_asked_and_its_answer_kept_with_its_day(product: App, place: str) -> None:
    app = asking(product, "www.copies.com", "m.copies.com", rdap_bootstrap=f"{place}/dns.json")
    [found] = query_registrations(by(app), "copies")
    assert (found.domain, found.registrar, found.registrar_id) == ("copies.com", "河口注册商", "9999")
    assert (found.registrant, found.abuse) == ("抄书公司", ("abuse@registrar.example", "+86.1000000000"))
    assert found.name_servers == ("ns1.copies.com", "ns2.copies.com")
    assert found.registered_at == datetime(2019, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert found.changed_at == datetime(2025, 1, 1, 19, 4, 5, tzinfo=UTC)
    assert (found.url, found.asked_at) == (f"{place}/rdap/domain/copies.com", NOW), "who was asked sent us on"
    name, content = load_registration_file(app, found.id)
    assert (name, json.loads(content)) == ("rdap-copies.com-20260306.json", ANSWER)
    assert sha256(content).hexdigest() == found.digest
    assert make_dossier(app, "copies").registrations == (found,)
    [line] = app.store.audit.find(subject="site:copies", action="site.look_up")
    assert found.digest in (line.new or "")


def test_a_server_of_ones_own_is_asked_instead_also_in_a_private_network(product: App, place: str) -> None:
    app = asking(product, "copies.com", private=False, rdap_server=f"{place}/rdap/")
    assert [one.registrar for one in query_registrations(by(app), "copies")] == ["河口注册商"]
    with pytest.raises(NotFound, match="knows no domain"):
        query_registrations(by(asking(product, "other.com", private=False, rdap_server=f"{place}/rdap")), "copies")


def test_nobody_is_asked_who_must_not_be(product: App, place: str) -> None:
    bootstrap = f"{place}/dns.json"
    with pytest.raises(WenhenError, match="private"):
        query_registrations(by(asking(product, "copies.com", private=False, rdap_bootstrap=bootstrap)), "copies")
    with pytest.raises(WenhenError, match="private"):
        query_registrations(by(asking(product, "copies.com", private=False, rdap_server=f"{place}/sent-on")), "copies")
    with pytest.raises(BadInput, match=r"dossier\.rdap"):
        query_registrations(by(asking(product, "copies.com", rdap=False)), "copies")
    with pytest.raises(BadInput, match="no domain"):
        query_registrations(by(asking(product, "127.0.0.1", "com.cn", rdap_bootstrap=bootstrap)), "copies")
    with pytest.raises(NotFound, match="WHOIS"):
        query_registrations(by(asking(product, "新闻.中国", rdap_bootstrap=bootstrap)), "copies")
    assert product.store.registrations.of_domains(["copies.com"]) == []
