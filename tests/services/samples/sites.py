"""Sites, how they are reached, and their crawls."""

from dataclasses import replace
from typing import Any

from services.acting import Acting
from services.crawls import brought_captures, learned_rendering, steered_by_people, waiting_addresses
from services.sites import site_access, sites
from services.sites.rdap import site_domains
from store.records import Subject, SubjectKind
from tests.support.servers.registry import registry
from tests.support.use_cases import Samples

PROXY = "http://proxy.test:3128"


def site(acting: Acting) -> str:
    return sites.add(acting, {"urls": "http://a.example/"}).id


def run(acting: Acting) -> str:
    return steered_by_people.crawl(acting, Subject(SubjectKind.SITE, site(acting))).id


def resume(acting: Acting) -> None:
    id = run(acting)
    steered_by_people.pause(acting, id)
    steered_by_people.resume(acting, id)


def end_session(acting: Acting) -> None:
    id = site(acting)
    site_access.begin_session(acting, id, "sid=1")
    site_access.end_session(acting, id)


def obey_robots(acting: Acting) -> None:
    id = site(acting)
    site_access.override_robots(acting, id, reason="书面许可")
    site_access.obey_robots(acting, id)


def leave_fonts(acting: Acting) -> None:
    id = site(acting)
    site_access.decipher_fonts(acting, id, reason="书面许可")
    site_access.leave_fonts(acting, id)


def look_up(acting: Acting) -> None:
    settings: Any = acting.product.settings
    with registry() as place:
        told = {"rdap": True, "rdap_server": f"{place}/rdap"}
        dossier = settings.dossier.model_copy(update=told)
        product = replace(acting.product, settings=settings.model_copy(update={"dossier": dossier}))
        id = sites.add(acting, {"urls": "http://copies.com/"}).id
        site_domains.look_up(replace(acting, product=product), id)


SAMPLES: Samples = {
    site_domains.look_up: look_up,
    sites.add: site,
    sites.edit: lambda acting: sites.edit(acting, site(acting), {"every": "6"}),
    sites.pause: lambda acting: sites.pause(acting, site(acting)),
    sites.resume: lambda acting: sites.resume(acting, site(acting)),
    sites.remove: lambda acting: sites.remove(acting, site(acting)),
    site_access.begin_session: lambda acting: site_access.begin_session(acting, site(acting), "sid=1"),
    site_access.end_session: end_session,
    site_access.set_proxies: lambda acting: site_access.set_proxies(acting, site(acting), [PROXY]),
    site_access.override_robots: lambda acting: site_access.override_robots(acting, site(acting), reason="书面许可"),
    site_access.obey_robots: obey_robots,
    site_access.decipher_fonts: lambda acting: site_access.decipher_fonts(acting, site(acting), reason="书面许可"),
    site_access.leave_fonts: leave_fonts,
    learned_rendering.learn_rendering: lambda acting: learned_rendering.learn_rendering(
        acting, site(acting), "http://a.example/app"
    ),
    learned_rendering.unlearn_rendering: lambda acting: learned_rendering.unlearn_rendering(acting, site(acting)),
    learned_rendering.try_rendering: lambda acting: learned_rendering.try_rendering(acting, site(acting)),
    brought_captures.bring: lambda acting: brought_captures.bring(
        acting,
        "https://app.example/chapter/7",
        [("转写.txt", "渡口".encode())],
        brought_captures.Circumstances(app="晨读 8.2"),
    ),
    steered_by_people.crawl: run,
    steered_by_people.pause: lambda acting: steered_by_people.pause(acting, run(acting)),
    steered_by_people.resume: resume,
    waiting_addresses.drop: lambda acting: waiting_addresses.drop(acting, run(acting), "/tag/"),
    steered_by_people.stop: lambda acting: steered_by_people.stop(acting, run(acting)),
}
