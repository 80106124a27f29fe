"""What is done with sites and their crawls needs its right and stands in the log, however it was set in motion."""

import dataclasses
from functools import partial

import pytest

from tests.support.acting import by
from tests.support.samples import at_once
from wenhen.crawls.job import find_crawled_site
from wenhen.crawls.model import RunKind, RunState
from wenhen.crawls.service import (
    RUN_ACTIONS,
    apply_to_sites,
    begin_crawl,
    pause_crawl,
    possible_actions,
    remove_site,
    resume_crawl,
    stop_crawl,
)
from wenhen.kit.errors import BadInput, Conflict, Forbidden
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.runtime.wiring import App
from wenhen.sites.access import clear_session_cookies, override_robots, respect_robots, set_proxies, set_session_cookies
from wenhen.sites.import_export import export_sites_csv, import_sites_csv
from wenhen.sites.service import add_site, edit_site, edit_sites, pause_site, resume_site, survey_site

URLS = {"urls": "http://a.example/"}
SITE = Subject.read("a.example")


def log(product: App) -> list[tuple[str, str]]:
    return [(one.action, one.subject) for one in reversed(product.store.audit.find(limit=99))]


def test_several_sites_are_changed_alike_and_those_that_are_gone_are_passed_over(product: App) -> None:
    for host in ("a.example", "b.example"):
        add_site(by(product), {"urls": f"http://{host}/"})
    ids = ["a.example", "gone.example", "b.example"]
    assert [site.id for site in edit_sites(by(product), ids, {"every": "6"})] == ["a.example", "b.example"]
    begin_crawl(by(product), SITE)
    assert [site.id for site in apply_to_sites(by(product), ids, "crawl")] == ["b.example"], "a is being crawled"
    assert [site.id for site in apply_to_sites(by(product), ids, "remove")] == ["a.example", "b.example"]
    assert {run.state for run in product.store.runs.recent(kind=RunKind.CRAWL)} == {RunState.STOPPING}
    assert log(product) == [
        ("site.add", "site:a.example"),
        ("site.add", "site:b.example"),
        ("site.edit", "site:a.example"),
        ("site.edit", "site:b.example"),
        ("site.crawl", "site:a.example"),
        ("site.crawl", "site:b.example"),
        ("site.remove", "site:a.example"),
        ("site.remove", "site:b.example"),
    ]


def test_a_private_address_is_let_in_by_an_administrator_alone(product: App) -> None:
    operator = by(product, "沈", RIGHTS[Role.OPERATOR])
    internal = URLS | {"internal": "yes"}
    with pytest.raises(Forbidden):
        add_site(operator, internal)
    with pytest.raises(Forbidden):
        survey_site(operator, "http://10.0.0.1/", internal=True)
    add_site(operator, URLS)
    with pytest.raises(Forbidden):
        edit_site(operator, "a.example", {"internal": "yes"})
    edit_site(by(product), "a.example", {"internal": "yes"})
    with pytest.raises(Forbidden):
        edit_site(operator, "a.example", {"hosts": "10.0.0.1"})
    for url in ("http://a.example:6379/", "https://a.example/"):
        with pytest.raises(Forbidden):
            edit_site(operator, "a.example", {"urls": f"http://a.example/ {url}"})
        assert not find_crawled_site(product, Subject(SubjectKind.ADDRESS, url)).internal
    assert find_crawled_site(product, Subject(SubjectKind.ADDRESS, "http://a.example/x")).internal
    assert edit_site(operator, "a.example", {"notes": "x", "internal": "yes"}).internal, "which it is already"
    assert edit_site(operator, "a.example", {"urls": "http://a.example/new"}).start_urls == ("http://a.example/new",)
    table = b"urls,internal\nhttp://b.example/,yes\n"
    assert [str(reason) for _, reason, _ in import_sites_csv(operator, table).refused] == [
        "internal: only an administrator adds sites that may be at a private address"
    ]
    assert [site.internal for site in import_sites_csv(by(product), table).added] == [True]


