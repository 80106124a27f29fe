"""Sites, how they are reached, and their crawls."""

from dataclasses import replace
from typing import Any, cast

from tests.support.seed import Seeder
from tests.support.servers.registry import registry
from tests.support.use_cases import Samples
from wenhen.context.use_cases import Acting
from wenhen.crawls.address_fetches import fetch_addresses
from wenhen.crawls.comparison import drop_waiting_addresses
from wenhen.crawls.manual_captures import Circumstances, add_capture
from wenhen.crawls.regions import request_regional_captures
from wenhen.crawls.service import begin_crawl, pause_crawl, remove_site, resume_crawl, stop_crawl
from wenhen.discovery.service import request_search
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.runtime.wiring import App
from wenhen.sites.access import (
    clear_session_cookies,
    disable_font_deciphering,
    enable_font_deciphering,
    forget_rendering,
    learn_rendering,
    override_robots,
    respect_robots,
    retry_rendering,
    set_proxies,
    set_session_cookies,
)
from wenhen.sites.registrations import query_registrations
from wenhen.sites.service import add_site, edit_site, pause_site, resume_site

PROXY = "http://proxy.test:3128"


def site(acting: Acting) -> str:
    return add_site(acting, {"urls": "http://a.example/"}).id


def run(acting: Acting) -> str:
    return begin_crawl(acting, Subject(SubjectKind.SITE, site(acting))).id


def resume(acting: Acting) -> None:
    id = run(acting)
    pause_crawl(acting, id)
    resume_crawl(acting, id)


def end_session(acting: Acting) -> None:
    id = site(acting)
    set_session_cookies(acting, id, "sid=1")
    clear_session_cookies(acting, id)


def obey_robots(acting: Acting) -> None:
    id = site(acting)
    override_robots(acting, id, reason="书面许可")
    respect_robots(acting, id)


def leave_fonts(acting: Acting) -> None:
    id = site(acting)
    enable_font_deciphering(acting, id, reason="书面许可")
    disable_font_deciphering(acting, id)


def look_up(acting: Acting) -> None:
    settings: Any = acting.product.settings
    with registry() as place:
        told = {"rdap": True, "rdap_server": f"{place}/rdap"}
        dossier = settings.dossier.model_copy(update=told)
        product = replace(acting.product, settings=settings.model_copy(update={"dossier": dossier}))
        id = add_site(acting, {"urls": "http://copies.com/"}).id
        query_registrations(replace(acting, product=product), id)


def search(acting: Acting) -> None:
    Seeder(acting.product.store).work()
    product = cast(App, acting.product)
    discover = product.settings.discover.model_copy(update={"url": "http://search.test"})
    settings = product.settings.model_copy(update={"discover": discover})
    request_search(replace(acting, product=replace(product, settings=settings)), "dock")


def from_regions(acting: Acting) -> None:
    seeder = Seeder(acting.product.store)
    seeder.work()
    case = seeder.case()
    product = cast(App, acting.product)
    crawler = product.settings.crawler.model_copy(update={"regions": {"jp": PROXY}})
    settings = product.settings.model_copy(update={"crawler": crawler})
    request_regional_captures(replace(acting, product=replace(product, settings=settings)), case.page_id)


SAMPLES: Samples = {
    request_regional_captures: from_regions,
    request_search: search,
    query_registrations: look_up,
    add_site: site,
    fetch_addresses: lambda acting: fetch_addresses(acting, ["https://copies.example/1", "https://a.example/"]),
    edit_site: lambda acting: edit_site(acting, site(acting), {"every": "6"}),
    pause_site: lambda acting: pause_site(acting, site(acting)),
    resume_site: lambda acting: resume_site(acting, site(acting)),
    remove_site: lambda acting: remove_site(acting, site(acting)),
    set_session_cookies: lambda acting: set_session_cookies(acting, site(acting), "sid=1"),
    clear_session_cookies: end_session,
    set_proxies: lambda acting: set_proxies(acting, site(acting), [PROXY]),
    override_robots: lambda acting: override_robots(acting, site(acting), reason="书面许可"),
    respect_robots: obey_robots,
    enable_font_deciphering: lambda acting: enable_font_deciphering(acting, site(acting), reason="书面许可"),
    disable_font_deciphering: leave_fonts,
    learn_rendering: lambda acting: learn_rendering(acting, site(acting), "http://a.example/app"),
    forget_rendering: lambda acting: forget_rendering(acting, site(acting)),
    retry_rendering: lambda acting: retry_rendering(acting, site(acting)),
    add_capture: lambda acting: add_capture(
        acting,
        "https://app.example/chapter/7",
        [("转写.txt", "渡口".encode())],
        Circumstances(app="晨读 8.2"),
    ),
    begin_crawl: run,
    pause_crawl: lambda acting: pause_crawl(acting, run(acting)),
    resume_crawl: resume,
    drop_waiting_addresses: lambda acting: drop_waiting_addresses(acting, run(acting), "/tag/"),
    stop_crawl: lambda acting: stop_crawl(acting, run(acting)),
}
