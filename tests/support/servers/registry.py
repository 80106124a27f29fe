"""A registry on loopback that answers by RDAP, and says who answers (RFC 9224), in the forms of RFC 9083."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tests.support.crawls.serving import Handler, serving
from tests.support.seed import NOW
from wenhen.context.store_and_queue import Store
from wenhen.sites.model import Registration


def _card(*rows: list[Any]) -> list[Any]:
    return ["vcard", [["version", {}, "text", "4.0"], *rows]]


ANSWER: Final[dict[str, Any]] = {
    "rdapConformance": ["rdap_level_0"],
    "objectClassName": "domain",
    "ldhName": "COPIES.COM",
    "status": ["client transfer prohibited", "active"],
    "events": [
        {"eventAction": "registration", "eventDate": "2019-05-06T07:08:09Z"},
        {"eventAction": "expiration", "eventDate": "2027-05-06T07:08:09Z"},
        {"eventAction": "last changed", "eventDate": "2025-01-02T03:04:05+08:00"},
    ],
    "nameservers": [
        {"objectClassName": "nameserver", "ldhName": "NS1.COPIES.COM"},
        {"objectClassName": "nameserver", "ldhName": "ns2.copies.com"},
    ],
    "entities": [
        {
            "objectClassName": "entity",
            "roles": ["registrar"],
            "publicIds": [{"type": "IANA Registrar ID", "identifier": "9999"}],
            "vcardArray": _card(["fn", {}, "text", "河口注册商"]),
            "entities": [
                {
                    "objectClassName": "entity",
                    "roles": ["abuse"],
                    "vcardArray": _card(
                        ["email", {}, "text", "abuse@registrar.example"],
                        ["tel", {"type": "voice"}, "uri", "tel:+86.1000000000"],
                    ),
                }
            ],
        },
        {"objectClassName": "entity", "roles": ["registrant"], "vcardArray": _card(["org", {}, "text", "抄书公司"])},
    ],
}


def put_registration(store: Store, domain: str = "copies.com") -> str:
    """The id of an answer that was given."""
    digest = store.blobs.put(json.dumps(ANSWER).encode())
    store.registrations.put(
        Registration(id="r1", domain=domain, asked_at=NOW, asked_by="沈", url="https://rdap.example/", digest=digest)
    )
    return "r1"


class Registry(Handler):
    """It knows copies.com alone, and sends those on who ask at its other name."""

    def page(self) -> None:
        if self.path == "/dns.json":
            here = f"http://{self.headers['Host']}"
            self.reply(json.dumps({"version": "1.0", "services": [[["com"], [f"{here}/sent-on/"]]]}))
        elif self.path == "/sent-on/domain/copies.com":
            self.reply("", ("Location", "/rdap/domain/copies.com"), status=302)
        elif self.path == "/rdap/domain/copies.com":
            self.reply(json.dumps(ANSWER, ensure_ascii=False), ("Content-Type", "application/rdap+json"))
        else:
            self.reply("{}", status=404)


@contextmanager
def registry() -> Iterator[str]:
    """Its address, http://host:port."""
    with serving(Registry) as place:
        yield f"http://{place}"