def test_who_lacks_the_right_does_nothing_and_leaves_no_line(product: App) -> None:
    add_site(by(product), URLS)
    run = begin_crawl(by(product), SITE)
    before = log(product)
    reviewer, lawyer = (by(product, "顾", RIGHTS[role]) for role in (Role.REVIEWER, Role.LAWYER))
    for act in (pause_site, resume_site, remove_site, clear_session_cookies, respect_robots):
        with pytest.raises(Forbidden):
            act(reviewer, "a.example")
    for steer in RUN_ACTIONS.values():
        with pytest.raises(Forbidden):
            steer(lawyer, run.id)
    with pytest.raises(Forbidden):
        apply_to_sites(by(product, "沈", {Right.SITES}), ["a.example"], "crawl")
    assert log(product) == before
    assert len(product.store.sites.all()) == 1


def test_what_cannot_be_done_leaves_no_line(product: App) -> None:
    add_site(by(product), URLS)
    run = begin_crawl(by(product), SITE)
    before = log(product)
    with pytest.raises(Conflict, match="is being crawled"):
        begin_crawl(by(product), SITE)
    with pytest.raises(Conflict, match="is waiting, so this cannot be done"):
        resume_crawl(by(product), run.id)
    with pytest.raises(BadInput, match="needs a reason"):
        override_robots(by(product), "a.example", reason=" ")
    assert log(product) == before


def test_what_can_be_done_with_a_run_is_what_is_offered(product: App) -> None:
    add_site(by(product), URLS)
    run = begin_crawl(by(product), SITE)
    assert possible_actions(run) == ["pause", "stop"]
    pause_crawl(by(product), run.id)
    assert possible_actions(product.store.runs.get(run.id)) == ["resume", "stop"]
    stop_crawl(by(product), run.id)
    assert possible_actions(product.store.runs.get(run.id)) == []
    assert log(product)[2:] == [("run.pause", f"run:{run.id}"), ("run.stop", f"run:{run.id}")]


def test_sites_that_are_taken_away_and_taken_in_again_are_as_they_were_but_for_their_sessions(product: App) -> None:
    settings = {"urls": "http://a.example/ https://b.example/", "every": "6.5", "tags": "小说", "notes": "一行\n又一行"}
    more = {"include": "/book/ re:/[0-9]+$", "render": "yes", "headers": "mobile", "delay": "0.5", "mirrors": "m.test"}
    before = add_site(by(product), {**settings, **more, "internal": "yes", "paused": "yes"}, id="a")
    override_robots(by(product), "a", reason="书面许可，见合同")
    set_proxies(by(product), "a", ["http://10.0.0.1:8080", "http://who:secret@10.0.0.2:8080"])
    set_session_cookies(by(product), "a", "sid=1")
    table = export_sites_csv(by(product))
    assert b"secret" not in table
    assert b"sid" not in table
    remove_site(by(product), "a")
    [after] = import_sites_csv(by(product), table).added
    assert after == dataclasses.replace(
        before,
        added_at=after.added_at,
        due=after.due,
        ignore_robots_reason="书面许可，见合同",
        ignore_robots_by=after.ignore_robots_by,
        ignore_robots_at=after.ignore_robots_at,
    )
    kept = product.store.accesses.get("a")
    assert (kept.proxies, kept.cookies) == (("http://10.0.0.1:8080",), ())
    operator = by(product, rights=RIGHTS[Role.OPERATOR])
    assert b"10.0.0.1" not in export_sites_csv(operator)
    remove_site(by(product), "a")
    assert import_sites_csv(operator, table).added == ()


def test_of_those_who_add_a_site_of_one_id_at_the_same_moment_one_does(product: App) -> None:
    def add(path: str) -> bool:
        try:
            add_site(by(product), {"urls": f"http://a.example/{path}"})
        except Conflict:
            return False
        return True

    assert at_once(*(partial(add, str(number)) for number in range(6))).count(True) == 1
    assert log(product) == [("site.add", "site:a.example")]
